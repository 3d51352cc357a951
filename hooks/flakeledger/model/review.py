"""The oracle review: a person read what a patch does to test files, and said so about exactly these blobs.

Invariants:
* A review names blobs, never a path alone: one changed byte makes another blob, and the review does not hold for it.
* It is read from the base branch. A patch cannot carry its own review.
* `difference` is what the reviewer was shown; nothing is decided by it.
"""

from __future__ import annotations

from typing import NamedTuple

from flakeledger.model import kinds
from flakeledger.model.digest_files import (
    DigestFile,
    FileField,
    digest_file,
    listed_of,
    object_of,
    one_of,
    optional,
    read_digest_file,
    text,
)

APPROVED = "approved"


class ReviewedFile(NamedTuple):
    """One test file of a review. A side on which it does not exist is None."""

    path: str
    base_blob: str | None
    head_blob: str | None
    difference: tuple[str, ...]


class Review(NamedTuple):
    """An oracle review."""

    files: tuple[ReviewedFile, ...]
    reviewer: str
    reviewed_on: str
    verdict: str


_FILE_FIELDS = (
    FileField("path", text(kinds.PATH), "the test file"),
    FileField("base_blob", optional(text(kinds.COMMIT)), "its blob in the base, or null"),
    FileField("head_blob", optional(text(kinds.COMMIT)), "its blob in the patch, or null"),
    FileField("difference", listed_of(text(kinds.TEXT)), "what was added, removed or changed, for people"),
)
REVIEW_FIELDS = (
    FileField("files", listed_of(object_of(*_FILE_FIELDS)), "the edited test files, each with its two blobs"),
    FileField("reviewer", text(kinds.TEXT), "who read the difference"),
    FileField("reviewed_on", text(kinds.DATE), "the day of the review, YYYY-MM-DD"),
    FileField("verdict", one_of(APPROVED), "what the reviewer said"),
)


def read_review(data: bytes) -> Review:
    """The review in the bytes of its file; NotCanonical, with the place, for anything else."""
    review = Review(**read_digest_file(data, REVIEW_FIELDS))  # type: ignore[arg-type]  # the table has checked it
    files = (ReviewedFile(**found) for found in review.files)  # type: ignore[arg-type]  # these are objects yet
    return review._replace(files=tuple(found._replace(difference=tuple(found.difference)) for found in files))


def review_file(review: Review) -> DigestFile:
    """The file of a review: its name and its bytes. NotCanonical where a text of it has no canonical form."""
    return digest_file({**review._asdict(), "files": [found._asdict() for found in review.files]})
