"""A repository with an index of its own, for what is not staged: what is on disk, or files as an edit would make them.

Invariants:
* Nothing of the caller's repository is written: the index and the new objects live in a temporary folder that goes.
* git stores what it would store for the caller: filters, attributes and line ends count. No hook runs.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from shutil import copy2

from flakeledger.model.errors import CannotTell
from flakeledger.store.git import Git
from flakeledger.store.git_environment import QUIETLY, also_objects_of
from flakeledger.store.temporary import temporary_folder


@contextmanager
def working_tree(git: Git) -> Iterator[Git]:
    """The same repository with an index that holds what is on disk, as `git add -A` would store it.

    The index and the new objects live in a temporary folder that goes in the end. CannotTell when a file
    cannot be added.
    """
    with temporary_folder("index") as folder:
        beside = _beside(git, folder)
        beside.run(*QUIETLY, "add", "-A")
        yield beside


@contextmanager
def with_files(git: Git, files: Mapping[str, bytes]) -> Iterator[Git]:
    """The same repository with an index in which some files hold other bytes, as `git add` would store them.

    For a handful of files: each is a process. The index and the new objects live in a temporary folder that
    goes in the end. CannotTell when a file cannot be added.
    """
    with temporary_folder("index") as folder:
        beside = _beside(git, folder)
        standing = git.index_entries(tuple(files)).entries
        records = b""
        for path, data in files.items():
            mode = standing[path].mode if path in standing else "100644"
            blob = beside.run("hash-object", "-w", f"--path={path}", "--stdin", given=data).strip()
            records += b"%s %s\t%s\0" % (mode.encode(), blob, os.fsencode(path))
        beside.run(*QUIETLY, "update-index", "-z", "--index-info", given=records)
        yield beside


def _beside(git: Git, folder: str) -> Git:
    """The same repository, its index and new objects in a folder of their own. CannotTell without room there."""
    index, objects = f"{folder}/index", f"{folder}/objects"
    try:
        os.mkdir(objects)
        with suppress(FileNotFoundError):
            copy2(git.index_path, index)  # its time too: git compares it to find what changed since
    except OSError as error:
        reason = f"the index cannot be copied into a temporary folder: {error}"
        raise CannotTell(reason, "point TMPDIR at a folder that you may write, with room for the index") from error
    changed = {
        "GIT_INDEX_FILE": index,
        "GIT_OBJECT_DIRECTORY": objects,
        **also_objects_of(git.objects_directory, git.environment),
    }
    return git._replace(index_path=index, objects_directory=objects, environment=dict(git.environment) | changed)
