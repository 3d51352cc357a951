"""The folder in which an odd repository is made of a plain one.

Invariants:
* The folder holds the plain repository in `world` and what commands are given in `given`; whatever a way makes lies in
  that folder, and the odd repository holds the same commits, index and files.
* A program that no command may start leaves a mark: the file `ran` in the folder.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from conftest import git


class Odd(NamedTuple):
    """Where commands run, with which variables, whether without root's rights over files, and the way to the root."""

    root: Path
    environment: Mapping[str, str] = {}
    powerless: bool = False
    up: str = ""


class Place(NamedTuple):
    """The folder of one repository."""

    folder: Path

    @property
    def root(self) -> Path:
        """The plain repository."""
        return self.folder / "world"

    @property
    def mark(self) -> Path:
        """What a program leaves behind that nothing should have started."""
        return self.folder / "ran"

    def git(self, *arguments: str) -> str:
        """What git prints in the plain repository."""
        return git(self.root, *arguments)

    def program(self, name: str, then: str = "exit 1") -> Path:
        """A program that leaves the mark."""
        file = self.folder / "programs" / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"#!/bin/sh\ntouch '{self.mark}'\n{then}\n")
        file.chmod(0o755)
        return file

    def configure(self, **values: str) -> None:
        """Write configuration; `__` stands for the dot."""
        for name, value in values.items():
            self.git("config", name.replace("__", "."), value)

    def attributes(self, text: str) -> None:
        """Attributes that are no part of the tree."""
        file = Path(self.git("rev-parse", "--path-format=absolute", "--git-path", "info/attributes"))
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)

    def move(self) -> Path:
        """The plain repository, put aside."""
        return self.root.rename(self.folder / "origin")

    def clone(self, *options: str) -> None:
        """A clone of the plain repository in its place, with the same staged edits."""
        origin = self.move()
        git(origin, "config", "uploadpack.allowFilter", "true")
        git(origin, "symbolic-ref", "HEAD", "refs/heads/main")
        git(self.folder, "clone", "-q", "--branch", "work", *options, origin.as_uri(), "world")
        if self.git("for-each-ref", "refs/remotes/origin/main"):
            self.git("branch", "-q", "main", "origin/main")
            self.git("remote", "set-head", "origin", "-d")
        restage(origin, self.root)

    def commit(self, tree: str, *parents: str) -> str:
        """A commit that is on no branch."""
        named = [word for parent in parents for word in ("-p", parent)]
        return self.git("commit-tree", f"{tree}^{{tree}}", *named, "-m", "made")

    def check_out(self) -> None:
        """Write every file anew as git would check it out from the index."""
        for path in self.git("ls-files", "-z").split("\0")[:-1]:
            (self.root / path).unlink()
        self.git("checkout-index", "-a", "-f", "-u")


def restage(origin: Path, root: Path) -> None:
    """Bring the files of one work tree into another, and stage them."""
    for name in git(root, "ls-files", "-z").split("\0")[:-1]:
        (root / name).unlink(missing_ok=True)
    for file in origin.rglob("*"):
        path = file.relative_to(origin)
        if file.is_file() and ".git" not in path.parts:
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(file, root / path)
    git(root, "add", "-A")


def rebuild(origin: Path, root: Path, edit: Callable[[bytes], bytes] = bytes) -> None:
    """The history of one repository, its stream edited, in another one, with the same edits staged."""
    stream = subprocess.run(["git", "fast-export", "--all"], cwd=origin, capture_output=True, check=True).stdout
    subprocess.run(["git", "fast-import", "--quiet"], cwd=root, input=edit(stream), check=True)
    git(root, "symbolic-ref", "HEAD", "refs/heads/work")
    git(root, "reset", "-q")
    restage(origin, root)
