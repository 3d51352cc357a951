"""Inputs of a megabyte that were once slow: each is answered in linear time, and what was not read is told.

How many seconds the worst ones may take is measured by `fuzz.worst`.

property_id: FL-ONE-RULE
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial

import pytest

from flakeledger.model.errors import CannotTell
from flakeledger.model.findings import MOST_TOLD, Finding
from flakeledger.model.ledger_paths import FREEZES, POLICY, REPLAYS
from flakeledger.model.policy_reading import MOST_PATTERNS, build_policy
from flakeledger.repo.foreign_skips import foreign_skips
from flakeledger.repo.modules import MOST_LINES, MOST_SIGNS, module_facts
from flakeledger.repo.owner_rules import sections
from flakeledger.repo.python_skips import python_skips
from flakeledger.repo.reading import Reading
from flakeledger.rules.freezes import is_owner
from flakeledger.store.cache import Cache
from flakeledger.store.formatter import format_rows
from flakeledger.store.quarantine_lists import read_list
from flakeledger.store.reader import read_policy, read_replays, read_rows
from growing import Answer, assert_linear

MEGABYTE = 1_000_000
#: an input of a size
Made = Callable[[int], bytes]


def repeated(text: str, head: str = "", foot: str = "") -> Made:
    return lambda size: (head + text * ((size - len(head)) // len(text)) + foot).encode()


def numbered(text: str) -> Made:
    """The text again and again, its sign % replaced by a number."""
    return lambda size: "".join(text.replace("%", f"{one:05}") for one in range(size // (len(text) + 4))).encode()


def linear(read: Callable[[bytes], Answer], made: Made) -> Answer:
    """What is read of a megabyte, in linear time."""
    return assert_linear(lambda size: partial(read, made(size)), MEGABYTE)


#: what once took minutes or hours, because an expression read the same text again and again
EXPRESSIONS: dict[str, tuple[Callable[[bytes], object], Made]] = {
    "one long comment of signs": (module_facts, repeated("#")),
    "a deselection without a test": (lambda data: foreign_skips("tox.ini", data), repeated(" ", "--deselect")),
    "a skip that is not closed": (lambda data: foreign_skips("a.t", data), repeated(" ", "$t->skip(")),
    "a modifier that is not closed": (lambda data: foreign_skips("a_test.cc", data), repeated(" ", "* skip(")),
    "an address of dots": (lambda data: is_owner(data.decode()), repeated(".", "a@", "@")),
    "blanks before a comment": (lambda data: read_rows(data, FREEZES), repeated(" ", "- a: 'b' c", "\n")),
}


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_expressions_read_a_text_once(name: str) -> None:
    linear(*EXPRESSIONS[name])


def _freezes(data: bytes) -> list[Finding]:
    return list(Reading(Cache(os.devnull)).freezes_in(data)[1])


def _policy(data: bytes) -> list[Finding]:
    node, findings = read_policy(data, POLICY)
    return findings if node is None or findings else build_policy(node, POLICY)[1]


#: files of which nothing is right: who reads them, and the file
MISTAKES: dict[str, tuple[Callable[[bytes], list[Finding]], Made]] = {
    "unknown fields": (_freezes, repeated("- a: b\n")),
    "no YAML": (_freezes, repeated("- a: 'b\n")),
    "empty rows": (_freezes, repeated("-   #\n")),
    "owners without quotes": (_freezes, repeated("- owner: @a\n")),
    "one row of equal fields": (_freezes, repeated("  a: b\n", "- test: a\n")),
    "one mapping of equal names": (_freezes, repeated("a, ", "- fixture_hashes: {", "a}\n")),
    "rows, read alone": (lambda data: read_rows(data, FREEZES).findings, repeated("- owner: @a\n")),
    "a policy of equal fields": (_policy, repeated("a:\n")),
    "a policy of unknown fields": (_policy, numbered("f%: a\n")),
    "empty lines of a log": (lambda data: read_replays(data, REPLAYS)[1], repeated("\n")),
    "lines of a log that say nothing": (lambda data: read_replays(data, REPLAYS)[1], repeated("{}\n")),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_the_mistakes_that_are_told_are_bounded_and_the_rest_is_said_to_be_unread(name: str) -> None:
    findings = linear(*MISTAKES[name])
    assert MOST_TOLD < len(findings) <= MOST_TOLD + 20
    assert sum("was not read" in finding.message for finding in findings) == 1


def test_the_rows_above_the_mistakes_are_read_and_those_below_are_not() -> None:
    good = "- test: t.py::first\n"
    read = read_rows((good + "- owner: @a\n" * (MOST_TOLD + 50) + good).encode(), FREEZES)
    assert [row.values for row in read.rows] == [{"test": "t.py::first"}]
    assert read.findings[-1].line == MOST_TOLD + 3
    assert len(read_rows((good + "- owner: @a\n" * (MOST_TOLD - 1) + good).encode(), FREEZES).rows) == 2


def test_a_policy_has_so_many_patterns_and_no_more() -> None:
    policy = "version: 1\nrunners:\n  - name: a\npaths:\n  - class: freeze_config\n    match: [ledgers/{}]\n"
    policy += "  - class: generator\n    match: [conftest.py]\nseeds: conftest.py\n"
    said = [len(_policy(policy.format(", a" * number).encode())) for number in (MOST_PATTERNS - 1, MOST_PATTERNS)]
    assert said == [0, 1]


@pytest.mark.parametrize("line", ["a=b\n", "a();", "a, b = b, a\n", "def a(): a()\n"])
def test_a_module_of_very_many_lines_is_not_parsed(line: str) -> None:
    made = repeated(line, "import pytest\npytest.skip('a')\n")
    data = made(MEGABYTE)
    facts, skips = linear(lambda data: (module_facts(data), python_skips(data)), made)
    if data.count(b"\n") + data.count(b";") > MOST_LINES:
        assert "lines" in (facts.problem or "")
        assert skips, "a module that is not parsed is still searched for skips"


def test_a_module_of_so_many_lines_is_parsed() -> None:
    assert module_facts(b"\n" * (MOST_LINES - 1) + b"a=b\n").problem is None
    assert module_facts(b"\n" * MOST_LINES + b"a=b\n").problem is not None


@pytest.mark.parametrize("repeats", ["{},", "-1,", "a.b.", "[[]],"])
def test_a_module_of_very_many_signs_is_not_parsed(repeats: str) -> None:
    assert "operators" in (module_facts(repeated(repeats, "x = [", "0]")(MEGABYTE)).problem or "")
    assert module_facts(b"x = [" + b"{}," * (MOST_SIGNS // 3 - 10) + b"0]").problem is None


def test_which_name_stands_twice_is_found_in_one_pass() -> None:
    def read(names: bytes) -> list[Finding]:
        return read_replays(b"{" + names + b'"b":0,"b":0}\n', REPLAYS)[1]

    (finding,) = linear(read, numbered('"%":0,'))
    assert "`b` stands twice" in finding.message


def test_codeowners_has_so_many_lines_and_no_more() -> None:
    with pytest.raises(CannotTell, match="more than 20000 lines"):
        sections(".github/CODEOWNERS", b"* @a\n" * 20_001, has_gitlab_pipeline=False)
    assert sections(".github/CODEOWNERS", b"* @a\n" * 20_000, has_gitlab_pipeline=False)


@pytest.mark.parametrize("head", ["[", '{"a":['])
def test_a_list_of_very_many_entries_is_not_read_to_its_end(head: str) -> None:
    def read(data: bytes) -> None:
        with pytest.raises(CannotTell, match="more than 50000 tests"):  # not that the end is no JSON
            read_list(data, "list.json", "json")

    linear(read, repeated("0,", head))


#: ledgers that nobody laid out: 500 of the different rows are read by a second reader as well, which takes longest
UNTIDY = {
    "equal rows": repeated("-   a:   b\n"),
    "blocks": repeated("- a: |\n   b\n\n"),
    "different rows": numbered("-   test: a.py::t%\n    owner:   '@a'\n"),
}


@pytest.mark.parametrize("name", UNTIDY)
def test_a_ledger_of_very_many_rows_is_laid_out(name: str) -> None:
    def laid_out(data: bytes) -> None:
        assert format_rows(data, FREEZES) != data

    linear(laid_out, UNTIDY[name])


def test_a_finding_stands_inside_of_its_text() -> None:
    assert [(finding.line, finding.column) for finding in _policy(b"# only a comment")] == [(1, 1)]
