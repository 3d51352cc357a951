"""What a name of a Python test module means: aliases followed to the mark, call or class that they stand for.

Invariants:
* Only names that are bound once in their scope, and for certain, are followed; a name that is bound twice means
  nothing here, for it depends on a condition which binding counts.
* What a name of the module or of a class stands for is found out once, so chains of aliases, however long, cost time
  linear in the module; a ring of aliases, and a name longer than any that counts, stand for nothing.
* pytest and unittest have one spelling each, whatever package hands them on: `py.test.skip`,
  `unittest2.skip`, `unittest.case.skip` and `project.compat.unittest.skip` are `pytest.skip` and `unittest.skip`.
* This module imports `ast`; it is imported only when a module has to be parsed.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from flakeledger.repo.conditions import Known, constant, meant, truth
from flakeledger.repo.outline import MODULE, Function, Outline, bound_names, dotted
from flakeledger.repo.reached import reached

if TYPE_CHECKING:
    from flakeledger.repo.skip_marks import Mark

#: how many aliases inside one function are followed, each time anew
_STEPS = 8
#: a longer dotted name is none of those that count; a chain of `a2 = a1.x` must not grow without end
_LONGEST_NAME = 300
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


class _Target(NamedTuple):
    """What a name stands for: a dotted name as it is imported ("" for nothing that is known), and the call in it."""

    name: str
    call: ast.Call | None


_NOTHING = _Target("", None)


class Names:
    """The names of one module.

    `marks` keeps, for `repo/skip_marks.py`, the marks in the collections that names stand for, and `conditions` what
    its conditions in texts come to.
    """

    def __init__(self, module: ast.Module, outline: Outline, *, has_globals: bool) -> None:
        """`has_globals`: some function may say `global`, so that a name of the module can change there."""
        self._outline = outline
        self._stars = [each.module for each in outline.imports if "*" in each.names and each.module in _LIBRARIES]
        self.marks: dict[tuple[str, str], tuple[Mark, ...]] = {}
        self.conditions: dict[str, bool | None] = {}
        self._targets: dict[tuple[str, str], _Target] = {}
        self._spellings: dict[str, str] = {}
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
        return self._values.get(self.scope(owner, name), {}).get(name)

    def scope(self, owner: str, name: str) -> str:
        """Where `value` finds a name: the class `owner`, or the module."""
        return owner if name in self._values.get(owner, {}) else MODULE

    def meaning(self, node: ast.expr, owner: str = MODULE, local: Local | None = None) -> Meaning:
        """What an expression stands for; the name is "" where nothing is known about it."""
        source, rest = _innermost(node), ""
        for _ in range(_STEPS):
            root, tail = _spelled(node)
            rest = tail + rest
            if local is None or root not in local:
                break
            value = local[root]
            if not isinstance(value, _ALIASES):
                return Meaning(self._canonical(value + rest) if isinstance(value, str) else "", source)
            node = value
            if isinstance(node, ast.Call):
                source = _innermost(node)
                if rest:
                    return Meaning("", source)
        else:
            return Meaning("", source)
        target = _extended(self._target(owner, root), rest, None)
        return Meaning(self._canonical(target.name), target.call or source)

    def _target(self, owner: str, root: str) -> _Target:
        """What a name stands for, looked up in the class `owner`, then in the module."""
        passed: list[tuple[tuple[str, str], str, ast.Call | None]] = []
        key = (self.scope(owner, root), root)
        while key not in self._targets:
            self._targets[key] = _NOTHING  # until its end is known, so that a ring ends
            value = self.value(*key)
            if not isinstance(value, _ALIASES):
                self._targets[key] = _NOTHING if value is not None else _Target(self._imported(key[1]), None)
                break
            root, tail = _spelled(value)
            passed.append((key, tail, _call(value)))
            # in a class, `skip = skip` gives the class the module's
            key = (MODULE if root == key[1] else self.scope(key[0], root), root)
        target = self._targets[key]
        for key, tail, call in reversed(passed):
            target = self._targets[key] = _extended(target, tail, call)
        return target

    def _imported(self, root: str) -> str:
        """The name that a module imports as `root`; `root` itself where it imports none."""
        name = self._outline.aliases.get(root)
        if name is None and self._stars and root:
            return f"{self._stars[-1]}.{root}"
        return root if name is None else name

    def _canonical(self, name: str) -> str:
        found = self._spellings.get(name)
        if found is None:
            found = self._spellings[name] = canonical(name)
        return found


#: what may give another name to something
_ALIASES = (ast.Name, ast.Attribute, ast.Call, ast.NamedExpr)


def _extended(target: _Target, tail: str, call: ast.Call | None) -> _Target:
    """What `target` with this behind its name stands for, in a call of its own; attributes of a call are not known."""
    if not target.name or (target.call is not None and tail) or len(target.name) + len(tail) > _LONGEST_NAME:
        return _NOTHING
    return _Target(target.name + tail, target.call or call)


def _spelled(node: ast.expr) -> tuple[str, str]:
    """The first name of a dotted expression, and the rest with its dot; `getattr(a, "b")` is one spelling of `a.b`."""
    while isinstance(node, ast.NamedExpr):
        node = node.value
    match _innermost(node):
        case ast.Call(func=ast.Name("getattr"), args=[of, ast.Constant(str(name))]):
            root, dot, rest = f"{dotted(of)}.{name}".partition(".")
        case _:
            root, dot, rest = dotted(node).partition(".")
    return root, dot + rest


def _call(node: ast.expr) -> ast.Call | None:
    """The call that an alias is, the innermost of several."""
    inner = _innermost(node)
    return inner if isinstance(inner, ast.Call) else None


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
