"""From an import to the paths it may mean, and the generator set of a property.

Invariants:
* Imports resolve inside the tree only, and only to regular files that it holds; no path has `..`.
* Nothing is imported or run. A module that cannot be parsed imports nothing, and is in the set itself.
* Only modules of class generator enter the set by import and are followed; each once, so cycles end.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

#: where a repository keeps the code that its tests import, besides the folders above the test
_SOURCE_ROOTS = ("src", "lib")
#: deeper module names than any file system holds; keeps the number of candidates bounded
_DEEPEST = 64
_LONGEST = 4096


class Import(NamedTuple):
    """An import: `from ..a.b import c, d` is ("a.b", 2, ("c", "d")); `import a.b` is ("a.b", 0, ())."""

    module: str
    level: int
    names: tuple[str, ...]


def folders_above(path: str) -> list[str]:
    """The folder of a path and every folder above it, nearest first; the root is ""."""
    parts = path.split("/")[:-1]
    return ["/".join(parts[:depth]) for depth in range(len(parts), -1, -1)]


def imported_paths(found: Import, importer: str, is_file: Callable[[str], bool]) -> list[str]:
    """The paths that an import in the module `importer` reads, the packages on the way included.

    `is_file` says whether the tree holds a regular file at a path.
    """
    if found.module.count(".") > _DEEPEST or len(found.module) > _LONGEST:
        return []
    roots = _roots(found.level, importer)
    parts = found.module.split(".") if found.module else []
    paths: dict[str, None] = {}
    for candidate in (parts, *([*parts, name] for name in found.names if name != "*")):
        for root in roots:
            hits = _module_paths(root, candidate, is_file)
            if hits:
                paths.update(dict.fromkeys(hits))
                break
    return list(paths)


def _roots(level: int, importer: str) -> list[str]:
    """The folders in which the first name of the module is looked for."""
    above = folders_above(importer)
    if level:
        return above[level - 1 : level]
    return [*above, *(root for root in _SOURCE_ROOTS if root not in above)]


def _module_paths(root: str, parts: Sequence[str], is_file: Callable[[str], bool]) -> list[str]:
    """The file of a module below a root and the packages on the way; nothing where the root lacks it."""
    names = [root, *parts] if root else list(parts)
    whole = "/".join(names)
    # a package goes before a module of the same name, as in Python's own finder
    module = [f"{whole}.py"] if parts else []
    hit = next((path for path in (_init(whole), *module) if is_file(path)), None)
    if hit is None:
        return []
    packages = (_init("/".join(names[:depth])) for depth in range(len(names) - len(parts) + 1, len(names)))
    return [*(path for path in packages if is_file(path)), hit]


def _init(folder: str) -> str:
    return f"{folder}/__init__.py" if folder else "__init__.py"


def conftests(path: str) -> Iterator[str]:
    """Where pytest looks for a conftest.py for a test file, from its folder up to the root."""
    for folder in folders_above(path):
        yield f"{folder}/conftest.py" if folder else "conftest.py"


def imported_generators(
    modules: Iterable[str], imported: Callable[[str], Iterable[str]], is_generator: Callable[[str], bool]
) -> set[str]:
    """The generator modules that the test modules import, directly or through other generator modules.

    `imported` gives the paths that a module imports.
    """
    found: set[str] = set()
    pending = list(modules)
    seen = set(pending)
    while pending:
        for path in imported(pending.pop()):
            if path not in found and is_generator(path):
                found.add(path)
                if path not in seen:
                    seen.add(path)
                    pending.append(path)
    return found


def listed_paths(listed: Iterable[str], paths: Sequence[str]) -> set[str]:
    """The paths (of a sorted sequence) that are listed, or that lie below a listed folder; `.` is the root."""
    found: set[str] = set()
    for name in listed:
        plain = name.removeprefix("./").rstrip("/")
        if plain in ("", "."):
            found.update(paths)
            continue
        for wanted, is_hit in ((plain, str.__eq__), (plain + "/", str.startswith)):
            index = bisect_left(paths, wanted)
            while index < len(paths) and is_hit(paths[index], wanted):
                found.add(paths[index])
                index += 1
    return found
