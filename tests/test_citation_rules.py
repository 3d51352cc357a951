"""The rules citation-unknown and citation-rejected: what they say, what time forgives, and walks with citations."""

from __future__ import annotations

from pathlib import Path

import pytest

from flakeledger.model.findings import Finding
from flakeledger.model.ledger_paths import FREEZES, PROPERTIES
from flakeledger.rules.citations import citation_rejected, citation_unknown
from test_citing import EDITS
from test_citing import frozen as cited_and_frozen
from world import CLOCK, CONFTEST, PRODUCT, REFUND, TESTS, TOTAL, Templates, Verdict, World

NOW = 1_772_539_200  # noon of day 1
MARK = '@pytest.mark.frozen("PROP-1", runner_class="pinned-py311")\n'


@pytest.fixture
def world(templates: Templates, tmp_path: Path) -> World:
    return templates.start(tmp_path / "world", cited_and_frozen, "keyed", "block")


def staged(world: World, day: int) -> Verdict:
    """What both checks refuse of everything that lies here."""
    world.git("add", "-A")
    return world.judge(day)


def found_in(world: World) -> list[Finding]:
    with world.ledger() as ledger:
        return [*citation_unknown(ledger, NOW), *citation_rejected(ledger, NOW)]


def test_a_right_citation_is_no_finding(world: World) -> None:
    assert found_in(world) == []


@pytest.mark.parametrize(
    ("edit", "instead"),
    [
        ("the module does not name the property", f"name the property in {TESTS}"),
        ("the row has no property", "write `property_id: PROP-1` in the row"),
        ("another property is cited", "cite PROP-1, which the row names"),
        ("a generator changed", f"remove the row from {FREEZES} with it"),
        ("no runner class is cited", "name the runner class on which it holds: runner_class=pinned-py311"),
        ("another runner class is cited", "cite the runner class on which it holds: pinned-py311"),
        ("the row names no runner class", "write `runner_class: pinned-py311` in the row"),
        ("the row has no end", f"renew the freeze on newer evidence: flakeledger freeze {REFUND} --renew"),
        ("an invariant fails", "mend the bug"),
        ("nobody said what fails", "write `failure_class: environment` in the row"),
    ],
)
def test_a_rejection_says_what_takes_the_reference_out(world: World, edit: str, instead: str) -> None:
    change, decision = EDITS[edit]
    change(world)
    (finding,) = found_in(world)
    assert finding[:4] == (TESTS, 6, 2, "citation-rejected")
    assert (finding.by_time, finding.level, finding.subject) == (True, "error", REFUND)
    assert finding.message.startswith(f"{decision}: ")
    assert finding.message.endswith(f"is cited for {REFUND}")
    first, second = finding.fix.split("\n")
    assert first.startswith("take the reference out: ")
    assert first.endswith(f" ({TESTS}:6)")
    assert second.startswith(f"or {instead}")


def test_a_citation_without_a_row_names_the_test_that_has_one(world: World) -> None:
    world.sub(TESTS, f"{MARK}", "")
    world.sub(TESTS, "def test_clock", f"{MARK}def test_clock")
    (finding,) = found_in(world)
    assert finding[:4] == (TESTS, 11, 2, "citation-unknown")
    assert finding.message == f"PROP-1 is cited for {CLOCK}, but {FREEZES} has no row that it can mean"
    assert finding.fix == f"take the citation out ({TESTS}:11)\nor cite at the test that is frozen: {REFUND}"
    assert not finding.by_time


def test_a_malformed_citation_says_how_one_is_written(world: World) -> None:
    world.sub(TESTS, '"PROP-1", runner', "PROPERTY, runner")
    (finding,) = found_in(world)
    assert finding[:4] == (TESTS, 6, 2, "citation-unknown")
    assert finding.message == "this is no citation: its property is no text that is written out"
    assert '@pytest.mark.frozen("PROP-014", runner_class="local-fixture")' in finding.fix


def test_no_row_is_missed_where_the_ledger_cannot_be_read(world: World) -> None:
    world.write(FREEZES, "- test: 'not closed\n")
    assert found_in(world) == []
    assert staged(world, 1) >= {"yaml-syntax"}


