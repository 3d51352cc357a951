"""Observes a test of Hypothesis while it runs: under which arguments it failed, and whether those are the smallest.

Invariants:
* Arguments are noted before the body runs, so that what the body does to them does not matter. The notes are taken off
  the exceptions again; only a Hypothesis that is told to be verbose prints them.
* The test's own function is restored: parametrised tests share it.
* A shrink is complete only when nothing speaks against it (`why_incomplete`), and words that are not known do.
* What was raised is never changed, and neither is what Hypothesis draws.
"""

from __future__ import annotations

import functools
import inspect
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from flakeledger.evidence.faithful import encoded_arguments
from flakeledger.evidence.faithful_kinds import Refused
from flakeledger.model.witness import LARGEST_EXAMPLE, Shrink
from flakeledger.model.wording import shown

_MARK = "\x1eflakeledger: "
#: the only words with which Hypothesis says that it found nothing smaller (6.80 to 6.170)
_DONE = "nothing left to do"
_FLAKY = "test was flaky"
#: how a call ends under which the test fails
_INTERESTING = "interesting"
#: so many calls without a smaller example are where the shrinker gives up (Shrinker.max_stall of Hypothesis)
_STALLED = 200


class Failure(NamedTuple):
    """One of the ways in which a test failed.

    `arguments` are in their faithful form; where they are None, or `shrink` is None, `reason` says why.
    """

    exception: str
    arguments: Mapping[str, object] | None
    shrink: Shrink | None
    reason: str = ""


class Observed:
    """What was seen of the last run of a test."""

    def __init__(self) -> None:
        """Nothing ran."""
        self.statistics: Mapping[str, Any] | None = None
        self.phases: Sequence[Any] = ()

    def failures(self, error: BaseException) -> list[Failure]:
        """The ways in which the test failed, of the exception that came out of it; its notes are taken off."""
        found = _noted(error)
        is_flaky = any(map(_is_flaky, (error, *(one for one, _ in found))))
        return [self._failure(one, note, is_flaky) for one, note in found]

    def _failure(self, error: BaseException, note: str | None, is_flaky: bool) -> Failure:
        name = type(error).__name__
        if note is None:
            return Failure(name, None, None, "it failed outside of the body of the test, under no arguments")
        told = json.loads(note)
        if "refused" in told:
            return Failure(name, None, None, told["refused"])
        if is_flaky or (self.statistics or {}).get("stopped-because") == _FLAKY:
            return Failure(name, told["arguments"], "flaky")
        reason = why_incomplete(self.statistics, self.phases)
        return Failure(name, told["arguments"], None if reason else "complete", reason)

    def hear(self, statistics: Mapping[str, Any]) -> None:
        """Keep what Hypothesis counted in one search."""
        self.statistics = statistics


def why_incomplete(statistics: Mapping[str, Any] | None, phases: Sequence[Any]) -> str:
    """Why the example of a failure may not be the smallest; empty when it is. EVIDENCE.md has the conditions.

    `statistics` are those of the search that found it, None where there was none; `phases` those of its settings.
    """
    if not statistics:
        return "it failed under an example that the test gives itself, and nothing was searched for"
    why = statistics.get("stopped-because")
    if why != _DONE:
        return f"the search ended before nothing was left to do: {shown(str(why))}"
    if "shrink" not in {getattr(phase, "name", "") for phase in phases}:
        return "the settings of the test leave the phase `shrink` out"
    # 6.80 counts this phase, without a call, where the failure came from elsewhere; 6.170 does not
    if _INTERESTING not in _statuses(statistics, "generate-phase"):
        return (
            "the failure came from the example database, and was not searched for: "
            "draw under --flakeledger-seeds, which reads none, or remove .hypothesis/examples"
        )
    calls = _statuses(statistics, "shrink-phase")[::-1]
    fruitless = calls.index(_INTERESTING) if _INTERESTING in calls else len(calls)
    if fruitless >= _STALLED:
        return f"the search for a smaller example gave up after {fruitless} calls that found none"
    return ""


def _statuses(statistics: Mapping[str, Any], phase: str) -> list[str]:
    """How each call of a phase ended."""
    return [call["status"] for call in statistics.get(phase, {}).get("test-cases", ())]


@contextmanager
def observed(function: Any) -> Iterator[Observed]:
    """Observe a test of Hypothesis, given by its collected function, until the end of the `with`."""
    seen = Observed()
    handle = function.hypothesis
    inner = handle.inner_test
    drawn = set(inspect.signature(inner).parameters) - set(inspect.signature(function).parameters)
    handle.inner_test = _noting(inner, drawn, seen)
    try:
        with _counting(seen):
            yield seen
    finally:
        handle.inner_test = inner


@contextmanager
def _counting(seen: Observed) -> Iterator[None]:
    """Hear what Hypothesis counts; so does whoever heard it before."""
    from hypothesis import statistics as counted

    collector: Any = counted.collector  # the types of some versions know only its first value, None
    before = collector.value

    def hear(statistics: Mapping[str, Any]) -> None:
        seen.hear(statistics)
        if before is not None:
            before(statistics)

    with collector.with_value(hear):
        yield


def _noting(inner: Callable[..., Any], drawn: set[str], seen: Observed) -> Callable[..., Any]:
    hypothesis: Any = sys.modules["hypothesis"]

    def note(named: Mapping[str, Any]) -> None:
        seen.phases = hypothesis.settings.default.phases  # inside of a test: those of its own settings
        if not hypothesis.control.should_note():  # only what is reported at last has to be known
            return
        try:
            told: dict[str, Any] = {
                "arguments": encoded_arguments({name: named[name] for name in named if name in drawn}, LARGEST_EXAMPLE)
            }
        except Refused as refused:
            told = {"refused": str(refused)}
        hypothesis.note(_MARK + json.dumps(told))

    @functools.wraps(inner)
    def noted(*arguments: Any, **named: Any) -> Any:
        __tracebackhide__ = True
        note(named)
        return inner(*arguments, **named)

    @functools.wraps(inner)
    async def noted_coroutine(*arguments: Any, **named: Any) -> Any:
        __tracebackhide__ = True
        note(named)
        return await inner(*arguments, **named)

    return noted_coroutine if inspect.iscoroutinefunction(inner) else noted


def _noted(error: BaseException) -> list[tuple[BaseException, str | None]]:
    """The exceptions that stand for a way to fail, each with the last note of its arguments, which is taken off.

    That of a flaky test is the exception around the others, for it carries the note.
    """
    found: list[tuple[BaseException, str | None]] = []
    seen: set[int] = set()
    pending = [error]
    while pending:
        one = pending.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        note = _take_note(one)
        if note is None and isinstance(one, BaseExceptionGroup):
            pending += reversed(one.exceptions)
        else:
            found.append((one, note))
    return found


def _take_note(error: BaseException) -> str | None:
    notes = getattr(error, "__notes__", None)
    if not isinstance(notes, list):
        return None
    own = [note for note in notes if isinstance(note, str) and note.startswith(_MARK)]
    if own:
        notes[:] = [note for note in notes if note not in own]
    return own[-1].removeprefix(_MARK) if own else None


def _is_flaky(error: BaseException) -> bool:
    return isinstance(error, sys.modules["hypothesis"].errors.Flaky)
