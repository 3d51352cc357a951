"""Which replay of a test is the newest that counts, from a runner or from any."""

from __future__ import annotations

import pytest

from flakeledger.model.records import Replay
from flakeledger.repo.evidence_of_tests import EvidenceOfTests


def replay(line: int, at: int, env: str, seeded: bool = True) -> Replay:
    return Replay(line, "t", "", at, env, 1, 2, None, seeded, {}, 0, ())


REPLAYS = {
    "t": [
        replay(1, 5, "a"),
        replay(2, 9, "b", seeded=False),
        replay(3, 7, "b"),
        replay(4, 7, "b"),
        replay(5, 3, "c", seeded=False),
    ],
    "alone": [replay(6, 1, "a")],
}


def evidence(asked: list[int]) -> EvidenceOfTests:
    def counts(one: Replay) -> bool:
        asked.append(one.line)
        return one.seeded is True

    return EvidenceOfTests(REPLAYS, counts)


@pytest.mark.parametrize(
    ("test", "runner", "line"),
    [
        ("t", "a", 1),
        ("t", "b", 3),  # the unseeded one does not count, and of two at once the first does
        ("t", "c", None),
        ("t", "d", None),
        ("t", None, 3),
        ("alone", "a", 6),
        ("alone", "b", None),
        ("alone", None, 6),
        ("other", "a", None),
        ("other", None, None),
    ],
)
def test_the_newest_that_counts(test: str, runner: str | None, line: int | None) -> None:
    found = evidence([]).newest(test, runner)
    assert (None if found is None else found.line) == line


def test_only_what_could_be_the_answer_is_asked_and_that_once() -> None:
    asked: list[int] = []
    found = evidence(asked)
    assert found.newest("t", "b") == found.newest("t", "b") == REPLAYS["t"][2]
    assert found.newest("alone", "b") is None
    assert asked == [2, 3, 4]


@pytest.mark.parametrize(("test", "runners"), [("t", ["a", "b", "c"]), ("alone", ["a"]), ("other", [])])
def test_where_replays_ran(test: str, runners: list[str]) -> None:
    assert list(evidence([]).runners(test)) == runners
