"""Ways to store a repository otherwise: formats, places and histories.

Invariants:
* Each way gives the same commits, index and files, as far as its kind of clone holds them.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable

from conftest import git
from odd_commands import MORE
from odd_place import Odd, Place, rebuild, restage
from world import CONFTEST

# formats


def sha256(place: Place) -> Odd:
    """Object ids of 64 digits."""
    origin = place.move()
    place.root.mkdir()
    place.git("init", "-q", "--object-format=sha256")
    rebuild(origin, place.root)
    return Odd(place.root)


def index(*arguments: str) -> Callable[[Place], Odd]:
    """Another format of the index."""

    def make(place: Place) -> Odd:
        place.git("update-index", *arguments)
        place.git("status")
        return Odd(place.root)

    return make


def sparse(*arguments: str) -> Callable[[Place], Odd]:
    """A sparse work tree."""

    def make(place: Place) -> Odd:
        place.git("sparse-checkout", "set", *arguments)
        return Odd(place.root)

    return make


def marked(flag: str) -> Callable[[Place], Odd]:
    """git is told not to look at the ledgers and one test on disk."""

    def make(place: Place) -> Odd:
        place.git("update-index", flag, "ledgers/freezes.yaml", "ledgers/fixtures.yaml", "ledgers/replays.jsonl", MORE)
        return Odd(place.root)

    return make


def packed(place: Place) -> Odd:
    """Everything in packs, refs too, with a commit graph, bitmaps and a multi-pack index."""
    place.git("repack", "-q", "-a", "-d", "-b")
    place.git("pack-refs", "--all")
    place.git("commit-graph", "write", "--reachable", "--changed-paths")
    place.git("multi-pack-index", "write")
    return Odd(place.root)


def many_files(place: Place) -> Odd:
    """What git recommends for repositories with many files."""
    place.configure(feature__manyFiles="true", feature__experimental="true", index__threads="3")
    place.git("update-index", "--index-version", "4")
    place.git("status")
    return Odd(place.root)


# places


def worktree(place: Place) -> Odd:
    """A linked worktree whose index has the edits; the main one is on another branch."""
    origin = place.move()
    tree = git(origin, "write-tree")
    git(origin, "checkout", "-q", "-f", "--detach", "main")
    git(origin, "config", "extensions.worktreeConfig", "true")
    git(origin, "worktree", "add", "-q", str(place.root), "work")
    place.git("config", "--worktree", "core.fileMode", "true")
    place.git("read-tree", "-u", "-m", "HEAD", tree)
    return Odd(place.root)


def worktree_of_a_bare_one(place: Place) -> Odd:
    """A linked worktree of a bare repository."""
    origin = place.move()
    git(place.folder, "clone", "-q", "--bare", str(origin), "bare.git")
    git(place.folder / "bare.git", "worktree", "add", "-q", str(place.root), "work")
    restage(origin, place.root)
    return Odd(place.root)


def relative_git_dir(place: Place) -> Odd:
    """A file `.git` that leads elsewhere by a relative path."""
    (place.root / ".git").rename(place.folder / "elsewhere.git")
    (place.root / ".git").write_text("gitdir: ../elsewhere.git\n")
    return Odd(place.root)


def separate_git_dir(place: Place) -> Odd:
    """A file `.git` that leads elsewhere by an absolute path."""
    place.git("init", "-q", "--separate-git-dir", str(place.folder / "elsewhere.git"))
    return Odd(place.root)


def linked_git_dir(place: Place) -> Odd:
    """A symbolic link in the place of `.git`."""
    (place.root / ".git").rename(place.folder / "elsewhere.git")
    (place.root / ".git").symlink_to("../elsewhere.git")
    return Odd(place.root)


def named_by_variables(place: Place) -> Odd:
    """A git directory that only variables know, as people keep the files of their home."""
    (place.root / ".git").rename(place.folder / "elsewhere.git")
    git(place.folder / "elsewhere.git", "config", "core.bare", "true")
    return Odd(place.root, {"GIT_DIR": "../elsewhere.git", "GIT_WORK_TREE": "."})


def configured_work_tree(place: Place) -> Odd:
    """A git directory that names the work tree by its configuration."""
    separate_git_dir(place)
    place.git("config", "core.worktree", str(place.root))
    return Odd(place.root)


def reached_by_a_link(place: Place) -> Odd:
    """The current folder is reached by a symbolic link."""
    (place.folder / "link").symlink_to("world")
    return Odd(place.folder / "link")


def oddly_named(place: Place) -> Odd:
    """The folder of the repository has a name that shells, git and lists of paths give a meaning to."""
    name = os.fsdecode(b'-it\'s: a "$HOME"; \\ *?\xff\t{x}')
    return Odd(place.root.rename(place.folder / name))


def subfolder(place: Place) -> Odd:
    """Commands run deep in the tree."""
    return Odd(place.root / "tests" / "fixtures", up="../../")


def submodule(place: Place) -> Odd:
    """The repository is a submodule of another one."""
    origin = place.move()
    outer = place.folder / "outer"
    git(place.folder, "init", "-q", "outer")
    git(outer, "submodule", "--quiet", "add", origin.as_uri(), "world")
    git(outer / "world", "branch", "-q", "main", "origin/main")
    git(outer / "world", "remote", "set-head", "origin", "-d")
    restage(origin, outer / "world")
    return Odd(outer / "world")


def superproject(place: Place) -> Odd:
    """The repository has a submodule, with edits and another commit of its own that are not staged."""
    library = place.folder / "library"
    git(place.folder, "init", "-q", "library")
    git(library, "commit", "-q", "--allow-empty", "-m", "one")
    place.git("submodule", "--quiet", "add", library.as_uri(), "vendor/library")
    place.git("config", "diff.ignoreSubmodules", "all")
    git(place.root / "vendor/library", "commit", "-q", "--allow-empty", "-m", "two")
    (place.root / "vendor/library/file").write_text("edited\n")
    return Odd(place.root)


# histories


def shallow(depth: int, *options: str) -> Callable[[Place], Odd]:
    """A clone of so many commits."""

    def make(place: Place) -> Odd:
        place.clone("--depth", str(depth), *options)
        return Odd(place.root)

    return make


def partial_clone(what: str) -> Callable[[Place], Odd]:
    """A clone without old objects, whose origin is gone."""

    def make(place: Place) -> Odd:
        place.clone(f"--filter={what}")
        shutil.rmtree(place.folder / "origin")
        return Odd(place.root)

    return make


def alternates(place: Place) -> Odd:
    """A clone that borrows the objects of another repository."""
    place.clone("--shared")
    return Odd(place.root)


def borrowed_by_variables(place: Place) -> Odd:
    """Objects that only variables know."""
    (place.root / ".git/objects").rename(place.folder / "objects")
    (place.root / ".git/objects").mkdir()
    return Odd(place.root, {"GIT_ALTERNATE_OBJECT_DIRECTORIES": str(place.folder / "objects")})


def replaced(place: Place) -> Odd:
    """References of git replace that would empty HEAD and the policy, and a graft."""
    tree = subprocess.run(["git", "mktree"], cwd=place.root, input=b"", capture_output=True, check=True).stdout
    empty = place.git("commit-tree", tree.decode().strip(), "-m", "empty")
    head = place.git("rev-parse", "HEAD")
    place.git("replace", head, empty)
    place.git("replace", place.git("rev-parse", ":ledgers/policy.yaml"), place.git("rev-parse", f":{CONFTEST}"))
    (place.root / ".git/info").mkdir(exist_ok=True)
    (place.root / ".git/info/grafts").write_text(f"{head}\n")
    return Odd(place.root)


def detached(place: Place) -> Odd:
    """HEAD is on no branch."""
    place.git("checkout", "-q", "--detach")
    return Odd(place.root)


def octopus(place: Place) -> Odd:
    """HEAD is a merge of four."""
    sides = [place.commit("main", "main") for _ in range(1)]
    sides += [place.commit("main", sides[0]), place.commit("main~1", "main~1")]
    place.git("update-ref", "HEAD", place.commit("HEAD", "HEAD", *sides))
    return Odd(place.root)


def criss_cross(place: Place) -> Odd:
    """main and HEAD have two merge bases."""
    one, other = place.commit("main", "main"), place.commit("main", "main~1")
    head = place.commit("HEAD", place.commit("main", one, other))
    place.git("update-ref", "refs/heads/main", place.commit("main", other, one))
    place.git("update-ref", "HEAD", head)
    return Odd(place.root)


def merging(place: Place) -> Odd:
    """A merge of three is being committed, to which the edits belong."""
    heads = [place.commit("main", "main"), place.commit("main~1", "main~1")]
    (place.root / ".git/MERGE_HEAD").write_text("".join(f"{head}\n" for head in heads))
    (place.root / ".git/MERGE_MSG").write_text("merge\n")
    return Odd(place.root)


def unborn(place: Place) -> Odd:
    """There is no commit yet."""
    origin = place.move()
    git(place.folder, "init", "-q", "world")
    restage(origin, place.root)
    return Odd(place.root)


def orphan(place: Place) -> Odd:
    """HEAD is on a branch without a commit; main has its history."""
    place.git("symbolic-ref", "HEAD", "refs/heads/orphan")
    return Odd(place.root)
