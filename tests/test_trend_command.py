"""`flakeledger trend` as it is typed: chart, tables, JSON and CSV, exit codes, on terminals and in pipes."""

from __future__ import annotations

import csv
import fcntl
import io
import json
import os
import pty
import struct
import subprocess
import termios
import threading
from collections.abc import Mapping
from pathlib import Path

import pytest

from commands import TOOL, Answer, typed
from conftest import git
from flakeledger.model.clock import format_instant
from timelines import Step, day, on, row, write_history
from world import World

NOW = ("--now", format_instant(day(28.25)))
BROKEN = "- test: [\n"
STORY = [
    Step(day(0.5), row("test_a", 0, 9)),
    Step(day(2.5), row("test_a", 0, 9) + row("test_b", 2, 12)),
    Step(day(8.5), row("test_a", 8, 16) + row("test_b", 2, 12)),
    Step(day(9.5), row("test_a", 8, 16)),
    Step(day(15.5), row("test_a", 8, 16) + row("test_c", 15, 40)),
    Step(day(23.5), row("test_c", 15, 40)),
]


@pytest.fixture
def story(repository: Path) -> World:
    write_history(repository, STORY)
    return World(repository)


def test_text_in_a_pipe(story: World) -> None:
    answer = typed(story, "trend", *NOW)
    assert (answer.code, answer.err) == (0, "")
    assert answer.out == (
        "open freezes at the end of each week\n"
        "2 |***************               ***************\n"
        "1 |               ***************               ******************************\n"
        "0 |\n"
        "  +---------------------------------------------------------------------------\n"
        "   2026-03-02                                                       2026-03-30\n"
        "\n"
        "2026-03-02\t2\t2\t0\t0\t0\n"
        "2026-03-09\t1\t0\t1\t1\t0\n"
        "2026-03-16\t2\t1\t0\t0\t1\n"
        "2026-03-23\t1\t0\t1\t0\t0\n"
        "2026-03-30\t1\t0\t0\t0\t0\n"
        "\n"
        "2026-03-02 to 2026-03-30: 3 opened, 2 thawed, 1 renewed, 1 open\n"
        "median time to thaw: 15.0 days\n"
        "expired unthawed: 1, 33 % of the windows that ended\n"
        "\n"
        "tests/test_a.py::test_c\t@finley\tPROP-1\t2026-03-17\t12\n"
    )


def test_json_for_programs(story: World) -> None:
    answer = typed(story, "trend", *NOW, "--since", on(21), "--format", "json")
    assert (answer.code, answer.err) == (0, "")
    assert json.loads(answer.out) == {
        "version": 1,
        "since": on(21),
        "until": on(28),
        "weeks": [
            {"start": on(21), "open": 1, "opened": 0, "thawed": 1, "renewed": 0, "expired": 0},
            {"start": on(28), "open": 1, "opened": 0, "thawed": 0, "renewed": 0, "expired": 0},
        ],
        "open": 1,
        "opened": 0,
        "thawed": 1,
        "renewed": 0,
        "expired_unthawed": 0,
        "share_expired_unthawed": None,
        "median_days_to_thaw": 23.0,
        "oldest": [
            {
                "test": "tests/test_a.py::test_c",
                "owner": "@finley",
                "property_id": "PROP-1",
                "since": on(15),
                "days": 12,
            }
        ],
        "passed_over": 0,
    }


def test_csv_has_every_week(story: World) -> None:
    answer = typed(story, "trend", *NOW, "--format", "csv")
    told = json.loads(typed(story, "trend", *NOW, "--format", "json").out)
    rows = list(csv.DictReader(io.StringIO(answer.out)))
    assert answer.out.splitlines()[0] == "week,open,opened,thawed,renewed,expired"
    assert rows == [{("week" if name == "start" else name): str(week[name]) for name in week} for week in told["weeks"]]


def test_of_many_weeks_the_text_has_the_newest_twelve(repository: Path) -> None:
    write_history(repository, [Step(day(0), row("test_a", 0, 9))])
    answer = typed(World(repository), "trend", "--now", format_instant(day(7 * 30)))
    told = [line for line in answer.out.splitlines() if line.count("\t") == 5]
    assert [line.partition("\t")[0] for line in told] == [on(7 * number) for number in range(19, 31)]


def test_an_empty_history_is_a_trend(repository: Path) -> None:
    write_history(repository, [Step(day(0), None)])
    answer = typed(World(repository), "trend", *NOW)
    assert (answer.code, answer.err) == (0, "")
    assert answer.out.endswith(
        f"\n{on(28)}\t0\t0\t0\t0\t0\n\n{on(28)} to {on(28)}: 0 opened, 0 thawed, 0 renewed, 0 open\n"
    )


@pytest.mark.parametrize(
    ("arguments", "reason", "fix"),
    [
        (
            ("--since", "nowhere"),
            "--since 'nowhere' is no date and names no commit that is here",
            "give a date such as",
        ),
        (("--since", "2027-01-01"), "--since 2027-01-01 lies after now, 2026-03-30", "give an earlier date"),
        (("--since=--all",), "--since '--all' is no date", "give a date such as"),
    ],
)
def test_what_cannot_be_told_ends_with_2(arguments: tuple[str, ...], reason: str, fix: str, story: World) -> None:
    answer = typed(story, "trend", *NOW, *arguments)
    assert (answer.code, answer.out) == (2, "")
    assert reason in answer.err
    assert fix in answer.err.partition("fix: ")[2]


