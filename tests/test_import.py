"""`flakeledger import`: what teams have today becomes rows that every rule accepts; the rest is a work list."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from commands import Answer, noon, typed
from flakeledger.cli.import_report import progress
from flakeledger.model.errors import CannotTell
from flakeledger.model.ledger_paths import FREEZES, PROPERTIES
from flakeledger.repo.marks import marks_of
from flakeledger.store.quarantine_entries import Entry
from flakeledger.store.quarantine_lists import KINDS, LARGEST_LIST, read_list
from growing import assert_linear
from world import CLOCK, REFUND, TESTS, TOTAL, Templates, World, on

MUTED = """\
tests:
# slow on Windows
- class: "org.shop.RefundTests"
  issue: "https://example.org/1"
  method: "testRefund"
- class: org.shop.OrderTests
  methods:
  - testTotal
  - testTax {rate=2}
- class: org.shop.SlowIT

# Examples:
# - class: org.shop.Example
"""
NEXTEST = """\
[profile.default]
retries = 0
default-filter = "not test(=net::times_out) and not (test(=a) or test(~b))"

[[profile.ci.overrides]]
filter = 'package(shop) and test(=refund::rounds) or test(/^total$/) | test(flaky_)'
retries = { backoff = "fixed", count = 2 }

[[profile.ci.overrides]]
filter = 'test(=slow)'
slow-timeout = "60s"
"""
STATUS = """\
prefix parallel

# To mark a test as flaky, list its name below
[true] # This section applies to all platforms
# https://example.org/7
test-refund: PASS,FLAKY
test-fast    : PASS, SLOW

