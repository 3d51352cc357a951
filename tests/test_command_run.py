"""Tests of other frameworks, by the command of their runner."""

from __future__ import annotations

from pathlib import Path

import pytest

from flakeledger.evidence.command_run import filled, is_seeded
from flakeledger.evidence.runs import Outcome
from flakeledger.model.policy import Runner
from replaying import SLEEP, are_gone, committed, job, outcomes, replayed, stopped_after


@pytest.mark.parametrize(
    ("command", "test", "expected"),
    [
        (("run", "{path}", "-t", "{name}"), "a/b.js::adds two", ["run", "a/b.js", "-t", "adds two"]),
        (("run", "{test}#{seed}"), "a.js::{seed} {path}", ["run", "a.js::{seed} {path}#7"]),
        (("run", "--name={name}"), "a.js::x; rm -rf $HOME", ["run", "--name=x; rm -rf $HOME"]),
        (("run", "{name}"), "a.js::group::adds", ["run", "group::adds"]),
        (("run", "{name}", "{other}"), "t.py::C::test[a]", ["run", "C::test[a]", "{other}"]),
    ],
)
def test_words_are_filled_in_once(command: tuple[str, ...], test: str, expected: list[str]) -> None:
    assert filled(command, test, 7) == expected


def test_a_command_is_seeded_when_it_names_the_seed() -> None:
    assert is_seeded(("run", "--seed={seed}", "{path}"))
    assert not is_seeded(("run", "{path}"))


#: a shell script, and what each test of it is
SCRIPT = f"""\
case "$2" in
  passes) exit 0;;
  fails) echo "expected 1, got 2"; exit 1;;
  "has spaces and ' quotes") exit 0;;
  under*) test "$FLAKELEDGER_SEED" = "$1" -a "$TZ" = UTC -a -z "$GIT_DIR" -a ! -e left.txt -a ! -e "$TMPDIR/x"
     code=$?; touch left.txt "$TMPDIR/x"; exit $code;;
  crashes) kill -SEGV $$;;
  hangs) sleep {SLEEP}; exit 0;;
  leaves) sleep {SLEEP} & exit 0;;
  prints) yes | head -c 3000000; exit 0;;
  missing) exec nowhere-to-be-found;;
  tree) test "$(cat data.txt)" = committed;;
esac
"""
OUTCOMES: list[tuple[str, Outcome, str]] = [
    ("passes", "pass", ""),
    ("fails", "fail", "it ended with exit code 1: expected 1, got 2"),
    ("has spaces and ' quotes", "pass", ""),
    ("under its seed", "pass", ""),
    ("crashes", "error", "it ended by signal SIGSEGV"),
    ("leaves", "pass", ""),
    ("prints", "pass", ""),
    ("missing", "error", "it ended with exit code 127"),
    ("tree", "pass", ""),
]


def test_the_exit_status_decides(repository: Path) -> None:
    git = committed(repository, {"test.sh": SCRIPT, "data.txt": "committed"})
    (repository / "data.txt").write_text("edited")
    runner = Runner("shell", timezone="UTC", command=("sh", "{path}", "{seed}", "{name}"))
    runs = replayed(git, *(job(f"test.sh::{name}", (5, 6), runner=runner) for name, _, _ in OUTCOMES))
    expected = [(outcome, said) for _, outcome, said in OUTCOMES for _ in range(2)]
    assert [run.outcome for run in runs] == [outcome for outcome, _ in expected], [run.detail for run in runs]
    assert all(run.detail.startswith(said) for run, (_, said) in zip(runs, expected, strict=True))
    assert [run.seed for run in runs[:2]] == [5, 6]
    assert are_gone(SLEEP)


def test_a_command_that_hangs_is_ended(repository: Path) -> None:
    git = committed(repository, {"test.sh": SCRIPT})
    runner = Runner("shell", command=("sh", "{path}", "{seed}", "{name}"))
    (run,) = replayed(git, job("test.sh::hangs", runner=runner, timeout=0.5))
    assert (run.outcome, run.detail) == ("timeout", "it took longer than 0.5 seconds")
    assert are_gone(SLEEP)


def test_a_command_that_cannot_be_started_is_an_error(repository: Path) -> None:
    git = committed(repository, {"test.sh": SCRIPT})
    runner = Runner("none", command=("nowhere-to-be-found", "{path}"))
    (run,) = replayed(git, job("test.sh::passes", runner=runner))
    assert run.outcome == "error"
    assert run.detail.startswith("nowhere-to-be-found cannot be started")


def test_seeds_stop_when_asked(repository: Path) -> None:
    git = committed(repository, {"test.sh": SCRIPT})
    runner = Runner("shell", command=("sh", "{path}", "{seed}", "{name}"))
    runs = stopped_after(1, git, job("test.sh::passes", (1, 2, 3), runner=runner))
    assert outcomes(runs) == ["pass"]
