from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flakeledger.model.findings import Finding
from flakeledger.model.report import Report
from flakeledger.reporters import REPORTERS
from flakeledger.reporters.escape import escape_line, escape_text

COUNTS = {"freezes": 3, "fixtures": 2, "properties": 1, "replays": 4}
EXPIRED = Finding(
    "ledgers/freezes.yaml",
    7,
    12,
    "freeze-expired",
    "the window of `tests/test_a.py::test_b` closed on 2026-11-20",
    "remove the row:\nflakeledger thaw tests/test_a.py::test_b",
    subject="tests/test_a.py::test_b",
)
EXPIRING = Finding("ledgers/freezes.yaml", 19, 3, "freeze-expiring", "3 days are left", level="warning")
BOTH = Report(
    command="check-ledgers",
    findings=(EXPIRED, EXPIRING),
    counts=COUNTS,
    judged="staged tree",
    base="HEAD 1a2b3c4",
    now="2026-11-21T00:00:00Z",
    notes=("ledgers/freezes.yaml has unstaged edits that were not checked",),
)


def report_of(*findings: Finding, **changes: Any) -> Report:
    empty = Report("check", findings, COUNTS, "staged tree", "", "2026-11-21T00:00:00Z", ())
    return empty._replace(**changes)


def rendered(name: str, report: Report) -> str:
    return REPORTERS[name](report, False)


def test_text() -> None:
    assert rendered("text", BOTH) == (
        "ledgers/freezes.yaml:7:12: freeze-expired: the window of `tests/test_a.py::test_b` closed on 2026-11-20\n"
        "    fix: remove the row:\n"
        "         flakeledger thaw tests/test_a.py::test_b\n"
        "ledgers/freezes.yaml:19:3: warning: freeze-expiring: 3 days are left\n"
        "note: ledgers/freezes.yaml has unstaged edits that were not checked\n"
        "3 freezes, 2 fixtures, 1 property, 4 replays; 1 finding, 1 warning; "
        "judged: staged tree; base: HEAD 1a2b3c4; now: 2026-11-21T00:00:00Z\n"
    )


@pytest.mark.parametrize(
    ("report", "summary"),
    [
        (
            report_of(counts={"freezes": 0, "fixtures": 1, "properties": 2, "replays": 1}),
            "0 freezes, 1 fixture, 2 properties, 1 replay; 0 findings; judged: staged tree; now: 2026-11-21T00:00:00Z",
        ),
        (
            report_of(EXPIRED, EXPIRED, EXPIRING, EXPIRING, counts={"freezes": 1}),
            "1 freeze; 2 findings, 2 warnings; judged: staged tree; now: 2026-11-21T00:00:00Z",
        ),
        (report_of(counts={}, judged=""), "0 findings; now: 2026-11-21T00:00:00Z"),
    ],
)
def test_the_summary_is_the_last_line(report: Report, summary: str) -> None:
    for name in ("text", "github"):
        assert rendered(name, report).splitlines()[-1] == summary


def test_colours_only_when_asked() -> None:
    coloured = REPORTERS["text"](BOTH, True)
    assert "\x1b[31mledgers/freezes.yaml:7:12: freeze-expired: " in coloured
    assert "\x1b[33mledgers/freezes.yaml:19:3: warning: " in coloured
    assert re.sub(r"\x1b\[[0-9]+m", "", coloured) == rendered("text", BOTH)
    assert [line.count("\x1b") for line in coloured.splitlines()] == [2, 0, 0, 2, 0, 0]
    for name in REPORTERS.keys() - {"text"}:
        assert REPORTERS[name](BOTH, True) == rendered(name, BOTH)


def test_json() -> None:
    text = rendered("json", BOTH)
    assert json.loads(text) == {
        "version": 1,
        "command": "check-ledgers",
        "exit_code": 1,
        "judged": "staged tree",
        "base": "HEAD 1a2b3c4",
        "now": "2026-11-21T00:00:00Z",
        "counts": COUNTS,
        "findings": [
            {
                "path": "ledgers/freezes.yaml",
                "line": 7,
                "column": 12,
                "rule": "freeze-expired",
                "level": "error",
                "message": "the window of `tests/test_a.py::test_b` closed on 2026-11-20",
                "fix": "remove the row:\nflakeledger thaw tests/test_a.py::test_b",
                "subject": "tests/test_a.py::test_b",
            },
            {
                "path": "ledgers/freezes.yaml",
                "line": 19,
                "column": 3,
                "rule": "freeze-expiring",
                "level": "warning",
                "message": "3 days are left",
                "fix": "",
                "subject": "",
            },
        ],
        "notes": ["ledgers/freezes.yaml has unstaged edits that were not checked"],
        "undecided": [],
        "summary": {"errors": 1, "warnings": 1},
    }
    keys = re.findall(r'^  "([a-z_]+)":', text, re.MULTILINE)
    assert keys == sorted(keys)
    assert text.endswith("}\n")


