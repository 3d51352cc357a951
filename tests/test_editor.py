"""A row is added, changed or removed by the smallest edit of a text, judged from outside over a corpus of styles."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flakeledger.model.errors import CannotTell
from flakeledger.model.ledger_paths import FIXTURES, FREEZES, PROPERTIES
from flakeledger.store.editor import append_row, append_rows, change_row, remove_row, row_to_paste
from outside import judge_added, judge_changed, judge_removed, see
from random_ledgers import KEYS, NEW_ROWS, judge_random_edit

STYLED = sorted((Path(__file__).parent / "styled").glob("*.yaml"))
PATHS = {"freezes": FREEZES, "fixtures": FIXTURES, "properties": PROPERTIES}
DIGEST = "e3" * 32


def path_of(file: Path) -> str:
    return PATHS[file.name.partition("-")[0]]


def rows_of(file: Path) -> list[tuple[int, str, dict[str, Any]]]:
    """Number, key and values of each row."""
    values = see(file.read_bytes()).values
    return [(number, row[KEYS[path_of(file)]], row) for number, row in enumerate(values)]


CORPUS = pytest.mark.parametrize("file", STYLED, ids=lambda file: file.stem)


def test_the_corpus_is_large() -> None:
    assert len(STYLED) >= 30


@CORPUS
@pytest.mark.parametrize("key", ["aa.py::test_new", "k.py::test_new[x-1]", "zz.py::test_new"])
def test_a_row_is_added_and_goes_again_without_a_trace(file: Path, key: str) -> None:
    before, path = file.read_bytes(), path_of(file)
    row = NEW_ROWS[path] | {KEYS[path]: key if path == FREEZES else key.partition(".")[0].upper()}
    after = append_row(before, path, row)
    judge_added(before, after, row)
    if see(before).rows or "[]" not in before.decode():
        assert remove_row(after, path, row[KEYS[path]]) == before


@CORPUS
def test_every_row_is_removed(file: Path) -> None:
    before, path = file.read_bytes(), path_of(file)
    for number, key, _ in rows_of(file):
        judge_removed(before, remove_row(before, path, key), number)


def new_values(value: Any) -> list[Any]:
    """What to put in the place of a value, None for nothing at all."""
    if isinstance(value, list):
        grown = [["q.py::test_n[1]", *value], [*value, "plain"], ["x", *value[1:]]]
        return [*grown, [], value[1:], value[:-1], value[::-1], None]
    if isinstance(value, dict):
        last = dict(list(value.items())[1:])
        return [{}, value | {"NEW": DIGEST}, last, dict.fromkeys(value, DIGEST), {"NEW": DIGEST}, None]
    return ["plain", 'say: "it" isn\'t\ttrue # here', "2026-12-24", None]


@CORPUS
def test_every_field_is_changed(file: Path) -> None:
    before, path = file.read_bytes(), path_of(file)
    for number, key, row in rows_of(file):
        for name, value in row.items():
            for new in new_values(value):
                if not (new is None and len(row) == 1):
                    judge_changed(before, change_row(before, path, key, {name: new}), number, {name: new})


@CORPUS
def test_new_fields_come(file: Path) -> None:
    before, path = file.read_bytes(), path_of(file)
    known: dict[str, dict[str, Any]] = {
        FREEZES: {"owner": "@new", "fixture_hashes": {"FX-9": DIGEST}, "issue": "#1", "renewed": "2"},
        FIXTURES: {"hash": "contract"},
        PROPERTIES: {"generators": ["conftest.py", "a/b"], "uncovered_until": "2026-12-01", "owner": "@new"},
    }
    for number, key, row in rows_of(file):
        new = {name: value for name, value in known[path].items() if name not in row}
        judge_changed(before, change_row(before, path, key, new), number, new)


def test_what_a_field_holds_already_changes_nothing() -> None:
    for file in STYLED:
        for _, key, row in rows_of(file):
            given = {name: value for name, value in row.items() if value}
            assert change_row(file.read_bytes(), path_of(file), key, given) == file.read_bytes()


# layout

ROW = '- test: {}\n  owner: "@a"\n'
NEW = {"test": "m.py::t", "owner": "@a"}


def rows(*keys: str, between: str = "") -> str:
    return between.join(ROW.format(key) for key in keys)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", rows("m.py::t")),
        ("# c\n", "# c\n" + rows("m.py::t")),
        ("# c", "# c\n" + rows("m.py::t")[:-1]),
        ("# c\n[]\n", "# c\n" + rows("m.py::t")),
        ("[] # none\n", "# none\n" + rows("m.py::t")),
        ("---\n", "---\n" + rows("m.py::t")),
        (rows("a"), rows("a", "m.py::t")),
        (rows("z"), rows("z", "m.py::t")),
        (rows("a", "z"), rows("a", "m.py::t", "z")),
        (rows("z", "a"), rows("z", "a", "m.py::t")),
        (rows("n", "z"), rows("m.py::t", "n", "z")),
        (rows("a", "z", between="\n"), rows("a", "m.py::t", "z", between="\n")),
        (rows("a", "b", between="\n\n"), rows("a", "b", "m.py::t", between="\n\n")),
        (rows("a", "b") + "\n# end\n", rows("a", "b", "m.py::t") + "\n# end\n"),
        (rows("a") + "  # of a\n# end\n", rows("a") + "  # of a\n" + rows("m.py::t") + "# end\n"),
        (
            "# h\n\n# n\n" + rows("n", "z", between="\n"),
            "# h\n\n" + rows("m.py::t") + "\n# n\n" + rows("n", "z", between="\n"),
        ),
        ("# h\n" + rows("n", "z"), "# h\n" + rows("m.py::t", "n", "z")),
    ],
)
def test_where_a_row_goes(before: str, after: str) -> None:
    assert append_row(before.encode(), FREEZES, NEW).decode() == after
    assert append_row(before.replace("\n", "\r\n").encode(), FREEZES, NEW).decode() == after.replace(
        "\n", "\r\n" if "\n" in before else "\n"
    )


def test_numbers_in_keys_are_sorted_as_numbers() -> None:
    before = "".join(f"- id: FX-{number}\n  path: a\n" for number in (2, 9, 11))
    after = append_row(before.encode(), FIXTURES, {"id": "FX-10", "path": "b"})
    assert [row["id"] for row in see(after).values] == ["FX-2", "FX-9", "FX-10", "FX-11"]


@pytest.mark.parametrize(
    ("sample", "added"),
    [
        ("  - test: a\n", '  - test: m.py::t\n    owner: "@a"\n'),
        ("-   test: a\n", '-   test: m.py::t\n    owner: "@a"\n'),
        ("-\n  test: a\n", '-\n  test: m.py::t\n  owner: "@a"\n'),
    ],
)
def test_a_new_row_has_the_dash_of_the_others(sample: str, added: str) -> None:
    assert append_row(sample.encode(), FREEZES, NEW).decode() == sample + added


def test_a_new_row_has_the_lists_of_the_others() -> None:
    before = "- id: A\n  fixtures: [F]\n  tests:\n  - a\n"
    row = {"id": "B", "statement": "it holds", "fixtures": ["F", "G"], "tests": ["b", "c[1]"]}
    added = '- id: B\n  statement: "it holds"\n  fixtures: [F, G]\n  tests:\n  - b\n  - "c[1]"\n'
    assert append_row(before.encode(), PROPERTIES, row).decode() == before + added
    assert row_to_paste(before.encode(), PROPERTIES, row) == added


def test_a_changed_row_keeps_the_layout_of_its_own() -> None:
    above = "- id: A\n  fixtures:\n      - F\n"
    before = above + "- id: B\n  fixtures:\n  - F\n"
    after = change_row(before.encode(), PROPERTIES, "B", {"tests": ["b"]}).decode()
    assert after == above + "- id: B\n  fixtures:\n  - F\n  tests:\n  - b\n"


def test_several_rows_come_at_once() -> None:
    before = rows("b", "d", between="\n").encode()
    after = append_rows(before, FREEZES, [NEW | {"test": key} for key in ("e", "a", "c", "f")])
    assert after.decode() == rows("a", "b", "c", "d", "e", "f", between="\n")


@pytest.mark.parametrize(
    ("before", "key", "after"),
    [
        (rows("a", "b", "c"), "b", rows("a", "c")),
        (rows("a", "b", "c", between="\n"), "b", rows("a", "c", between="\n")),
        (rows("a", "b", "c", between="\n"), "c", rows("a", "b", between="\n")),
        (rows("a", "b", "c", between="\n"), "a", rows("b", "c", between="\n")),
        (rows("a") + "\n" + rows("b", "c"), "b", rows("a") + "\n" + rows("c")),
        ("# h\n\n" + rows("a"), "a", "# h\n"),
        (rows("a"), "a", ""),
        (rows("a") + "\n# of b\n" + rows("b") + "\n# end\n", "b", rows("a") + "\n# of b\n\n# end\n"),
        ("# of a\n\n# more\n" + rows("a", "b", between="\n"), "a", "# of a\n\n# more\n\n" + rows("b")),
        (rows("a", "b")[:-1], "b", rows("a")[:-1]),
        ("- test: a\n  # in a\n  owner: x # too\n  # below a\n" + rows("b"), "a", "  # below a\n" + rows("b")),
    ],
)
def test_what_goes_with_a_row(before: str, key: str, after: str) -> None:
    assert remove_row(before.encode(), FREEZES, key).decode() == after


def test_the_only_line_of_a_text_without_an_end_keeps_its_style() -> None:
    """Nothing is left then that tells which newline the text had."""
    assert change_row(b"- test: a\r\n  owner: x", FREEZES, "a", {"owner": None}) == b"- test: a"


# what is refused


@pytest.mark.parametrize(
    ("data", "edit", "reason"),
    [
        (rows("a"), lambda data: append_row(data, FREEZES, {"test": "a"}), "holds a row for `a` already"),
        (rows("a"), lambda data: change_row(data, FREEZES, "b", {}), "holds no row for `b`"),
        (rows("a", "b", "a"), lambda data: remove_row(data, FREEZES, "a"), "on the lines 1 and 5"),
        ("- test: a\n  owner: @b\n", lambda data: remove_row(data, FREEZES, "a"), "cannot be read"),
        ("x: y\n", lambda data: append_row(data, FREEZES, NEW), "cannot be read"),
        (rows("a") + "<<<<<<< HEAD\n", lambda data: append_row(data, FREEZES, NEW), "cannot be read"),
        ("- test: a\n  owner: [b]\n", lambda data: change_row(data, FREEZES, "a", {"owner": "c"}), "written as a list"),
        (
            "- test: a\n  fixture_hashes: b\n",
            lambda data: change_row(data, FREEZES, "a", {"fixture_hashes": {}}),
            "as one text",
        ),
        ("- test: a\n", lambda data: change_row(data, FREEZES, "a", {"test": None}), "the only field"),
        (rows("a"), lambda data: append_row(data, FREEZES, {"test": "b", "owner": "\ud800"}), "could not be read"),
    ],
)
def test_what_cannot_be_done_is_refused(data: str, edit: Any, reason: str) -> None:
    with pytest.raises(CannotTell, match=reason) as refused:
        edit(data.encode())
    assert refused.value.fix


def test_of_several_rows_with_one_key_the_first_is_the_place() -> None:
    with pytest.raises(CannotTell) as refused:
        remove_row(rows("b", "a", "a").encode(), FREEZES, "a")
    assert refused.value.place == "ledgers/freezes.yaml:3:1"


def test_the_refusal_says_what_to_write_by_hand() -> None:
    with pytest.raises(CannotTell) as refused:
        change_row(b"- test: a\n  owner: [b]\n", FREEZES, "a", {"owner": "c", "issue": None})
    assert refused.value.fix == 'edit the row by hand:\nowner: "c"\n(remove issue)'
    assert refused.value.place == "ledgers/freezes.yaml:1:1"


# at random


@settings(max_examples=150)
@given(st.data())
def test_a_random_edit_is_right(data: st.DataObject) -> None:
    judge_random_edit(lambda options: data.draw(st.sampled_from(list(options))))
