"""`flakeledger gate` with real replays: what surrounds a patch does not reach them, and nothing is left behind.

Invariants:
* The command is the installed one, in a process of its own.
* The patch is one that flips. An attempt changes neither the answer nor what each replay showed.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import sysconfig
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

from commands import TOOL
from conftest import FIXED_ENVIRONMENT
from flakeledger.model.ledger_paths import POLICY
from flakeledger.model.witness import example_of
from patched import a_witness, on_a_branch, saved
from replaying import are_gone, processes_with
from witnessed import committed_shop, product
from world import CONFTEST, PRODUCT, REFUND, STRATEGIES, TESTS, World

FLIP = ("pass", "fail", "pass")
#: what a marked program or module does first
MARK = "open({marks!r}, 'a').close()\n"


class Case(NamedTuple):
    """The shop on a branch with a patch, a witness, and folders beside it."""

    world: World
    witness: Path
    beside: Path

    @property
    def temporary(self) -> Path:
        return self.beside / "temporary"

    @property
    def marks(self) -> Path:
        return self.beside / "marks"

    def patch(self, *does: str) -> None:
        """Commit a product that does this in each replay, on the branch work."""
        mark = f"with open({str(self.beside / 'replays')!r}, 'a') as replays: replays.write('ran ')"
        on_a_branch(self.world, lambda world: world.write(PRODUCT, product(mark, *does)))

    @property
    def replays(self) -> int:
        """How many replays have begun: each imports the product."""
        file = self.beside / "replays"
        return len(file.read_text().split()) if file.exists() else 0

    def start(self, *arguments: str, **environment: str) -> subprocess.Popen[str]:
        """The gate on the branch, in a process group of its own as a shell makes one."""
        variables = {**os.environ, "TMPDIR": str(self.temporary), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
        return subprocess.Popen(
            [TOOL, "gate", "--base", "main", "--witness", str(self.witness), *arguments],
            cwd=self.world.root,
            env=variables | environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def asked(self, **environment: str) -> tuple[int, str, tuple[str, ...]]:
        """The exit code, the verdict, and what the replays showed."""
        with self.start(**environment) as process:
            out, errors = process.communicate(timeout=120)
        assert out, errors
        note = json.loads(out)
        return process.returncode, note["freeze"], tuple(note["replay_outcomes"])

    def nothing_is_left(self) -> bool:
        """No worktree, no process of a replay, no temporary file."""
        assert self.world.git("worktree", "list").count("\n") == 0
        assert are_gone(str(self.temporary))
        assert os.listdir(self.temporary) == []
        return True


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> World:
    """The shop on main, made once, in an environment that is that of no test."""
    with pytest.MonkeyPatch.context() as patch:
        configured = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "init.defaultBranch", "GIT_CONFIG_VALUE_0": "main"}
        for name, value in (FIXED_ENVIRONMENT | {"GIT_CONFIG_GLOBAL": os.devnull} | configured).items():
            patch.setenv(name, value)
        return committed_shop(tmp_path_factory.mktemp("replays") / "shop")


@pytest.fixture
def case(made: World, tmp_path: Path) -> Case:
    world = made.copy(tmp_path / "shop")
    (tmp_path / "temporary").mkdir()
    return Case(world, witness_of(world), tmp_path)


def witness_of(world: World) -> Path:
    """A witness of the tree as it lies here."""
    return saved(world, a_witness(world, example=example_of({"paid": 7}, REFUND)))


# what a patch cannot do to its replays


def marking(case: Case, name: str) -> Path:
    """A program that leaves a mark, and then makes the product one that always passes, where it is run."""
    program = case.beside / "programs" / name
    program.parent.mkdir(exist_ok=True)
    text = f"#!/bin/sh\ntouch '{case.marks}'\nprintf 'def connect():\\n    pass\\n' > {PRODUCT}\n"
    program.write_text(text, encoding="utf-8")
    program.chmod(0o755)
    return program


def hooks(case: Case) -> None:
    """The hooks of the repository, and those of a folder that its configuration names."""
    for name in ("post-checkout", "post-index-change", "reference-transaction"):
        program = marking(case, name)
        inner = case.world.root / ".git/hooks" / name
        inner.parent.mkdir(exist_ok=True)
        inner.symlink_to(program)
    case.world.git("config", "core.hooksPath", str(case.beside / "programs"))


def settings(case: Case) -> None:
    """What would start a program, or check other files out than the commit has."""
    program = str(marking(case, "program"))
    for name in ("core.fsmonitor", "diff.external", "core.pager", "core.sshCommand", "core.editor"):
        case.world.git("config", name, program)
    for name, value in {"core.symlinks": "false", "core.ignoreCase": "true", "diff.renames": "copies"}.items():
        case.world.git("config", name, value)


def attributes(case: Case) -> None:
    """Attributes beside the commits: of the working tree, and of the repository."""
    case.world.write(".gitattributes", "* text eol=crlf\n*.py export-ignore -diff ident\n")
    case.world.write(".git/info/attributes", "*.py export-ignore -diff merge=ours\n")


def policy(case: Case) -> None:
    """Another policy in the working tree and in the index: more replays, on another runner."""
    case.world.sub(POLICY, "witness_replays: 3", "witness_replays: 9")
    case.world.sub(POLICY, "  - name: pinned-py311\n", "  - name: pinned-py311\n    hash_seed: seed\n")
    case.world.git("add", POLICY)


def sparse(case: Case) -> None:
    """The user has checked one folder out."""
    case.world.git("sparse-checkout", "set", "ledgers")


def working_tree(case: Case) -> None:
    """Modules that end everything, and options that collect nothing."""
    for path in ("conftest.py", CONFTEST, PRODUCT, STRATEGIES, TESTS, "sitecustomize.py", "pytest.py", "hypothesis.py"):
        case.world.write(path, MARK.format(marks=str(case.marks)) + "raise SystemExit(3)\n")
    case.world.write("pytest.ini", "[pytest]\naddopts = --collect-only\n")
    case.world.git("add", PRODUCT, "pytest.ini")


ATTEMPTS: dict[str, Callable[[Case], None]] = {
    "policy": policy,
    "attributes": attributes,
    "git config": settings,
    "hooks": hooks,
    "the working tree's conftest": working_tree,
    "a sparse checkout": sparse,
}


@pytest.mark.parametrize("attempt", ATTEMPTS.values(), ids=ATTEMPTS.keys())
def test_what_surrounds_the_patch_reaches_no_replay(case: Case, attempt: Callable[[Case], None]) -> None:
    case.patch(*FLIP)
    attempt(case)
    assert case.asked() == (0, "eligible_short", FLIP)
    assert not case.marks.exists()
    assert case.nothing_is_left()


def test_no_variable_reaches_a_replay(case: Case) -> None:
    case.patch(*FLIP)
    elsewhere = case.beside / "elsewhere"
    elsewhere.mkdir()
    variables = {
        "FAR": "1",
        "PYTHONPATH": str(case.world.root),
        "PYTEST_ADDOPTS": "--collect-only",
        "PYTEST_PLUGINS": "no_such_plugin",
        "HYPOTHESIS_STORAGE_DIRECTORY": str(elsewhere),
        "HYPOTHESIS_PROFILE": "ci",
        "GIT_NAMESPACE": "other",
        "GIT_ATTR_SOURCE": "HEAD",
        "CI": "true",
    }
    assert case.asked(**variables) == (0, "eligible_short", FLIP)
    assert os.listdir(elsewhere) == []


def test_an_editable_install_leads_to_the_commit(case: Case) -> None:
    """The product is installed editable, as pip does it, from a working tree that was edited."""
    case.world.sub(TESTS, "from src.orders", "from orders")
    case.world.record("installed")
    witness = witness_of(case.world)
    case.patch(*FLIP)
    case.world.write(PRODUCT, "def connect(): pass\ndef sold(paid): return True\ndef refund(paid): return paid\n")
    environment = case.beside / "environment"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(environment)], check=True)
    packages = next(environment.glob("lib/python*/site-packages"))
    paths = f"{case.world.root}/src\n{sysconfig.get_path('purelib')}\n"
    (packages / "__editable__.shop-1.0.pth").write_text(paths, encoding="utf-8")
    found = case._replace(witness=witness).asked(VIRTUAL_ENV=str(environment))
    assert found == (0, "eligible_short", FLIP)


def link_of_production(world: World) -> None:
    (world.root / PRODUCT).unlink()
    (world.root / PRODUCT).symlink_to("/etc/hostname")


def link_of_a_folder(world: World) -> None:
    (world.root / PRODUCT).unlink()
    (world.root / "src").rmdir()
    (world.root / "src").symlink_to("/usr/lib")


def link_of_a_test(world: World) -> None:
    (world.root / "tests/test_more.py").symlink_to("../src/orders.py")


@pytest.mark.parametrize("edit", [link_of_production, link_of_a_folder, link_of_a_test])
def test_a_link_in_the_tree_of_a_patch_is_never_followed(case: Case, edit: Callable[[World], None]) -> None:
    on_a_branch(case.world, edit)
    assert case.asked() == (1, "deny:unclassified", ())


def test_the_note_is_not_written_through_a_link_of_the_patch(case: Case) -> None:
    kept = case.beside / "kept"
    kept.write_text("mine")
    on_a_branch(case.world, lambda world: (world.root / "note.json").symlink_to(kept))
    with case.start("--out", "note.json") as process:
        out, errors = process.communicate(timeout=60)
    assert (process.returncode, out, kept.read_text()) == (2, "", "mine"), errors


# what is left behind


def begun(case: Case, count: int) -> None:
    """Wait until so many replays have begun."""
    end = time.monotonic() + 60
    while case.replays < count:
        assert time.monotonic() < end, "no replay began"
        time.sleep(0.02)


def ended(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    """How it ended, and what it printed."""
    out, errors = process.communicate(timeout=60)
    return process.returncode, out, errors


@pytest.fixture
def waiting(case: Case) -> Iterator[tuple[Case, subprocess.Popen[str]]]:
    """A gate whose second replay hangs."""
    case.patch("fail", "hang", "pass")
    process = case.start("--out", str(case.beside / "note.json"))
    with process:
        begun(case, 2)
        yield case, process
        process.kill()
    assert not (case.beside / "note.json").exists()


def send_all(process: subprocess.Popen[str], *numbers: signal.Signals) -> None:
    """Signals to its whole group, as a terminal sends them; each is answered before the next comes."""
    assert process.stderr is not None
    for number in numbers:
        os.killpg(process.pid, number)
        while not process.stderr.readline().startswith("flakeledger: "):
            assert process.poll() is None


@pytest.mark.parametrize(
    ("numbers", "code"),
    [
        ((signal.SIGINT, signal.SIGINT), 130),
        ((signal.SIGTERM,), 143),
        ((signal.SIGHUP,), 129),
    ],
    ids=["Ctrl-C twice", "terminated", "hung up"],
)
def test_signals_end_the_replays_and_nothing_is_left(
    waiting: tuple[Case, subprocess.Popen[str]], numbers: tuple[signal.Signals, ...], code: int
) -> None:
    case, process = waiting
    send_all(process, *numbers)
    returned, out, errors = ended(process)
    assert (returned, out) == (code, ""), errors
    assert "nothing was decided" in errors
    assert case.nothing_is_left()


def test_after_ctrl_c_the_replay_may_end_and_no_other_begins(waiting: tuple[Case, subprocess.Popen[str]]) -> None:
    case, process = waiting
    send_all(process, signal.SIGINT)
    kill(replay_of(case))  # so ends the replay that hangs
    returned, out, errors = ended(process)
    assert (returned, out, case.replays) == (130, "", 2), errors
    assert case.nothing_is_left()


def replay_of(case: Case) -> list[int]:
    """The processes of the replay that runs."""
    found = processes_with(f"{case.temporary}/")
    assert found
    return found


def kill(processes: list[int]) -> None:
    for number in processes:
        os.kill(number, signal.SIGKILL)


def test_a_replay_that_crashes_is_no_outcome_and_nothing_is_left(case: Case) -> None:
    case.patch("fail", "hang", "pass")
    with case.start() as process:
        begun(case, 2)
        kill(replay_of(case))
        returned, out, errors = ended(process)
    note: Mapping[str, object] = json.loads(out)
    assert (returned, note["freeze"]) == (1, "deny:incomplete"), errors
    assert note["replay_outcomes"] == ["fail", "error", "pass"]
    assert case.nothing_is_left()


def test_what_a_killed_gate_left_goes_with_the_next_one(case: Case) -> None:
    case.patch("fail", "hang", "pass")
    with case.start() as process:
        begun(case, 2)
        process.kill()
    assert os.listdir(case.temporary) != []
    case.world.git("switch", "-q", "main")
    case.world.git("branch", "-q", "-D", "work")
    case.patch(*FLIP)
    assert case.asked() == (0, "eligible_short", FLIP)
    assert case.nothing_is_left()
