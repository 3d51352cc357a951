"""Which files of a tree are test code: where a skip, a mark or a deselection takes a test out of the runs.

Invariants:
* The classes are those of the policy that judges; a name that says "test" counts whatever its class, for production
  is the most permissive class. Ledgers are never test code.
* Only code that is understood counts: Python, and the languages of `repo/languages.py`.
* Only regular files hold code; of a link or a submodule nothing is read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from flakeledger.model.ledger_paths import LEDGERS
from flakeledger.model.patterns import PathClasses, looks_like_test
from flakeledger.repo.ids import is_python
from flakeledger.repo.tree import REGULAR_MODES
from flakeledger.store.git import PathChange

#: reads blobs by their ids, in the order given
ReadMany = Callable[[Iterable[str]], Iterator[tuple[str, bytes]]]

CLASSES = frozenset(("test_body", "generator", "runner"))
#: where pytest looks for its options and for what it ignores, in any folder: docs.pytest.org, "Configuration"
OPTION_FILES = frozenset(
    {"pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml", "pyproject.toml", "setup.cfg", "tox.ini"}
    | {"conftest.py"}
)


class Versions(NamedTuple):
    """A file of test code after an edit (the id of its blob), and the different ones that stood there before.

    "" stands for no regular file.
    """

    path: str
    new: str
    bases: tuple[str, ...]


def is_test_code(path: str, classes: PathClasses) -> bool:
    """Whether the path holds test code in a language that is understood."""
    if path.startswith(LEDGERS):
        return False
    if classes.class_of(path).name not in CLASSES and not runs_by_name(path):
        return False
    if is_python(path):
        return True
    from flakeledger.repo.languages import language_of  # a change of Python alone does without its tables

    return language_of(path) is not None


def runs_by_name(path: str) -> bool:
    """Whether test runners read the file because of its name, wherever it lies."""
    return path.rpartition("/")[2] in OPTION_FILES or looks_like_test(path)


def edits_of_tests(paths: Iterable[PathChange], classes: PathClasses) -> list[PathChange]:
    """The changed paths that are files of test code in the new tree."""
    return [change for change in paths if change.new_mode in REGULAR_MODES and is_test_code(change.path, classes)]


def versions_of(edit: PathChange) -> Versions:
    """Both sides of an edit."""
    return Versions(edit.path, regular(edit.new_mode, edit.new_oid), (regular(edit.old_mode, edit.old_oid),))


def regular(mode: str, oid: str) -> str:
    """The id of a regular file's blob; "" for anything else."""
    return oid if mode in REGULAR_MODES else ""


def contents(versions: Sequence[Versions], read_many: ReadMany) -> Iterator[list[bytes]]:
    """The bytes of each file after and before, b"" for what is not there, all of them in one stream."""
    wanted = [(one.new, *one.bases) for one in versions]
    stream = read_many(oid for oids in wanted for oid in oids if oid)
    for oids in wanted:
        yield [next(stream)[1] if oid else b"" for oid in oids]
