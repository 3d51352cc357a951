"""The oracle review as a file: what it must hold, and that it reads back as it was written."""

from __future__ import annotations

import json
from typing import Any

import pytest

from flakeledger.model.canonical import NotCanonical
from flakeledger.model.digest_files import digest_file
from flakeledger.model.review import APPROVED, REVIEW_FIELDS, Review, ReviewedFile, read_review, review_file

BLOB = "1" * 40
FILE = ReviewedFile("tests/test_a.py", BLOB, "2" * 64, ("added assertion: assert x",))
REVIEW = Review((FILE, ReviewedFile("tests/test_b.py", None, BLOB, ())), "@finley", "2026-10-20", APPROVED)


def test_the_table_has_the_fields_of_the_review_in_their_order() -> None:
    assert tuple(field.name for field in REVIEW_FIELDS) == Review._fields
    assert set(json.loads(review_file(REVIEW).data)["files"][0]) == set(ReviewedFile._fields)


def test_a_review_reads_back() -> None:
    file = review_file(REVIEW)
    assert read_review(file.data) == REVIEW
    assert review_file(read_review(file.data)) == file


@pytest.mark.parametrize(
    ("field", "values"),
    [
        ("files", [None, {}, [1], [{}], [{**FILE._asdict(), "more": 1}]]),
        ("reviewer", ["", None]),
        ("reviewed_on", ["", "today", "2026-02-30", "2026-10-20T00:00:00Z"]),
        ("verdict", ["", "rejected", None, True]),
    ],
)
def test_a_field_of_another_kind_is_refused(field: str, values: list[Any]) -> None:
    for value in values:
        data = digest_file({**json.loads(review_file(REVIEW).data), field: value}).data
        with pytest.raises(NotCanonical, match=f"`{field}`"):
            read_review(data)


@pytest.mark.parametrize(
    "changed",
    [{"path": "/etc/passwd"}, {"path": "../x"}, {"base_blob": ""}, {"head_blob": "abc"}, {"difference": [1]}],
    ids=str,
)
def test_a_file_of_another_kind_is_refused(changed: dict[str, Any]) -> None:
    review = json.loads(review_file(REVIEW).data)
    review["files"][0] |= changed
    with pytest.raises(NotCanonical, match=f"`files`: `{next(iter(changed))}`"):
        read_review(digest_file(review).data)
