"""The summary of a step on GitHub: what it says, that text stays text, and that it fits."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from flakeledger.model.errors import CannotTell
from flakeledger.model.findings import Finding
from flakeledger.model.report import Report
from flakeledger.reporters.escape import escape_text
from flakeledger.reporters.step_summary import LIMIT, loud_parts, step_summary, undecided_summary
from rendered import HOSTILE as RENDERED_HOSTILE
from rendered import assert_plain, by_cmark
from reports import ERRORS, EXPIRED, NO_POLICY, REPORTS, UNSTAGED, report_of, reports

#: the tags of a summary; what else is there, a text has made
OURS = {"h3", "p", "ul", "li", "table", "thead", "tbody", "tr", "th", "td", "details", "summary", "br", "code"}


def rows(summary: str) -> list[list[str]]:
    """The rows of the table, as the library of GitHub renders them."""
    return by_cmark(summary).rows[1:]


def words(text: str) -> list[str]:
    """Without the blanks that Markdown folds."""
    return text.split()


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("nothing", "✅ nothing wrong"),
        ("a warning", "✅ nothing wrong"),
        ("one", "❌ findings"),
        ("undecided", "❓ cannot tell"),
    ],
)
def test_the_heading_says_how_it_ended(name: str, words: str) -> None:
    assert step_summary(REPORTS[name], LIMIT).splitlines()[0] == f"### flakeledger {REPORTS[name].command}: {words}"


@pytest.mark.parametrize("told", REPORTS.values(), ids=list(REPORTS))
def test_the_table_tells_every_finding(told: Report) -> None:
    found = rows(step_summary(told, LIMIT))
    assert [row[1:] for row in found] == [
        [
            f"{one.path}:{one.line}:{one.column}",
            one.rule,
            one.message.replace("`", ""),
            one.fix.replace("\n", ""),
        ]
        for one in told.findings
    ]
    assert [row[0].split()[-1] for row in found] == [one.level for one in told.findings]


def test_counts_base_and_notes_are_told() -> None:
    told = report_of(base="the first parent of abc", notes=(UNSTAGED, NO_POLICY), undecided=(NO_POLICY,))
    text = by_cmark(step_summary(told, LIMIT)).text
    assert "3 freezes, 2 fixtures, 1 property, 4 replays; 0 findings" in text
    assert "base: the first parent of abc; now: 2026-11-21T00:00:00Z" in text
    assert f"note: {UNSTAGED}\n" in text
    assert f"❓ cannot tell {NO_POLICY}\n" in text


@pytest.mark.parametrize(("number", "folded"), [(1, False), (20, False), (21, True)])
def test_many_findings_are_folded(number: int, folded: bool) -> None:
    summary = step_summary(report_of(*[EXPIRED] * number), LIMIT)
    assert (f"<details><summary>{number} findings and warnings</summary>\n\n|" in summary) is folded
    assert summary.endswith("|\n\n</details>\n" if folded else "|\n")


def test_what_could_not_be_decided_is_told() -> None:
    page = by_cmark(undecided_summary("check-change", ERRORS["a place"], LIMIT))
    assert [line for line in page.text.splitlines() if line] == [
        "flakeledger check-change: ❓ cannot tell",
        "ledgers/policy.yaml:3:5: x is no window",
        "fix: write one",
    ]


@settings(max_examples=60)
@given(reports(), st.integers(-100, 3000))
def test_it_fits_into_the_room_that_is_left(told: Report, room: int) -> None:
    assert len(step_summary(told, room).encode()) <= max(room, 0)
    error = CannotTell("why" * 100, "how" * 100)
    assert len(undecided_summary("check", error, room).encode()) <= max(room, 0)


def test_what_does_not_fit_is_counted() -> None:
    told = report_of(*[EXPIRED] * 9000, notes=("note " * 300_000, UNSTAGED))
    summary = step_summary(told, LIMIT)
    shown = summary.count("\n| ❌ error | ")
    assert LIMIT - 2000 < len(summary.encode()) <= LIMIT
    assert f"\n{9000 - shown} more findings in the log: this summary is full.\n" in summary
    assert "\n1 more line in the log: this summary is full.\n" in summary
    assert summary.count("<details>") == summary.count("</details>") == 1
    assert "\n- note: `ledgers/freezes.yaml` has edits" in summary


def test_one_huge_finding_hides_no_other() -> None:
    told = report_of(EXPIRED._replace(message="x" * LIMIT), EXPIRED)
    summary = step_summary(told, LIMIT)
    assert len(rows(summary)) == 1
    assert "\n1 more finding in the log: this summary is full.\n" in summary


@pytest.mark.parametrize(
    ("told", "loud"),
    [
        (REPORTS["three"], ""),
        (report_of(notes=("NOT CHECKED: no base_x",)), "- flakeledger check: NOT CHECKED: no `base_x`\n"),
        (
            report_of(Finding(".pre-commit-config.yaml", 1, 1, "guard-removed", "gone", level="warning")),
            "- flakeledger check: guard-removed: gone\n",
        ),
    ],
)
def test_what_must_not_go_unseen(told: Report, loud: str) -> None:
    assert loud_parts(told) == loud


TEXTS = RENDERED_HOSTILE.filter(bool)


@settings(max_examples=80)
@given(TEXTS, TEXTS, RENDERED_HOSTILE, st.lists(RENDERED_HOSTILE, max_size=2))
@example("\\|", "|", "", [])
def test_the_library_of_github_makes_nothing_of_hostile_text(
    path: str, message: str, fix: str, notes: list[str]
) -> None:
    told = report_of(Finding(path, 1, 1, "bad-value", message, fix, subject=path), notes=tuple(notes), base=message)
    summary = step_summary(told, LIMIT)
    page = by_cmark(summary)
    assert page.tags <= OURS
    assert (page.attributes, page.comments, page.open) == (set(), [], [])
    assert_plain(page)
    heading, row = page.rows
    assert len(heading) == len(row) == 5
    # no cell of a table can hold a backslash before a bar
    shown = escape_text(path).replace("\\|", "\\\\x7c")
    assert words(row[1]) == words(f"{shown}:1:1")
    summary.encode("utf-8")


@settings(max_examples=80)
@given(TEXTS, RENDERED_HOSTILE, RENDERED_HOSTILE)
def test_it_makes_nothing_of_what_could_not_be_decided(reason: str, fix: str, place: str) -> None:
    page = by_cmark(undecided_summary("check", CannotTell(reason, fix, place), LIMIT))
    assert page.tags <= OURS
    assert (page.attributes, page.comments, page.open) == (set(), [], [])
    assert_plain(page)
