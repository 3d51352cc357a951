"""What a name of a Python test module means: aliases followed to the mark, call or class that they stand for.

Invariants:
* Only names that are bound once in their scope, and for certain, are followed; a name that is bound twice means
  nothing here, for it depends on a condition which binding counts.
* Names are followed a bounded number of steps, so a chain or a ring of aliases costs no more than that.
* pytest and unittest have one spelling each, whatever package hands them on: `py.test.skip`,
  `unittest2.skip`, `unittest.case.skip` and `project.compat.unittest.skip` are `pytest.skip` and `unittest.skip`.
* This module imports `ast`; it is imported only when a module has to be parsed.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from flakeledger.repo.conditions import Known, constant, meant, truth
from flakeledger.repo.outline import MODULE, Function, Outline, bound_names, dotted
from flakeledger.repo.reached import reached

#: how many aliases are followed: nobody writes longer chains by hand
_STEPS = 8
#: how modules call the libraries -> the library
_LIBRARIES = {"pytest": "pytest", "_pytest": "pytest", "unittest": "unittest", "unittest2": "unittest"}
#: modules inside the libraries that define what the libraries show
_INNER = frozenset({"case", "outcomes", "runner"})

#: names that a function binds itself -> their value, or the dotted name that it imports; None: not known
Local = Mapping[str, ast.expr | str | None]


class Meaning(NamedTuple):
    """The dotted name that an expression stands for, and the expression that holds the arguments.

    For `@broken` after `broken = pytest.mark.skip("why")` these are "pytest.mark.skip" and the call.
    """

    name: str
    source: ast.expr


class Names:
    """The names of one module."""

    def __init__(self, module: ast.Module, outline: Outline, *, has_globals: bool) -> None:
        """`has_globals`: some function may say `global`, so that a name of the module can change there."""
        self._outline = outline
        self._stars = [each.module for each in outline.imports if "*" in each.names and each.module in _LIBRARIES]
        self._constants: dict[str, Known] = {}
        self._values: dict[str, dict[str, ast.expr]] = {}
        counts = _bindings(outline, _globals(module) if has_globals else ())
        self._learn(MODULE, module.body, counts)
        for owner, statements in outline.classes.items():
            self._learn(owner, statements[-1].body, counts)

    def _learn(self, owner: str, body: Iterable[ast.stmt], counts: Counter[tuple[str, str]]) -> None:
        """Note the names that a scope binds once, for certain and to one whole value, and which are constants."""
        values = self._values[owner] = {}
        for statement, is_certain, in_handler in reached(body, self.truth, is_function=False):
            if not is_certain or in_handler:
                continue
            for name, value in _assignments(statement):
                if counts[owner, name] != 1:
                    continue
                values[name] = value
                known = meant(value, self._constants) if owner == MODULE else None
                if known is not None:
                    self._constants[name] = known

    def truth(self, node: ast.expr) -> bool | None:
        """Whether a condition is always true or always false in this module; None: it depends on something."""
        return truth(node, self._constants)

    def text(self, node: ast.expr | None) -> str:
        """The text that an expression is or that its name means, on one line; "" for anything else."""
        if isinstance(node, ast.Constant):
            value = node.value
        else:
            found = None if node is None else constant(node, self._constants)
            value = None if found is None else found.value
        return " ".join(value.split()) if isinstance(value, str) else ""

    def value(self, owner: str, name: str) -> ast.expr | None:
        """What a name is assigned once, looked up in the class `owner`, then in the module."""
        found = self._values.get(owner, {}).get(name)
        return self._values.get(MODULE, {}).get(name) if found is None else found

    def meaning(self, node: ast.expr, owner: str = MODULE, local: Local | None = None) -> Meaning:
        """What an expression stands for; the name is "" where nothing is known about it."""
        source, rest = _innermost(node), ""
        for _ in range(_STEPS):
            root, dot, tail = dotted(node).partition(".")
            rest = dot + tail + rest
            value = local[root] if local is not None and root in local else self.value(owner, root)
            if isinstance(value, ast.Name | ast.Attribute | ast.Call):
                node = value
                if isinstance(node, ast.Call):
                    source = _innermost(node)
                    if rest:
                        return Meaning("", source)
                continue
            if value is not None or (local is not None and root in local):
                return Meaning(canonical(value + rest) if isinstance(value, str) else "", source)
            return Meaning(self._canonical(root, rest), source)
        return Meaning("", source)

    def _canonical(self, root: str, rest: str) -> str:
        name = self._outline.aliases.get(root)
        if name is None and self._stars and root:
            return canonical(f"{self._stars[-1]}.{root}{rest}")
        return canonical((root if name is None else name) + rest)


def _innermost(node: ast.expr) -> ast.expr:
    """The call that holds a mark's own arguments: `skip("why")` in `skip("why")(test)`."""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Call):
        node = node.func
    return node


def canonical(name: str) -> str:
    """The one spelling of a dotted name: `_pytest.outcomes.skip` -> `pytest.skip`."""
    parts = name.removeprefix("py.test.").split(".")
    if len(parts) < len(name.split(".")):
        return ".".join(("pytest", *parts))
    for index in reversed(range(len(parts) - 1)):
        library = _LIBRARIES.get(parts[index])
        if library is not None:
            return ".".join((library, *(part for part in parts[index + 1 :] if part not in _INNER)))
    return name


def _bindings(outline: Outline, rebound: Iterable[str]) -> Counter[tuple[str, str]]:
    """How often each scope binds each name, as (scope, name)."""
    counts: Counter[tuple[str, str]] = Counter((MODULE, name) for name in (*outline.aliases, *rebound))
    for owner, statement in outline.statements:
        if isinstance(statement, Function | ast.ClassDef):
            counts[owner, statement.name] += 1
        else:
            counts.update((owner, name) for name in bound_names(statement))
    return counts


def _assignments(statement: ast.stmt) -> Iterator[tuple[str, ast.expr]]:
    """The plain names that an assignment gives one whole value."""
    if type(statement) is ast.Assign:
        targets = statement.targets
    elif type(statement) is ast.AnnAssign:
        targets = [statement.target]
    else:
        return
    if statement.value is not None:
        for target in targets:
            if isinstance(target, ast.Name):
                yield target.id, statement.value


def _globals(module: ast.Module) -> Iterator[str]:
    """The names that functions of the module may assign."""
    for node in ast.walk(module):
        if isinstance(node, ast.Global):
            yield from node.names
