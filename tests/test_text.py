"""What no ledger may hold: which lines are not to be parsed for it."""

from __future__ import annotations

import pytest

from flakeledger.store.text import find_blemishes, touches

REST = 33554433


@pytest.mark.parametrize(
    ("data", "lines", "spans"),
    [
        (b"a\r\nb\n", [], []),
        ("é\n日本\n".encode(), [], []),
        (b"a\tb\tc\nd\n\te\n", [1, 3], [(1, 1), (3, 3)]),
        (b"\xff\xfe\x00", [1], [(1, REST)]),
        (b"\xef\xbb\xbfa\n", [1], []),
        (b"a\xef\xbb\xbf\n", [1], [(1, 1)]),
        (b"a\xe9\nb\n", [1], [(1, 1)]),
        (b"\xc3a\xa9\n", [1], [(1, 1)]),
        (b"<<<<<<< a\nb\n=======\nc\n>>>>>>> d\ne\n", [1], [(1, 5)]),
        (b"a\n<<<<<<< a\nb\n=======\nc\n", [2], [(2, 4)]),
        (b"<<<<<<< a\n<<<<<<< b\n=======\n>>>>>>> c\n", [1, 2], [(1, 1), (2, 4)]),
        (b"a\n>>>>>>> b\n", [2], [(2, 2)]),
        (b"<<<<<<<<<<< a\n===========\n>>>>>>>>>>> b\n", [1], [(1, 3)]),
        (b"<<<<<<< a\n\tb\n>>>>>>> c\n", [1, 2], [(1, 3)]),
        (b"  =======\n======\n=======x\na =======\n", [], []),
    ],
)
def test_findings_and_the_lines_that_must_not_be_parsed(
    data: bytes, lines: list[int], spans: list[tuple[int, int]]
) -> None:
    blemishes = find_blemishes(data, "f")
    assert [finding.line for finding in blemishes.findings] == lines
    assert blemishes.spans == spans


@pytest.mark.parametrize(
    ("first", "last", "touched"), [(1, 2, False), (1, 3, True), (4, 4, True), (5, 9, True), (6, 8, False), (8, 9, True)]
)
def test_lines_touch_a_span(first: int, last: int, touched: bool) -> None:
    assert touches([(3, 5), (9, 9)], first, last) is touched


def test_nothing_is_touched_without_spans() -> None:
    assert not touches([], 1, 9)


def test_conflicts_are_bounded() -> None:
    blemishes = find_blemishes(b"=======\n" * 1000, "f")
    assert len(blemishes.findings) == 100
    assert touches(blemishes.spans, 1000, 1000)
