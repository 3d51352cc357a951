"""Starts PyYAML's parser: libyaml's where it was built, else the one in Python, which gives the same events.

Invariants:
* Only events come out: no composer, constructor or resolver runs, so a scalar stays text.
* What the parser raises is told as a `Complaint`.
* Only `yaml_rows`, `yaml_nodes` and `row_spans` import this module: the reader when it must parse, and the editor.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import yaml
from yaml.events import CollectionEndEvent, CollectionStartEvent, StreamEndEvent

from flakeledger.store.mistakes import Complaint, Spot

#: gives the next event; typed as Any because the stubs call the marks optional, which no parser leaves out
GetEvent = Callable[[], Any]

YamlError = yaml.YAMLError


def start(text: str) -> GetEvent:
    """The event source of a text, the start of the stream still ahead."""
    # the bare parser: a loader makes a constructor and a resolver as well, which takes as long as to parse a short row
    parser: Any = yaml.BaseLoader
    if hasattr(yaml, "CBaseLoader"):
        parser = yaml.cyaml.CParser  # type: ignore[attr-defined]  # the stubs only name what it is a base of
    get_event: GetEvent = parser(text).get_event
    return get_event


def complaint_of(error: yaml.YAMLError) -> Complaint:
    """What the parser said, in our own terms."""
    if not isinstance(error, yaml.MarkedYAMLError):
        return Complaint(str(error), Spot(0, 1), "", Spot(0, 1))
    spot = _spot(error.problem_mark or error.context_mark)
    began = _spot(error.context_mark) if error.context_mark else spot
    return Complaint(error.problem or "", spot, error.context or "", began)


def first_complaint(text: str, deepest: int) -> Complaint | None:
    """Where a parser gives up on the text; None when it reads to the end, or to something nested deeper."""
    depth = 0
    try:
        get = start(text)
        while depth <= deepest:
            event = get()
            if isinstance(event, StreamEndEvent):
                break
            depth += isinstance(event, CollectionStartEvent) - isinstance(event, CollectionEndEvent)
    except yaml.YAMLError as error:
        return complaint_of(error)
    return None


def _spot(mark: Any) -> Spot:
    return Spot(mark.line, mark.column + 1)
