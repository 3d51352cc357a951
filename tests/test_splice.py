"""A field of a row changes by the smallest edit of the row's text."""

from __future__ import annotations

import pytest

from flakeledger.model.fields import FREEZE_FIELDS, PROPERTY_FIELDS
from flakeledger.store.row_writing import Style
from flakeledger.store.splice import CannotEdit, with_fields


@pytest.mark.parametrize(
    ("before", "changes", "after"),
    [
        ("- test: a\n  owner: x  # c\n", {"owner": "z"}, "- test: a\n  owner: z  # c\n"),
        ("- test: a\n  owner: 'x'\n", {"owner": "it's"}, "- test: a\n  owner: 'it''s'\n"),
        ('- test: a\n  owner: "x"\n', {"owner": "y"}, '- test: a\n  owner: "y"\n'),
        ("- test: a\n  owner:   # c\n", {"owner": "y"}, '- test: a\n  owner: "y"   # c\n'),
        (
            "- test: a\n  reason: | # c\n    x\n    y\n  issue: z\n",
            {"reason": "y"},
            '- test: a\n  reason: "y" # c\n  issue: z\n',
        ),
        ("- test: a\n  issue: z\n", {"issue": "yes"}, '- test: a\n  issue: "yes"\n'),
        ("- test: a\n  issue: z\n", {"owner": "@b"}, '- test: a\n  owner: "@b"\n  issue: z\n'),
        ("- owner: x\n  test: a\n", {"owner": None}, "- test: a\n"),
        ("- owner: x\n  # c\n  test: a\n", {"owner": None}, "-\n  # c\n  test: a\n"),
        ("- owner: x\n", {"test": "b"}, "- test: b\n  owner: x\n"),
        ("- test: a\n  renewed: 1\n", {"renewed": 2}, "- test: a\n  renewed: 2\n"),
    ],
)
def test_a_change_is_as_small_as_can_be(before: str, changes: dict[str, str | int | None], after: str) -> None:
    assert with_fields(before, FREEZE_FIELDS, changes, Style()) == after
    windows, expected = (text.replace("\n", "\r\n") for text in (before, after))
    assert with_fields(windows, FREEZE_FIELDS, changes, Style("\r\n")) == expected


LIST = "- id: A\n  tests:\n    # old\n    - a  # one\n    - 'b'\n    # new\n    - c\n"


@pytest.mark.parametrize(
    ("tests", "after"),
    [
        (["a", "b", "c", "d"], LIST + "    - d\n"),
        (["a", "c"], LIST.replace("    - 'b'\n", "")),
        (["b", "c"], LIST.replace("    - a  # one\n", "")),
        (["a", "x", "c"], LIST.replace("'b'", "'x'")),
        (["m", "a", "b", "c"], LIST.replace("    - a", "    - m\n    - a")),
        (["x", "u", "z"], LIST.replace("- a", "- x").replace("'b'", "'u'").replace("- c", "- z")),
        ([], "- id: A\n  tests: []\n    # old\n    # new\n"),
    ],
)
def test_a_list_changes_by_its_items(tests: list[str], after: str) -> None:
    assert with_fields(LIST, PROPERTY_FIELDS, {"tests": tests}, Style()) == after


FLOW = "- id: A\n  tests: [\n    a,  # one\n    'b',\n    c\n  ]  # end\n"


@pytest.mark.parametrize(
    ("tests", "after"),
    [
        (["a", "b", "c", "d"], FLOW.replace("c\n", "c, d\n")),
        (["d", "a", "b", "c"], FLOW.replace("a,", "d, a,")),
        (["a", "c"], FLOW.replace("    'b',\n", "")),
        (["b", "c"], FLOW.replace("    a,  # one\n", "      # one\n")),
        (["a", "b"], FLOW.replace("    c\n", "")),
        (["a", "x", "c"], FLOW.replace("'b'", "'x'")),
        ([], "- id: A\n  tests: [\n      # one\n  ]  # end\n"),
    ],
)
def test_a_list_in_brackets_over_lines_keeps_its_lines(tests: list[str], after: str) -> None:
    assert with_fields(FLOW, PROPERTY_FIELDS, {"tests": tests}, Style()) == after


@pytest.mark.parametrize(
    ("written", "tests", "after"),
    [
        ("[a, 'b']", ["a", "b", "c"], "[a, 'b', c]"),
        ("[ a, 'b' ] # why", ["b"], "[ 'b' ] # why"),
        ("[a]", [], "[]"),
        ("[]", ["a[1]"], '["a[1]"]'),
        ("# why", ["a"], "# why\n    - a"),
    ],
)
def test_a_list_on_one_line_stays_there(written: str, tests: list[str], after: str) -> None:
    row = "- id: A\n  tests: {}\n  owner: x\n"
    assert with_fields(row.format(written), PROPERTY_FIELDS, {"tests": tests}, Style()) == row.format(after)


PINS = "- test: a\n  fixture_hashes:  # old\n    # orders\n    A: b  # one\n    C: 'd'\n  owner: x\n"


@pytest.mark.parametrize(
    ("pins", "after"),
    [
        ({"A": "b", "C": "e"}, PINS.replace("'d'", "'e'")),
        ({"C": "d"}, PINS.replace("    A: b  # one\n", "")),
        ({"A": "b", "C": "d", "E": "f"}, PINS.replace("'d'\n", "'d'\n    E: f\n")),
        ({}, "- test: a\n  fixture_hashes: {}  # old\n    # orders\n  owner: x\n"),
    ],
)
def test_a_mapping_changes_by_its_entries(pins: dict[str, str], after: str) -> None:
    assert with_fields(PINS, FREEZE_FIELDS, {"fixture_hashes": pins}, Style()) == after


def test_a_field_without_a_place_in_the_table_goes_to_the_end() -> None:
    assert with_fields("- test: a\n  owner: x\n", FREEZE_FIELDS, {"odd": "y"}, Style()).endswith(
        '  owner: x\n  odd: "y"\n'
    )


def test_what_is_written_as_something_else_is_for_a_person() -> None:
    for row, changes in (("- test: [a]\n", {"test": "a"}), ("- test: a\n", {"test": None})):
        with pytest.raises(CannotEdit, match="`test`"):
            with_fields(row, FREEZE_FIELDS, changes, Style())
