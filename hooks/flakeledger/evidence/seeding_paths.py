"""Where a test looks: its imports lead to the worktree, and what it opens there is noted.

Part of what the tests' interpreter is given: see `seeding_plugin.py`.

Invariants:
* The working tree is not seen: whatever leads there is led to the same place in the worktree, and what came from there
  all the same is found.
* Environments that lie in the working tree, and what is installed there, are no part of it.
"""

from __future__ import annotations

import os
import sys
import types
from collections.abc import Mapping
from typing import Any

#: folders of what is installed, also where they lie in the working tree
INSTALLED = frozenset(("site-packages", "dist-packages"))
#: where pytest looks for its configuration, before it loads anything of the tests (its documentation, "Configuration")
CONFIGURATION = frozenset(
    ("pytest.toml", ".pytest.toml", "pytest.ini", ".pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg")
)
#: where bytecode is written, under a name that ends in a number until it is whole
BYTECODE = f"{os.sep}__pycache__{os.sep}"


def watch_opens(worktree: str) -> set[str]:
    """A set that fills with the files below the worktree that are opened from now on, but for Python's own."""
    touched: set[str] = set()
    inside = worktree + os.sep

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event not in ("open", "sqlite3.connect"):
            return
        try:
            path = os.fsdecode(arguments[0])
            if path.endswith((".py", ".pyc")) or BYTECODE in path:
                return
            path = os.path.normpath(os.path.join(os.getcwd(), path))
        except (OSError, TypeError, ValueError):  # a descriptor; a folder that is gone
            return
        if path.startswith(inside):
            touched.add(path[len(inside) :].replace(os.sep, "/"))

    sys.addaudithook(hook)
    return touched


def forget_configuration(touched: set[str]) -> None:
    """Take out what pytest itself opened to find its configuration; a test that opens it later notes it again."""
    touched.difference_update([path for path in touched if os.path.basename(path) in CONFIGURATION])


def is_foreign(path: str, session: Mapping[str, Any]) -> bool:
    """Whether a real path is in the working tree and not in an environment there: no test may see it."""
    root = session["root"]
    if not is_below(path, root) or is_below(path, session["worktree"]) or is_below(path, session["scratch"]):
        return False
    environments = [prefix for prefix in map(os.path.realpath, (sys.prefix, sys.exec_prefix)) if prefix != root]
    if any(is_below(prefix, root) and is_below(path, prefix) for prefix in environments):
        return False
    return INSTALLED.isdisjoint(path[len(root) :].split(os.sep))


def is_below(path: str, folder: str) -> bool:
    """Whether a path is the folder or lies in it."""
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def lead_to_worktree(session: Mapping[str, Any]) -> None:
    """Let every import that would find the working tree find the worktree, in processes that the test starts too."""
    exported = []

    def moved(path: Any) -> Any:
        real = os.path.realpath(path) if isinstance(path, str) and path else ""
        return session["worktree"] + real[len(session["root"]) :] if is_foreign(real, session) else path

    for number, entry in enumerate(sys.path):
        sys.path[number] = moved(entry)
        if sys.path[number] != entry:
            exported.append(sys.path[number])
    for name, module in list(sys.modules.items()):
        if name.startswith("__editable___"):  # the finders of setuptools
            packages = getattr(module, "MAPPING", {})
            packages.update({package: moved(path) for package, path in packages.items()})
            exported += [os.path.dirname(path) for path in packages.values() if is_below(path, session["worktree"])]
            spaces = getattr(module, "NAMESPACES", {})
            spaces.update({space: [moved(path) for path in paths] for space, paths in spaces.items()})
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join([*([before] if before else []), *dict.fromkeys(exported)])


def foreign_module(session: Mapping[str, Any]) -> str:
    """The file of some module that came from the working tree, "" when none did."""
    files = [vars(module).get("__file__") for module in sys.modules.values() if isinstance(module, types.ModuleType)]
    folders = {os.path.dirname(file): file for file in files if isinstance(file, str)}
    found = (file for folder, file in folders.items() if is_foreign(os.path.realpath(folder), session))
    return next(found, "")
