"""The JSON files that are named by their digest (witnesses, notes, reviews): strict reading from field tables.

Invariants:
* The bytes of such a file are the canonical text of one object and one newline; its name is the digest of that text.
* Every field of its table is there, and no other. A value is exactly of its kind: true is no number.
* Nothing is repaired. What is wrong is `NotCanonical`, with its place and its reason.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import NamedTuple

from flakeledger.model.canonical import NotCanonical, canonical_dump, refused_key, strict_object, text_digest
from flakeledger.model.kinds import Kind
from flakeledger.model.wording import listed, shown

SUFFIX = ".json"
#: what is wrong with a value, as a clause without the field's name; the empty text when nothing is
Complaint = Callable[[object], str]


class FileField(NamedTuple):
    """A field of such a file: its name, what is wrong with a value of it, what it means."""

    name: str
    complaint: Complaint
    help: str


class DigestFile(NamedTuple):
    """A file named by its digest: the digest, and the bytes."""

    digest: str
    data: bytes


def digest_file(value: object) -> DigestFile:
    """The file that holds a value that we made; NotCanonical where the value has no canonical form."""
    text = canonical_dump(value)
    return DigestFile(text_digest(text), f"{text}\n".encode())


def digest_file_name(data: bytes) -> str:
    """The name that a file with these bytes must have, where they are a canonical text and one newline."""
    return hashlib.sha256(data.removesuffix(b"\n")).hexdigest() + SUFFIX


def read_digest_file(data: bytes, fields: Sequence[FileField]) -> dict[str, object]:
    """The fields of a file, every one of the table. NotCanonical for the first thing that is wrong.

    That is text without a canonical form, an unknown, missing or wrong field, and any other layout.
    """
    value = strict_object(data)
    by_name = {field.name: field for field in fields}
    for name in value:
        if name not in by_name:
            raise refused_key(data, name, f"unknown field {shown(name)}; the fields are {listed(by_name)}")
    for field in fields:
        if field.name not in value:
            raise NotCanonical(f"no `{field.name}`: {field.help}")
        complaint = field.complaint(value[field.name])
        if complaint:
            raise refused_key(data, field.name, f"`{field.name}`: {complaint}")
    if data != digest_file(value).data:
        raise NotCanonical("the text is not in canonical form with one newline at its end, so its name cannot be right")
    return value


# kinds of values


def text(kind: Kind) -> Complaint:
    """A text of a kind; the empty one is none."""
    return lambda value: kind.complaint(value) if isinstance(value, str) and value else "it is a text"


def one_of(*allowed: str) -> Complaint:
    """One of some texts."""
    return lambda value: "" if isinstance(value, str) and value in allowed else f"it is one of {listed(allowed)}"


def optional(complaint: Complaint) -> Complaint:
    """Null, or what the other one takes."""
    return lambda value: "" if value is None else complaint(value)


def flag(value: object) -> str:
    """True or false."""
    return "" if isinstance(value, bool) else "it is true or false"


def count(value: object) -> str:
    """A number from 1."""
    return "" if type(value) is int and value > 0 else "it is a number from 1"


def listed_of(complaint: Complaint) -> Complaint:
    """A list of what the other one takes."""

    def complaint_of(value: object) -> str:
        if not isinstance(value, list):
            return "it is a list"
        return next(filter(None, map(complaint, value)), "")

    return complaint_of


def by_name(name: Kind, complaint: Complaint) -> Complaint:
    """An object whose keys are of a kind, and whose values the other one takes."""

    def complaint_of(value: object) -> str:
        if not isinstance(value, dict):
            return "it is an object"
        found = (
            f"{shown(key)}: {wrong}" for key, item in value.items() if (wrong := text(name)(key) or complaint(item))
        )
        return next(found, "")

    return complaint_of


def object_of(*fields: FileField) -> Complaint:
    """An object with exactly these fields."""

    def complaint_of(value: object) -> str:
        if not isinstance(value, dict):
            return "it is an object"
        if value.keys() != {field.name for field in fields}:
            return f"it is an object with the fields {listed(field.name for field in fields)}"
        wrong = ((field.name, field.complaint(value[field.name])) for field in fields)
        return next((f"`{name}`: {complaint}" for name, complaint in wrong if complaint), "")

    return complaint_of
