"""Which edited test files were reviewed: the oracle reviews of the base, against the blobs of a patch.

Invariants:
* Reviews are read from the tip of the base branch: a patch cannot carry its own.
* A review holds for a path and exactly its two blobs; its file is named by its digest, or it is none.
* A Python file that cannot be parsed, on either side, is not reviewed, whatever a review says of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from flakeledger.model.canonical import NotCanonical
from flakeledger.model.digest_files import digest_file_name
from flakeledger.model.ledger_paths import REVIEWS
from flakeledger.model.review import ReviewedFile, read_review
from flakeledger.model.wording import shown
from flakeledger.repo.ids import is_python
from flakeledger.repo.repository import Repository
from flakeledger.repo.tree import REGULAR_MODES
from flakeledger.rules.patches import Patch

#: a path and its blobs in the base and in the patch; None: it is not there
Blobs = tuple[str, str | None, str | None]


def unreviewed(repository: Repository, patch: Patch) -> list[str]:
    """Why edited test files count as not reviewed: a clause each, in the order of their paths; none when all are."""
    edits = [(change.path, change.old_oid or None, change.new_oid or None) for change in patch.edits("test_body")]
    if not edits:
        return []
    problems = {edit[0]: _problem(repository, patch, edit[0]) for edit in edits}
    known = {(one.path, one.base_blob, one.head_blob) for one in reviewed_files(repository, patch.tip, edits)}
    return [
        f"{shown(edit[0])} {problems[edit[0]] or f'has no review below {REVIEWS} of the base for its two blobs'}"
        for edit in sorted(edits, key=lambda edit: edit[0])
        if problems[edit[0]] or edit not in known
    ]


def reviewed_files(repository: Repository, tip: str, edits: Iterable[Blobs]) -> Iterator[ReviewedFile]:
    """What the reviews of a commit say of files; a review that names none of the blobs is not read closely."""
    wanted = [oid.encode() for edit in edits for oid in edit[1:] if oid is not None]
    entries = repository.git.tree_entries(tip, (REVIEWS,))
    names = {entry.oid: path for path, entry in entries.items() if entry.mode in REGULAR_MODES}
    for oid, data in repository.read_many(names):
        if any(blob in data for blob in wanted) and digest_file_name(data) == names[oid].removeprefix(REVIEWS):
            try:
                yield from read_review(data).files
            except NotCanonical:  # what is no review reviews nothing; `flakeledger oracle` makes another
                continue


def _problem(repository: Repository, patch: Patch, path: str) -> str:
    """Why a file could not be reviewed, or the empty text."""
    from flakeledger.repo.modules import parse_module  # only a patch that edits a test pays for it

    for commit in (patch.base, patch.head) if is_python(path) else ():
        data = repository.tree(commit).read(path)
        problem = None if data is None else parse_module(data)
        if isinstance(problem, str):
            return f"cannot be parsed in {commit[:12]}: {problem}"
    return ""
