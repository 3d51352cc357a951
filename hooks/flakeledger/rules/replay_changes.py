"""The change rule that keeps the replay log append-only, against every parent.

Invariants:
* Identical duplicates and lines that nobody can read may go; every other line of any parent is still
  there, in order. A subsequence test: union merges and squashes interleave lines.
"""

from __future__ import annotations

from collections.abc import Iterator

from flakeledger.model.findings import Finding
from flakeledger.model.ledger_paths import REPLAYS
from flakeledger.repo.change import Change
from flakeledger.repo.tree import REGULAR_MODES, Tree


def log_lines(data: bytes) -> list[str]:
    """The lines of the log that can be read, in order, each once."""
    from flakeledger.store.replay_log import read_replays  # only a change of the log pays for it

    read, _ = read_replays(data, REPLAYS)
    return list(dict.fromkeys(line.text for line in read))


def first_missing(old: list[str], new: list[str]) -> str | None:
    """The first line of `old` that `new` does not hold in order; None when it is a subsequence."""
    left = iter(new)
    return next((line for line in old if not any(line == other for other in left)), None)


def log_rewritten(change: Change) -> Iterator[Finding]:
    """A line of some parent's log is gone or moved; or the log is deleted or no regular file."""
    if REPLAYS not in change.changed_paths:
        return
    entry = change.new_tree.entry(REPLAYS)
    old = [(parent, data) for parent in change.parents if (data := parent.read(REPLAYS)) is not None]
    if entry is None or entry.mode not in REGULAR_MODES:
        if old:
            what = "is deleted" if entry is None else "is no regular file any more"
            yield _finding(change, 1, f"the replay log {what}: it is append-only")
        return
    new_data = change.new_tree.blob(entry.oid)
    new = log_lines(new_data)
    for parent, data in old:
        missing = first_missing(log_lines(data), new)
        if missing is not None:
            number = _line_number(data, missing)
            said = missing if len(missing) <= 120 else missing[:117] + "..."
            message = f"line {number} of the log in {parent.label} is changed, moved or gone: {said}"
            yield _finding(change, min(number, len(new) or 1), message)


def _line_number(data: bytes, text: str) -> int:
    lines = data.decode("utf-8", "replace").split("\n")
    return lines.index(text) + 1 if text in lines else 1


def _finding(change: Change, line: int, message: str) -> Finding:
    parent: Tree = change.parents[0]
    revision = "HEAD" if parent.label.startswith("HEAD") else change.basis.base[:12]
    fix = f"git checkout {revision} -- {REPLAYS}   # then append the new lines; a revert, too, leaves the log as it is"
    return Finding(REPLAYS, line, 1, "log-rewritten", message, fix)