def test_without_a_commit_and_in_a_shallow_clone_it_cannot_tell(repository: Path, tmp_path: Path) -> None:
    answer = typed(World(repository), "trend", *NOW)
    assert (answer.code, answer.out) == (2, "")
    assert "there is no commit yet" in answer.err
    write_history(repository, STORY)
    git(tmp_path, "clone", "-q", "--depth=1", f"file://{repository}", "shallow")
    answer = typed(World(tmp_path / "shallow"), "trend", *NOW)
    assert (answer.code, answer.out) == (2, "")
    assert "git fetch --unshallow" in answer.err


def test_versions_that_nobody_can_read_are_told(repository: Path) -> None:
    ledger = row("test_a", 0, 9)
    steps = [Step(day(0), ledger), Step(day(1), BROKEN), Step(day(2), ledger), Step(day(3), BROKEN + ledger)]
    write_history(repository, [*steps[:3]])
    answer = typed(World(repository), "trend", *NOW)
    assert answer.code == 0
    assert answer.err == ("passed over: 1 version of the ledger that cannot be read; the rows before stand on there\n")
    write_history(repository, [*steps[:2], Step(day(1), BROKEN + "\n"), steps[2]])
    assert "2 versions" in typed(World(repository), "trend", *NOW).err
    write_history(repository, steps)
    answer = typed(World(repository), "trend", *NOW)
    assert (answer.code, answer.out) == (2, "")
    assert "cannot be read" in answer.err


def test_texts_of_strangers_drive_nothing(repository: Path) -> None:
    strange = row('"::error::t.py::test_\\x1b[31m\\u202e"', 0, 9, owner='"=cmd()\\x07##[error]"')
    write_history(repository, [Step(day(0), strange)])
    for form in ("text", "json", "csv"):
        out = typed(World(repository), "trend", *NOW, "--format", form).out
        assert not {"\x1b", "\x07", "\u202e"} & set(out), form
        assert not any(line.lstrip().startswith("::") or "##[" in line for line in out.splitlines()), form


# terminals


def on_terminal(
    world: World, *arguments: str, columns: int = 60, errors: bool = False, environment: Mapping[str, str] | None = None
) -> Answer:
    """What the command prints where standard output (or with `errors` standard error alone) is a terminal."""
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    shown: list[bytes] = []
    reader = threading.Thread(target=_drain, args=(leader, shown))
    reader.start()
    process = subprocess.Popen(
        [str(TOOL), "trend", *NOW, *arguments],
        cwd=world.root,
        env={
            **{name: value for name, value in os.environ.items() if name != "COLUMNS"},
            "TERM": "xterm",
            **(environment or {}),
        },
        stdout=subprocess.PIPE if errors else follower,
        stderr=follower if errors else subprocess.PIPE,
    )
    os.close(follower)
    piped = b"".join(part for part in process.communicate() if part).decode()
    reader.join()
    os.close(leader)
    seen = b"".join(shown).decode()
    return Answer(process.returncode, *((piped, seen) if errors else (seen.replace("\r\n", "\n"), piped)))


def _drain(leader: int, shown: list[bytes]) -> None:
    while True:
        try:
            data = os.read(leader, 4096)
        except OSError:  # that is how Linux says that nobody has the other end any more
            return
        if not data:
            return
        shown.append(data)


def test_a_terminal_gets_dots_colour_and_headings_in_its_width(story: World) -> None:
    answer = on_terminal(story, columns=60)
    assert (answer.code, answer.err) == (0, "")
    chart, weeks, sums, oldest = answer.out.split("\n\n")
    assert "\x1b[36m⣀\x1b[0m" in chart
    assert len(chart.splitlines()[-1]) == 60
    assert weeks.splitlines()[:2] == [
        "week        open  opened  thawed  renewed  expired",
        "2026-03-02  2     2       0       0        0",
    ]
    assert sums.startswith(f"{on(0)} to {on(28)}: 3 opened, ")
    assert oldest.splitlines()[0].split() == ["oldest", "owner", "property", "since", "days"]


@pytest.mark.parametrize(
    ("environment", "dots", "colour"),
    [
        ({"NO_COLOR": "1"}, True, False),
        ({"TERM": "dumb"}, False, False),
        ({"TERM": "linux"}, False, False),
        ({"PYTHONIOENCODING": "latin-1"}, False, False),
    ],
)
def test_a_terminal_gets_no_more_than_it_wants_and_shows(
    environment: dict[str, str], dots: bool, colour: bool, story: World
) -> None:
    out = on_terminal(story, environment=environment).out
    assert ("⣀" in out, "\x1b" in out) == (dots, colour)
    assert ("***" in out) is not dots


def test_progress_is_shown_on_a_terminal_and_goes(story: World) -> None:
    answer = on_terminal(story, "--format", "csv", errors=True)
    assert answer.code == 0
    assert answer.out == typed(story, "trend", *NOW, "--format", "csv").out
    assert "version" in answer.err
    assert answer.err.rpartition("\r")[2] == ""
    assert answer.err.split("\r")[-2].strip() == ""
