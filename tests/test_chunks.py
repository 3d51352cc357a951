"""Cutting a ledger at its dashes: what is one chunk, what a digest stands for, and what is not needed for it."""

from __future__ import annotations

import subprocess
import sys

import pytest

from flakeledger.store.chunks import MOST_ROWS, chunks_of
from flakeledger.store.reader import read_chunks

PATH = "ledgers/freezes.yaml"
GOOD = "- ok: yes\n"


@pytest.mark.parametrize(
    ("text", "chunks"),
    [
        ("", []),
        ("# x\n\n", []),
        ("- a: b\n- c: d\n", [(1, "- a: b\n"), (2, "- c: d\n")]),
        ("- a: b\n- c: d", [(1, "- a: b\n"), (2, "- c: d\n")]),
        ("# x\n---\n- a: b\n  # y\n\n- c: d\n...\n", [(3, "- a: b\n  # y\n\n"), (6, "- c: d\n...\n")]),
        ("  - a:\n    - b\n  - c: d\n", [(1, "  - a:\n    - b\n"), (3, "  - c: d\n")]),
        ("- a:\n  - b\n-\n  c: d\n", [(1, "- a:\n  - b\n"), (3, "-\n  c: d\n")]),
        ("- a: |\n    - b\n\n    -- c\n- d: e\n", [(1, "- a: |\n    - b\n\n    -- c\n"), (5, "- d: e\n")]),
        ("- a: b\n-c: d\n", [(1, "- a: b\n-c: d\n")]),
        ("- a: b\r\n-\r\n  c: d\r\n", [(1, "- a: b\r\n"), (2, "-\r\n  c: d\r\n")]),
        ("-\n-\n-", [(1, "-\n"), (2, "-\n"), (3, "-\n")]),
    ],
)
def test_a_chunk_goes_from_its_dash_to_the_next(text: str, chunks: list[tuple[int, str]]) -> None:
    found, findings = chunks_of(text.encode(), PATH)
    assert [(chunk.line, chunk.data.decode()) for chunk in found] == chunks
    assert findings == []


def test_a_row_that_moved_is_known_by_its_digest_and_keeps_its_relative_places() -> None:
    row = b"- a: b\n  c: [d]\n"
    here = chunks_of(row + GOOD.encode(), PATH).chunks
    there = chunks_of(b"# head\n" + GOOD.encode() + row.removesuffix(b"\n"), PATH).chunks
    assert here[0].digest == there[1].digest
    assert here[0].digest != here[1].digest
    assert (here[0].line, there[1].line) == (1, 3)
    (moved,), (known,) = read_chunks(there[1:], PATH), read_chunks(here[:1], PATH)
    assert moved.row is not None
    assert known.row is not None
    assert moved.row.places.fields == known.row.places.fields
    assert moved.row.places.line == known.row.places.line + 2


def test_the_column_of_the_list_is_part_of_the_digest() -> None:
    (flush,), (indented,) = chunks_of(b"- a: b\n", PATH).chunks, chunks_of(b"  - a: b\n", PATH).chunks
    assert flush.digest != indented.digest


def test_the_number_of_rows_is_bounded() -> None:
    found, (finding,) = chunks_of(b"- a\n" * (MOST_ROWS + 1), PATH)
    assert found == []
    assert str(MOST_ROWS) in finding.message


@pytest.mark.parametrize(
    "text", ["\n" * 300_000, "# x\n" * 300_000, " " * 1_000_000, "- a\n" + "...\n" * 300_000, "\u00a0\n" * 300_000]
)
def test_no_text_takes_long(text: str) -> None:
    assert len(chunks_of(text.encode(), PATH).findings) <= 101


def test_a_run_that_knows_every_row_never_imports_yaml() -> None:
    program = (
        "import sys\n"
        "from flakeledger.store.reader import chunks_of, read_chunks, read_replays\n"
        "assert len(chunks_of(b'- a: b\\n', 'f').chunks) == 1\n"
        "assert list(read_chunks([], 'f')) == []\n"
        "assert read_replays(b'', 'f') == ([], [])\n"
        "print(sorted({'yaml', 'ruamel', 'pygit2', 'inspect', 'dataclasses', 'difflib'} & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
