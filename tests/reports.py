"""Reports to be told in every format: by hand, and drawn with hostile text in every field."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from flakeledger.model.errors import CannotTell
from flakeledger.model.findings import Finding
from flakeledger.model.report import Report
from flakeledger.rules.table import RULE_NAMES

COUNTS = {"freezes": 3, "fixtures": 2, "properties": 1, "replays": 4}
NOW = "2026-11-21T00:00:00Z"
EXPIRED = Finding(
    "ledgers/freezes.yaml",
    7,
    12,
    "freeze-expired",
    "the window of `tests/test_a.py::test_b[x-1]` closed on 2026-11-20",
    "remove the row:\nflakeledger thaw 'tests/test_a.py::test_b[x-1]'",
    subject="tests/test_a.py::test_b[x-1]",
)
EXPIRING = Finding("ledgers/freezes.yaml", 19, 3, "freeze-expiring", "3 days are left", level="warning")
ODD_PATH = Finding("tests/größe und % #1?.py", 2, 1, "skip-unledgered", '50% & <b>"off"</b>: a, b', "say 'why'")
UNSTAGED = "ledgers/freezes.yaml has edits that are not staged; they were not checked"
NO_POLICY = "without a policy that can be read, the rules that need one were not applied"


def report_of(*findings: Finding, **changes: Any) -> Report:
    """A report of `check` with these findings."""
    return Report("check", findings, COUNTS, "staged tree", "", NOW, ())._replace(**changes)


REPORTS = {
    "nothing": report_of(counts={}),
    "one": report_of(EXPIRED, command="check-ledgers", base="HEAD 1a2b3c4", rules=("freeze-expired", "freeze-window")),
    "a warning": report_of(EXPIRING, notes=(UNSTAGED,)),
    "three": report_of(EXPIRED, EXPIRING, ODD_PATH, notes=(UNSTAGED, "another")),
    "many alike": report_of(*[EXPIRED._replace(line=line) for line in range(1, 60)]),
    "undecided": report_of(EXPIRED, notes=(UNSTAGED, NO_POLICY), undecided=(NO_POLICY,)),
}
ERRORS = {
    "no place": CannotTell("no base could be found: the clone is shallow", "fetch-depth: 2\nGIT_DEPTH: 0"),
    "a place": CannotTell("`x` is no window", "write one", "ledgers/policy.yaml:3:5"),
    "a file": CannotTell("it cannot be read", "mend it", "ledgers/replays.jsonl"),
}

HOSTILE = st.text(
    st.sampled_from('a:,#[]()% \n\r\t\x1b\x9b\x00\x7f\u202e\u2028\ud800\udcff\u3000\u200b"\\é<&>]|`*_\ufffe\U0001fffe')
    | st.characters(),
    max_size=12,
) | st.sampled_from(
    [
        *(
            "::error::x",
            "\n::stop-commands::x",
            "##[error]x",
            "a\n ##[x]",
            "##vso[x]",
            "x\r::error::",
            "]]>",
            "a\nfix: b",
        ),
        *("<script>alert(1)</script>", "[x](https://evil.example)", "{0} {1}", "../../etc/passwd", "%2e%2e/", "@all"),
    ]
)
#: what git takes for the path of a file
PATHS = HOSTILE.filter(lambda path: "\0" not in path and not {"", ".", ".."} & set(path.split("/")))
FINDINGS = st.builds(
    Finding,
    path=PATHS,
    line=st.integers(1, 99),
    column=st.integers(1, 99),
    rule=st.sampled_from(RULE_NAMES),
    message=HOSTILE.filter(bool),
    fix=HOSTILE,
    level=st.sampled_from(["error", "warning"]),
    subject=HOSTILE,
)
NOTES = st.lists(HOSTILE.filter(bool), max_size=3, unique=True)


@st.composite
def reports(draw: st.DrawFn) -> Report:
    """A report with hostile text wherever text from files may stand."""
    notes = draw(NOTES)
    return Report(
        command="check",
        findings=tuple(draw(st.lists(FINDINGS, max_size=4))),
        counts=COUNTS,
        judged=draw(HOSTILE),
        base=draw(HOSTILE),
        now=NOW,
        notes=tuple(notes),
        rules=tuple(draw(st.lists(st.sampled_from(RULE_NAMES), max_size=3, unique=True))),
        undecided=tuple(notes[: draw(st.integers(0, len(notes)))]),
    )
