"""The record of one citation, as `flakeledger decide --ledger` reads it: a flat JSON object of texts.

Invariants:
* Every field may be absent, and then it is None; one that is there is a text of its kind. Null is no text.
* What cannot change the decision does not belong in the record: an unknown field is refused.
* A record is never repaired. What is wrong has its place, its reason and its fix.
"""

from __future__ import annotations

from typing import NamedTuple

from flakeledger.model import kinds
from flakeledger.model.canonical import NotCanonical, refused_key, strict_object
from flakeledger.model.errors import CannotTell
from flakeledger.model.fields import Field, FieldTable, nearest_name
from flakeledger.model.wording import listed, shown


class CitationRecord(NamedTuple):
    """What a citation relies on, and the row of a freeze beside it."""

    property_id: str | None
    cited_property_id: str | None
    fixture_hash: str | None
    runner_class: str | None
    cited_runner_class: str | None
    failure_class: str | None
    #: a date or an instant (`clock.window_end`)
    expires_at: str | None


_FIELDS = (
    Field("property_id", kinds.NAME, "the property that the freeze is bound to"),
    Field("cited_property_id", kinds.NAME, "the property that the citation names"),
    Field("fixture_hash", kinds.DIGEST, "the digest of the contract that the freeze was granted for"),
    Field("runner_class", kinds.NAME, "the runner class on which the freeze holds"),
    Field("cited_runner_class", kinds.NAME, "the runner class that the citation names"),
    Field("failure_class", kinds.one_of("environment", "invariant"), "what fails"),
    Field("expires_at", kinds.WINDOW_END, "the last day of the freeze, YYYY-MM-DD, or the instant it ends"),
)
CITATION_FIELDS = FieldTable(
    "a record", "the record of one citation", "property_id", _FIELDS, {field.name: field for field in _FIELDS}
)


def read_record(data: bytes, path: str) -> CitationRecord:
    """The record in the bytes of the file at `path`.

    CannotTell, with the place, for what has no canonical form (`canonical.strict_object`), and for the first field
    that is unknown, no text, or no text of its kind.
    """
    try:
        record = strict_object(data)
    except NotCanonical as refused:
        fix = f"write one JSON object of texts, with the fields {listed(CITATION_FIELDS.by_name)}"
        raise CannotTell(refused.message, fix, _place(path, refused)) from None
    for name, value in record.items():
        message, fix = _complaint(name, value)
        if message:
            raise CannotTell(message, fix, _place(path, refused_key(data, name, message)))
    return CitationRecord(*(_text(record.get(field.name)) for field in CITATION_FIELDS.fields))


def _complaint(name: str, value: object) -> tuple[str, str]:
    """What is wrong with a field, and the fix; two empty texts when it may stay."""
    field = CITATION_FIELDS.by_name.get(name)
    if field is None:
        nearest = nearest_name(name, CITATION_FIELDS)
        hint = f", did you mean {shown(nearest)}?" if nearest else ""
        rename = f"rename it to {nearest}" if nearest else "leave it out"
        return (
            f"unknown field {shown(name)}{hint}",
            f"{rename}: what cannot change the decision does not belong in the record",
        )
    if not isinstance(value, str):
        return f"`{name}` is {_JSON_NAMES[type(value)]}, and it must be a text", f'write "{name}": "…", or leave it out'
    complaint = field.kind.complaint(value)
    return (f"`{name}` {shown(value)}: {complaint}", f"{name}: {field.help}") if complaint else ("", "")


_JSON_NAMES = {type(None): "null", bool: "a boolean", int: "a number", list: "a list", dict: "an object"}


def _place(path: str, refused: NotCanonical) -> str:
    return f"{path}:{refused.line}:{refused.column}"


def _text(value: object) -> str | None:
    """A value that `_complaint` let pass."""
    return value if isinstance(value, str) else None
