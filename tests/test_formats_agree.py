"""Every format of one check tells the same, to consumers that are as strict as the services."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from commands import TOOL, Answer, noon, typed
from consumers import READERS, Seen, SeenFinding
from flakeledger.model.errors import CannotTell
from flakeledger.model.findings import Finding
from flakeledger.model.ledger_paths import FREEZES, POLICY
from flakeledger.model.report import Report
from flakeledger.reporters import REPORTERS, UNDECIDED
from flakeledger.reporters.escape import escape_line, escape_surrogates, escape_text
from reports import ERRORS, HOSTILE, REPORTS, reports
from world import ORDERS, REFUND, World

#: formats that tell what could not be decided as a note like the others
NOTES_ALONE = {"text"}
SERVICES = sorted(READERS.keys() - {"text", "json"})


def told(finding: Finding) -> SeenFinding:
    return SeenFinding(finding.path, finding.line, finding.rule, finding.level, finding.message, finding.fix)


def test_every_format_has_a_consumer() -> None:
    assert READERS.keys() == REPORTERS.keys() == UNDECIDED.keys()


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("report", REPORTS.values(), ids=list(REPORTS))
def test_every_format_tells_the_same(name: str, report: Report) -> None:
    seen = READERS[name](REPORTERS[name](report, False))
    assert seen.findings == [told(finding) for finding in report.findings]
    undecided = [] if name in NOTES_ALONE else list(report.undecided)
    assert seen.undecided == undecided
    assert seen.notes == [note for note in report.notes if note not in undecided]


@pytest.mark.parametrize("name", sorted(READERS.keys() - {"text"}))
@pytest.mark.parametrize("error", ERRORS.values(), ids=list(ERRORS))
def test_every_format_tells_what_could_not_be_decided(name: str, error: CannotTell) -> None:
    text = UNDECIDED[name]("check", error)
    seen = READERS[name](text)
    place = f"{error.place}: " if name == "github" and error.place else ""
    assert seen == Seen([], [], [place + error.reason])
    assert all(json.dumps(line)[1:-1] in text or line in text for line in error.fix.split("\n"))
    assert error.place.partition(":")[0] in text


# hostile text


def shown(name: str, text: str) -> str:
    """How a format for services shows a text of several lines."""
    lines = "\n".join(map(escape_line, text.split("\n")))
    return lines.replace("](", "]\\x28") if name == "sarif" else lines


def shown_path(name: str, path: str) -> str:
    if name == "sarif":
        try:
            return os.fsdecode(path.encode("utf-8", "surrogateescape"))
        except UnicodeEncodeError:
            return escape_surrogates(path)
    # behind the path stands a colon, which begins no command: `escape_line` sees it as well
    return escape_line(f"{path}:1")[:-2] if name == "junit" else escape_text(path)


def shown_finding(name: str, finding: Finding) -> tuple[object, ...]:
    """A finding as a service shows it; only GitHub is told a message of several lines as such."""
    message = finding.message if name == "github" else shown(name, escape_text(finding.message))
    told = f"{message}\nfix: {finding.fix}" if finding.fix else message
    return shown_path(name, finding.path), finding.line, finding.rule, finding.level, shown(name, told)


def unsplit(seen: SeenFinding) -> tuple[object, ...]:
    return (*seen[:4], f"{seen.message}\nfix: {seen.fix}" if seen.fix else seen.message)


UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


@pytest.mark.parametrize("name", SERVICES)
@settings(max_examples=60)
@given(report=reports())
def test_hostile_text_stays_text(name: str, report: Report) -> None:
    text = REPORTERS[name](report, False)
    assert not UNSAFE.search(text)
    assert text.endswith("\n")
    seen = READERS[name](text)
    assert [unsplit(one) for one in seen.findings] == [shown_finding(name, finding) for finding in report.findings]
    assert len(seen.undecided) + len(seen.notes) == len(report.notes)


@pytest.mark.parametrize("name", SERVICES)
@settings(max_examples=40)
@given(reason=HOSTILE.filter(bool), fix=HOSTILE, place=HOSTILE)
def test_hostile_text_of_what_could_not_be_decided_stays_text(name: str, reason: str, fix: str, place: str) -> None:
    text = UNDECIDED[name]("check", CannotTell(reason, fix, place))
    assert not UNSAFE.search(text)
    seen = READERS[name](text)
    assert (seen.findings, seen.notes, len(seen.undecided)) == ([], [], 1)


@pytest.mark.parametrize("name", SERVICES)
@settings(max_examples=40)
@given(report=reports(), data=st.data())
def test_no_line_of_it_is_a_command_unless_it_is_ours(name: str, report: Report, data: st.DataObject) -> None:
    lines = REPORTERS[name](report, data.draw(st.booleans())).split("\n")
    commands = [line for line in lines if line.lstrip().startswith("::") or re.search(r"##[A-Za-z]*\[", line)]
    assert len(commands) == (len(report.findings) + len(report.notes) if name == "github" else 0)


# a real repository


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    """A drifted fixture, a void freeze, a row that is wrong, and a path that is no ASCII."""
    world = World.new(tmp_path_factory.mktemp("formats") / "world")
    world.replay(0)
    world.freeze(REFUND, 0, 10)
    world.record("a freeze")
    world.write(ORDERS, '{"a": 2}\n')
    world.write("tests/test_größe.py", "import pytest\n\n\n@pytest.mark.skip\ndef test_x() -> None: ...\n")
    world.append(FREEZES, "- test: tests/test_orders.py::test_gone[a, b]\n  expires: 2026-11-31\n")
    world.git("add", "-A")
    return world


def check(world: World, command: str, name: str) -> Answer:
    return typed(world, command, "--now", noon(1), "--format", name)


@pytest.mark.parametrize(("command", "fewest"), [("check-ledgers", 4), ("check-change", 1), ("check", 5)])
def test_the_formats_of_a_real_check_agree(world: World, command: str, fewest: int) -> None:
    answers = {name: check(world, command, name) for name in READERS}
    assert {answer.code for answer in answers.values()} == {1}
    seen = {name: READERS[name](answer.out) for name, answer in answers.items()}
    assert all(one == seen["json"] for one in seen.values())
    assert len(seen["json"].findings) >= fewest


@pytest.mark.parametrize("name", ["gitlab", "json", "junit", "sarif"])
def test_a_path_arrives_whatever_the_encoding_of_the_output(world: World, name: str) -> None:
    command = [str(TOOL), "check-change", "--now", noon(1), "--format", name]
    environment = os.environ | {"PYTHONIOENCODING": "latin-1", "PYTHONUTF8": "0"}
    done = subprocess.run(command, cwd=world.root, capture_output=True, env=environment, check=False)
    text = done.stdout.decode("ascii")
    assert "tests/test_größe.py" in {one.path for one in READERS[name](text).findings}


def test_no_policy_is_undecided_in_every_format(tmp_path: Path) -> None:
    bare = World(tmp_path / "bare")
    bare.root.mkdir()
    bare.git("init", "-q")
    for name in READERS.keys() - {"text"}:
        answer = check(bare, "check-ledgers", name)
        seen = READERS[name](answer.out)
        assert answer.code == 2
        assert [(one.rule, one.path) for one in seen.findings] == [("policy-missing", POLICY)]
        assert len(seen.undecided) == 1
