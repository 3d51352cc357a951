"""Decision table 1 asked of every citation of a tree: which row it means, and what becomes of it.

Invariants:
* A citation means rows of its own file: those of its test, of the tests below its class (or that inherit from where
  it stands), or of the whole file. Where some of them have the cited property it means those alone, else all of them
  (and is `reject:property_id` on each).
* A malformed citation, and one without a row, has no decision.
* The work is linear in the citations, the rows and the pairs of both, of which there may be `MOST_MEANT`.
* Time is an argument; what the tree says is asked of its `Ledger`.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from flakeledger.model.clock import window_end
from flakeledger.model.errors import CannotTell
from flakeledger.model.records import Freeze
from flakeledger.repo.citations import Citation
from flakeledger.repo.ledger import Ledger
from flakeledger.verdicts.decision import Claim, Decision, decide

#: how many pairs of a citation and a row are judged, some 10 µs each: ten thousand citations of one file that has ten
#: thousand rows would be a hundred million
MOST_MEANT = 100_000


class Judged(NamedTuple):
    """A citation and a row that it means, with the decision; None and None where there is no row."""

    citation: Citation
    freeze: Freeze | None
    decision: Decision | None


def judged_citations(ledger: Ledger, now: int) -> list[Judged]:
    """Every citation of the tree, judged, in the order of `Ledger.citations`; one of several rows once for each."""
    return judged(ledger, ledger.citations, now)


def judged(ledger: Ledger, citations: Iterable[Citation], now: int) -> list[Judged]:
    """Citations, judged in their order: each once for each row that it means, else once without a row."""
    return [
        Judged(citation, row, None if row is None else decide(claim_of(ledger, citation, row), now))
        for citation, row in meant(ledger, citations)
    ]


def meant(ledger: Ledger, citations: Iterable[Citation]) -> Iterator[tuple[Citation, Freeze | None]]:
    """Citations, each with each row that it means, else once with None.

    CannotTell where they mean more than `MOST_MEANT` rows in all: as many citations of one file as it has rows would.
    """
    found, left = MeantRows(ledger), MOST_MEANT
    for citation in citations:
        rows = [] if citation.problem else found.of(citation)
        left -= len(rows)
        if left < 0:
            raise CannotTell(
                f"the citations mean more than {MOST_MEANT} rows in all, each counted once for each citation",
                "cite a freeze at its own test, and not in each place for all tests of a file",
                f"{citation.path}:{citation.place.line}:{citation.place.column}",
            )
        yield from ((citation, row) for row in rows or (None,))


class MeantRows:
    """Which rows the citations of a tree mean. What one place of a file stands for is looked for once."""

    def __init__(self, ledger: Ledger) -> None:
        """Looks for nothing yet."""
        self._ledger = ledger
        self._files: dict[str, _RowsOfFile] = {}
        self._places: dict[tuple[str, str], _Rows] = {}

    def of(self, citation: Citation) -> Sequence[Freeze]:
        """The rows that a citation means, in the order of the ledger."""
        key = citation.path, citation.test
        place = self._places.get(key)
        if place is None:
            place = self._places[key] = _grouped(self._at(*key))
        return place.by_property.get(citation.property_id, place.rows)

    def _at(self, path: str, test: str) -> Sequence[Freeze]:
        if not test:
            return self._ledger.freezes_by_path.get(path, [])
        own = self._ledger.freezes_by_function.get(f"{path}::{test}")
        if own:
            return own
        if path not in self._files:
            self._files[path] = _RowsOfFile(self._ledger, path)
        return self._files[path].below(test)


class _Rows(NamedTuple):
    """Rows, and the same rows by their property."""

    rows: Sequence[Freeze]
    by_property: Mapping[str | None, Sequence[Freeze]]


def _grouped(rows: Sequence[Freeze]) -> _Rows:
    found: dict[str | None, list[Freeze]] = {}
    for row in rows:
        found.setdefault(row.property_id, []).append(row)
    return _Rows(rows, found)


class _RowsOfFile:
    """The rows of a file by the names of their tests in it, and by the lines on which these are written."""

    def __init__(self, ledger: Ledger, path: str) -> None:
        self._rows = ledger.freezes_by_path.get(path, [])
        self._tests = ledger.sources.tests_of(path) if self._rows else {}
        names = [(row.test or "").partition("::")[2].partition("[")[0] for row in self._rows]
        self._named = sorted((name, number) for number, name in enumerate(names))
        self._written = sorted(self._tests) if self._rows else []
        self._by_line: dict[tuple[int, str], list[int]] = {}
        for number, name in enumerate(names):
            if name in self._tests:
                self._by_line.setdefault((self._tests[name].line, _method(name)), []).append(number)

    def below(self, test: str) -> list[Freeze]:
        """The rows of the tests of a class, and of those that inherit what is written there or is this test."""
        first, end = (bisect_left(self._named, (f"{test}{sign}",)) for sign in ("::", ":;"))  # `;` is next to `:`
        numbers = {number for _, number in self._named[first:end]}
        for name in self._written_at(test):
            numbers.update(self._by_line.get((self._tests[name].line, _method(name)), ()))
        return [self._rows[number] for number in sorted(numbers)]

    def _written_at(self, test: str) -> Iterator[str]:
        """The test itself, where it stands in a class, and the methods of the class of this name."""
        if "::" in test and test in self._tests:
            yield test
        first, end = (bisect_left(self._written, f"{test}{sign}") for sign in ("::", ":;"))
        for name in self._written[first:end]:
            method = name[len(test) + len("::") :]
            if "::" not in method and not test.endswith(f"::{method}"):
                yield name


def _method(name: str) -> str:
    return name.rpartition("::")[2]


def claim_of(ledger: Ledger, citation: Citation, freeze: Freeze) -> Claim:
    """What decision table 1 needs to know of a citation of a row in this tree.

    The runner class of a row that names none is its `replay_env` at level `ledger`, and absent above it.
    """
    fallback = freeze.replay_env if ledger.policy is not None and ledger.policy.level == "ledger" else None
    return Claim(
        property_id=freeze.property_id,
        cited_property_id=citation.property_id,
        is_named=freeze.property_id in ledger.sources.property_ids(citation.path),
        fixtures_match=fixtures_match(ledger, freeze),
        end=None if freeze.expires is None else window_end(freeze.expires),
        runner_class=freeze.runner_class or fallback,
        cited_runner_class=citation.runner_class,
        failure_class=freeze.failure_class,
    )


def fixtures_match(ledger: Ledger, freeze: Freeze) -> bool:
    """Whether the row was granted for what the tree holds.

    Every pin that the row holds must be the tree's. A generator or a test text that changed voids the freeze as a
    changed fixture does: it was granted for inputs that are gone, so nothing may rely on it. Of the fixtures only
    the pinned ids are compared; a row that pins none stands on the locks of its property's fixtures.
    """
    if ledger.void_pins(freeze):
        return False
    return bool(freeze.fixture_hashes) or ledger.locks_hold(freeze.property_id)
