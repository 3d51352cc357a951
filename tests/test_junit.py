"""JUnit XML reports: what is read of them, what is refused, and what is written back."""

from __future__ import annotations

import pytest

from flakeledger.evidence.junit import DEEPEST, EXCUSED, Report, excuse, read_report, written
from flakeledger.model.errors import CannotTell


def report_of(inside: str, suite: str = "") -> Report:
    """A report with one suite of these attributes."""
    return read_report(f"<testsuites><testsuite {suite}>{inside}</testsuite></testsuites>".encode(), "junit.xml")


@pytest.mark.parametrize(
    ("inside", "outcome"),
    [
        ("", "pass"),
        ("<system-out>failure</system-out>", "pass"),
        ("<failure/>", "fail"),
        ("<error/>", "fail"),
        ("<skipped/><failure/>", "fail"),
        ("<skipped/>", "skipped"),
        ('<skipped type="pytest.skip" message="no network"/>', "skipped"),
        ('<skipped type="pytest.xfail" message="a known bug"/>', "pass"),
        ('<skipped type="pytest.xfail" message="[NOTRUN] hangs"/>', "skipped"),
        (f'<skipped type="{EXCUSED}" message="frozen"/>', "pass"),
        ("<flakyFailure/>", "pass"),
        ("<failure/><rerunFailure/>", "fail"),
        ("<rerunFailure/>", "pass"),
    ],
)
def test_the_outcome_of_a_case(inside: str, outcome: str) -> None:
    (case,) = report_of(f'<testcase name="a">{inside}</testcase>').cases
    assert case.outcome == outcome


@pytest.mark.parametrize(
    ("attributes", "outcome"),
    [
        ('status="run"', "pass"),
        ('status="fail"', "pass"),
        ('status="disabled"', "skipped"),
        ('status="notrun"', "skipped"),
        ('status="run" result="completed"', "pass"),
        ('status="notrun" result="suppressed"', "skipped"),
        ('status="run" result="SKIPPED"', "skipped"),
    ],
)
def test_attributes_that_say_that_a_case_did_not_run(attributes: str, outcome: str) -> None:
    (case,) = report_of(f'<testcase name="a" {attributes}/>').cases
    assert case.outcome == outcome


def test_cases_come_in_the_order_of_the_document_with_the_suites_around_them() -> None:
    text = b"""<testsuites name="all">
      <testcase name="one" classname="test"/>
      <testsuite name="outer" file="a.js">
        <testsuite name="inner"><testcase name="two" file="b.js"/><properties/><testcase name="three"/></testsuite>
        <testcase/>
      </testsuite></testsuites>"""
    cases = read_report(text, "junit.xml").cases
    assert [(case.name, case.classname, case.file, case.suites) for case in cases] == [
        ("one", "test", "", ("all",)),
        ("two", "", "b.js", ("all", "outer", "inner")),
        ("three", "", "a.js", ("all", "outer", "inner")),
        ("", "", "a.js", ("all", "outer")),
    ]


BOMB = '<!DOCTYPE a [<!ENTITY b "bbbb"><!ENTITY c "&b;&b;&b;&b;">]><testsuites>&c;</testsuites>'
OUTSIDE = '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><testsuites>&b;</testsuites>'


@pytest.mark.parametrize(
    ("text", "reason", "place"),
    [
        ("", "junit.xml is no XML: no element found", "junit.xml:1:1"),
        ("<testsuites>\n <testcase", "junit.xml is no XML: unclosed token", "junit.xml:2:2"),
        ("<testsuites>&b;</testsuites>", "undefined entity", "junit.xml:1:13"),
        (BOMB, "declares a document type", ""),
        (OUTSIDE, "declares a document type", ""),
        ("<!DOCTYPE html><testsuites/>", "declares a document type", ""),
        ("<html/>", "its root is neither testsuites nor testsuite", ""),
        ('<?xml version="1.0" encoding="nobody"?><testsuites/>', "junit.xml is no XML: unknown encoding", ""),
        ('<?xml version="1.0" encoding="utf-7"?><testsuites/>', "junit.xml is no XML", ""),
        ("<testsuite>" * (DEEPEST + 1), "junit.xml is no XML", ""),
        (f"{'<testsuite>' * (DEEPEST + 1)}{'</testsuite>' * (DEEPEST + 1)}", "nested deeper than 32 levels", ""),
    ],
)
def test_what_is_no_report_is_refused_with_a_sentence(text: str, reason: str, place: str) -> None:
    with pytest.raises(CannotTell) as refused:
        read_report(text.encode(), "junit.xml")
    assert reason in refused.value.reason
    assert refused.value.fix
    assert refused.value.place.startswith(place)


