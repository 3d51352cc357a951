"""Under which arguments a test failed, and whether they are the smallest: Hypothesis itself, and what it counts."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st

from flakeledger.evidence.observing import Failure, observed, why_incomplete

ALONE = settings(database=None, suppress_health_check=list(HealthCheck))
SHRINK = (Phase.generate, Phase.shrink)
DONE = "nothing left to do"


def calls(*statuses: str) -> dict[str, object]:
    return {"test-cases": [{"status": status} for status in statuses]}


FOUND = calls("valid", "interesting")

#: what Hypothesis counted, the phases of the settings, and the words of the reason
COUNTED: list[tuple[dict[str, Any] | None, tuple[Phase, ...], str]] = [
    ({"stopped-because": DONE, "generate-phase": FOUND, "shrink-phase": calls("interesting")}, SHRINK, ""),
    ({"stopped-because": DONE, "generate-phase": FOUND}, SHRINK, ""),
    ({"stopped-because": DONE, "generate-phase": FOUND, "shrink-phase": calls(*["valid"] * 199)}, SHRINK, ""),
    (
        {"stopped-because": DONE, "generate-phase": FOUND, "shrink-phase": calls(*["valid"] * 200)},
        SHRINK,
        "gave up after 200",
    ),
    (
        {
            "stopped-because": DONE,
            "generate-phase": FOUND,
            "shrink-phase": calls(*["valid"] * 300, "interesting", *["invalid"] * 199),
        },
        SHRINK,
        "",
    ),
    ({"stopped-because": DONE, "reuse-phase": FOUND}, SHRINK, "came from the example database"),
    ({"stopped-because": DONE, "reuse-phase": FOUND, "generate-phase": calls()}, SHRINK, "example database"),
    ({"stopped-because": DONE, "reuse-phase": FOUND, "generate-phase": calls("valid")}, SHRINK, "example database"),
    ({"stopped-because": DONE, "generate-phase": FOUND}, (Phase.generate,), "leave the phase `shrink` out"),
    ({"stopped-because": "shrunk example 500 times", "generate-phase": FOUND}, SHRINK, "`shrunk example 500 times`"),
    ({"stopped-because": "shrinking was very slow", "generate-phase": FOUND}, SHRINK, "`shrinking was very slow`"),
    ({"stopped-because": "words of a later version"}, SHRINK, "`words of a later version`"),
    ({"generate-phase": FOUND}, SHRINK, "`None`"),
    ({}, SHRINK, "under an example that the test gives itself"),
    (None, SHRINK, "under an example that the test gives itself"),
]


@pytest.mark.parametrize(("statistics", "phases", "reason"), COUNTED)
def test_a_shrink_is_complete_when_nothing_speaks_against_it(
    statistics: dict[str, Any] | None, phases: tuple[Phase, ...], reason: str
) -> None:
    found = why_incomplete(statistics, phases)
    assert reason in found
    assert bool(found) == bool(reason)


def failures(test: Callable[..., Any]) -> list[Failure]:
    """What was seen of a test that fails; it must be as it was, and no note of ours may be left."""
    inner = test.hypothesis.inner_test  # type: ignore[attr-defined]  # what @given adds
    with observed(test) as seen, pytest.raises(BaseException) as raised:
        test()
    found = seen.failures(raised.value)
    assert test.hypothesis.inner_test is inner  # type: ignore[attr-defined]  # what @given adds
    pending: list[BaseException] = [raised.value]
    for one in pending:
        assert not [note for note in getattr(one, "__notes__", ()) if note.startswith("\x1e")]
        pending += getattr(one, "exceptions", ())
    return found


def test_a_failure_with_its_smallest_arguments() -> None:
    @ALONE
    @given(x=st.integers(), y=st.text())
    def fails(x: int, y: str) -> None:
        assert x < 100
        y.upper()

    assert failures(fails) == [Failure("AssertionError", {"x": 100, "y": ""}, "complete")]


def test_each_way_to_fail_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    # 6.80 raises a group only where the pytest around it shows one
    monkeypatch.setattr("hypothesis.core.pytest_shows_exceptiongroups", True, raising=False)

    @ALONE
    @given(st.booleans())
    def fails(x: bool) -> None:
        if x:
            raise ValueError
        raise KeyError

    found = failures(fails)
    assert sorted((one.exception, str(one.arguments)) for one in found) == [
        ("KeyError", "{'x': False}"),
        ("ValueError", "{'x': True}"),
    ]
    assert {one.shrink for one in found} == {"complete"}


def test_what_the_body_does_to_its_arguments_does_not_matter() -> None:
    @ALONE
    @given(st.lists(st.integers(), min_size=1))
    def fails(xs: list[int]) -> None:
        xs.clear()
        raise ValueError

    assert failures(fails) == [Failure("ValueError", {"xs": [0]}, "complete")]


def test_a_flaky_failure_says_so() -> None:
    ran: list[int] = []

    @ALONE
    @given(st.integers())
    def fails(x: int) -> None:
        ran.append(x)
        assert len(ran) != 10

    (found,) = failures(fails)
    assert found.shrink == "flaky"
    assert found.arguments is not None
    assert set(found.arguments) == {"x"}


def incomplete(test: Callable[..., Any]) -> str:
    (found,) = failures(test)
    assert found.shrink is None
    return found.reason


def test_an_example_of_the_test_itself_is_not_searched_for() -> None:
    @ALONE
    @example(x=3)
    @given(st.integers())
    def fails(x: int) -> None:
        assert x != 3

    assert "under an example that the test gives itself" in incomplete(fails)


def test_settings_without_shrinking() -> None:
    @settings(ALONE, phases=[Phase.generate])
    @given(st.integers())
    def fails(x: int) -> None:
        assert x < 100

    assert "leave the phase `shrink` out" in incomplete(fails)


def test_a_failure_out_of_the_example_database(tmp_path: Any) -> None:
    from hypothesis.database import DirectoryBasedExampleDatabase

    @settings(ALONE, database=DirectoryBasedExampleDatabase(tmp_path))
    @given(st.integers())
    def fails(x: int) -> None:
        assert x < 100

    assert failures(fails)[0].shrink == "complete"
    assert "came from the example database" in incomplete(fails)


def test_a_search_that_hits_its_cap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hypothesis.internal.conjecture.engine.MAX_SHRINKS", 3)

    @ALONE
    @given(st.lists(st.integers(), min_size=5))
    def fails(xs: list[int]) -> None:
        assert sum(xs) < 1000

    assert "ended before nothing was left to do" in incomplete(fails)


def test_data_and_failures_around_the_body_have_no_arguments() -> None:
    @ALONE
    @given(st.data())
    def draws(data: st.DataObject) -> None:
        assert data.draw(st.integers()) < 5

    @ALONE
    @given(st.integers().filter(lambda x: x != x))
    def never(x: int) -> None:
        pass

    assert "draws through data() while it runs" in incomplete(draws)
    assert "outside of the body of the test" in incomplete(never)


def test_a_coroutine_is_observed_too() -> None:
    @ALONE
    @given(st.integers())
    async def fails(x: int) -> None:
        assert x < 7

    handle = fails.hypothesis  # type: ignore[attr-defined]  # what @given adds
    own = handle.inner_test
    with observed(fails) as seen:
        noted = handle.inner_test
        handle.inner_test = lambda x: asyncio.run(noted(x=x))  # as plugins that run coroutines do
        with pytest.raises(AssertionError) as raised:
            fails()
    assert handle.inner_test is own
    assert seen.failures(raised.value) == [Failure("AssertionError", {"x": 7}, "complete")]


def test_a_test_that_passes_is_undisturbed_and_still_counted_by_others() -> None:
    from hypothesis.statistics import collector

    heard: list[object] = []

    @ALONE
    @given(st.integers())
    def passes(x: int) -> None:
        assert x == x

    with collector.with_value(heard.append), observed(passes):  # type: ignore[arg-type]  # its types know None alone
        passes()
    assert len(heard) == 1
