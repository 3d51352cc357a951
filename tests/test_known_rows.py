"""Rows that earlier runs read: what comes back is what was learnt, whatever was written in between."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given
from hypothesis import strategies as st

from flakeledger.repo.known_rows import MANY, MOST_LEDGERS, KnownRows, Values
from flakeledger.store.cache import Cache

#: by digest: a text of its own, one that repeats, nothing, a number, a list and a mapping
ROWS: dict[str, Values] = {
    f"{number:032x}": [f"test_{number}", "@finley", None, number % 3, ["a", "b"], {"FX-1": f"{number % 2}"}]
    for number in range(400)
}
DIGESTS = list(ROWS)


def learn(cache: Cache, oid: str | None, digests: list[str]) -> None:
    """One run that reads a ledger of these rows, and keeps what it learnt."""
    known = KnownRows(cache, "rows")
    known.learn(oid, digests, {digest: ROWS[digest] for digest in digests if known.row(digest) is None})
    known.save()


def ledger(cache: Cache, oid: str) -> list[list[object]] | None:
    """The rows of a ledger in another run."""
    found = KnownRows(cache, "rows").ledger(oid)
    return None if found is None else [list(values) for values in found]


def rows_of(digests: list[str]) -> list[Values]:
    return [ROWS[digest] for digest in digests]


def test_a_ledger_and_its_rows_are_known_in_the_next_run(tmp_path: Path) -> None:
    cache = Cache(str(tmp_path))
    learn(cache, "one", DIGESTS[:3])
    assert ledger(cache, "one") == rows_of(DIGESTS[:3])
    assert ledger(cache, "two") is None
    known = KnownRows(cache, "rows")
    assert list(known.row(DIGESTS[2]) or ()) == ROWS[DIGESTS[2]]
    assert known.row(DIGESTS[3]) is None


def test_an_empty_ledger_is_known(tmp_path: Path) -> None:
    learn(Cache(str(tmp_path)), "none", [])
    assert ledger(Cache(str(tmp_path)), "none") == []


def test_rows_of_a_ledger_that_has_a_fault_are_known_and_it_is_not(tmp_path: Path) -> None:
    cache = Cache(str(tmp_path))
    learn(cache, None, DIGESTS[:2])
    assert KnownRows(cache, "rows").row(DIGESTS[1]) is not None
    assert ledger(cache, "one") is None


def test_an_edit_of_one_row_rewrites_nothing_of_the_others(tmp_path: Path) -> None:
    cache = Cache(str(tmp_path))
    learn(cache, "one", DIGESTS[:300])
    many = tmp_path / "flakeledger" / "rows.json"
    before = many.read_bytes()
    edited = [*DIGESTS[:150], DIGESTS[350], *DIGESTS[151:300]]
    learn(cache, "two", edited)
    assert many.read_bytes() == before
    assert (tmp_path / "flakeledger" / "rows-new.json").stat().st_size * 10 < len(before)
    assert (ledger(cache, "one"), ledger(cache, "two")) == (rows_of(DIGESTS[:300]), rows_of(edited))


def test_many_new_rows_are_written_with_the_others(tmp_path: Path) -> None:
    cache = Cache(str(tmp_path))
    learn(cache, "one", DIGESTS[:100])
    learn(cache, "two", DIGESTS[: 101 + MANY])
    assert Cache(str(tmp_path)).load("rows-new") is None
    assert (ledger(cache, "one"), ledger(cache, "two")) == (rows_of(DIGESTS[:100]), rows_of(DIGESTS[: 101 + MANY]))


def test_what_stands_on_other_knowledge_is_not_believed(tmp_path: Path) -> None:
    """Two runs at once: one wrote all rows anew, the other then its few for the rows that stood there before."""
    cache, other = Cache(str(tmp_path)), Cache(str(tmp_path / "other"))
    (tmp_path / "other").mkdir()
    learn(cache, "one", DIGESTS[:10])
    learn(other, "one", [*DIGESTS[20:29], DIGESTS[9]])
    learn(other, "two", [*DIGESTS[20:28], DIGESTS[30], DIGESTS[9]])
    few = "flakeledger/rows-new.json"
    (tmp_path / few).write_bytes((tmp_path / "other" / few).read_bytes())
    assert ledger(cache, "one") == rows_of(DIGESTS[:10])
    assert ledger(cache, "two") is None


#: numbers of rows: a few of some, or a long run of them
NUMBERS = st.lists(st.integers(0, 39), max_size=12) | st.sampled_from([range(400), range(5, 300)])


@given(st.lists(NUMBERS, max_size=8))
def test_whatever_is_read_in_turn_the_newest_ledgers_are_known_as_they_are(numbers: list[Sequence[int]]) -> None:
    ledgers = [[DIGESTS[number] for number in chosen] for chosen in numbers]
    with TemporaryDirectory() as folder:
        cache = Cache(folder)
        for number, digests in enumerate(ledgers):
            learn(cache, f"ledger {number}", digests)
            assert ledger(cache, f"ledger {number}") == rows_of(digests)
        for number, digests in enumerate(ledgers):
            found = ledger(cache, f"ledger {number}")
            assert found in (None, rows_of(digests))
            assert found is not None or number < len(ledgers) - MOST_LEDGERS
