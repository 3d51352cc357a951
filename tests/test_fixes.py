"""Every fix says what to run or what to write, and every command that the product names is one that it has."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest

from fixes import commands, complaint, is_told
from pages import PAGES, ROOT, blocks

#: the scripts of completion are shell code, which test_completion.py runs
SOURCES = sorted(path for path in (ROOT / "hooks").rglob("*.py") if path.name != "completion.py")
#: a fix as reports print it: the lines below it are indented by as much
FIX = re.compile(r"(?m)^ {4}fix: (.*(?:\n {9}.*)*)")


def shown_fixes() -> Iterator[tuple[str, str]]:
    """The fixes that the pages show as output: where, and the text."""
    for page in PAGES:
        for block in blocks(page):
            if block.language in ("text", "console"):
                for found in FIX.finditer(block.text):
                    line = block.line + block.text.count("\n", 0, found.start())
                    yield f"{block.page}:{line}", found[1]


SHOWN = dict(shown_fixes())


def test_the_pages_show_many_fixes() -> None:
    assert len(SHOWN) > 60


@pytest.mark.parametrize("place", SHOWN)
def test_a_fix_says_what_to_run_or_what_to_write(place: str) -> None:
    assert is_told(SHOWN[place]), SHOWN[place]


def texts(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """The strings of a module with X for what is filled in, but for docstrings and the help of arguments."""
    left_out = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    left_out |= {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.keyword) and node.arg == "help"}
    left_out |= {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in ast.walk(tree):
        if id(node) in left_out:
            continue
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value
        elif isinstance(node, ast.JoinedStr):
            yield (
                node.lineno,
                "".join(str(part.value) if isinstance(part, ast.Constant) else "X" for part in node.values),
            )


def named_commands() -> Iterator[tuple[str, str]]:
    """Every command that the sources name: where, and what follows the program's name."""
    for path in SOURCES:
        for line, text in texts(ast.parse(path.read_text(encoding="utf-8"))):
            for command in commands(text.replace("\\\n", " ")):
                yield f"{path.relative_to(ROOT)}:{line}", command


def test_every_command_that_the_product_names_is_one_that_it_has() -> None:
    named = list(named_commands())
    assert len(named) > 100
    wrong = {f"{place}: {command}": complaint(command) for place, command in named}
    assert {command: said for command, said in wrong.items() if said} == {}


def test_every_command_in_a_shown_fix_is_one_that_there_is() -> None:
    wrong = {f"{place}: {command}": complaint(command) for place, fix in SHOWN.items() for command in commands(fix)}
    assert len(wrong) > 20
    assert {command: said for command, said in wrong.items() if said} == {}


@pytest.mark.parametrize(
    ("fix", "told"),
    [
        ("flakeledger thaw tests/test_a.py::test_b", True),
        ("git add -- ledgers", True),
        ('owner: "@name"', True),
        ("expires: 2026-11-19", True),
        ("leave --jobs out", True),
        ("write the `id` of a row", True),
        ("delete this row from ledgers/freezes.yaml", True),
        ("did you mean PROP-014?", True),
        ("mend the product or the test, and remove the row", False),
        ("set the clock of the machine", False),
        ("did you mean something else", False),
        ("flakeledger", False),
        ("", False),
    ],
)
def test_what_counts_as_told(fix: str, told: bool) -> None:
    assert is_told(fix) is told


@pytest.mark.parametrize(
    ("text", "named", "right"),
    [
        ("flakeledger check   # says why", ["check"], True),
        (
            "run: flakeledger replay TEST --seeds N, or flakeledger thaw TEST",
            ["replay TEST --seeds N", "thaw TEST"],
            True,
        ),
        ("flakeledger lock 'a file' && flakeledger check", ["lock 'a file'", "check"], True),
        ('entry = "flakeledger check --staged" and more', ["check --staged"], True),
        ("flakeledger reads no such file; import flakeledger.cli", [], True),
        ("flakeledger chekc", ["chekc"], False),
        ("flakeledger gate", ["gate"], False),
        ("flakeledger check says why", ["check says why"], False),
        ("flakeledger check --stagd", ["check --stagd"], False),
        ("flakeledger thaw 'x", ["thaw 'x"], False),
    ],
)
def test_commands_are_found_in_a_text_and_held_against_the_parser(text: str, named: list[str], right: bool) -> None:
    assert list(commands(text)) == named
    assert any(map(complaint, named)) is not right