def test_the_checks_refuse_a_citation_whose_row_went(world: World) -> None:
    world.unfreeze(REFUND)
    assert "citation-unknown" in staged(world, 20)


def expire(world: World) -> None:
    """A branch of the day after the windows ended, both rows standing on main with their citation."""
    world.git("checkout", "-q", "-b", "later")


def test_an_expired_citation_blocks(world: World) -> None:
    assert world.judge(11) >= {"freeze-expired", "citation-rejected"}


def test_an_unrelated_pull_request_passes_under_block_touched(templates: Templates, tmp_path: Path) -> None:
    world = templates.start(tmp_path / "world", cited_and_frozen, "keyed", "block_touched")
    world.git("checkout", "-q", "main")
    world.git("merge", "-q", "work")
    expire(world)
    world.append(PRODUCT, "# an edit\n")
    world.record("unrelated")
    assert world.judge_pull_request(11) == frozenset()
    world.append(TESTS, "# an edit of the file that cites\n")
    world.record("touches")
    assert world.judge_pull_request(11) == {"freeze-expired", "citation-rejected"}


@pytest.mark.parametrize("stale_rows", ["block", "block_touched"])
def test_the_repair_of_one_of_two_expired_rows_passes_with_its_citation(
    templates: Templates, tmp_path: Path, stale_rows: str
) -> None:
    """The row goes, and the citation with it; the other row stays expired, and another pull request repairs it."""
    world = templates.start(tmp_path / "world", cited_and_frozen, "keyed", stale_rows)
    world.git("checkout", "-q", "main")
    world.git("merge", "-q", "work")
    expire(world)
    world.unfreeze(REFUND)
    assert staged(world, 11) >= {"citation-unknown"}
    world.sub(TESTS, MARK, "")
    world.record("repaired")
    assert world.judge_pull_request(11) == frozenset()
    world.sub(TESTS, "total() > 0", "total() > 1")
    world.record("and something else")
    assert world.judge_pull_request(11) == {"freeze-expired"}


def test_a_freeze_that_falls_takes_its_citation_along(world: World) -> None:
    """One commit: the generator is edited, the rows that it voids go, and so does the citation."""
    world.write(CONFTEST, "LIMIT = 2\n")
    assert staged(world, 1) >= {"freeze-generator-hash", "citation-rejected"}
    world.unfreeze(REFUND, TOTAL)
    world.sub(TESTS, MARK, "")
    assert world.commit(1) == frozenset()


def test_a_mark_is_no_edit_of_the_frozen_test(world: World) -> None:
    """Cite, and stop citing, while the freeze stands: neither is an edit of what its test_hash covers."""
    world.sub(TESTS, MARK, "")
    assert world.commit(1) == frozenset()
    world.sub(
        TESTS, "def test_total():\n", "def test_total():\n    # flakeledger: cite PROP-1 runner_class=pinned-py311\n"
    )
    assert world.commit(1) == frozenset()


def test_a_freeze_with_its_citation_is_one_commit(templates: Templates, tmp_path: Path) -> None:
    world = templates.start(tmp_path / "world", nothing_frozen, "keyed", "block")
    world.replay(0)
    world.freeze(REFUND, 0, 10)
    world.append(TESTS, "\n# flakeledger: cite PROP-1 runner_class=pinned-py311\n")
    assert world.commit(0) == frozenset()


def test_a_citation_in_a_file_without_frozen_tests_is_unknown_wherever_it_stands(world: World) -> None:
    for path in ("src/pay.js", "scripts/run.sh", "docs/notes.md", "ledgers/notes/about.yaml"):
        world.write(path, "#!/bin/sh\n// flakeledger: cite PROP-1\n# flakeledger: cite PROP-1\n")
    assert [finding[:2] for finding in found_in(world)] == [("scripts/run.sh", 3), ("src/pay.js", 2)]


def test_a_renamed_property_leaves_its_citations_behind(world: World) -> None:
    world.sub(PROPERTIES, "PROP-1", "PROP-9")
    world.sub(FREEZES, "PROP-1", "PROP-9")
    world.sub(TESTS, "property_id: PROP-1", "property_id: PROP-9")
    assert [finding.message.partition(":")[2][:12] for finding in found_in(world)] == ["property_id:"]


def nothing_frozen(_world: World) -> None:
    """The base tree as it is."""