def test_github() -> None:
    assert rendered("github", BOTH) == (
        "::error file=ledgers/freezes.yaml,line=7,col=12,title=freeze-expired::the window of "
        "`tests/test_a.py::test_b` closed on 2026-11-20"
        "%0Afix: remove the row:%0Aflakeledger thaw tests/test_a.py::test_b\n"
        "::warning file=ledgers/freezes.yaml,line=19,col=3,title=freeze-expiring::3 days are left\n"
        "::notice::ledgers/freezes.yaml has unstaged edits that were not checked\n"
        "3 freezes, 2 fixtures, 1 property, 4 replays; 1 finding, 1 warning; "
        "judged: staged tree; base: HEAD 1a2b3c4; now: 2026-11-21T00:00:00Z\n"
    )


def test_github_shows_what_could_not_be_decided_as_an_error() -> None:
    report = report_of(command="check", notes=("one: 5%", "two"), undecided=("one: 5%",))
    assert rendered("github", report).splitlines()[:2] == [
        "::error title=flakeledger check%3A cannot tell::one: 5%25",
        "::notice::two",
    ]


@pytest.mark.parametrize(
    ("path", "message", "command"),
    [
        ("a,b:c%d.py", "50% off: a, b", "file=a%2Cb%3Ac%25d.py,line=1,col=1,title=rule::50%25 off: a, b"),
        ("a\nb.py", "one\r\n::error::two", r"file=a\nb.py,line=1,col=1,title=rule::one\r%0A\x3a:error::two"),
        ("\x1b[2Ja", "##[error]x", r"file=\x1b[2Ja,line=1,col=1,title=rule::#\x23[error]x"),
        ("caf\udce9", "\u202eevil", r"file=caf\xe9,line=1,col=1,title=rule::\u202eevil"),
    ],
)
def test_what_github_would_read_as_its_own_is_encoded(path: str, message: str, command: str) -> None:
    first = rendered("github", report_of(Finding(path, 1, 1, "rule", message))).splitlines()[0]
    assert first == f"::error {command}"


#: a text from a file, and how it is shown
ESCAPED = [
    ("plain `text` in ASCII", "plain `text` in ASCII"),
    ("größe 名前 🧊", "größe 名前 🧊"),
    ("a\nb\r\tc", r"a\nb\r\tc"),
    ("\x00\x07\x08\x1b[31m\x7f", r"\x00\x07\x08\x1b[31m\x7f"),
    ("\x85\x9b31m", r"\x85\x9b31m"),
    ("a\u2028b\u2029c\x0bd\x0ce", r"a\u2028b\u2029c\x0bd\x0ce"),
    ("\u202a\u202e\u2066\u2069\u200e\u061c", r"\u202a\u202e\u2066\u2069\u200e\u061c"),
    ("\u200b\u200d\u2060\ufeff\u00ad", r"\u200b\u200d\u2060\ufeff\xad"),
    ("caf\udce9 \ud800 \udfff", r"caf\xe9 \ud800 \udfff"),
    ("\U000e0041\ufffe", r"\U000e0041\ufffe"),
]


@pytest.mark.parametrize(("text", "shown"), ESCAPED)
def test_what_cannot_be_seen_is_escaped(text: str, shown: str) -> None:
    assert escape_text(text) == shown
    assert escape_text(shown) == shown


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("::error::x", r"\x3a:error::x"),
        (" \u3000 ::add-mask::x", " \u3000 " + r"\x3a:add-mask::x"),
        ("tests/a.py::test_b", "tests/a.py::test_b"),
        ("a ##[group]x", r"a #\x23[group]x"),
        ("a ##vso[task.setvariable]x", r"a #\x23vso[task.setvariable]x"),
        ("###[error]", r"##\x23[error]"),
        ("## heading", "## heading"),
        ("\x1b::error::x", r"\x1b::error::x"),
    ],
)
def test_a_line_starts_no_workflow_command(line: str, shown: str) -> None:
    assert escape_line(line) == shown
    assert escape_line(shown) == shown


