"""Real repositories on which git is asked: files written and committed, a conflict, a deep history and its clones."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from conftest import git
from flakeledger.store.git import Git


def opened(where: Path, **variables: str) -> Git:
    return Git.open(str(where), os.environ | variables)


def write(where: Path, path: str, content: str) -> str:
    """Put a file there; gives its blob id."""
    file = where / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(content)
    return git(where, "hash-object", path)


def commit(where: Path, path: str, content: str, *options: str) -> str:
    write(where, path, content)
    git(where, "add", "-A")
    git(where, "commit", "-qm", f"write {path}", *options)
    return git(where, "rev-parse", "HEAD")


def files_of(where: Path) -> dict[str, tuple[bytes, int]]:
    """Every file below a folder with its content and time; git renews the time of objects that it meets again."""
    files = [file for file in sorted(where.rglob("*")) if file.is_file()]
    renewed = {file for file in files if "objects" in file.parts or file.name.startswith("sharedindex.")}
    return {
        str(file.relative_to(where)): (file.read_bytes(), 0 if file in renewed else file.stat().st_mtime_ns)
        for file in files
    }


def conflict(where: Path) -> tuple[str, str]:
    """A merge that stops at a conflict over `both`; gives HEAD and the other head."""
    commit(where, "both", "base\n")
    git(where, "checkout", "-q", "-b", "other")
    other = commit(where, "both", "theirs\n")
    git(where, "checkout", "-q", "main")
    head = commit(where, "both", "ours\n")
    merged = subprocess.run(["git", "merge", "-q", "other"], cwd=where, capture_output=True, check=False)
    assert merged.returncode == 1
    return head, other


def deep_history(tmp_path: Path) -> Path:
    """Four commits on main, and a branch `side` from the first one with two commits of its own."""
    where = tmp_path / "deep"
    where.mkdir()
    git(where, "init", "-q")
    for count in range(4):
        commit(where, f"file{count}", f"{count}\n")
    git(where, "checkout", "-q", "-b", "side", "main~3")
    commit(where, "side1", "1\n")
    commit(where, "side2", "2\n")
    git(where, "checkout", "-q", "main")
    return where


def clone(of: Path, depth: int, *options: str) -> Path:
    where = of.parent / f"clone-{depth}-{len(list(of.parent.iterdir()))}"
    git(of.parent, "clone", "-q", f"--depth={depth}", *options, f"file://{of}", str(where))
    return where
