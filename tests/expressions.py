"""Every regular expression of the product, found in its source: where it stands, what it is, how it is used.

Invariants:
* Every call of a function of `re` is found in the syntax tree. Its expression is evaluated with the names of its
  module; one that is built inside of a function comes from `BUILT`, which names its makers, or it is an error.
* A compiled expression that its module asks for `match` and `fullmatch` alone is tried at one place, not searched.
"""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import flakeledger
from flakeledger.evidence import faithful_kinds, faithful_leaves, faithful_named
from flakeledger.evidence.secrets import _FORMS
from flakeledger.model import kinds
from flakeledger.model.patterns import compile_pattern
from flakeledger.model.policy_fields import POLICY_FIELDS, PolicyField
from flakeledger.repo.code_signs import nesting, signs_of, words_of
from flakeledger.repo.languages import HEREDOC, LANGUAGES
from flakeledger.repo.skip_patterns import PATTERNS
from flakeledger.store.text import _FAMILIES

SOURCE = Path(flakeledger.__file__).parent
_METHODS = frozenset(["compile", "match", "fullmatch", "search", "sub", "subn", "findall", "finditer", "split"])
_AT_ONE_PLACE = frozenset({"match", "fullmatch"})
#: where a function of `re` takes its flags
_FLAGS = {"compile": 1, "sub": 4, "subn": 4, "split": 3}


class Expression(NamedTuple):
    """One expression: its module, its line, itself, and whether it may begin anywhere in a text."""

    module: str
    line: int
    pattern: re.Pattern[Any]
    searched: bool


def _patterns_of_fields(fields: tuple[PolicyField, ...]) -> Iterator[str]:
    for field in fields:
        yield from (field.pattern,) if field.pattern else ()
        yield from _patterns_of_fields(field.fields)


def _of_kinds() -> Iterator[str]:
    yield from (kinds._PLAIN_PATH, kinds._PLAIN_TEST)
    for kind in vars(kinds).values():
        made = isinstance(kind, kinds.Kind) and kind.complaint.__qualname__.startswith("_matching.")
        if made and isinstance(kind.schema.get("pattern"), str):
            yield str(kind.schema["pattern"])


def _leaf_patterns() -> Iterator[str]:
    for module in (faithful_kinds, faithful_leaves, faithful_named):
        yield from (
            value for name, value in vars(module).items() if name.isupper() and isinstance(value, str) and "[" in value
        )


def _signs() -> Iterator[re.Pattern[str]]:
    for language in LANGUAGES.values():
        signs = signs_of(language)
        yield from (signs.outside, signs.inside)


def _words() -> Iterator[re.Pattern[str]]:
    for language in LANGUAGES.values():
        for quote in language.strings:
            if not quote.closes or quote.closes == HEREDOC or "MARK" in quote.closes:
                continue  # what closes it is known when it is met
            yield words_of(quote.closes, quote.escape, quote.lines, quote.hole)


def _nested() -> Iterator[re.Pattern[str]]:
    for language in LANGUAGES.values():
        yield from (nesting(opens, closes) for opens, closes, _ in language.block_comments)


#: where an expression is built inside of a function: the module and the written argument -> what can come out there
BUILT: dict[tuple[str, str], Callable[[], Iterator[str | bytes | re.Pattern[Any]]]] = {
    ("evidence.faithful_kinds", "pattern"): _leaf_patterns,
    ("evidence.secrets", "form"): lambda: iter(_FORMS.values()),
    ("evidence.seeding_witness", "named"): lambda: iter([r"property_id(?::[ \t]*|\(\s*['\"])P\-1(?![\w-]|\.\w)"]),
    ("model.decision_trailers", r"f'^{re.escape(comment)}[^\\n]*\\n?'.encode()"): lambda: iter([rb"(?m)^\#[^\n]*\n?"]),
    ("model.kinds", "pattern"): _of_kinds,
    ("model.patterns", "'|'.join(rooted)"): lambda: map(
        compile_pattern, ("a", "/a", "a*b?c", "/a/**/b*c*", "**/a/**", "*[!a]*/")
    ),
    ("model.policy_reading", "one.pattern"): lambda: _patterns_of_fields(POLICY_FIELDS),
    ("repo.code_signs", "'|'.join(branches)"): _signs,
    ("repo.code_signs", r"'|'.join([*branches, '(?P<bracket>[(){}])', '(?P<break>\\n)'])"): _signs,
    ("repo.code_signs", "_words(closes, escape, lines, hole)"): _words,
    ("repo.code_signs", "f'{opens}|{re.escape(closes)}'"): _nested,
    ("repo.foreign_skips", "pattern.written"): lambda: (one.written for every in PATTERNS.values() for one in every),
    ("repo.ids", r"f'(?<!\\w){re.escape(word)}(?!\\w)'"): lambda: iter([r"(?<!\w)test_a(?!\w)"]),
    ("repo.ids", r"f'(?<!\\w){re.escape(old)}(?!\\w)'"): lambda: iter([r"(?<!\w)test_a(?!\w)"]),
    ("store.text", "f'[{family.characters}]'"): lambda: (f"[{family.characters}]" for family in _FAMILIES),
}
#: of those, the ones that are tried at one place
_MATCHED = {
    ("model.patterns", "'|'.join(rooted)"),
    ("model.kinds", "pattern"),
    ("repo.code_signs", "_words(closes, escape, lines, hole)"),
}


def every_expression() -> Iterator[Expression]:
    """All of them, module by module."""
    for file in sorted(SOURCE.rglob("*.py")):
        text = file.read_text(encoding="utf-8")
        tree = ast.parse(text)
        name = ".".join(file.relative_to(SOURCE).with_suffix("").parts)
        for call in ast.walk(tree):
            if isinstance(call, ast.Call) and _method(call.func):
                yield from _expressions(name, call, _is_searched(call, tree, text))


def _method(function: ast.expr) -> str:
    """The name of a function of `re` that is called; "" for any other."""
    is_one = isinstance(function, ast.Attribute) and ast.unparse(function.value) == "re" and function.attr in _METHODS
    return function.attr if is_one and isinstance(function, ast.Attribute) else ""


def _is_searched(call: ast.Call, tree: ast.Module, text: str) -> bool:
    method = _method(call.func)
    if method != "compile":
        return method not in _AT_ONE_PLACE
    used = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute) and node.value is call}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and node.value is call and isinstance(node.targets[0], ast.Name):
            used |= set(re.findall(rf"\b{node.targets[0].id}\.(\w+)", text)) & _METHODS
    return not used or not used <= _AT_ONE_PLACE


def _expressions(module: str, call: ast.Call, searched: bool) -> Iterator[Expression]:
    written = ast.unparse(call.args[0])
    made = BUILT.get((module, written))
    names = vars(importlib.import_module(f"flakeledger.{module}"))
    given = [
        *call.args[_FLAGS.get(_method(call.func), 2) :],
        *(word.value for word in call.keywords if word.arg == "flags"),
    ]
    flags = _value(given[0], names) if given else 0
    searched = searched and (module, written) not in _MATCHED
    for one in made() if made is not None else [_value(call.args[0], names)]:
        yield Expression(module, call.lineno, one if isinstance(one, re.Pattern) else re.compile(one, flags), searched)


def _value(node: ast.expr, names: dict[str, Any]) -> Any:
    return eval(compile(ast.Expression(node), "<expression>", "eval"), names)
