"""The Markdown of a comment: what it tells, how long it may be, and that no text makes more of it than text."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from flakeledger.model.errors import CannotTell
from flakeledger.model.findings import Finding
from flakeledger.model.report import Report
from flakeledger.reporters.comment import MARKER, MOST_BYTES, Ending, RowChange, Told, comment, undecided
from rendered import HOSTILE, RENDERERS, Page, assert_plain

COUNTS = {"freezes": 2, "fixtures": 1, "properties": 1, "replays": 3}
OURS = {
    *("p", "strong", "code", "pre", "h3", "ul", "li", "details", "summary"),
    *("table", "thead", "tbody", "tr", "th", "td"),
}
OUR_ATTRIBUTES = {
    (name, f"{before}{language}")
    for language in ("yaml", "sh", "text")
    for name, before in (("lang", ""), ("class", "language-"))
}
OPENED = RowChange(
    "freeze", "opened", "tests/a.py::test_b", "@finley", "2026-03-02 to 2026-03-05", "clock; not replayed"
)
ENDING = Ending("tests/a.py::test_b", "@finley", "2026-03-05", "2 days", "flakeledger thaw tests/a.py::test_b")


def finding(message: str = "it is wrong", fix: str = "mend it", **fields: Any) -> Finding:
    return Finding("ledgers/freezes.yaml", 3, 1, "freeze-window", message, fix)._replace(**fields)


def told(*findings: Finding, code: int = 0, notes: tuple[str, ...] = (), **fields: Any) -> Told:
    report = Report(
        "comment", findings, COUNTS, "commit 1a2b3c4d5e6f", "explicit: a -> b", "2026-03-03T12:00:00Z", notes
    )
    return Told(report, code, (), (), (), (), 7)._replace(**fields)


def headings(text: str) -> list[str]:
    return re.findall(r"(?m)^### (.+)$", text)


@pytest.mark.parametrize(
    ("given", "verdict"),
    [
        (told(), "**flakeledger refuses nothing in this change**: 0 findings."),
        (
            told(finding(level="warning"), changes=(OPENED, OPENED._replace(what="broken"), OPENED)),
            "**flakeledger refuses nothing in this change**: 0 findings, 1 warning; 2 freezes opened, 1 freeze broken.",
        ),
        (
            told(finding(), finding("too"), code=1, changes=(RowChange("property", "removed", "P"),) * 2),
            "**flakeledger refuses this change**: 2 findings; 2 properties removed.",
        ),
        (told(code=2, changes=None), "**flakeledger cannot tell what this change does**: 0 findings."),
    ],
)
def test_the_marker_and_the_verdict_come_first(given: Told, verdict: str) -> None:
    assert comment(given).split("\n")[:2] == [MARKER, verdict]


@pytest.mark.parametrize(("changes", "said"), [((), True), ((OPENED,), False), (None, False)])
def test_that_nothing_changes_is_said_only_where_it_is_known(changes: tuple[RowChange, ...] | None, said: bool) -> None:
    assert ("changes no row" in comment(told(changes=changes))) is said


def test_every_part_is_told_in_its_order() -> None:
    text = comment(
        told(
            finding(),
            finding(level="warning"),
            code=1,
            notes=("look",),
            changes=(RowChange("fixture", "re-locked", "FX-1"), OPENED._replace(refused=("freeze-window",))),
            rows=('- test: a.py::test_b\n  owner: "?"',),
            commands=("flakeledger freeze a.py::test_b",),
            endings=(ENDING,),
        )
    )
    assert headings(text) == [
        *("Notes", "What it does to the ledgers", "What is refused", "Rows to paste", "Commands that write them"),
        *("Warnings", "What ends within 7 days"),
    ]
    for shown in (
        "| **refused** by `freeze-window`: freeze opened | `tests/a.py::test_b` | `@finley` |",
        "- **`freeze-window`** `ledgers/freezes.yaml:3:1` it is wrong\n\n  ```text\n  mend it\n  ```\n",
        '```yaml\n- test: a.py::test_b\n  owner: "?"\n```\n',
        "```sh\nflakeledger freeze a.py::test_b\n```\n",
        "| `tests/a.py::test_b` | `@finley` | `2026-03-05` | 2 days | `flakeledger thaw tests/a.py::test_b` |",
    ):
        assert shown in text
    assert "\n\n\n" not in text
    # what is refused stands first
    assert text.index("freeze opened |") < text.index("fixture re-locked |")
    assert "<details>" not in text


@pytest.mark.parametrize(("number", "folded"), [(30, False), (31, True)])
def test_what_is_long_is_folded(number: int, folded: bool) -> None:
    text = comment(told(changes=(OPENED,) * number))
    assert ("<details>\n<summary>31 rows</summary>\n\n|" in text) is folded
    for render in RENDERERS.values():
        assert len(render(text).rows) == number + 1


def test_without_a_change_that_is_known_it_is_undecided() -> None:
    text = undecided(CannotTell("base unknown: `main` is no commit @here", "git fetch\nagain", "a|b:1:2"))
    assert text == (
        f"{MARKER}\n**flakeledger cannot tell what this change does** at `a|b:1:2`: "
        "base unknown: `main` is no commit `@here`\n\n```text\ngit fetch\nagain\n```\n"
    )
    assert len(undecided(CannotTell("x\u202e" * 99999, "y" * 99999)).encode()) < MOST_BYTES


def test_a_fix_that_is_too_long_is_not_cut_into_another_command() -> None:
    text = comment(told(finding(fix="rm " + "x" * 6000), code=1))
    assert "rm " not in text
    assert "flakeledger check" in text


def test_a_text_of_any_length_is_a_bounded_row() -> None:
    text = comment(told(changes=(OPENED._replace(name="é" * 99999, why="x" * 99999),)))
    assert f"`{'é' * 300}…`" in text


SIZES = st.integers(0, 400)


@settings(max_examples=8)
@given(SIZES, SIZES, SIZES, SIZES, st.sampled_from(["x", "é", "\u202e", "`|"]))
@example(400, 400, 400, 400, "\u202e")
@example(400, 1, 0, 0, "x")
def test_however_much_there_is_it_fits_and_what_is_left_out_is_counted(
    changes: int, errors: int, rows: int, endings: int, letter: str
) -> None:
    units = {"change": changes, "finding": errors, "row": rows, "ending": endings}
    given = told(
        *[finding(letter * 400, "fix " + letter * 100)] * errors,
        code=1,
        changes=(OPENED._replace(name=letter * 200, why=letter * 200),) * changes,
        rows=(f"- test: {letter * 300}\n  owner: x",) * rows,
        endings=(ENDING._replace(test=letter * 200),) * endings,
    )
    text = comment(given)
    assert len(text.encode("utf-8")) <= MOST_BYTES
    left = [int(number) for number in re.findall(r"(?m)^([0-9]+) of [0-9]+ \w+ left out: a comment has", text)]
    shown = {
        "change": len(re.findall(r"(?m)^\| freeze opened \|.* \|$", text)),
        "finding": len(re.findall(r"(?m)^- \*\*`freeze-window`\*\*", text)),
        "row": len(re.findall(r"(?m)^- test: ", text)),
        "ending": len(re.findall(r"(?m)^\| .* 2 days \| .* \|$", text)),
    }
    assert sum(units.values()) == sum(shown.values()) + sum(left)
    # what is short is whole, however long the rest is
    for name, number in units.items():
        if number < 5:
            assert shown[name] == number
    if left:
        assert len(text.encode("utf-8")) > MOST_BYTES - 15_000
    assert not RENDERERS["cmark-gfm"](text).open


def test_a_row_that_no_comment_can_hold_hides_none_below_it() -> None:
    text = comment(told(rows=(f"- test: {'x' * MOST_BYTES}", "- test: a.py::test_a")))
    assert "- test: a.py::test_a" in text
    assert "1 of 2 rows left out" in text


TOLD = st.builds(
    lambda texts, code: told(
        *[
            Finding(texts[0], 1, 1, "freeze-window", texts[1], texts[2]),
            Finding(texts[3], 1, 1, "bad-value", f"the row of {texts[4]} is bad", f"run:\n{texts[5]}", "warning"),
        ],
        code=code,
        notes=(texts[6],),
        changes=(RowChange("freeze", "opened", texts[7], texts[8], texts[9], texts[10], ("freeze-window",)),),
        rows=(texts[11],),
        commands=(texts[12],),
        endings=(Ending(texts[13], texts[14], texts[15], "1 day", texts[16]),),
    ),
    st.lists(HOSTILE, min_size=17, max_size=17),
    st.sampled_from([0, 1, 2]),
)


def assert_ours(page: Page) -> None:
    assert page.comments == [MARKER.removeprefix("<!--").removesuffix("-->")]
    assert page.tags <= OURS
    assert page.attributes <= OUR_ATTRIBUTES
    assert_plain(page)


@pytest.mark.parametrize("renderer", RENDERERS)
@given(given=TOLD)
def test_nothing_but_our_own_tags_comes_out(renderer: str, given: Told) -> None:
    page = RENDERERS[renderer](comment(given))
    assert_ours(page)
    assert [len(row) for row in page.rows] == [5, 5, 5, 5]


@pytest.mark.parametrize("renderer", RENDERERS)
@given(HOSTILE, HOSTILE, HOSTILE)
def test_what_cannot_be_told_is_told_as_harmlessly(renderer: str, reason: str, fix: str, place: str) -> None:
    assert_ours(RENDERERS[renderer](undecided(CannotTell(reason, fix, place))))


@pytest.mark.parametrize(
    "text",
    ["[x](http://y.example)", "<b>", "a@example.org", "www.example.org", "![x](y)"],
)
def test_the_renderers_would_show_what_is_not_escaped(text: str) -> None:
    for render in RENDERERS.values():
        page = render(f"{MARKER}\n{text}\n")
        # a block of HTML ends with its line, so what stands below is Markdown
        assert page.tags - OURS
