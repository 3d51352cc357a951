"""Fingerprints: unique in a report, and the same in the next one."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from flakeledger.model.findings import Finding
from flakeledger.reporters.fingerprints import fingerprints
from reports import EXPIRED, EXPIRING, FINDINGS, ODD_PATH

SHIFTS = st.integers(1, 500)


@given(st.lists(FINDINGS, max_size=8), SHIFTS)
def test_they_are_unique_and_survive_lines_that_moved(findings: list[Finding], shift: int) -> None:
    before = list(fingerprints(findings))
    moved = [one._replace(line=one.line + shift, column=1, message="other", fix="") for one in findings]
    assert len(set(before)) == len(findings)
    assert list(fingerprints(moved)) == before


def test_another_finding_that_comes_or_goes_moves_none() -> None:
    expired, odd = fingerprints([EXPIRED, ODD_PATH])
    assert list(fingerprints([EXPIRED, EXPIRING, ODD_PATH]))[::2] == [expired, odd]
    assert list(fingerprints([ODD_PATH])) == [odd]


def test_rule_path_and_row_tell_findings_apart() -> None:
    others = [EXPIRED._replace(rule="freeze-window"), EXPIRED._replace(path="b"), EXPIRED._replace(subject="b")]
    assert len({next(fingerprints([one])) for one in (EXPIRED, *others)}) == 4


def test_no_two_keys_run_into_each_other() -> None:
    first = Finding("b", 1, 1, "a", "", subject="c")
    assert next(fingerprints([first])) != next(fingerprints([first._replace(path="bc", subject="")]))
    assert next(fingerprints([first])) != next(fingerprints([first._replace(path='b", "c', subject="")]))


def test_they_do_not_change_between_versions() -> None:
    """Services have stored them: another way to make them would report every finding anew."""
    assert list(fingerprints([EXPIRED, EXPIRED])) == [
        "e0f889f978a98a8675d90d95a854d5a5ecaccc6d83f87d2001c99d98ee636093",
        "4a37d0e0d4efbeffee9fa1716ec5c15e471daf7fd56e528e2f14975b3c4cb017",
    ]
