"""Completion in the real shells: what is offered at TAB, and that pressing it runs nothing of a repository."""

from __future__ import annotations

import contextlib
import os
import pty
import shlex
import subprocess
from pathlib import Path

import pytest

from commands import TOOL, typed
from flakeledger.cli.completion import SHELLS
from flakeledger.cli.main import COMMANDS, main
from flakeledger.model.ledger_paths import FREEZES
from flakeledger.reporters import REPORTERS
from flakeledger.rules.table import RULE_NAMES
from world import CLOCK, REFUND, World

#: where each script goes, as `flakeledger completion --help` says
PLACES = {"bash": "completions/flakeledger", "zsh": "functions/_flakeledger", "fish": "completions/flakeledger.fish"}
#: what each shell reads when it starts: the script, and what writes down what is offered
STARTUP = {
    "bash": """\
PS1='ready> '
source completions/flakeledger
noted() { _flakeledger "$@"; printf '%s\\n' "${COMPREPLY[@]}" >> offered; }
complete -F noted flakeledger
""",
    "zsh": """\
PS1='ready> '
fpath=($PWD/functions $fpath)
autoload -Uz compinit
compinit -u -D
compadd() {
  local -a some
  [[ "$*" == *-[ADO]\\ * ]] || { builtin compadd -O some "$@"; print -rl -- $some >> offered; }
  builtin compadd "$@"
}
""",
}
START = {"bash": ["bash", "--noprofile", "--rcfile", "startup", "-i"], "zsh": ["zsh", "-o", "NO_GLOBAL_RCS", "-i"]}


@pytest.fixture
def world(tmp_path: Path) -> World:
    """Two frozen tests, one property, two runners, all of them staged."""
    world = World.new(tmp_path / "world")
    for test in (REFUND, CLOCK):
        world.replay(0, test=test)
        world.freeze(test, 0, 10)
    world.git("add", "-A")
    return world


def environment() -> dict[str, str]:
    """With the command line of this product first on PATH, and no startup files but those of the world."""
    return os.environ | {"PATH": f"{TOOL.parent}:{os.environ['PATH']}", "TERM": "vt100", "ZDOTDIR": "."}


