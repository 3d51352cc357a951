"""How every git is started: its options, and the caller's environment without what would change an answer.

Invariants:
* Nothing is fetched, asked of a person, watched by a program of the repository or written beside an answer.
* What the caller says about which repository and which index is meant stays.
* No program is looked for in the tree that is judged, and no folder of it is taken for a git directory.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from flakeledger.model.errors import CannotTell

OPTIONS = (
    *("--no-pager", "--no-replace-objects", "--literal-pathspecs"),
    # a file watcher is a program that the repository's configuration names: no question of ours needs it
    *("-c", "core.fsmonitor=false"),
    # a folder of the tree may be a git directory, with programs in its configuration: git takes it for one unless told
    *("-c", "safe.bareRepository=explicit"),
)
#: a split index would write its shared half into the real git directory
QUIETLY = (
    *("-c", "core.splitIndex=false"),
    *("-c", f"core.hooksPath={os.devnull}"),
)
FIXED_ENVIRONMENT = {
    "GIT_ALLOW_PROTOCOL": "none",  # git before 2.39.4 does not know the next one
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_GRAFT_FILE": os.devnull,
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}
_ALTERNATES = "GIT_ALTERNATE_OBJECT_DIRECTORIES"
#: variables that would change an answer, or that git refuses next to --literal-pathspecs
DROPPED = frozenset(
    (
        *("GIT_EXTERNAL_DIFF", "GIT_DIFF_OPTS", "GIT_GLOB_PATHSPECS", "GIT_NOGLOB_PATHSPECS", "GIT_ICASE_PATHSPECS"),
        # another file of configuration for `git config` alone, another end of history, attributes of another tree
        *("GIT_CONFIG", "GIT_SHALLOW_FILE", "GIT_ATTR_SOURCE"),
    )
)


def calm(environment: Mapping[str, str]) -> dict[str, str]:
    """The caller's environment without what would change an answer."""
    kept = {
        name: value for name, value in environment.items() if name not in DROPPED and not name.startswith("GIT_TRACE")
    }
    return without_relative_path(kept) | FIXED_ENVIRONMENT


def without_relative_path(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment, its PATH without what is relative: programs would be looked for in the tree that is judged."""
    kept = dict(environment)
    if "PATH" in kept:
        kept["PATH"] = os.pathsep.join(filter(os.path.isabs, kept["PATH"].split(os.pathsep)))
    return kept


def git_program(environment: Mapping[str, str]) -> str:
    """What is started as git, by a caller with this environment.

    On Windows its whole path, or CannotTell: there a name is looked for in the current folder, which may be the tree
    that is judged, before it is looked for in PATH.
    """
    if os.name != "nt":
        return "git"
    folders = filter(os.path.isabs, environment.get("PATH", "").split(os.pathsep))
    places = (os.path.join(folder, "git.exe") for folder in folders)
    found = next(filter(os.path.isfile, places), None)
    if found is None:
        raise CannotTell("git cannot be started: no folder of PATH has a git.exe", "install git, and let PATH name it")
    return found


def also_objects_of(objects_directory: str, environment: Mapping[str, str]) -> dict[str, str]:
    """The variable by which a git with objects of its own also reads another repository's, and its alternates'."""
    known = (_quoted(objects_directory), environment.get(_ALTERNATES, ""))
    return {_ALTERNATES: os.pathsep.join(filter(None, known))}


def _quoted(path: str) -> str:
    """A path as an item of that variable."""
    escaped = path.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
