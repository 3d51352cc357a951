"""The review note: what its file must hold, and that it reads back as it was written."""

from __future__ import annotations

import json
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flakeledger.model.canonical import NotCanonical
from flakeledger.model.digest_files import digest_file
from flakeledger.model.note import ELIGIBLE, NOTE_FIELDS, Note, note_file, read_note
from flakeledger.verdicts.gate import Verdict

COMMIT = "1" * 40
NOTE = Note("production", "PROP-1", "0" * 64, True, ("pass", "fail"), "unshare", ELIGIBLE, COMMIT, COMMIT)


def test_the_table_has_the_fields_of_the_note_in_their_order() -> None:
    assert tuple(field.name for field in NOTE_FIELDS) == Note._fields


@pytest.mark.parametrize("verdict", get_args(Verdict))
def test_every_verdict_of_the_gate_can_be_noted(verdict: Verdict) -> None:
    note = NOTE._replace(freeze=verdict)
    assert read_note(note_file(note).data) == note


@given(
    st.builds(
        Note,
        diff_class=st.sampled_from(["production", "test_body+production"]),
        property_id=st.none() | st.just("PROP-1"),
        example_sha256=st.none() | st.just("a" * 64),
        generator_hashes_match_base=st.none() | st.booleans(),
        replay_outcomes=st.lists(st.sampled_from(["pass", "fail", "not run"])).map(tuple),
        network=st.none() | st.text(min_size=1),
        freeze=st.sampled_from(get_args(Verdict)),
        base=st.just(COMMIT),
        head=st.just("2" * 64),
    )
)
def test_a_note_reads_back_and_has_no_other_text(note: Note) -> None:
    file = note_file(note)
    assert read_note(file.data) == note
    assert note_file(read_note(file.data)) == file


@pytest.mark.parametrize(
    ("field", "values"),
    [
        ("diff_class", ["", None]),
        ("property_id", ["", "a/b", 1]),
        ("example_sha256", ["", "0" * 63]),
        ("generator_hashes_match_base", ["true", 1]),
        ("replay_outcomes", [None, "pass", [""], [1]]),
        ("network", ["", 1]),
        ("freeze", ["", None, "eligible", "deny:", "deny:A", "deny:x y", " eligible_short", "eligible_short\n"]),
        ("base", [None, "", "1" * 39, "main"]),
        ("head", [None, "HEAD"]),
    ],
)
def test_a_field_of_another_kind_is_refused(field: str, values: list[Any]) -> None:
    for value in values:
        data = digest_file({**json.loads(note_file(NOTE).data), field: value}).data
        with pytest.raises(NotCanonical, match=f"`{field}`"):
            read_note(data)
