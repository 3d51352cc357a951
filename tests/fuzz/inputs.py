"""What targets share: how one input holds several texts, which ledger or file it is about, and where findings stand.

Invariants:
* Whatever the bytes, there is an answer: an input is never refused for its form.
"""

from __future__ import annotations

from flakeledger.model.findings import Finding
from flakeledger.model.ledger_paths import ROW_LEDGERS

BETWEEN = b"\n====\n"
#: one path of every language of which skips and citations are known, as a list so that a byte can choose
PATHS = (
    *(
        "a.test.js",
        "a_test.go",
        "test_a.rb",
        "a_spec.rb",
        "ATest.java",
        "ATest.kt",
        "ATest.cs",
        "a_test.rs",
        "ATest.php",
    ),
    *("ATests.swift", "a_test.dart", "a_test.exs", "a_test.cc", "ASpec.scala", "ASpec.hs", "a.bats", "pyproject.toml"),
    *("tox.ini", "ci.yml", "Makefile", "Dockerfile", "a.Tests.ps1", "a.test.vue", "Jenkinsfile", "CMakeLists.txt"),
    *("a_test.lua", "a.t", "runtests.jl", "test-a.R", "a.sql", "a_test.clj", "a_test.erl"),
)
_LEDGERS = ROW_LEDGERS


def texts_of(data: bytes, number: int) -> list[bytes]:
    """The texts of an input, exactly so many; the first byte of each may be read as a choice."""
    parts = data.split(BETWEEN, number - 1)
    return [*parts, *[b""] * (number - len(parts))]


def chosen(data: bytes) -> tuple[str, bytes]:
    """A row ledger by the first letter of a text, and the text: `-` and `#` begin ledgers, and mean freezes."""
    letter = data[:1]
    return (_LEDGERS[b"012".index(letter)], data[1:]) if letter and letter in b"012" else (_LEDGERS[0], data)


def stand_in(findings: list[Finding], data: bytes) -> None:
    """Every finding has a place in the text."""
    lines = data.count(b"\n") + data.count(b"\r") + 1
    for finding in findings:
        assert 1 <= finding.line <= lines, finding
        assert 1 <= finding.column <= len(data) + 1, finding
        assert finding.rule, finding
        assert finding.message, finding


def has_plain_lines(data: bytes) -> bool:
    return b"\r" not in data and b"\f" not in data
