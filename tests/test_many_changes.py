"""Ten thousand rows that one change adds, removes or edits, all about one thing: the rules and the editor stay linear.

property_id: FL-ONE-RULE
"""

from __future__ import annotations

import ast
import os
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pytest

from conftest import git
from flakeledger.cli.import_plan import Candidate, sort_entries
from flakeledger.cli.lock import next_id
from flakeledger.model.errors import CannotTell
from flakeledger.model.findings import Finding
from flakeledger.model.ledger_paths import FREEZES, PROPERTIES
from flakeledger.model.records import Fixture, Freeze, Property, Replay
from flakeledger.model.rows import Place, Places
from flakeledger.repo import modules
from flakeledger.repo.change import Change, Readers
from flakeledger.repo.citations import Citation
from flakeledger.repo.history import EarlierRow, Version
from flakeledger.repo.ledger import Ledger
from flakeledger.repo.reading import Rows
from flakeledger.repo.repository import open_repository
from flakeledger.repo.situation import INDEX, Basis
from flakeledger.repo.trend_lives import Row, lives
from flakeledger.repo.trend_lives import Version as Standing
from flakeledger.rules.change_table import CHANGE_RULES
from flakeledger.rules.interviews import interviews
from flakeledger.rules.staleness import forgiven
from flakeledger.rules.state_table import STATE_RULES
from flakeledger.store.editor import remove_rows
from flakeledger.store.git import PathChange
from flakeledger.store.quarantine_entries import Entry, Selector
from flakeledger.verdicts.citing import MOST_MEANT, MeantRows, judged
from growing import assert_linear

NUMBER = 10_000
PLACES = Places(1, 1, {})
NOW = 1_790_000_000
MODULE = "tests/test_a.py"
POLICY_TEXT = """\
version: 1
level: keyed
paths:
  - class: freeze_config
    match: [/ledgers/]
  - class: generator
    match: [conftest.py, seeds.json, "data/"]
seeds: seeds.json
stale_rows: block_touched
runners:
  - name: r
"""
TESTS = [f"{MODULE}::test_{number}" for number in range(NUMBER)]
NAMES = [f"FX-{number}" for number in range(NUMBER)]


def freeze(test: str, **fields: object) -> Freeze:
    row = Freeze(PLACES, *[None] * 16)._replace(test=test, owner="@a", expires="2026-09-30")
    usual = {"frozen_on": "2026-09-01", "property_id": "P", "replay_env": "r"}
    return row._replace(**(usual | fields))  # type: ignore[arg-type]  # fields of a freeze


def replay(number: int, env: str = "r", touched: Sequence[str] = ()) -> Replay:
    return Replay(number, TESTS[0], "", NOW - number, env, 1, 2, None, None, {"E": 1}, 0, touched)


def property_row(name: str, tests: Sequence[str], fixtures: Sequence[str]) -> Property:
    return Property(PLACES, name, "a statement", list(fixtures), list(tests), None, None, None)


class Parts(NamedTuple):
    """The rows of a ledger that matter here."""

    freezes: Sequence[Freeze] = ()
    properties: Sequence[Property] = ()
    fixtures: Sequence[Fixture] = ()
    replays: Sequence[Replay] = ()


@pytest.fixture
def empty(repository: Path) -> Iterator[Ledger]:
    """The ledger of a repository with a policy and a module of a thousand tests, without rows."""
    tests = "".join(f"def test_{number}(): {number}\n" for number in range(1000))
    files = {"ledgers/policy.yaml": POLICY_TEXT, MODULE: f"# property_id: P\n{tests}", "a.json": "{}"}
    for path, text in files.items():
        (repository / path).parent.mkdir(exist_ok=True)
        (repository / path).write_text(text, encoding="utf-8")
    git(repository, "add", "-A")
    with open_repository(str(repository), os.environ) as opened:
        yield opened.ledger(opened.tree(INDEX))


def ledger(empty: Ledger, parts: Parts) -> Ledger:
    """A ledger that remembers nothing yet."""
    told = Rows(
        empty.policy, tuple(parts.freezes), tuple(parts.fixtures), tuple(parts.properties), tuple(parts.replays), ()
    )
    return Ledger(empty.tree, told, empty.files, empty.modules, empty.citing)


class Past:
    """A history with one version, that of the base."""

    def __init__(self, base: Ledger) -> None:
        by_property: dict[str | None, list[Freeze]] = {}
        for row in base.freezes:
            by_property.setdefault(row.property_id, []).append(row)
        self.version = Version(base.freeze_by_test, by_property, lambda: base)

    def earlier_row(self, match: Callable[[Version], Freeze | None]) -> EarlierRow | None:
        row = match(self.version)
        return None if row is None else EarlierRow(row, self.version.ledger, self.version.ledger, stands=False)


def change(base: Ledger, new: Ledger, *paths: str) -> Change:
    basis = Basis("test", "0" * 40, INDEX)
    assert new.policy is not None
    past = Past(base)
    readers = Readers(lambda: base, lambda: new, None, lambda _: past, lambda _: iter(()))  # type: ignore[arg-type,return-value]  # one version
    changed = tuple(PathChange(path, "100644", "1" * 40, "100644", "2" * 40) for path in paths)
    return Change(basis, base.tree, new.tree, changed, new.policy, readers, (base.tree,))


