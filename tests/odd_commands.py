"""Two small repositories, one that is fine and one with known findings, and a row for every command to run in them.

Invariants:
* Both have a history of some commits on main, two commits on work, and edits that are staged and lie on disk.
* A row says what the command answers in these repositories as they are; an odd repository must not change that.
* Commands run in this process; what they wrote is told by comparing files.
* All that commands are given lies outside of the repository, in the folder `given` beside it.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from commands import noon
from flakeledger.cli.main import main
from flakeledger.model.ledger_paths import FREEZES, PROPERTIES
from flakeledger.model.witness import witness_file
from patched import a_witness
from world import CLOCK, CONFTEST, ORDERS, PRODUCT, STRATEGIES, TESTS, TOTAL, World, on, row_text
from world import REFUND as OLD

DAY = 20
NOW = ("--now", noon(DAY))
MORE = "tests/test_more.py"
YOUNG, LIVE, WANTED, LISTED = (f"{MORE}::test_{name}" for name in ("young", "live", "wanted", "listed"))
MORE_CODE = '"""property_id: PROP-2"""\n' + "".join(
    f"\n\ndef {test.rpartition('::')[2]}():\n    assert len({test!r}) > {number}\n"
    for number, test in enumerate((YOUNG, LIVE, WANTED, LISTED))
)
CITATION = "# flakeledger: cite PROP-1 runner_class=pinned-py311\n"
EXTRA = "src/extra.py"
WITNESS = "witness.json"


#: folders beside a repository that no command writes to
ASIDE = frozenset(("origin", "objects", "library", "programs"))


class Expected(NamedTuple):
    """An exit code, and what is printed on one of the streams or written into a file."""

    code: int
    says: str


class Row(NamedTuple):
    """A command with its arguments, and what it answers in the fine repository and in the wrong one (None: not run).

    `{given}` in an argument stands for that folder, `{up}` for the way up to the root. `opens`: whether it needs the
    repository.
    """

    name: str
    arguments: tuple[str, ...]
    fine: Expected | None
    wrong: Expected | None = None
    writes: bool = False
    opens: bool = True

    @property
    def command(self) -> str:
        """The name of the command."""
        return self.arguments[0]

    def answer(self, kind: str) -> Expected | None:
        """What it answers in the repository of a kind."""
        return {"fine": self.fine, "wrong": self.wrong}[kind]


def row(
    name: str,
    *arguments: str,
    fine: tuple[int, str] | None = None,
    wrong: tuple[int, str] | None = None,
    writes: bool = False,
    opens: bool = True,
) -> Row:
    """A line of the table; the words of its name are the first arguments."""
    answers = (fine and Expected(*fine), wrong and Expected(*wrong))
    return Row(name, (*name.split(), *arguments), *answers, writes, opens)


def edits(name: str, *arguments: str, fine: tuple[int, str] | None = None, wrong: tuple[int, str] | None = None) -> Row:
    """A line for a command that writes."""
    return row(name, *arguments, fine=fine, wrong=wrong, writes=True)


def apart(name: str, *arguments: str, fine: tuple[int, str], writes: bool = False) -> Row:
    """A line for a command that needs no repository."""
    return row(name, *arguments, fine=fine, writes=writes, opens=False)


MAIN = ("--base", "main")
OWNED = ("--owner", "@finley", "--days", "3")
ROWS = (
    row("check-ledgers", *NOW, fine=(0, "0 findings, 1 warning"), wrong=(1, ": fixture-drifted: ")),
    row("check-change", *NOW, fine=(0, "0 findings; judged: the staged tree; base: "), wrong=(1, ": mixed-change: ")),
    row("check", *NOW, fine=(0, "0 findings, 1 warning"), wrong=(1, ": skip-unledgered: ")),
    row("check --rev HEAD", *MAIN, *NOW, fine=(0, "0 findings")),
    edits("format-ledgers", fine=(0, ""), wrong=(1, f"{FREEZES}: formatted")),
    row("format --check", fine=(0, ""), wrong=(1, f"{FREEZES}: would be formatted")),
    edits("record-decisions", "{given}/message", "message", *NOW, wrong=(0, "Freeze-Decision: PROP-1 reject:")),
    row("classify", fine=(0, f"{EXTRA}\tproduction")),
    row("classify --base main", fine=(0, f"{EXTRA}\tproduction")),
    row("review", *NOW, fine=(0, f"withdraw\t{YOUNG}")),
    row("log", "PROP-1", fine=(0, f"opened\t{OLD}")),
    row("decide", *NOW, fine=(0, f"{OLD}\tallow_cite"), wrong=(1, f"{OLD}\treject:fixture_hash")),
    apart("digest", "{given}/contract.json", fine=(0, "67d6291b301412df4a6ca7808aeafac9")),
    edits("pin --all", *NOW, fine=(0, f"pinned {YOUNG}: ")),
    row("lock --check", fine=(0, "1 lock was compared"), wrong=(1, ": fixture-drifted: ")),
    edits("lock --add", f"{{up}}{PRODUCT}", fine=(0, f"added FX-2: {PRODUCT} ")),
    edits("lock --drop-void", wrong=(0, f"removed the void freeze of {OLD}")),
    edits(
        *("freeze", WANTED, "--reason", "waits for the clock", "--runner", "pinned-py311", *OWNED, *NOW),
        fine=(0, f"froze {WANTED} until "),
        wrong=(1, ": freeze-with-edit: "),
    ),
    edits("thaw", YOUNG, *NOW, fine=(0, f"thawed {YOUNG}")),
    row("verdict", "{given}/excused.xml", *NOW, fine=(0, f"excused: {OLD}"), wrong=(1, "not excused: ")),
    edits("gate", *MAIN, "--out", "{given}/note.json", fine=(1, "deny:no_witness"), wrong=(1, "deny:mixed")),
    row("oracle", *MAIN, fine=(0, "no test file is edited"), wrong=(0, "+    assert len(")),
    edits(
        *("oracle --approve", *MAIN, "--reviewer", "@finley", "--out", "{given}/review.json", *NOW),
        wrong=(0, f"{MORE}: base "),
    ),
    row("witness verify", f"{{given}}/{WITNESS}", fine=(0, "a good witness"), wrong=(1, "`tests/strategies.py`")),
    edits("import", "{given}/list.txt", *OWNED, *NOW, fine=(0, "wrote 1 row"), wrong=(1, "lacks: freeze-with-edit")),
    row("import --marks", "{up}tests", *OWNED, *NOW, "--dry-run", wrong=(1, "lacks: ")),
    edits("init", "--repo", "https://example.org/f", "--rev", "v1", fine=(0, "wrote .pre-commit-config.yaml")),
    apart(
        *("merge-driver", "{given}/base.yaml", "{given}/ours.yaml", "{given}/theirs.yaml", FREEZES),
        fine=(0, "@robin"),
        writes=True,
    ),
    row("status", *NOW, fine=(0, f"{YOUNG}\tPROP-2")),
    row("remind", "--days", "5", *NOW, fine=(0, "@finley: 1 frozen test")),
    row("trend", *NOW, fine=(0, "2 opened, 0 thawed, 0 renewed, 2 open")),
    edits("report", "--out", "{given}/page", *NOW, fine=(0, "wrote {given}/page/index.html")),
    row("comment", *MAIN, *NOW, fine=(0, "refuses nothing in this change")),
    edits("replays merge", "{given}/shard.jsonl", fine=(0, "appended 1 line")),
    row("excerpt", "{given}/failure.log", fine=(0, "TimeoutError")),
    apart("bound", "--passed", "20", fine=(0, "13.9 %")),
    apart("schema", "freezes", fine=(0, '"$schema"')),
    apart("help", "freeze", fine=(0, "usage: flakeledger freeze")),
    row("completion tests", fine=(0, OLD)),
    apart("demo", "--folder", "{given}", fine=(2, "is not empty")),
)
#: the commands that run tests are too slow for every repository
REPLAY = row("replay --dry-run", LIVE, "--seeds", "1", "--runner", "pinned-py311")


# the two repositories


def new_fine(folder: Path) -> World:
    """The repository without findings, on the day on which it is judged."""
    folder.mkdir(parents=True)
    world = World.new(folder / "world")
    _record(world, -5, "base", "--amend")
    world.write(MORE, MORE_CODE)
    world.add_row(
        PROPERTIES, id="PROP-2", statement="names are long", fixtures=["FX-1"], tests=[YOUNG, LIVE, WANTED, LISTED]
    )
    world.sub(TESTS, "from hypothesis", f"{CITATION}from hypothesis")
    _record(world, -4, "more tests")
    world.replay(0)
    world.freeze(OLD, 0, 30)
    _record(world, 0, "freeze")
    world.replay(DAY)
    _record(world, DAY - 2, "replay")
    world.set_policy(level="ledger")
    _record(world, DAY - 2, "loosen the policy")
    world.freeze(YOUNG, DAY - 1, 3)
    _record(world, DAY - 1, "an emergency")
    _give(world, folder / "given")
    world.git("switch", "-q", "-c", "work")
    world.append(PRODUCT, "\n\ndef refund():\n    return 0\n")
    _record(world, DAY, "refunds")
    world.write(EXTRA, "EXTRA = 1\n")
    world.git("add", "-A")
    return world


def new_wrong(folder: Path) -> World:
    """The same repository with findings: a strategy and an assertion edited in the last commit, the rest staged."""
    world = new_fine(folder)
    world.git("rm", "-qf", EXTRA)
    world.sub(STRATEGIES, "integers(0, 9)", "integers(1, 1)")
    world.sub(MORE, "> 1", "> 7")
    _record(world, DAY, "refunds", "--amend")
    world.write(ORDERS, '{"a": 2}\n')
    world.write(CONFTEST, "LIMIT = 2\n")
    world.sub(TESTS, "def test_total():", "import pytest\n@pytest.mark.skip\ndef test_total():")
    frozen = {"test": CLOCK, "owner": "unassigned", "frozen_on": on(DAY), "expires": on(DAY + 30)}
    text = row_text(frozen | {"reason": "waits for the clock", "property_id": "PROP-1", "replay_env": "pinned-py311"})
    world.append(FREEZES, text.replace("  ", "    ").replace("- test", "-   test"))
    world.git("add", "-A")
    return world


def _record(world: World, day: int, message: str, *options: str) -> None:
    """A commit of everything, made on that day: what looks at dates, as git itself does, sees the same in every run."""
    date = f"{on(day)}T09:00:00Z"
    world.git("add", "-A")
    dates = {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date}
    world.git("commit", "-q", *options, "-m", message, "--date", date, **dates)


NEW = {"fine": new_fine, "wrong": new_wrong}


def _give(world: World, given: Path) -> None:
    """What the commands are given, made while the repository is as on main."""
    given.mkdir()
    witness = witness_file(a_witness(world))
    (given / f"{witness.digest}.json").write_bytes(witness.data)
    shutil.copy2(given / f"{witness.digest}.json", given / WITNESS)
    line = {"test": YOUNG, "run_at": f"{on(DAY)}T05:00:00Z", "env": "pinned-py311", "seeds": [1], "passed": 1}
    frozen, wanted, robin = (
        row_text({"test": test, "owner": owner})
        for test, owner in ((TOTAL, "@finley"), (WANTED, "@finley"), (TOTAL, "@robin"))
    )
    texts = {
        "excused.xml": (
            f'<testsuite name="s"><testcase file="{TESTS}" name="test_refund">'
            f'<failure type="TimeoutError" message="TimeoutError: late">late</failure></testcase>'
            f'<testcase file="{MORE}" name="test_young"/></testsuite>'
        ),
        "list.txt": f"{LISTED}\n",
        "shard.jsonl": json.dumps(line | {"total": 1}) + "\n",
        "failure.log": f"{OLD} failed\nE   TimeoutError: the clock\n",
        "contract.json": '{"schema": 1}',
        "message": "An edit\n",
        "base.yaml": frozen,
        "ours.yaml": frozen + wanted,
        "theirs.yaml": robin,
    }
    for name, text in texts.items():
        (given / name).write_text(text, encoding="utf-8")


# running


class Answer(NamedTuple):
    """The exit code of a command, its streams, and the files that it made or changed with their content."""

    code: int
    out: str
    err: str
    written: dict[str, bytes]

    @property
    def told(self) -> str:
        """Everything that it printed or wrote."""
        return "\n".join((self.out, self.err, *(data.decode(errors="replace") for data in self.written.values())))


def run(folder: Path, arguments: Sequence[str], environment: Mapping[str, str]) -> tuple[int, str, str]:
    """Exit code and streams of a command that runs in a folder with these variables beside the usual ones."""
    out, err = io.StringIO(), io.StringIO()
    before = dict(os.environ)
    os.environ.update(environment)
    try:
        with contextlib.chdir(folder), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                code = main(list(arguments))
            except SystemExit as left:  # argparse printed help
                code = int(str(left.code))
    finally:
        os.environ.clear()
        os.environ.update(before)
    return code, out.getvalue(), err.getvalue()


def files_of(folder: Path) -> dict[str, bytes]:
    """The content of every file below a folder, but for what belongs to git or was put aside."""
    found = {}
    for where, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name not in ASIDE and not name.endswith(".git")]
        for name in names:
            file = Path(where, name)
            if file.is_file() and not file.is_symlink():
                found[str(file.relative_to(folder))] = file.read_bytes()
    return found
