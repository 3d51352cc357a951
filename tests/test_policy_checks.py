from __future__ import annotations

import pytest

from policies import SMALLEST, faults

#: lines added to the smallest policy (they start at line 9), and the one finding
ADDED = [
    ("limits:\n  unproven_days: 31", "policy-invalid", 10, 18, "longer than `max_window_days`, 30"),
    ("limits:\n  max_window_days: 2", "policy-invalid", 10, 3, "`unproven_days` is 3, longer than"),
    ("seeds: data/gate.json", "policy-invalid", 9, 8, "`data/gate.json` is of class production, not generator"),
    ("default_runner: other", "policy-invalid", 9, 17, "`other` is no runner of this policy"),
]


@pytest.mark.parametrize(("added", "rule", "line", "column", "message"), ADDED)
def test_a_line_that_does_not_fit_the_others(added: str, rule: str, line: int, column: int, message: str) -> None:
    found = faults(f"{SMALLEST}{added}\n")
    assert [one[:3] for one in found] == [(rule, line, column)]
    assert message in found[0][3]


#: a text of the smallest policy, what stands there instead, and the one finding
CHANGED = [
    ("name: local", "name: local\n  - name: local", "policy-invalid", 9, 11, "two runners are named `local`"),
    ("generator", "runner", "policy-invalid", 3, 3, "no pattern is of class generator"),
    ("/ledgers/", "/ledgers/*.yaml", "policy-invalid", 3, 3, "ledgers/replays.jsonl is of class production, and"),
    ("/ledgers/", "ledger/", "policy-invalid", 3, 3, "ledgers/policy.yaml is of class production"),
]


@pytest.mark.parametrize(("before", "after", "rule", "line", "column", "message"), CHANGED)
def test_a_line_that_the_others_need(before: str, after: str, rule: str, line: int, column: int, message: str) -> None:
    assert SMALLEST.count(before) == 1
    found = faults(SMALLEST.replace(before, after))
    assert [one[:3] for one in found] == [(rule, line, column)]
    assert message in found[0][3]


def test_a_class_that_takes_the_ledgers_first_is_named() -> None:
    text = SMALLEST.replace("paths:\n", "paths:\n  - class: runner\n    match: ['*.jsonl']\n")
    [(rule, line, column, message, fix)] = faults(text)
    assert (rule, line, column) == ("policy-invalid", 3, 3)
    assert "ledgers/replays.jsonl is of class runner by the pattern `*.jsonl`" in message
    assert "be the first entry" in fix
