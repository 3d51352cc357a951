"""Decision table 1 as it is printed, a second time: cell by cell, and looked up without the product.

Invariants:
* Nothing of flakeledger is imported: dates are read by `datetime`, cells are compared as texts.
* A situation is put into words first (`absent`, `differs`, …); the words are then looked up in the table.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

ANY = "any"
#: property id, fixture digest, window and runner class, failure class, decision
TABLE = (
    ("absent", ANY, ANY, ANY, "reject:unnamed"),
    ("differs", ANY, ANY, ANY, "reject:property_id"),
    ("equal", "differs", ANY, ANY, "reject:fixture_hash"),
    ("equal", "equal", "missing", ANY, "reject:window"),
    ("equal", "equal", "expired", ANY, "reject:window"),
    ("equal", "equal", "runner absent", ANY, "reject:window"),
    ("equal", "equal", "runner differs", ANY, "reject:window"),
    ("equal", "equal", "open", "invariant", "reject:not_environment"),
    ("equal", "equal", "open", "absent", "reject:not_environment"),
    ("equal", "equal", "open", "other", "reject:not_environment"),
    ("equal", "equal", "open", "environment", "allow_cite"),
)


def compared(left: str | None, right: str | None) -> str:
    """The first text beside the second: `absent` when the first is, else `equal` or `differs`."""
    if left is None:
        return "absent"
    return "equal" if left == right else "differs"


def window_of(end: datetime | None, now: datetime, runner: str | None, cited_runner: str | None) -> str:
    """The cell of the window. Several things may be wrong; each gives the same decision."""
    if end is None:
        return "missing"
    if end <= now:
        return "expired"
    if runner is None or cited_runner is None:
        return "runner absent"
    return "open" if runner == cited_runner else "runner differs"


def looked_up(property_id: str, fixture: str, window: str, failure_class: str | None) -> str:
    """The decision of the one row whose cells are these words; AssertionError when it is not exactly one."""
    failure = "absent" if failure_class is None else failure_class
    failure = failure if failure in ("absent", "environment", "invariant") else "other"
    here = (property_id, fixture, window, failure)
    found = [row[4] for row in TABLE if all(cell in (ANY, word) for cell, word in zip(row, here, strict=False))]
    assert len(found) == 1, f"{here} is in {len(found)} rows"
    return found[0]


def end_of(text: str) -> datetime:
    """When a window is closed that ends at this date or instant."""
    moment = datetime.fromisoformat(text)
    return moment.replace(tzinfo=UTC) + timedelta(days=1) if len(text) == 10 else moment


def record_decision(record: Mapping[str, str], digest: str, now: str, is_named: bool = True) -> str:
    """The decision on a record whose fields are right; `digest` is that of the contract."""
    identity = compared(record.get("property_id"), record.get("cited_property_id")) if is_named else "absent"
    fixture = "equal" if record.get("fixture_hash") == digest else "differs"
    expires = record.get("expires_at")
    end = None if expires is None else end_of(expires)
    window = window_of(end, datetime.fromisoformat(now), record.get("runner_class"), record.get("cited_runner_class"))
    return looked_up(identity, fixture, window, record.get("failure_class"))