HOSTILE = st.text(
    st.sampled_from('a:,#[]% \n\r\t\x1b\x9b\x00\x7f\u202e\u2028\ud800\udcff\u3000\u200b"\\é') | st.characters(),
    max_size=12,
) | st.sampled_from(["::error::x", "\n::stop-commands::x", "##[error]x", "a\n ##[x]", "##vso[x]", "x\r::error::"])
FINDINGS = st.builds(
    Finding,
    path=HOSTILE,
    line=st.integers(1, 99),
    column=st.integers(1, 99),
    rule=st.just("bad-value"),
    message=HOSTILE,
    fix=HOSTILE,
    level=st.sampled_from(["error", "warning"]),
    subject=HOSTILE,
)
REPORTS = st.builds(
    Report,
    command=st.just("check"),
    findings=st.lists(FINDINGS, max_size=3).map(tuple),
    counts=st.just(COUNTS),
    judged=HOSTILE,
    base=HOSTILE,
    now=st.just("2026-11-21T00:00:00Z"),
    notes=st.lists(HOSTILE, max_size=2).map(tuple),
    rules=st.just(()),
    undecided=st.just(()),
)
UNSAFE = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def read_as_runner(lines: Iterable[str]) -> list[str]:
    """The workflow commands that GitHub's runner would find: `::` behind blanks, `##[` anywhere."""
    return [line for line in lines if line.lstrip().startswith("::") or re.search(r"##[A-Za-z]*\[", line)]


@given(REPORTS)
def test_text_from_files_drives_nothing(report: Report) -> None:
    text, as_json, github = (rendered(name, report) for name in ("text", "json", "github"))
    for output in (text, as_json, github):
        assert not UNSAFE.search(output)
        assert output.endswith("\n")
        output.encode("utf-8")
    assert read_as_runner(text.split("\n")) == []
    assert read_as_runner(as_json.split("\n")) == []
    # one command a finding and a note, each our own, and nothing between them
    own = re.compile("::(error|warning) file=[^,:\n]*,line=[0-9]+,col=[0-9]+,title=bad-value::|::notice::")
    lines = github.removesuffix("\n").split("\n")
    assert len(lines) == len(report.findings) + len(report.notes) + 1
    assert all(own.match(line) for line in lines[:-1])
    assert read_as_runner(lines[-1:]) == []


@given(REPORTS)
def test_every_finding_keeps_its_place(report: Report) -> None:
    places = [(one.line, one.column, one.level == "warning") for one in report.findings]
    heads = [line for line in rendered("text", report).splitlines() if re.search(r": bad-value: ", line)]
    found = [re.search(r":([0-9]+):([0-9]+): (warning: )?bad-value: ", line) for line in heads]
    assert [(int(one[1]), int(one[2]), bool(one[3])) for one in found if one] == places
    as_json = json.loads(rendered("json", report))
    assert [(one["line"], one["column"], one["level"] == "warning") for one in as_json["findings"]] == places
    for one, finding in zip(as_json["findings"], report.findings, strict=True):
        if not re.search("[\ud800-\udfff]", finding.message + finding.path):
            assert (one["path"], one["message"]) == (finding.path, finding.message)


def test_json_is_ascii_and_reads_strictly() -> None:
    text = rendered("json", report_of(Finding("caf\udce9", 1, 1, "rule", "é\x7f ##[x] \ud800")))
    assert text.isascii()
    assert not re.search(r"(?<!\\)\\ud[89a-f]", text)
    [finding] = json.loads(text)["findings"]
    texts = {"judged": "caf\udce9", "base": "\ud800", "notes": ("caf\udce9",), "undecided": ("\udcff",)}
    told = rendered("json", report_of(**texts))
    assert not re.search(r"(?<!\\)\\ud[89a-f]", told)
    assert {name: json.loads(told)[name] for name in texts} == {
        "judged": r"caf\xe9", "base": r"\ud800", "notes": [r"caf\xe9"], "undecided": [r"\xff"]
    }  # fmt: skip
    assert finding["path"] == r"caf\xe9"
    assert finding["message"] == "é\x7f ##[x] " + r"\ud800"
