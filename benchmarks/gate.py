"""Measures the bars of the gate, each as a ratio within one run.

Invariants:
* Without replays: every way to a denial, and the way to the edge of the replays, is a process of the installed command
  on a patch of a repository of many files, and must end at the line of the table that it is built for.
* With replays: a witness is replayed, and the runs of pytest that this consists of are run plainly, by the same
  interpreter, in a worktree of the same commit without bytecode, with the same options and variables, under the same
  one example. Both runs are timed with all that they start.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

from bars import Row, main
from flakeledger.evidence.pytest_session import TEMPORARY
from flakeledger.evidence.sealing import ALLOWED_VARIABLES
from flakeledger.evidence.witness_replay import replay_witness
from flakeledger.evidence.worktree import Worktree, empty_folder, worktrees
from flakeledger.model.ledger_paths import POLICY
from flakeledger.model.policy import Runner
from flakeledger.model.witness import Witness, example_digest, example_of, witness_file
from flakeledger.repo.repository import open_repository
from flakeledger.store.git import Git
from kept import built, kept
from repositories import POLICY_TEXT, Size, environment, filler_path, git, import_commits, live_path, module_path
from timing import PRODUCT, PYTHON, QUICK_RUNS, RUNS, Ended, Took, Work, forget, in_floors, medians, nothing, process

MOST_FLOORS, MOST_RUNS = 3.0, 1.1
FILES, FEWER_FILES = 100_000, 10_000
REPLAYS = 5
#: how many times more often the replays are measured than the rest
MORE_OF_REPLAYS = 3
PROPERTY = "PROP-0000"
FROZEN = f"{module_path(0)}::test_case_00"
#: the branch of the patches with a base whose runner has a command: such a replay is refused before anything of it runs
EDGE = "edge"
COMMAND_RUNNER = POLICY_TEXT.replace("name: local-fixture\n", 'name: local-fixture\n    command: ["true", "{test}"]\n')


# without replays

#: a verdict and the files that a patch edits for it, with their new text
PATCHES: dict[str, dict[str, str]] = {
    "deny:freeze_config": {"ledgers/notes/a.json": "{}\n"},
    "deny:mixed": {"tests/factories.py": "x = 1\n", filler_path(7): "x = 1\n"},
    "deny:generator": {"tests/factories.py": "x = 1\n"},
    "deny:review_only": {"auth/login.py": "x = 1\n", filler_path(7): "x = 1\n"},
    "deny:runner": {"tox.ini": "[tox]\n", filler_path(7): "x = 1\n"},
    "deny:unclassified": {"src/a.spec.ts": "x\n", filler_path(7): "x = 1\n"},
    "deny:test_body": {live_path(0): "def test_new():\n    assert 1\n", filler_path(7): "x = 1\n"},
    "deny:no_witness": {filler_path(7): "x = 1\n"},
    "deny:witness": {filler_path(7): "x = 1\n"},
    "deny:generator_drift": {filler_path(7): "x = 1\n"},
    EDGE: {filler_path(7): "x = 1\n"},
}


class Asked(NamedTuple):
    """The gate on one patch: the command, and its exit code and verdict (None: it cannot tell)."""

    command: tuple[str, ...]
    code: int
    verdict: str | None


def prepared(root: Path, folder: Path) -> dict[str, Asked]:
    """The patches as branches of the repository at the root, witnesses in the folder, and what is asked of them."""
    start = git(root, "rev-parse", "HEAD")
    branch(root, "commands", start, {POLICY: COMMAND_RUNNER})
    base = git(root, "rev-parse", "commands")
    for name, files in PATCHES.items():
        branch(root, name.replace(":", "-"), base if name == EDGE else start, files)
    good = a_witness(root)
    drifted = good._replace(generator_hashes={**good.generator_hashes, "tests/conftest.py": "0" * 64})
    witnesses = {"deny:witness": good._replace(example_sha256="0" * 64), "deny:generator_drift": drifted, EDGE: good}
    asked = {}
    for name in PATCHES:
        sides = ("--base", "commands" if name == EDGE else "main", "--head", name.replace(":", "-"))
        command: tuple[str, ...] = (PRODUCT, "gate", "--format", "json", *sides)
        if name in witnesses:
            path = folder / f"{name.partition(':')[2] or name}.json"
            path.write_bytes(witness_file(witnesses[name]).data)
            command = (*command, "--witness", str(path))
        asked[name] = Asked(command, 2, None) if name == EDGE else Asked(command, 1, name)
    return asked


def branch(root: Path, name: str, start: str, files: dict[str, str]) -> None:
    """A branch with one commit on top of another one; main stays where it was."""
    before = git(root, "rev-parse", "main")
    git(root, "update-ref", "refs/heads/main", start)
    import_commits(root, [(name, [(path, text.encode()) for path, text in files.items()])])
    git(root, "branch", "-f", name, "main")
    git(root, "update-ref", "refs/heads/main", before)


def a_witness(root: Path) -> Witness:
    """A good witness of the first property, as the base has its generators."""
    with open_repository(str(root), environment()) as repository:
        generators = repository.ledger(repository.tree("main")).generator_hashes(PROPERTY)
    example = example_of({"amount": 7}, FROZEN)
    return Witness(PROPERTY, FROZEN, None, example, example_digest(example), generators, "complete")


def judged(asked: Asked) -> Callable[[Ended], None]:
    """Judges a process of the gate. SystemExit when it answered anything else than it should."""

    def judge(done: Ended) -> None:
        answer = json.loads(done.stdout or b"{}")
        if (done.returncode, answer.get("verdict")) != (asked.code, asked.verdict):
            output = (done.stdout + done.stderr).decode(errors="replace")
            raise SystemExit(f"{' '.join(asked.command)} ended with {done.returncode}:\n{output}")

    return judge


def deciding_rows(root: Path, files: int, runs: int) -> Iterator[Row]:
    """The bar of each way that replays nothing, cold and warm."""
    states: dict[str, Callable[[], object]] = {"cold": forget(root), "warm": nothing}
    with tempfile.TemporaryDirectory() as folder:
        for name, asked in prepared(root, Path(folder)).items():
            for state, before in states.items():
                what = "up to the replays" if name == EDGE else f"`{name}`"
                work = process(root, *asked.command, before=before, judge=judged(asked))
                yield in_floors(f"`gate`, {what}, {files:,} files, {state}", MOST_FLOORS, runs, root, work)


# with replays

TEST = "tests/test_refund.py::test_refund"
#: one example and nothing drawn, so that a plain run does what a replay does
MODULE = '''\
"""property_id: PROP-1"""
from hypothesis import Phase, example, given, settings, strategies


@settings(phases=[Phase.explicit], database=None)
@example(paid=7)
@given(paid=strategies.integers())
def test_refund(paid):
    assert paid >= 0
'''
#: what a replay gives to pytest (`pytest_session.Session._arguments`)
OPTIONS = ("-p", "no:flakeledger", "-p", "no:randomly", "--runxfail", "--color=no")


def replay(repository: Git, commit: str, witness: Witness) -> None:
    """The witness replayed as the gate does it: worktree, seal, runs, and everything removed."""
    found = replay_witness(repository, commit, witness, REPLAYS, Runner("here"), 60.0, PYTHON)
    assert found.outcomes == ("pass",) * REPLAYS, found


def plain_runs(worktree: Worktree) -> None:
    """The runs of pytest alone."""
    temporary = f"{worktree.scratch}/{TEMPORARY}"
    empty_folder(temporary)
    shutil.rmtree(f"{worktree.path}/tests/__pycache__", ignore_errors=True)
    kept = {name: value for name, value in os.environ.items() if name in ALLOWED_VARIABLES}
    variables = kept | {"LC_ALL": "C.UTF-8", "TMPDIR": temporary}
    options = (*OPTIONS, "-o", f"cache_dir={worktree.scratch}/cache")
    for _ in range(REPLAYS):
        command = (PYTHON, "-m", "pytest", f"{worktree.path}/{TEST.partition('::')[0]}", *options)
        subprocess.run(command, cwd=worktree.path, env=variables, check=True, capture_output=True)


def with_witness(root: Path) -> None:
    """A repository with the test of the witness."""
    (root / "tests").mkdir(parents=True)
    (root / "tests/test_refund.py").write_text(MODULE, encoding="utf-8")
    for words in (("init", "-q", "-b", "main"), ("add", "-A"), ("commit", "-q", "-m", "tests")):
        git(root, *words)


def replay_rows(root: Path, runs: int) -> Iterator[Row]:
    """The bar of the replays, by the clock and by processor time."""
    repository = Git.open(str(root), environment())
    example = example_of({"paid": 7}, TEST)
    witness = Witness("PROP-1", TEST, None, example, example_digest(example), {}, "complete")
    commit = git(root, "rev-parse", "HEAD")
    with worktrees(repository, commit, 1) as (worktree,):
        replays = Work(partial(replay, repository, commit, witness))
        replayed, plain = medians(runs, replays, Work(partial(plain_runs, worktree)))
    for name, ours, theirs in zip(Took._fields, replayed, plain, strict=True):
        measured = f"{ours / theirs:.2f} x ({ours:.2f} s against {theirs:.2f} s)"
        work = f"{REPLAYS} replays of a witness, by {'processor time' if name == 'processor' else 'the clock'}"
        yield Row(work, f"at most {MOST_RUNS:g} x the runs of pytest", measured, ours <= MOST_RUNS * theirs)


def rows(folder: Path, quick: bool) -> Iterator[Row]:
    """Every bar of the gate."""
    files, runs = (FEWER_FILES, QUICK_RUNS) if quick else (FILES, RUNS)
    # both sides take seconds, in which a busy machine changes its speed by more than they differ
    yield from replay_rows(kept(folder, "witness", with_witness), MORE_OF_REPLAYS * runs)
    yield from deciding_rows(built(folder, Size(300, 30, 2_000, files)), files, runs)


if __name__ == "__main__":
    sys.exit(main(__doc__, rows))
