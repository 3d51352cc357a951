"""Git: the only module that starts git; it says what changed, what is tracked and where history stands.

What only some runs ask has rooms of its own: `git_line.py`, `git_history.py`, `git_index.py`, `git_search.py`, …

Invariants:
* Every question is a constant number of processes (most are one), however many paths, revisions or steps it is about.
* git runs at the root of the work tree with the caller's index, so that every path is relative to the root.
* No program is looked for in the tree that is judged, and no folder of it is taken for a git directory.
* Nothing is fetched, locked or written in the repository (`set_config` writes what its caller says, `git_worktrees.py`
  makes and removes worktrees); no shell, no pager, no replaced or grafted history.
* A refusal of git is `CannotTell` with git's own words, never an empty answer.
* "Not here" is told apart from "none": a shallow boundary is no root, a broken ref is no unborn branch.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from flakeledger.model.errors import CannotTell
from flakeledger.store.git_environment import OPTIONS, calm, git_program
from flakeledger.store.git_output import (
    Listing,
    PathChange,
    TreeEntry,
    index_records,
    path_changes,
    telling_line,
    tokens_of,
    tree_records,
)
from flakeledger.store.git_refusals import DEEPEN, failure, not_opened, not_started
from flakeledger.store.underway import Underway

__all__ = ("Git", "Listing", "PathChange", "TreeEntry", "Underway")

RAW = ("--raw", "-z", "--no-renames", "--no-abbrev", "--ignore-submodules=none")
INDEX_DIFF = ("diff-index", "--cached", *RAW)
EMPTY_TREES = {
    "sha1": "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    "sha256": "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
}
EMPTY_BLOBS = {
    "sha1": "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
    "sha256": "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813",
}
#: what git says of a revision that is there and is no commit
NO_COMMIT = b", but the object dereferences to "
QUESTIONS = (
    "--is-bare-repository",
    "--is-shallow-repository",
    "--show-object-format",
    "--path-format=absolute",
    "--git-dir",
    *("--git-path", "objects"),
    *("--git-path", "index"),
    *("--git-path", "shallow"),
    "--show-toplevel",  # last: in a bare repository git stops here
)
#: --path-format prints nothing, every other question one line
ANSWERS = 8


class Git(NamedTuple):
    """A repository with a work tree, and the index that the caller means. `Git.open` makes one."""

    root: str
    git_dir: str
    objects_directory: str
    index_path: str
    shallow_path: str
    shallow: bool
    object_format: str
    environment: Mapping[str, str]

    @classmethod
    def open(cls, directory: str, environment: Mapping[str, str]) -> Git:
        """The repository around `directory`, as a hook with this environment sees it.

        CannotTell outside a repository, in a bare one, where git refuses, with git's reason, and where Python names
        files otherwise than git and ledgers do.
        """
        _refuse_other_names()
        kept = calm(environment)
        done = _start(directory, kept, ("rev-parse", *QUESTIONS))
        if done.returncode:
            reason = os.fsdecode(done.stderr) or f"git ended with {done.returncode}"
            raise not_opened(directory, os.fsdecode(done.stdout), reason)
        answers = os.fsdecode(done.stdout).split("\n")[:-1]
        if len(answers) != ANSWERS:
            raise CannotTell(f"the path of {directory!r} contains a line break", "rename the folder")
        _, shallow, object_format, git_dir, objects, index, shallow_path, root = answers
        if object_format not in EMPTY_TREES:
            raise CannotTell(f"unknown object format {object_format!r}", "use a sha1 or sha256 repository")
        # a hook's variables may be relative to the folder where the hook runs; every later git runs at the root
        if not kept.keys().isdisjoint(("GIT_DIR", "GIT_WORK_TREE")):
            kept |= {"GIT_DIR": git_dir, "GIT_WORK_TREE": root}
        absolute = {"GIT_INDEX_FILE": index, "GIT_OBJECT_DIRECTORY": objects}
        kept |= {name: value for name, value in absolute.items() if name in kept}
        return cls(root, git_dir, objects, index, shallow_path, shallow == "true", object_format, kept)

    def run(self, *arguments: str, given: bytes = b"", ok: Sequence[int] = (0,)) -> bytes:
        """What git prints; CannotTell when it ends with a code that is not in `ok`."""
        return self._done(arguments, given, ok).stdout

    def start(self, *arguments: str) -> subprocess.Popen[bytes]:
        """A live git with three pipes. CannotTell when git cannot be started."""
        command = [git_program(self.environment), *OPTIONS, *arguments]
        pipe = subprocess.PIPE
        try:
            return subprocess.Popen(command, cwd=self.root, env=self.environment, stdin=pipe, stdout=pipe, stderr=pipe)
        except OSError as error:
            raise not_started(error) from error

    def begin(self, *arguments: str) -> Underway:
        """A git that runs beside us. CannotTell when it cannot be started."""
        return Underway((git_program(self.environment), *OPTIONS), arguments, self.root, self.environment)

    def empty_tree(self) -> str:
        """The id of the tree without entries."""
        return EMPTY_TREES[self.object_format]

    def config(self, name: str) -> str | None:
        """The last value of a configuration name, or None."""
        done = self._done(("config", "-z", "--get", name), b"", (0, 1))
        return None if done.returncode else os.fsdecode(done.stdout).removesuffix("\0")

    def configs(self, name: str) -> list[str]:
        """Every value of a configuration name, in the order in which git reads them."""
        done = self._done(("config", "-z", "--get-all", name), b"", (0, 1))
        return [os.fsdecode(value) for value in done.stdout.split(b"\0") if value]

    def set_config(self, name: str, value: str) -> None:
        """Give a name of this repository's own configuration one value. CannotTell when it cannot be written."""
        self.run("config", "--local", "--replace-all", name, value)

    def merge_file(self, ours: str, base: str, theirs: str) -> tuple[bytes, bool]:
        """The merged text of three files outside of the repository, and whether conflict markers are left in it."""
        labels = ("-L", "ours", "-L", "base", "-L", "theirs")
        done = self._done(("merge-file", "-p", *labels, "--", ours, base, theirs), b"", range(128))
        return done.stdout, done.returncode != 0

    # history

    def commits(self, revisions: Sequence[str]) -> list[str | None]:
        """For each revision the full id of its commit, None unless both the commit and its tree are here.

        CannotTell when an object is there but cannot be read.
        """
        asked = [revision if revision and not {"\n", "\0"} & set(revision) else "?" for revision in revisions]
        lines = "".join(f"{revision}^{{commit}}\n{revision}^{{tree}}\n" for revision in asked)
        done = self._done(("cat-file", "--batch-check"), os.fsencode(lines), (0,))
        errors = [line for line in done.stderr.split(b"\n") if line.startswith(b"error:") and NO_COMMIT not in line]
        if errors:
            raise CannotTell(
                f"git cannot read a revision: {telling_line(errors[0])}",
                "write the revision in full; if that does not help: git fsck, and repair what it reports",
            )
        answers = [line.rsplit(" ", 2) for line in os.fsdecode(done.stdout).split("\n")[:-1]]
        here = [answer[0] if answer[1:2] in (["commit"], ["tree"]) else None for answer in answers]
        return [commit and tree and commit for commit, tree in zip(here[::2], here[1::2], strict=True)]

    def commit(self, revision: str) -> str | None:
        """The full id of the revision's commit, None unless both the commit and its tree are here."""
        return self.commits([revision])[0]

    def head(self) -> str | None:
        """The commit of HEAD; None on an unborn branch and only there."""
        known = self.commit("HEAD")
        if known is not None:
            return known
        # a broken ref ends `rev-parse --verify -q` with 1 as an unborn branch does; symbolic-ref tells them apart
        if self.branch() is None or self._done(("rev-parse", "--verify", "-q", "HEAD"), b"", (0, 1)).returncode == 0:
            raise CannotTell("HEAD names a commit that is not wholly here", "git fsck, then fetch what it misses")
        return None

    def branch(self) -> str | None:
        """The full name of the branch that HEAD is on, None when HEAD is detached."""
        return os.fsdecode(self.run("symbolic-ref", "-q", "HEAD", ok=(0, 1))).strip() or None

    def symbolic_target(self, reference: str) -> str | None:
        """The full name of what a symbolic reference such as refs/remotes/origin/HEAD points to, or None."""
        return os.fsdecode(self.run("for-each-ref", "--format=%(symref)", reference)).strip() or None

    def parents(self, commit: str) -> list[str]:
        """The parents that the commit itself names, whether or not they are here."""
        header = self.run("cat-file", "commit", commit).partition(b"\n\n")[0]
        return [os.fsdecode(line[7:]) for line in header.split(b"\n") if line.startswith(b"parent ")]

    def merge_base(self, one: str, other: str) -> str | None:
        """The best common ancestor of two commits, None when their histories share none.

        CannotTell when the clone is too shallow to know.
        """
        return next(iter(self.merge_bases(one, other)), None)

    def merge_bases(self, one: str, other: str) -> list[str]:
        """The best common ancestors of two commits: several where branches merged each other crosswise.

        CannotTell when the clone is too shallow to know.
        """
        found = os.fsdecode(self.run("merge-base", "--all", one, other, ok=(0, 1))).split()
        if self.shallow and self._is_cut(found, one, other):
            if one in self.parents(other):
                return [one]
            raise CannotTell(f"the clone is too shallow for the merge base of {one[:7]} and {other[:7]}", DEEPEN)
        return found

    def boundary(self) -> frozenset[str]:
        """The commits whose parents were not fetched."""
        try:
            with open(self.shallow_path, encoding="ascii") as lines:
                return frozenset(lines.read().split())
        except (OSError, ValueError) as error:
            raise CannotTell(f"where this shallow clone ends cannot be read: {error}", DEEPEN) from error

    def merge_heads(self) -> list[str]:
        """The other heads of a merge in progress, or of the clean merge whose hook this is."""
        try:
            with open(os.path.join(self.git_dir, "MERGE_HEAD"), encoding="ascii") as lines:
                return lines.read().split()
        except FileNotFoundError:
            named = sorted(name[8:] for name in self.environment if re.fullmatch(r"GITHEAD_[0-9a-f]{40,64}", name))
        except (OSError, ValueError) as error:
            raise CannotTell(f"MERGE_HEAD cannot be read: {error}", "git merge --abort, or repair the file") from error
        head = self.commit("HEAD") if named else None
        # the variables outlive the merge in whatever its later hooks start: what HEAD already holds is merged
        return [
            name for name in named if head is None or self.commit(name) is None or self.merge_base(name, head) != name
        ]

    # trees and the index

    def tree_entries(self, treeish: str, paths: Sequence[str] = ()) -> dict[str, TreeEntry]:
        """Every path of a tree, or those that are or lie below `paths`. CannotTell when a tree is missing."""
        out = self.run("ls-tree", "-r", "-z", "--full-tree", treeish, "--", *paths)
        return dict(tree_records(out))

    def index_entries(self, paths: Sequence[str] = ()) -> Listing:
        """Every path of the index, or those that are or lie below `paths`; a mere intent to add is none."""
        out = self.run("ls-files", "-s", "-z", "--", *paths)
        listing = index_records(out)
        empty = EMPTY_BLOBS[self.object_format]
        suspects = [path for path, entry in listing.entries.items() if entry.oid == empty]
        for path in self._intended(suspects, paths):
            del listing.entries[path]
        return listing

    def begin_index_changes(self, tree: str) -> Underway:
        """The question of `index_changes`, asked of a git that runs beside us."""
        return self.begin(*INDEX_DIFF, "--ita-invisible-in-index", tree, "--")

    def index_changes(self, tree: str, underway: Underway | None = None) -> list[PathChange]:
        """How the index differs from a tree or the tree of a commit; a mere intent to add is no difference.

        `underway` is what `begin_index_changes` gave, when it was asked before.
        """
        underway = underway or self.begin_index_changes(tree)
        return path_changes(tokens_of(underway.answer()))

    def index_differs(self, tree: str) -> bool:
        """Whether the index differs from a tree or the tree of a commit."""
        arguments = (*INDEX_DIFF, "--quiet", "--ita-invisible-in-index", tree, "--")
        return self._done(arguments, b"", (0, 1)).returncode == 1

    def begin_tree_changes(self, old: str, new: str) -> Underway:
        """The question of `tree_changes`, asked of a git that runs beside us."""
        return self.begin("diff-tree", "-r", *RAW, old, new, "--")

    def tree_changes(self, old: str, new: str, underway: Underway | None = None) -> list[PathChange]:
        """How one tree (or commit) differs from another; a moved file is a deletion and an addition.

        `underway` is what `begin_tree_changes` gave, when it was asked before.
        """
        underway = underway or self.begin_tree_changes(old, new)
        return path_changes(tokens_of(underway.answer()))

    def off_disk(self, paths: Sequence[str]) -> list[str]:
        """Paths of the index at or below `paths` that are not on disk, which git was told not to mind.

        That are those outside of a sparse work tree (tag S), and those that are assumed unchanged (in lower case).
        """
        tagged = tokens_of(self.run("ls-files", "-v", "-z", "--", *paths))
        ignored = (record[2:] for record in tagged if record[0] == "S" or record[0].islower())
        return [path for path in ignored if not os.path.lexists(f"{self.root}/{path}")]

    def begin_unstaged(self, paths: Sequence[str]) -> Underway:
        """The question of `unstaged`, asked of a git that runs beside us."""
        return self.begin("ls-files", "-m", "-o", "-z", "--", *paths)

    def unstaged(self, paths: Sequence[str], underway: Underway | None = None) -> list[str]:
        """Paths at or below `paths` whose file on disk differs from the index, or is not in it; sorted.

        `underway` is what `begin_unstaged` gave, when it was asked before.
        """
        underway = underway or self.begin_unstaged(paths)
        return sorted(set(tokens_of(underway.answer())))

    def _done(self, arguments: Sequence[str], given: bytes, ok: Sequence[int]) -> subprocess.CompletedProcess[bytes]:
        done = _start(self.root, self.environment, arguments, given)
        if done.returncode not in ok:
            raise failure(arguments, done.returncode, done.stderr)
        return done

    def _is_cut(self, found: Sequence[str], one: str, other: str) -> bool:
        """Whether a boundary lies between two commits and their merge bases, so that a better one may be beyond it."""
        listed = self.run("rev-list", one, other, *(["--not", *found] if found else []))
        return not self.boundary().isdisjoint(os.fsdecode(listed).split())

    def _intended(self, suspects: Sequence[str], paths: Sequence[str]) -> list[str]:
        """Those of the empty entries that were only announced (`git add -N`): one diff shows them, another does not."""
        if not suspects:
            return []
        tree = self.commit("HEAD") or self.empty_tree()
        shown = self.run(*INDEX_DIFF, "--ita-visible-in-index", tree, "--", *paths)
        hidden = self.run(*INDEX_DIFF, "--ita-invisible-in-index", tree, "--", *paths)
        if shown == hidden:
            return []
        appear, stay = ({change.path: change for change in path_changes(tokens_of(out))} for out in (shown, hidden))
        return [path for path in suspects if appear.get(path) != stay.get(path)]


def _refuse_other_names() -> None:
    """CannotTell in a locale of another encoding: a test whose path is not ASCII would be taken for gone."""
    encoding = sys.getfilesystemencoding()
    if encoding != "utf-8":
        raise CannotTell(
            f"the names of files are {encoding} here, and those of git and of ledgers are UTF-8",
            "export PYTHONUTF8=1   # or use a locale of UTF-8: export LC_ALL=C.UTF-8",
        )


def _start(
    directory: str, environment: Mapping[str, str], arguments: Sequence[str], given: bytes = b""
) -> subprocess.CompletedProcess[bytes]:
    command = [git_program(environment), *OPTIONS, *arguments]
    try:
        return subprocess.run(command, cwd=directory, env=environment, input=given, capture_output=True, check=False)
    except OSError as error:
        raise not_started(error) from error