def test_suites_nest_as_deep_as_they_may() -> None:
    text = f"{'<testsuite>' * DEEPEST}<testcase name='a'/>{'</testsuite>' * DEEPEST}"
    assert len(read_report(text.encode(), "junit.xml").cases) == 1


MIXED = """\
<?xml version="1.0"?>
<testsuites tests="4" failures="2" errors="1" skipped="x">
  <!-- made by hand -->
  <testsuite name="orders" tests="4" failures="2" errors="1" skipped="1" time="0.5">
    <properties><property name="seed" value="7" /></properties>
    <testcase name="one"><failure message="late" type="X">&lt;module&gt;</failure><system-out>o</system-out></testcase>
    <testcase name="two"><failure type="ValueError">wrong</failure></testcase>
    <testcase name="three"><error message="late">text</error></testcase>
    <testcase name="four"><skipped /></testcase>
  </testsuite>
</testsuites>"""


def test_an_excused_failure_is_a_skip_with_its_own_words_and_nothing_else_changes() -> None:
    report = read_report(MIXED.encode(), "junit.xml")
    excuse(report.nodes[0], "frozen, <owner>")
    excuse(report.nodes[2], "frozen")
    skipped = (
        f'<skipped type="{EXCUSED}" message="frozen, &lt;owner&gt;">late\n&lt;module&gt;</skipped>',
        f'<skipped type="{EXCUSED}" message="frozen">late\ntext</skipped>',
    )
    expected = (
        MIXED.replace('<?xml version="1.0"?>', "<?xml version='1.0' encoding='utf-8'?>")
        .replace('<testsuites tests="4" failures="2" errors="1"', '<testsuites tests="4" failures="1" errors="0"')
        .replace('failures="2" errors="1" skipped="1"', 'failures="1" errors="0" skipped="3"')
        .replace('<failure message="late" type="X">&lt;module&gt;</failure>', "")
        .replace("<system-out>o</system-out>", f"<system-out>o</system-out>{skipped[0]}")
        .replace('<error message="late">text</error>', skipped[1])
    )
    assert written([report]).decode() == f"{expected}\n"
    assert [case.outcome for case in read_report(written([report]), "again.xml").cases] == [
        "pass",
        "fail",
        "pass",
        "skipped",
    ]


def test_every_failure_of_an_excused_case_goes() -> None:
    report = report_of(
        f'<testcase name="a">{"<failure/>" * 3}<error/><skipped/></testcase>', 'failures="3" skipped="1"'
    )
    excuse(report.nodes[0], "frozen")
    assert written([report]).count(b"<failure") == 0
    assert b'<testsuite failures="0" skipped="1">' in written([report])


def test_several_reports_are_written_as_one() -> None:
    whole = read_report(b'<testsuites><testsuite name="a"/><testsuite name="b"/></testsuites>', "1.xml")
    part = read_report(b'<testsuite name="c"><testcase name="x"/></testsuite>', "2.xml")
    text = written([whole, part]).decode().partition("\n")[2]
    assert text == (
        '<testsuites><testsuite name="a" /><testsuite name="b" />'
        '<testsuite name="c"><testcase name="x" /></testsuite></testsuites>\n'
    )


def test_what_is_nested_without_end_is_read_and_refused_where_it_is_written() -> None:
    report = report_of(f'<testcase name="a">{"<x>" * 100_000}{"</x>" * 100_000}<failure/></testcase>')
    assert report.cases[0].outcome == "fail"
    with pytest.raises(CannotTell, match="nested too deep"):
        written([report])