def at_a_terminal(command: list[str], world: World, keys: str) -> str:
    """What a shell shows on a terminal at which the keys are typed once it is ready."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        command,
        cwd=world.root,
        env=environment(),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,  # so that the terminal can become its own
    )
    os.close(theirs)
    shown = b""
    waiting = keys.encode()
    with contextlib.suppress(OSError):  # how a terminal ends on Linux
        while chunk := os.read(ours, 65536):
            shown += chunk
            if waiting and b"ready> " in shown:
                os.write(ours, waiting)
                waiting = b""
    os.close(ours)
    process.wait(timeout=60)
    return shown.decode(errors="replace")


def offered(shell: str, world: World, *lines: str) -> list[set[str]]:
    """What a shell offers for each line when TAB is pressed behind it."""
    world.write(PLACES[shell], typed(world, "completion", shell).out)
    world.write("offered", "")
    if shell == "fish":
        asked = "; ".join(f"complete -C {shlex.quote(line)} >> offered; echo @@ >> offered" for line in lines)
        command = ["fish", "--no-config", "-c", f"source {PLACES[shell]}; {asked}"]
        done = subprocess.run(command, cwd=world.root, env=environment(), capture_output=True, text=True, check=True)
        assert done.stdout + done.stderr == ""
    else:
        world.write({"bash": "startup", "zsh": ".zshrc"}[shell], STARTUP[shell])
        keys = "".join(f"{line}\t\x15echo @@ >> offered\n" for line in lines)
        at_a_terminal(START[shell], world, f"{keys}exit\n")
    answers = world.read("offered").split("@@\n")
    assert len(answers) == len(lines) + 1
    return [{name.partition("\t")[0].rstrip("/") for name in answer.splitlines()} - {""} for answer in answers[:-1]]


def names(world: World, kind: str, folder: str = "") -> set[str]:
    """What the scripts ask for."""
    answer = typed(world, "completion", kind, folder=folder)
    assert (answer.code, answer.err) == (0, "")
    return set(answer.out.splitlines())


CASES = {
    "a command": ("flakeledger che", {"check", "check-ledgers", "check-change"}),
    "an option": ("flakeledger check --st", {"--staged"}),
    "choices of an option": ("flakeledger check --format ", set(REPORTERS)),
    "choices of an argument": ("flakeledger witness rep", {"replay"}),
    "a rule": ("flakeledger check --only freeze-un", {name for name in RULE_NAMES if name.startswith("freeze-un")}),
    "a command to be explained": ("flakeledger help fre", {"freeze"}),
    "frozen tests": ("flakeledger thaw tests/test_o", {REFUND, CLOCK}),
    "a second frozen test": ("flakeledger thaw tests/test_orders.py::test_x tests/test_o", {REFUND, CLOCK}),
    "a test behind its colons": (f"flakeledger thaw {REFUND[:-3]}", {REFUND}),
    "an option behind a test": (f"flakeledger freeze {REFUND} --ren", {"--renew"}),
    "a property": ("flakeledger replay --property P", {"PROP-1"}),
    "a runner": ("flakeledger replay --runner l", {"local-fixture"}),
    "a file": ("flakeledger excerpt sr", {"src"}),
    "every command": ("flakeledger ", set(COMMANDS)),
    "no such name": ("flakeledger thaw tests/nothing", set()),
}
#: zsh completes the value of an option behind a blank only
EQUALS = {
    "bash": {"a choice behind an equals sign": ("flakeledger check --format=te", {"text"})},
    "fish": {"a choice behind an equals sign": ("flakeledger check --format=te", {"--format=text"})},
}


@pytest.mark.parametrize("shell", SHELLS)
def test_a_shell_offers(shell: str, world: World) -> None:
    cases = CASES | EQUALS.get(shell, {})
    found = dict(zip(cases, offered(shell, world, *(line for line, _ in cases.values())), strict=True))
    expected = {case: names for case, (_, names) in cases.items()}
    if shell == "bash":  # it replaces only what stands behind the last colon
        expected["a test behind its colons"] = {"test_refund"}
    assert found == expected


HOSTILE = [
    "$(touch pwned)",
    "`touch pwned`",
    "a;touch pwned",
    "a b",
    "a'b",
    "\\\\x1b[31m",
    "*",
    "$HOME",
    "\\\\",
    "<(touch pwned)",
]


@pytest.mark.parametrize("shell", SHELLS)
def test_a_name_that_a_shell_would_run_is_not_offered(shell: str, world: World) -> None:
    row = world.row(FREEZES, REFUND)
    for text in HOSTILE:
        world.append(FREEZES, row.replace(f"test: {REFUND}", f'test: "{REFUND}[{text}]"', 1))
    world.append(FREEZES, row.replace(f"test: {REFUND}", f'test: "{REFUND}[1-x]"', 1))
    world.git("add", "-A")
    with world.ledger() as ledger:
        assert len(ledger.freeze_by_test) == len(HOSTILE) + 3
    assert names(world, "tests") == {REFUND, CLOCK, f"{REFUND}[1-x]"}
    (found,) = offered(shell, world, "flakeledger thaw tests/test_o")
    assert len(found) == 3
    assert not (world.root / "pwned").exists()


@pytest.mark.parametrize("shell", SHELLS)
def test_nothing_is_offered_and_nothing_said_where_no_repository_is(shell: str, tmp_path: Path) -> None:
    assert offered(shell, World(tmp_path), "flakeledger thaw --", "flakeledger thaw x") == [{"--help", "--now"}, set()]


def test_asking_for_names_runs_no_filter_and_no_monitor_of_the_repository(world: World) -> None:
    world.write(".gitattributes", "* filter=hostile\n")
    for name in ("filter.hostile.clean", "filter.hostile.smudge", "core.fsmonitor"):
        world.git("config", name, f"touch {world.root}/pwned; cat")
    assert names(world, "tests") == {REFUND, CLOCK}
    assert not (world.root / "pwned").exists()


def test_names_are_told_apart_and_few(world: World) -> None:
    assert names(world, "tests", folder="tests") == {REFUND, CLOCK}
    assert names(world, "properties") == {"PROP-1"}
    assert names(world, "runners") == {"pinned-py311", "local-fixture"}
    row = world.row(FREEZES, REFUND)
    world.append(FREEZES, "".join(row.replace(REFUND, f"{REFUND}_{number}", 1) for number in range(1200)))
    world.git("add", "-A")
    assert len(names(world, "tests")) == 1000


def test_no_script_is_printed_for_an_unknown_shell(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["completion", "fsh"])
    assert left.value.code == 2
    assert "did you mean fish?" in capsys.readouterr().err
