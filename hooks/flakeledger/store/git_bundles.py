"""One commit as a git bundle: without its history, so that it can travel, and be unpacked by somebody without one.

Invariants:
* Nothing is written in the caller's repository: the bundle is made in a temporary one that borrows its objects.
* A bundle holds the whole tree of its commit: where an object is missing (a partial clone) there is no bundle.
* To a repository that unpacks it, the commit is a shallow one: its id is the same, and its parents are not there.
* No hook and no template of the user's configuration takes part.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from flakeledger.model.errors import CannotTell
from flakeledger.store.git import Git
from flakeledger.store.git_environment import FIXED_ENVIRONMENT, QUIETLY, also_objects_of
from flakeledger.store.git_output import tokens_of
from flakeledger.store.temporary import temporary_folder

_REFERENCE = "refs/heads/replayed"
_BUNDLE = "bundle"
#: variables that lead git to another repository than the one in the folder
_PLACES = frozenset(
    (
        *("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_PREFIX", "GIT_NAMESPACE"),
        *("GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_SHALLOW_FILE", "GIT_IMPLICIT_WORK_TREE"),
    )
)
#: what a filter says of files that it leaves as they are
_NO_FILTER = frozenset((b"unspecified", b"unset", b"set"))
_FIELDS = 3


def bundled(git: Git, commit: str) -> bytes:
    """The bundle of a commit. CannotTell when an object of it is not here, or a temporary folder cannot be made.

    CannotTell also when a filter of the caller's configuration makes other files of what git stores: neither the
    filter nor what it reads travels.
    """
    try:
        with temporary_folder("bundle") as folder:
            alternates = also_objects_of(git.objects_directory, git.environment)
            alone = _new_repository(folder, git.object_format, git.environment, alternates)
            _graft(alone, commit)
            _refuse_filters(git, alone, commit)
            return _packed(alone, commit)
    except OSError as error:
        fix = "point TMPDIR at a folder that you may write, with room for a copy of the commit"
        raise CannotTell(f"no bundle can be made in a temporary folder: {error}", fix) from error


def unpack(bundle: bytes, folder: str, commit: str, object_format: str, environment: Mapping[str, str]) -> Git:
    """A new repository in an empty folder that holds the commit of a bundle; nothing is checked out.

    CannotTell when that cannot be done, or the bundle has another commit.
    """
    fresh = _new_repository(folder, object_format, environment, {})
    path = f"{fresh.git_dir}/{_BUNDLE}"
    try:
        with open(path, "wb") as file:
            file.write(bundle)
        fresh.run("bundle", "unbundle", path)
        os.unlink(path)
    except OSError as error:
        raise CannotTell(f"{path} cannot be written: {error.strerror}", "point TMPDIR at a folder with room") from error
    _graft(fresh, commit)
    return open_clone(folder, environment)


def open_clone(folder: str, environment: Mapping[str, str]) -> Git:
    """The repository that `unpack` made. CannotTell when it is none."""
    return Git.open(folder, _without_places(environment))


def _new_repository(
    folder: str, object_format: str, environment: Mapping[str, str], alternates: Mapping[str, str]
) -> Git:
    git_dir = f"{folder}/.git"
    own = {**_without_places(environment), **FIXED_ENVIRONMENT, "GIT_DIR": git_dir, **alternates}
    git = Git(folder, git_dir, f"{git_dir}/objects", f"{git_dir}/index", f"{git_dir}/shallow", True, object_format, own)
    git.run(*QUIETLY, "init", "--quiet", "--template=", f"--object-format={object_format}")
    return git


def _graft(git: Git, commit: str) -> None:
    """Let history begin with the commit, and name it, so that nothing takes its objects for garbage."""
    with open(git.shallow_path, "w", encoding="ascii") as file:
        file.write(f"{commit}\n")
    git.run(*QUIETLY, "update-ref", _REFERENCE, commit)


def _packed(alone: Git, commit: str) -> bytes:
    try:
        return alone.run("bundle", "create", "--quiet", "-", _REFERENCE)
    except CannotTell as refusal:
        fix = f"fetch what this clone misses: git clone the repository without --filter, and replay {commit[:7]} there"
        raise CannotTell(f"the commit {commit[:7]} is not wholly here: {refusal.reason}", fix) from refusal


def _refuse_filters(git: Git, alone: Git, commit: str) -> None:
    """Stop at a file that git would check out by a filter of this configuration, such as that of Git LFS."""
    alone.run("read-tree", commit)
    paths = alone.run("ls-files", "-z")
    fields = tokens_of(alone.run("check-attr", "--cached", "-z", "--stdin", "filter", given=paths))
    path_by_filter: dict[str, str] = {}
    for path, name in zip(fields[::_FIELDS], fields[2::_FIELDS], strict=True):
        if os.fsencode(name) not in _NO_FILTER:
            path_by_filter.setdefault(name, path)
    for name, path in path_by_filter.items():
        if git.config(f"filter.{name}.smudge") not in (None, "", "cat") or git.config(f"filter.{name}.process"):
            raise CannotTell(
                f"git makes {path} by the filter {name}, and what that reads does not travel with the commit",
                "replay on this machine, without --scheduler",
                f"{path}:1:1",
            )


def _without_places(environment: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in environment.items() if name not in _PLACES}