NOTHING = Parts()
#: parts of the base and of the new tree with so many rows, the paths that differ, and the rule that is asked
Sides = Callable[[int], tuple[Parts, Parts]]
CHANGES: dict[str, tuple[Sides, Sequence[str], str]] = {
    "rows that are renewed, of one property": (
        lambda size: (
            Parts([freeze(test) for test in TESTS[:size]]),
            Parts([freeze(test, frozen_on="2026-09-20") for test in TESTS[:size]]),
        ),
        [FREEZES],
        "freeze-renewed",
    ),
    "rows that go, of one property of many fixtures": (
        lambda size: (
            Parts(
                [freeze(test) for test in TESTS[:size]],
                [property_row("P", TESTS[:size], NAMES[:size])],
                [Fixture(PLACES, name, "a.json", None, None) for name in NAMES[:size]],
            ),
            Parts((), (), [Fixture(PLACES, name, "a.json", None, None) for name in NAMES[:size]]),
        ),
        [FREEZES],
        "thaw-unearned",
    ),
    "rows that come, of one property": (
        lambda size: (NOTHING, Parts([*map(freeze, TESTS[:size])], [property_row("P", TESTS[:size], ["FX-1"])])),
        [FREEZES, MODULE],
        "freeze-with-edit",
    ),
    "properties that go": (
        lambda size: (
            Parts(
                [freeze(test, property_id="Q") for test in TESTS[:size]],
                [property_row(name, TESTS[:1], ["a"]) for name in NAMES[:size]],
            ),
            Parts([freeze(test, property_id="Q") for test in TESTS[:size]], [property_row("R", TESTS[:1], ["a"])]),
        ),
        [PROPERTIES],
        "property-weakened",
    ),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_rule_judges_very_many_rows_in_linear_time(name: str, empty: Ledger) -> None:
    sides, paths, rule = CHANGES[name]

    def work(size: int) -> Callable[[], list[Finding]]:
        before, after = sides(size)
        return lambda: list(CHANGE_RULES[rule](change(ledger(empty, before), ledger(empty, after), *paths), NOW))

    assert_linear(work, NUMBER)


ROWS_OF_ONE_TEST: dict[str, Callable[[int], Parts]] = {
    "from one runner": lambda size: Parts(
        [freeze(TESTS[0], failure_class="environment") for _ in range(size)], (), (), [replay(n) for n in range(size)]
    ),
    "from very many runners": lambda size: Parts(
        [freeze(TESTS[0], failure_class="environment", replay_env=f"r{n}") for n in range(size)],
        (),
        (),
        [replay(n, f"r{n}") for n in range(size)],
    ),
    "that opened files": lambda size: Parts(
        [freeze(TESTS[0], frozen_on=None) for _ in range(size)],
        (),
        (),
        [replay(n, touched=("a.json",)) for n in range(size)],
    ),
    "from elsewhere": lambda size: Parts(
        [freeze(TESTS[0], replay_env="s") for _ in range(size)], (), (), [replay(n, f"r{n}") for n in range(size)]
    ),
}
EVIDENCE = ("freeze-not-environment", "replay-missing", "replay-wrong-env", "replay-stale", "fixture-unlocked")


@pytest.mark.parametrize("name", ROWS_OF_ONE_TEST)
def test_very_many_rows_and_replays_of_one_test_are_judged_in_linear_time(name: str, empty: Ledger) -> None:
    rules = [rule for rule in STATE_RULES if rule.name in EVIDENCE]

    def work(size: int) -> Callable[[], object]:
        parts = ROWS_OF_ONE_TEST[name](size)

        def call() -> object:
            asked = ledger(empty, parts)
            return [list(rule.check(asked, NOW)) for rule in rules], interviews(ledger(empty, parts), NOW)

        return call

    assert_linear(work, NUMBER)


def test_rows_that_come_under_other_names_are_known_without_a_module_that_is_read_for_each_pair(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, number = repository / MODULE, 60
    for name, text in (("ledgers/policy.yaml", POLICY_TEXT), (MODULE, "")):
        (repository / name).parent.mkdir(exist_ok=True)
        (repository / name).write_text(text, encoding="utf-8")
    for name in ("old", "new"):
        path.write_text("".join(f"def test_{name}_{n}():\n    assert {n}\n" for n in range(number)), encoding="utf-8")
        git(repository, "add", "-A")
        if name == "old":
            git(repository, "commit", "-qm", name)
    parsed: list[str] = []
    parse = modules._parse

    def counted(text: str) -> ast.Module:
        parsed.append(text)
        return parse(text)

    monkeypatch.setattr(modules, "_parse", counted)
    with open_repository(str(repository), os.environ) as opened:
        sides: list[Ledger] = []
        for name, tree in (("old", "HEAD"), ("new", INDEX)):
            rows = [freeze(f"{MODULE}::test_{name}_{n}", frozen_on=f"2026-09-0{1 + len(sides)}") for n in range(number)]
            sides.append(ledger(opened.ledger(opened.tree(tree)), Parts(rows)))
        rule = CHANGE_RULES["freeze-renewed"]
        found = list(rule(change(sides[0], sides[1], FREEZES, MODULE), NOW))
    assert len(found) == number, "each is the renewal of the one with its text"
    assert len(parsed) <= 4, "both versions of the module, once for their facts and once for their texts"


def test_what_time_broke_is_forgiven_in_linear_time(empty: Ledger) -> None:
    def work(size: int) -> Callable[[], object]:
        before = ledger(empty, Parts([*map(freeze, TESTS[:size])], [property_row("P", TESTS[:size], NAMES[:size])]))
        after = ledger(empty, Parts([freeze(test, owner="@b") for test in TESTS[:size]], before.properties))
        findings = [Finding(FREEZES, 1, 1, "replay-stale", "", "", subject=f"t{n}", by_time=True) for n in range(size)]
        return lambda: forgiven(findings, change(before, after, FREEZES, "a.json"), lambda _: findings)

    assert_linear(work, NUMBER)


# citations


def cited(number: int, name: str, test: str = "") -> Citation:
    return Citation(MODULE, Place(number + 1, 1), name, "r", test)


CITED: dict[str, Callable[[int], list[Citation]]] = {
    "for the file": lambda size: [cited(n, f"Q{n}") for n in range(size)],
    "for classes without a row": lambda size: [cited(n, "P", f"Class{n}") for n in range(size)],
    "for one class": lambda size: [cited(n, "P", "Many") for n in range(size)],
}


@pytest.mark.parametrize("name", CITED)
def test_what_very_many_citations_mean_is_found_in_linear_time(name: str, empty: Ledger) -> None:
    def work(size: int) -> Callable[[], object]:
        rows = Parts([freeze(test) for test in TESTS[: size // 2]])
        citations = CITED[name](size)
        among = rows._replace(freezes=[*rows.freezes, *(freeze(f"{MODULE}::Many::test_{n}") for n in range(size // 2))])

        def call() -> object:
            found = MeantRows(ledger(empty, among))
            return [len(found.of(citation)) for citation in citations]

        return call

    assert_linear(work, NUMBER)


def test_more_pairs_of_citations_and_rows_than_that_are_not_judged(empty: Ledger) -> None:
    rows = ledger(empty, Parts([*map(freeze, TESTS[:1000])]))
    citations = [cited(number, "P") for number in range(MOST_MEANT // 1000)]
    assert len(judged(rows, citations, NOW)) == MOST_MEANT
    with pytest.raises(CannotTell, match=f"more than {MOST_MEANT} rows in all") as refusal:
        judged(rows, [*citations, cited(100, "P")], NOW)
    assert refusal.value.place == f"{MODULE}:101:1"


# commands


def rows_text(numbers: Sequence[int], owner: str = "@a") -> bytes:
    return b"".join(
        b'- test: %s::test_%05d\n  owner: "%s"\n\n# a note\n' % (MODULE.encode(), n, owner.encode()) for n in numbers
    )


def keys(numbers: Sequence[int]) -> list[str]:
    return [f"{MODULE}::test_{number:05}" for number in numbers]


def test_very_many_rows_go_in_linear_time() -> None:
    def work(size: int) -> Callable[[], bytes]:
        return partial(remove_rows, rows_text(range(size)), FREEZES, keys(range(0, size, 2)))

    assert_linear(work, NUMBER)


def test_all_of_very_many_rows_go_in_linear_time() -> None:
    assert_linear(lambda size: partial(remove_rows, rows_text(range(size)), FREEZES, keys(range(size))), NUMBER)


def test_a_fresh_id_for_each_of_very_many_files_follows_the_one_before() -> None:
    assert [next_id(["FX-09"]), next_id([next_id(["FX-09"])])] == ["FX-10", "FX-11"]


def test_very_many_freezes_that_move_at_once_are_followed_in_linear_time() -> None:
    def work(size: int) -> Callable[[], object]:
        old, new = (
            {
                f"{folder}/test_{n}.py::test_x": Row(f"{folder}/test_{n}.py::test_x", "@a", "P", "2026-09-01", NOW)
                for n in range(size)
            }
            for folder in "ab"
        )
        return partial(lives, [Standing(1, old), Standing(2, new)], NOW)

    assert_linear(work, NUMBER)


def test_very_many_refused_entries_of_a_list_are_sorted_in_linear_time(empty: Ledger) -> None:
    def work(size: int) -> Callable[[], object]:
        drafts = [
            (entry, Candidate(entry, freeze(test)))
            for test in TESTS[:size]
            for entry in [Entry("list", Place(1, 1), Selector(test, "id"))]
        ]
        findings = [Finding(FREEZES, 1, 1, "freeze-window", "", "", subject=test) for test in TESTS[:size]]
        return lambda: sort_entries(drafts, ledger(empty, NOTHING), lambda _: findings)

    assert_linear(work, NUMBER)