[$system==win32 || $arch==arm]
test-total: SKIP # no console
test-*: FLAKY
what is this
"""
LIST = """\
[
  "tests/a.py::a",
  {"selector": "tests/b.py::b", "owner": "@ada", "added": "2026-03-01", "expires": "2026-03-20",
   "reason": "fails behind the proxy", "issue": "https://example.org/3", "team": {"name": "web"}},
  {"owner": "@ada"},
  7,
  {"test": "tests/c.py::c", "expiers": "2026-03-20"},
  {"test": "tests/d.py::d", "owner": 3}
]
"""
QUARANTINE = "# saved by pytest\n\n  tests/a.py::a[x #1]  \ntests/b.py::B::b\r\n"

#: file name, text -> the kind, and of each entry: line, column, how its test is named, name and hints, problem
READ: dict[str, tuple[str, str, list[tuple[int, int, str, str, str]]]] = {
    "ci/muted-tests.yml": (MUTED, "muted-tests", [
        (5, 11, "class", "org.shop.RefundTests testRefund", ""),
        (8, 5, "class", "org.shop.OrderTests testTotal", ""),
        (9, 5, "class", "org.shop.OrderTests testTax {rate=2}", ""),
        (10, 3, "class", "org.shop.SlowIT ", ""),
    ]),
    ".config/nextest.toml": (NEXTEST, "nextest", [
        (3, 19, "function", "net::times_out", ""),
        (3, 19, "function", "a", ""),
        (3, 19, "none", "test(~b)", "names no single test"),
        (6, 11, "function", "shop refund::rounds", ""),
        (6, 11, "function", "total", ""),
        (6, 11, "none", "test(flaky_)", "names no single test"),
    ]),
    "test/parallel/parallel.status": (STATUS, "node-status", [
        (6, 1, "file", "test/parallel/test-refund", ""),
        (10, 1, "file", "test/parallel/test-total", ""),
        (11, 1, "none", "test-*", "a pattern"),
        (12, 1, "none", "what is this", "a line of a status file"),
    ]),
    "flaky.json": (LIST, "json", [
        (2, 3, "id", "tests/a.py::a", ""),
        (3, 3, "id", "tests/b.py::b", ""),
        (5, 3, "none", "", "names no test"),
        (6, 3, "none", "`7`", "an entry is a test id or an object"),
        (7, 3, "id", "tests/c.py::c", "unknown key `expiers`, did you mean `expires`?"),
        (8, 3, "none", "tests/d.py::d", "`owner` is a text"),
    ]),
    "by_test.json": ('{"version": 1, "tests/a.py::a": {"owner": "@ada"}, "more": ["b::c"], "n": null}', "json", [
        (1, 16, "id", "tests/a.py::a", ""),
        (1, 61, "id", "b::c", ""),
    ]),
    "list.yaml": ("- a.py::a\n- test: b.py::b\n  owner: '@ada'\n- [c]\n", "muted-tests", [
        (1, 3, "id", "a.py::a", ""),
        (2, 3, "id", "b.py::b", ""),
        (4, 3, "none", "", "an entry is a test id or a mapping"),
    ]),
    "quarantine.txt": (QUARANTINE, "text", [
        (3, 3, "id", "tests/a.py::a[x #1]", ""),
        (4, 1, "id", "tests/b.py::B::b", ""),
    ]),
}  # fmt: skip


def named(entry: Entry) -> str:
    """The words of a selector; of one that has none what it is written as."""
    selector = entry.selector
    return (
        " ".join((*selector.hints, selector.name)) if selector.how in ("class", "function", "file") else selector.text
    )


@pytest.mark.parametrize("name", READ)
def test_each_kind_is_known_and_read(name: str) -> None:
    text, kind, expected = READ[name]
    for given_kind in (None, kind):
        entries = read_list(text.encode(), name, given_kind)
        found = [(*entry.place, entry.selector.how, named(entry)) for entry in entries]
        assert found == [each[:4] for each in expected]
        assert [bool(entry.problem) for entry in entries] == [bool(problem) for *_, problem in expected]
        assert all(problem in entry.problem for entry, (*_, problem) in zip(entries, expected, strict=True))


@pytest.mark.parametrize(
    ("text", "kind"), [(QUARANTINE, "text"), (MUTED, "muted-tests"), (STATUS, "node-status"), (LIST, "json")]
)
def test_a_kind_is_known_by_its_text(text: str, kind: str) -> None:
    assert read_list(text.encode(), "tests-to-skip", None) == read_list(text.encode(), "tests-to-skip", kind)


def test_what_a_list_says_is_kept() -> None:
    entry = read_list(LIST.encode(), "flaky.json", None)[1]
    assert entry[3:9] == (
        "@ada", "2026-03-01", "2026-03-20", "fails behind the proxy", "https://example.org/3", None,
    )  # fmt: skip
    muted = read_list(MUTED.encode(), "muted-tests.yml", None)
    assert [entry.issue for entry in muted] == ["https://example.org/1", None, None, None]
    status = read_list(STATUS.encode(), "parallel.status", None)
    assert [(entry.reason, entry.issue) for entry in status[:2]] == [
        ("PASS,FLAKY everywhere", "https://example.org/7"),
        ("SKIP where $system==win32 || $arch==arm", None),
    ]


# what cannot be read


DEEP = 200_000
GARBAGE: dict[str, tuple[bytes, str]] = {
    "a.json": (b'["a::b",\n  {"test": }]', "2:12"),
    "b.json": (b"[1, 2", "1:6"),
    "c.json": (b"[" * DEEP, "1:2"),
    "d.json": (b'{"tests": ["a::b"]} trailing', "1:21"),
    "e.json": (b"7", "1:1"),
    "f.json": (b'["a::b"\n"c::d"]', "2:1"),
    "g.json": (b"[1" + b"0" * 5000 + b"]", "1:2"),
    "h.json": (b'["\xff"]', "1:3"),
    "a.yml": (b"tests:\n- class: a\n  method: [\n", "3:12"),
    "b.yml": (b"tests:\n- class: @a\n", "2:10"),
    "c.yml": (b"a: &a [x]\nb: [*a, *a]\n", "1:4"),
    "d.yml": (b"[" * DEEP, "1:"),
    "e.yml": (b"tests:\n\t- class: a\n", "2:1"),
    "f.yml": (b"just text", "1:1"),
    "g.yml": (b"tests: [a]\n---\ntests: [b]\n", "2:1"),
    "a.toml": (b"[profile.default\n", "1:17"),
    "b.toml": (b"[profile.ci]\nx = " + b"[" * 1900, "1:1"),
    "c.toml": (b"[profile.a]\n" + b"a." * 5000 + b"b = 1\n", "2:1"),
    "d.toml": (b"[profile.a]\nx = 1\nx = 2\n", "3:6"),
    "large.txt": (b"a::b\n" * (LARGEST_LIST // 4), "1:1"),
    "many.txt": (b"a::b\n" * 60_000, "1:1"),
    "a.txt": (b"tests/a.py::a\nb\xc3\x28::c\n", "2:2"),
}


@pytest.mark.parametrize("name", GARBAGE)
def test_garbage_has_a_place(name: str) -> None:
    data, place = GARBAGE[name]
    with pytest.raises(CannotTell) as refused:
        read_list(data, name, "nextest" if name.endswith(".toml") else None)
    assert refused.value.place.startswith(f"{name}:{place}")
    assert refused.value.fix


def test_garbage_is_no_traceback(templates: Templates, tmp_path: Path) -> None:
    world = start(templates, tmp_path)
    world.write("flaky.json", '["a::b",\n  {"test": }]')
    answer = take(world, "flaky.json")
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith("flaky.json:2:12: cannot tell: this is no JSON: Expecting value\n    fix: ")


#: what such lists are made of
PIECES = (
    *("tests:\n", "- class: a\n", "  method: b\n", "[", "]", "{", "}", '"a::b"', ",", ":", "\n", "\t", "#", "::"),
    *("prefix p\n", "[true]\n", "t: FLAKY\n", "[profile.a]\n", "[[profile.a.overrides]]\n", "filter = 'test(=a)'\n"),
    "retries = 1\n",
)


@settings(max_examples=100)
@given(st.sampled_from(sorted(KINDS)), st.one_of(st.text(), st.lists(st.sampled_from(PIECES)).map("".join)))
def test_no_text_of_any_kind_is_a_traceback(kind: str, text: str) -> None:
    data = text.encode("utf-8", "surrogatepass")
    entries, refused = attempted(data, kind)
    assert refused is None or re.fullmatch(r"list:[0-9]+:[0-9]+", refused.place)
    lines = text.split("\n")
    for entry in entries:
        assert 1 <= entry.place.line <= len(lines)
        assert 1 <= entry.place.column <= len(lines[entry.place.line - 1]) + 1


def attempted(data: bytes, kind: str) -> tuple[list[Entry], CannotTell | None]:
    """The entries of a text, or why there are none."""
    try:
        return read_list(data, "list", kind), None
    except CannotTell as error:
        return [], error


def deep_names(lines: int) -> bytes:
    return b"[profile.a]\n" + b"\n".join(b"a." * 900 + b"k%d = 1" % line for line in range(lines))


@pytest.mark.parametrize(("made", "size"), [(deep_names, 60), (lambda size: b"(" * size, LARGEST_LIST)])
@pytest.mark.parametrize("kind", sorted(KINDS))
def test_hostile_texts_take_linear_time(kind: str, made: Callable[[int], bytes], size: int) -> None:
    assert_linear(lambda size: partial(attempted, made(size), kind), size)


# whole imports


def base(_world: World) -> None:
    """The base tree as it is."""


def other_languages(world: World) -> None:
    """Tests in Java, Rust and JavaScript, and a property that lists them."""
    world.write(
        "shop/src/test/java/org/shop/RefundTests.java", "class RefundTests { void testRefund() {} } // PROP-2\n"
    )
    world.write("old/src/test/java/org/shop/OldTests.java", "class OldTests { void testOld() {} }\n")
    world.write("new/src/test/java/org/shop/OldTests.java", "class OldTests { void testOld() {} }\n")
    world.write("crates/shop/src/refund.rs", "// property_id: PROP-2\nmod tests {\n fn rounds() {}\n}\n")
    world.write("crates/bank/src/refund.rs", "fn rounds() {}\n")
    world.write("test/parallel/test-refund.js", "// property_id: PROP-2\ntest('refunds in full', () => {});\n")
    world.write("test/parallel/test-total.js", "test('one', () => {});\nit('two', () => {});\n")
    world.sub("shop/src/test/java/org/shop/RefundTests.java", "// PROP-2", "// property_id: PROP-2")
    world.sub("ledgers/policy.yaml", '"*_test.py"', '"*_test.py", "test/", "/shop/src/test/", "/crates/"')
    tests = [JAVA, RUST, NODE, CLOCK]
    world.add_row(PROPERTIES, id="PROP-2", statement="money is never lost", fixtures=["FX-1"], tests=tests)
    world.sub(TESTS, "property_id: PROP-1", "property_id: PROP-1 property_id: PROP-2")
    world.record("other languages")


JAVA = "shop/src/test/java/org/shop/RefundTests.java::testRefund"
RUST = "crates/shop/src/refund.rs::refund::rounds"
NODE = "test/parallel/test-refund.js::refunds in full"


def start(templates: Templates, folder: Path, level: str = "keyed") -> World:
    return templates.start(folder / "world", base, level, "block")


def frozen(world: World) -> list[str]:
    """The tests of the rows, in their order."""
    return re.findall(r"(?m)^- test: \"?(.*?)\"?$", world.read(FREEZES))


def lacks(answer: Answer) -> dict[str, str]:
    """What the text of an answer says of each test that was not written."""
    return dict(re.findall(r"(?m)^\S+:[0-9]+:[0-9]+: (.*) lacks: (.*)$", answer.out))


def take(world: World, *arguments: str, day: int = 1) -> Answer:
    return typed(world, "import", *arguments, "--now", noon(day))


@pytest.mark.parametrize("level", ["ledger", "keyed", "witnessed"])
def test_a_text_list_becomes_rows_that_the_checks_accept(level: str, templates: Templates, tmp_path: Path) -> None:
    world = start(templates, tmp_path, level)
    world.write("quarantine.txt", f"# saved\n{REFUND}\n{TOTAL}\n")
    answer = take(world, "quarantine.txt", "--owner", "@finley", "--days", "3")
    assert answer == (0, "wrote 2 rows to ledgers/freezes.yaml; 0 were there already; 0 lack something\n", answer.err)
    assert "git add ledgers/freezes.yaml" in answer.err
    assert frozen(world) == [REFUND, TOTAL]
    row = world.row(FREEZES, REFUND)
    for line in (
        '  owner: "@finley"\n',
        f"  frozen_on: {on(1)}\n",
        f"  expires: {on(4)}\n",
        '  reason: "untrusted by quarantine.txt, which does not say why"\n',
        "  property_id: PROP-1\n",
        "  replay_env: pinned-py311\n",
    ):
        assert line in row
    assert ("test_hash" in row) is (level != "ledger")
    assert world.commit(1) == frozenset()
    assert take(world, "quarantine.txt").out.startswith("wrote 0 rows to ledgers/freezes.yaml; 2 were there already; 0")


def test_nothing_is_invented(templates: Templates, tmp_path: Path) -> None:
    world = start(templates, tmp_path)
    world.write("tests/test_new.py", "def test_new():\n    pass\n")
    world.write("quarantine.txt", f"{REFUND}\ntests/test_new.py::test_new\n{TESTS}::test_gone\n{TESTS}\n")
    answer = take(world, "quarantine.txt")
    assert answer.code == 1
    assert lacks(answer) == {
        REFUND: "owner, expires",
        "tests/test_new.py::test_new": "owner, property, expires",
        f"{TESTS}::test_gone": "test, owner, expires",
        TESTS: "test, owner, expires",
    }
    assert "quarantine.txt:1:1: " in answer.out
    assert "    fix: " in answer.out
    assert world.read(FREEZES) == ""


def test_an_owner_comes_from_the_tree_where_it_is_one(templates: Templates, tmp_path: Path) -> None:
    world = start(templates, tmp_path)
    world.write("quarantine.txt", f"{REFUND}\n")
    world.write("CODEOWNERS", "* @ada @bo\n")
    answer = take(world, "quarantine.txt", "--days", "3")
    assert lacks(answer) == {REFUND: "owner"}
    assert "`@ada`, `@bo`" in answer.out
    world.write("CODEOWNERS", "* @ada\n")
    assert take(world, "quarantine.txt", "--days", "3").code == 0
    assert '  owner: "@ada"\n' in world.row(FREEZES, REFUND)


def test_a_property_of_several_has_to_be_named(templates: Templates, tmp_path: Path) -> None:
    world = start(templates, tmp_path)
    world.add_row(PROPERTIES, id="PROP-2", statement="another", fixtures=["FX-1"], tests=[REFUND, CLOCK])
    world.sub(TESTS, "property_id: PROP-1", "property_id: PROP-1 property_id: PROP-2")
    world.record("two properties")
    world.write("quarantine.txt", f"{REFUND}\n")
    options = ("quarantine.txt", "--days", "3", "--owner", "@ada")
    answer = take(world, *options)
    assert lacks(answer) == {REFUND: "property"}
    assert "`PROP-1`, `PROP-2`" in answer.out
    assert lacks(take(world, *options, "--property", "PROP-9")) == {REFUND: "missing-field, property"}
    assert take(world, *options, "--property", "PROP-2").code == 0
    assert "  property_id: PROP-2\n" in world.row(FREEZES, REFUND)


def listed(**fields: object) -> str:
    return json.dumps([{"selector": REFUND, "owner": "@ada", "reason": "depends on the wall clock"} | fields])


#: fields of an entry, options, what it lacks, a part of what is said of it
WINDOWS: list[tuple[dict[str, object], list[str], str, str]] = [
    ({"added": on(0), "expires": on(60)}, [], "expires", "is frozen for 60 days; the policy allows 30"),
    ({"expires": on(60)}, ["--days", "3"], "expires", "is frozen for 59 days; the policy allows 30"),
    ({"added": on(-40), "expires": on(3)}, [], "expires", "is frozen for 43 days"),
    ({"added": on(-9), "expires": on(0)}, [], "expires", "ended at"),
    ({"expires": "soon"}, [], "expires", "`soon`: a date is written YYYY-MM-DD"),
    ({"expires": "9999-12-31"}, [], "expires", "the policy allows 30"),
    ({"added": "last week", "expires": on(3)}, [], "added", "`last week`"),
    ({"added": on(9), "expires": on(12)}, [], "expires", "more than a day ahead of now"),
    ({"expires": on(20)}, [], "replay", "freeze-unevidenced"),
    ({}, ["--days", "20"], "replay", "freeze-unevidenced"),
    ({"owner": "TBD", "expires": on(3)}, [], "owner", "freeze-unowned"),
    ({"expires": on(3)}, ["--runner", "mainframe"], "runner", "freeze-unknown-runner"),
    ({"selector": f"{TESTS}::test_refund[x", "expires": on(3)}, [], "test", "a bracket without its partner"),
    ({"selector": "tests/", "expires": on(3)}, [], "test", "not one test"),
    ({"selector": "../up.py::test_x", "expires": on(3)}, [], "test", "may not leave the repository"),
]


@pytest.mark.parametrize(("fields", "options", "lack", "said"), WINDOWS)
def test_what_the_rules_refuse_is_listed_with_their_words(
    fields: dict[str, object], options: list[str], lack: str, said: str, templates: Templates, tmp_path: Path
) -> None:
    world = start(templates, tmp_path)
    world.write("flaky.json", listed(**fields))
    answer = take(world, "flaky.json", *options)
    assert answer.code == 1
    (found,) = lacks(answer).values()
    assert lack in found.split(", ")
    assert said in answer.out
    assert world.read(FREEZES) == ""


def test_an_entry_keeps_what_it_says(templates: Templates, tmp_path: Path) -> None:
    world = start(templates, tmp_path)
    for day in (0, 1):
        world.replay(day)
    world.record("replays")
    world.write("flaky.json", listed(added=f"{on(0)}T09:00:00Z", expires=on(20), issue="https://example.org/3"))
    answer = take(world, "flaky.json")
    assert answer.code == 0, answer.out
    row = world.row(FREEZES, REFUND)
    for line in (f"frozen_on: {on(0)}", f"expires: {on(20)}", '"depends on the wall clock"', "https://example.org/3"):
        assert line in row
    assert world.commit(1) == frozenset()


def test_a_list_that_is_too_long_is_refused_and_not_read_in_part(templates: Templates, tmp_path: Path) -> None:
    world = start(templates, tmp_path)
    line = f"{REFUND}\n".encode()
    (world.root / "list.txt").write_bytes(line + b"\n" * (LARGEST_LIST + 1 - len(line)))
    answer = take(world, "list.txt")
    assert answer.code == 2
    assert "list.txt is larger than 4 MiB" in answer.err
    assert frozen(world) == []
    (world.root / "list.txt").write_bytes(line + b"\n" * (LARGEST_LIST - len(line)))
    assert "larger" not in take(world, "list.txt").err


def test_one_word_is_no_reason_and_is_kept(templates: Templates, tmp_path: Path) -> None:
    world = start(templates, tmp_path)
    world.write("flaky.json", listed(reason="flaky", expires=on(3)))
    assert take(world, "flaky.json").code == 0
    assert '  reason: "flaky: untrusted by flaky.json"\n' in world.row(FREEZES, REFUND)


def test_one_bad_entry_does_not_hinder_the_others(templates: Templates, tmp_path: Path) -> None:
    world = start(templates, tmp_path)
    entries = [{"test": test, "owner": "@ada", "expires": on(3)} for test in (REFUND, TOTAL, CLOCK)]
    entries[0]["owner"] = "nobody"
    entries.append({"test": TOTAL, "owner": "@bo", "expires": on(2)})
    world.write("flaky.json", json.dumps(entries))
    answer = take(world, "flaky.json")
    assert lacks(answer) == {REFUND: "owner"}
    assert "wrote 2 rows to ledgers/freezes.yaml; 1 was there already; 1 lacks something" in answer.out
    assert frozen(world) == [CLOCK, TOTAL] or frozen(world) == [TOTAL, CLOCK]
    assert '"@ada"' in world.row(FREEZES, TOTAL)
    assert world.commit(1) == frozenset()


def test_the_last_live_test_of_a_property_stays(templates: Templates, tmp_path: Path) -> None:
    world = start(templates, tmp_path)
    world.write("quarantine.txt", f"{REFUND}\n{TOTAL}\n{CLOCK}\n")
    answer = take(world, "quarantine.txt", "--days", "3", "--owner", "@ada")
    assert lacks(answer) == {CLOCK: "live test"}
    fix = answer.out.partition("        fix: add a test that runs")[2].splitlines()
    assert [line[:13] for line in fix[1:3]] == [" " * 13] * 2, "each line of a fix is a line"
    assert frozen(world) == [REFUND, TOTAL]
    assert world.commit(1) == frozenset()


def test_no_more_rows_than_the_policy_allows(templates: Templates, tmp_path: Path) -> None:
    world = start(templates, tmp_path)
    world.set_policy(max_freezes=1)
    world.record("one row is enough")
    world.write("quarantine.txt", f"{REFUND}\n{TOTAL}\n")
    answer = take(world, "quarantine.txt", "--days", "3", "--owner", "@ada")
    assert lacks(answer) == {TOTAL: "room"}
    assert frozen(world) == [REFUND]


def test_a_change_that_may_hold_no_freezes_leaves_nothing_to_write(templates: Templates, tmp_path: Path) -> None:
    world = start(templates, tmp_path)
    world.write("tests/factories.py", "LIMIT = 2\n")
    world.write("quarantine.txt", f"{REFUND}\n{TOTAL}\n")
    answer = take(world, "quarantine.txt", "--days", "3", "--owner", "@ada")
    assert set(lacks(answer)) == {REFUND, TOTAL}
    assert "mixed-change" in answer.out
    assert world.read(FREEZES) == ""


def test_a_dry_run_writes_nothing(templates: Templates, tmp_path: Path) -> None:
    world = start(templates, tmp_path)
    world.write("quarantine.txt", f"{REFUND}\n")
    answer = take(world, "quarantine.txt", "--days", "3", "--owner", "@ada", "--dry-run")
    assert (answer.code, answer.out.startswith("would write 1 row ")) == (0, True)
    assert world.read(FREEZES) == ""


def test_a_ledger_keeps_its_layout_and_comments(templates: Templates, tmp_path: Path) -> None:
    world = start(templates, tmp_path)
    (world.root / FREEZES).write_bytes(b"# ours\r\n\r\n# the end\r\n")
    world.write("quarantine.txt", f"{REFUND}\n{TOTAL}\n")
    assert take(world, "quarantine.txt", "--days", "3", "--owner", "@ada").code == 0
    data = (world.root / FREEZES).read_bytes()
    assert data.startswith(b"# ours\r\n\r\n# the end\r\n- test: ")
    assert b"\n" not in data.replace(b"\r\n", b"")
    assert world.commit(1) == frozenset()


def test_ids_may_be_relative_to_their_list(templates: Templates, tmp_path: Path) -> None:
    world = start(templates, tmp_path)
    world.write("tests/quarantine.txt", "test_orders.py::test_refund\n")
    assert (
        typed(
            world, "import", "quarantine.txt", "--days", "3", "--owner", "@ada", "--now", noon(1), folder="tests"
        ).code
        == 0
    )
    assert frozen(world) == [REFUND]


def test_a_list_may_lie_outside_of_the_repository(templates: Templates, tmp_path: Path) -> None:
    world = start(templates, tmp_path)
    (tmp_path / "export.json").write_text(listed(expires=on(3)))
    assert take(world, "../export.json").code == 0
    assert frozen(world) == [REFUND]


# other languages


def test_tests_of_other_languages_are_found_in_the_tree(templates: Templates, tmp_path: Path) -> None:
    world = templates.start(tmp_path / "world", other_languages, "keyed", "block")
    muted = "tests:\n" + "".join(
        f"- class: org.shop.{name}\n{f'  method: {method}{chr(10)}' if method else ''}"
        for name, method in (
            ("RefundTests", "testRefund"),
            ("OldTests", "testOld"),
            ("GoneIT", "x"),
            ("RefundTests", ""),
        )
    )
    world.write("muted-tests.yml", muted)
    world.write(".config/nextest.toml", NEXTEST)
    world.write("test/parallel/parallel.status", STATUS)
    lists = ("muted-tests.yml", ".config/nextest.toml", "test/parallel/parallel.status")
    answer = take(world, *lists, "--days", "3", "--owner", "@ada")
    assert answer.code == 1
    assert sorted(frozen(world)) == sorted([JAVA, RUST, NODE])
    said = answer.out
    for part in (
        "more than one file holds the class org.shop.OldTests",
        "no file of this tree holds the class org.shop.GoneIT",
        "it mutes a whole class",
        "`test(flaky_)` names no single test",
        "no file of this tree defines the function total",
        "test/parallel/test-total.js is a whole file, and it holds 2 named tests",
        "a pattern names several tests",
    ):
        assert part in said
    assert "retried by the profile ci of nextest" in world.row(FREEZES, RUST)
    assert 'issue: "https://example.org/7"' in world.row(FREEZES, NODE)
    assert world.commit(1) == frozenset()


# marks


MARKED = '''\
"""property_id: PROP-3"""
import unittest as ut
import pytest as pt
from pytest import mark
from sys import platform
windows = platform == "win32"

@pt.mark.skip(reason="needs  the\\n network")
def test_skip(): pass

@mark.xfail
def test_xfail(): pass

@mark.flaky(reruns=3)
@pt.mark.parametrize("x", [1])
def test_flaky(x): pass

@pt.mark.skipif(windows, reason="not there")
def test_conditional(): pass

@pt.mark.skipif(True, reason="not anywhere")
def test_constant(): pass

@pt.mark.xfail(windows)
def test_conditional_xfail(): pass

@ut.skip("the whole class")
class Orders(ut.TestCase):
    def test_one(self): pass
    @ut.expectedFailure
    def test_two(self): pass
    def helper(self): pass

class TestMarked:
    pytestmark = [pt.mark.slow, pt.mark.flaky]
    def test_three(self): pass

def test_fine(): pass

def skip(): pass
@skip
def test_other(): pass
'''


def test_marks_are_found_with_their_reasons() -> None:
    marks = marks_of(MARKED.encode())
    assert not isinstance(marks, str)
    assert [(mark.test, mark.name, mark.place.line, mark.place.column, mark.reason) for mark in marks] == [
        ("test_skip", "skip", 8, 2, "needs the network"),
        ("test_xfail", "xfail", 11, 2, ""),
        ("test_flaky", "flaky", 14, 2, ""),
        ("test_constant", "skip", 21, 2, "not anywhere"),
        ("Orders::test_one", "skip", 27, 2, "the whole class"),
        ("Orders::test_two", "xfail", 30, 6, ""),
        ("TestMarked::test_three", "flaky", 35, 33, ""),
    ]


def test_a_mark_of_a_module_is_one_of_its_tests() -> None:
    marks = marks_of(b"import pytest\npytestmark = pytest.mark.skip('all of it')\ndef test_a(): pass\n")
    assert not isinstance(marks, str)
    assert [(mark.test, mark.reason) for mark in marks] == [("test_a", "all of it")]


@pytest.mark.parametrize("text", ["def test_a(:", "x" * 2_000_000, "(" * 5000, "# coding: rot13\n"])
def test_a_module_that_cannot_be_parsed_says_why(text: str) -> None:
    assert isinstance(marks_of(text.encode()), str)


def marked(world: World) -> None:
    world.write("tests/test_marked.py", MARKED)
    world.write("tests/test_broken.py", "import pytest\n@pytest.mark.skip\ndef test_a(:\n")
    world.write("tools/skip.py", "import pytest\n@pytest.mark.skip\ndef test_tool(): pass\n")
    ids = [f"tests/test_marked.py::{name}" for name in ("test_skip", "test_xfail", "test_fine", "Orders::test_one")]
    world.add_row(PROPERTIES, id="PROP-3", statement="another one", fixtures=["FX-1"], tests=ids)
    world.record("marked")


def test_marks_become_rows(templates: Templates, tmp_path: Path) -> None:
    world = templates.start(tmp_path / "world", marked, "keyed", "block")
    answer = take(world, "--marks", "--days", "3", "--owner", "@ada")
    assert answer.code == 1
    tests = [f"tests/test_marked.py::{name}" for name in ("Orders::test_one", "test_skip", "test_xfail")]
    assert sorted(frozen(world)) == tests
    assert '  reason: "needs the network"\n' in world.row(FREEZES, tests[1])
    assert '  reason: "xfail mark in tests/test_marked.py, which does not say why"\n' in world.row(FREEZES, tests[2])
    found = lacks(answer)
    assert found["tests/test_marked.py::test_flaky"] == "test"
    assert found["tests/test_marked.py::test_constant"] == "property"
    assert found["tests/test_broken.py"] == "test"
    assert "tests/test_broken.py:1:1: " in answer.out
    assert not any("tools/" in test for test in found)
    assert "the marks still stand in the code" in answer.err
    assert world.read("tests/test_marked.py") == MARKED
    assert world.commit(1) == frozenset()


@pytest.mark.parametrize(
    ("named", "expected"),
    [("tests", True), ("tests/test_marked.py", True), ("tests/test_orders.py", False), (".", True)],
)
def test_marks_of_some_modules(named: str, expected: bool, templates: Templates, tmp_path: Path) -> None:
    world = templates.start(tmp_path / "world", marked, "keyed", "block")
    answer = take(world, "--marks", named, "--days", "3", "--owner", "@ada", "--dry-run")
    assert answer.out.startswith("would write 0 rows") is not expected


# the work list


HOSTILE = "=cmd()\x1b[31m::x"


def test_the_work_list_as_csv(templates: Templates, tmp_path: Path) -> None:
    world = start(templates, tmp_path)
    world.write("flaky.json", json.dumps([{"test": HOSTILE, "owner": "@ada", "reason": "a, b"}, REFUND]))
    answer = take(world, "flaky.json", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(answer.out)))
    assert [(row["path"], row["line"]) for row in rows] == [("flaky.json", "1")] * 2
    assert rows[0]["test"] == "'=cmd()\\x1b[31m::x"
    assert rows[0]["owner"] == "'@ada"
    assert rows[0]["reason"] == "a, b"
    assert rows[1]["lacks"] == "owner; expires"
    assert "2 lack something" in answer.err


def test_the_work_list_as_json(templates: Templates, tmp_path: Path) -> None:
    world = start(templates, tmp_path)
    world.write("flaky.json", json.dumps([{"test": TOTAL, "expires": on(3)}, REFUND]))
    answer = take(world, "flaky.json", "--owner", "@ada", "--format", "json")
    document = json.loads(answer.out)
    assert (document["version"], document["dry_run"], document["written"]) == (1, False, [TOTAL])
    (work,) = document["work"]
    assert (work["path"], work["line"], work["test"], work["expires"]) == ("flaky.json", 1, REFUND, None)
    assert [lack["what"] for lack in work["lacks"]] == ["expires"]


def test_the_text_of_a_list_drives_no_terminal(templates: Templates, tmp_path: Path) -> None:
    world = start(templates, tmp_path)
    world.write("flaky.json", json.dumps([HOSTILE, "::error::x"]))
    answer = take(world, "flaky.json")
    assert "\x1b" not in answer.out + answer.err
    assert not re.search(r"(?m)^\s*::", answer.out)


# usage


#: arguments, a part of what is said
USAGE: list[tuple[list[str], str]] = [
    ([], "there is nothing to import"),
    (["--marks", "--kind", "json"], "which has no --kind"),
    (["absent.txt"], "'absent.txt' cannot be read: No such file"),
    (["tests"], "tests is no regular file"),
    (["pipe"], "pipe is no regular file"),
    (["notes.md"], "looks like no list that is known here"),
    (["notes.md"], "node-status  Node's and V8's status files"),
    (["--marks", "src/gone"], "src/gone is, or holds, no Python module"),
    (["--marks", "../other"], "lies outside the repository"),
]


@pytest.mark.parametrize(("arguments", "said"), USAGE)
def test_what_cannot_be_done_is_said(arguments: list[str], said: str, templates: Templates, tmp_path: Path) -> None:
    world = start(templates, tmp_path)
    if "pipe" in arguments:
        os.mkfifo(world.root / "pipe")
    world.write("notes.md", "# notes\n\nnothing to see\n")
    answer = take(world, *arguments)
    assert answer.code == 2
    assert said in answer.err


@pytest.mark.parametrize("days", ["0", "-1", "x", "999999", "1.5"])
def test_days_are_a_number_from_one(days: str, templates: Templates, tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="2"):
        take(start(templates, tmp_path), "q.txt", f"--days={days}")


def test_a_ledger_that_cannot_be_read_is_not_added_to(templates: Templates, tmp_path: Path) -> None:
    world = start(templates, tmp_path)
    world.write(FREEZES, "- test: @a\n")
    world.write("quarantine.txt", f"{REFUND}\n")
    answer = take(world, "quarantine.txt", "--days", "3", "--owner", "@ada")
    assert answer.code == 2
    assert "ledgers/freezes.yaml:1:9" in answer.err
    assert world.read(FREEZES) == "- test: @a\n"


# size


def many(world: World) -> None:
    """Twenty modules of 51 tests."""
    for number in range(20):
        names = [f"test_{number}_{index}" for index in range(51)]
        path = f"tests/test_m{number}.py"
        text = "".join(f"def {name}():\n    pass\n" for name in names)
        world.write(path, f'"""property_id: PROP-M{number}"""\n{text}')
        tests = [f"{path}::{name}" for name in names]
        world.add_row(PROPERTIES, id=f"PROP-M{number}", statement="always", fixtures=["FX-1"], tests=tests)
    world.set_policy(max_freezes=1000)
    world.record("many")


def test_a_thousand_entries_take_linear_time(templates: Templates, tmp_path: Path) -> None:
    """How many seconds they may take is a bar of `benchmarks/import_lists.py`."""
    world = templates.start(tmp_path / "world", many, "keyed", "block")
    tests = [f"tests/test_m{number}.py::test_{number}_{index}" for number in range(20) for index in range(50)]

    def work(number: int) -> Callable[[], object]:
        world.write(f"list-{number}.txt", "\n".join(tests[:number]))
        return partial(take, world, f"list-{number}.txt", "--days", "3", "--owner", "@ada", "--dry-run")

    assert_linear(work, len(tests))
    answer = take(world, f"list-{len(tests)}.txt", "--days", "3", "--owner", "@ada")
    assert answer.code == 0, answer.out[:2000]
    assert sorted(frozen(world)) == sorted(tests)
    assert answer.err.startswith("read: 250 of 1000\n")
    assert "\r" not in answer.err
    assert world.commit(1) == frozenset()


class Terminal(io.StringIO):
    """A stream that says that people look at it."""

    def isatty(self) -> bool:
        return True


def test_a_terminal_sees_one_line_that_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    assert list(progress(list(range(300)), "read")) == list(range(300))
    seen = terminal.getvalue()
    assert seen.startswith("\r\x1b[Kread: 3 of 300\r\x1b[Kread: 6 of 300\r")
    assert seen.endswith("\r\x1b[Kread: 300 of 300\n")
    assert seen.count("\n") == 1
