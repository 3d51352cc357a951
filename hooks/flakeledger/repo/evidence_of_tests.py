"""The replays of each test by where they ran, and the newest of them that count as evidence.

Invariants:
* The replays of a test are looked through once for each place where they ran, however many rows ask.
* Of two that ran in one second, the one that stands first in the log is the newest.
* Which replays are evidence is asked only of those that could be the answer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from flakeledger.model.records import Replay


class EvidenceOfTests:
    """What a log says of each test, for the rows of a ledger."""

    def __init__(self, replays: Mapping[str, Sequence[Replay]], is_evidence: Callable[[Replay], bool]) -> None:
        """`replays` are those of each test, in the order of the log. Asks nothing yet."""
        self._replays = replays
        self._is_evidence = is_evidence
        self._by_runner: dict[str, dict[str, list[Replay]]] = {}
        self._runners: dict[str, list[str]] = {}
        self._newest: dict[tuple[str, str | None], Replay | None] = {}

    def runners(self, test: str) -> Sequence[str]:
        """Where replays of a test ran, sorted."""
        known = self._runners.get(test)
        if known is None:
            known = self._runners[test] = sorted(self._from(test))
        return known

    def newest(self, test: str, runner: str | None = None) -> Replay | None:
        """The newest replay of a test that is evidence, from a runner or from any."""
        replays = self._replays.get(test, ())
        if len(replays) == 1:  # as of most tests: there is nothing to look through, and nothing to keep
            (only,) = replays
            return only if (runner is None or only.env == runner) and self._is_evidence(only) else None
        asked = test, runner
        if asked not in self._newest:
            if runner is not None:
                replays = self._from(test).get(runner, ())
            found = (replay for replay in replays if runner in (None, replay.env) and self._is_evidence(replay))
            self._newest[asked] = max(found, key=_time, default=None)
        return self._newest[asked]

    def _from(self, test: str) -> Mapping[str, Sequence[Replay]]:
        known = self._by_runner.get(test)
        if known is None:
            known = self._by_runner[test] = {}
            for replay in self._replays.get(test, ()):
                known.setdefault(replay.env, []).append(replay)
        return known


def _time(replay: Replay) -> int:
    return replay.at
