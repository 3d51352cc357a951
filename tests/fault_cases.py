"""Every command that writes, in a repository where it has something to write.

Invariants:
* A case is run at the root of its repository; `fault_ground.py` says what lies around that, and what must hold.
* The same command takes the same steps and leaves the same bytes each time, but for what a clock says.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from flakeledger.model.ledger_paths import FIXTURES, FREEZES, POLICY, PROPERTIES, REPLAYS
from flakeledger.model.note import Note, note_file
from patched import FLIPPED, a_witness, edit_product, on_a_branch, saved
from replayable import QUICKLY, replayable
from world import CLOCK, CONFTEST, ORDERS, REFUND, TESTS, TOTAL, World, on

NOON = ("--now", f"{on(1)}T12:00:00Z")
SAID = ("--reason", "depends on the wall clock", "--owner", "@finley")
#: the repository, and beside it the folders for temporary files and for what is written elsewhere
WORLD, TEMPORARY, OUT = "world", "tmp", "out"


class Case(NamedTuple):
    """A command, and the repository in which it is run."""

    name: str
    build: Callable[[World], object]
    arguments: tuple[str, ...]
    environment: tuple[tuple[str, str], ...] = ()
    level: str = "keyed"
    #: what it says, or writes, when it could not do its work and yet ends as if it had: it must not stop a commit
    excuse: str = "not excused"
    #: how the same is done once more, where that is not the same command
    again: tuple[str, ...] = ()
    #: what is none of ours: a folder that a person is told about, what Python's tempfile writes to try a folder
    unmade: str = "nothing"
    #: files that whoever runs it makes for it each time, and how they begin as long as they are not whole
    given: tuple[str, ...] = ()
    marker: bytes = b"not one of them"
    #: it starts the tests of the project, or other commands of its own: a run takes a second and more
    slow: bool = False


# repositories


def replayed(world: World) -> None:
    """A replay of the refund, and nothing frozen."""
    world.replay(0)
    world.record("replayed")


def with_witness(world: World) -> None:
    """The same, and beside the repository a witness and an eligible note."""
    replayed(world)
    witness = a_witness(world)
    commit = "1" * 40
    note = Note("production", "PROP-1", witness.example_sha256, True, FLIPPED, None, "eligible_short", commit, commit)
    out = world.root.with_name(OUT)
    saved(world, witness).rename(out / "witness.json")
    (out / "note.json").write_bytes(note_file(note).data)
    world.root.with_name(f"{WORLD}-witnesses").rmdir()


def green(world: World) -> None:
    """A freeze whose test passed."""
    world.replay(0, 20, test=CLOCK)
    world.freeze(CLOCK, 0, 30)
    world.record("frozen")


def frozen(world: World) -> None:
    """Two freezes."""
    world.freeze_all([REFUND, TOTAL], 0, 3)
    world.record("frozen")


def unpinned(world: World) -> None:
    """Freezes without some of their pins."""
    frozen(world)
    for test in (REFUND, TOTAL):
        world.set_fields(FREEZES, test, test_hash=None, generator_hash=None)


def drifted(world: World) -> None:
    """A fixture that is not as its lock says."""
    world.write(ORDERS, '{"a": 2}\n')


def untidy(world: World) -> None:
    """Three ledgers that are laid out by hand."""
    frozen(world)
    for path in (FREEZES, FIXTURES, PROPERTIES):
        world.write(path, world.read(path).replace(": ", ":   ") + "\n\n\n")
    world.record("untidy")


def listed(world: World) -> None:
    """A list of flaky tests."""
    world.write("quarantine.txt", f"{REFUND}\n{TOTAL}\n")
    world.record("a list")


def unadopted(world: World) -> None:
    """No ledger yet."""
    world.delete(POLICY, FREEZES, FIXTURES, PROPERTIES, REPLAYS)
    world.record("none")


def in_parts(world: World) -> None:
    """A replay that another machine recorded."""
    world.replay(0)
    line = world.read(REPLAYS)
    world.write(REPLAYS, "")
    world.root.with_name(OUT).joinpath("part.jsonl").write_text(line.replace("T07", "T08") + line)


def three_versions(world: World) -> None:
    """The files that git hands to a merge driver."""
    world.freeze(TOTAL, 0, 3)
    base = world.read(FREEZES)
    world.freeze(REFUND, 0, 3)
    ours = world.read(FREEZES)
    world.write(FREEZES, base)
    world.freeze(CLOCK, 0, 3)
    for name, text in (("O", base), ("A", ours), ("B", world.read(FREEZES))):
        world.root.with_name(OUT).joinpath(name).write_text(text)
    world.write(FREEZES, base)
    world.record("base")


def three_policies(world: World) -> None:
    """The same of a file that git itself merges."""
    base = world.read(POLICY)
    versions = (base, base.replace("warn_days: 7", "warn_days: 6"), base.replace("version: 1", "version: 1  # ours"))
    for name, text in zip("OAB", versions, strict=True):
        world.root.with_name(OUT).joinpath(name).write_text(text)


def reported(world: World) -> None:
    """A JUnit XML report of a run in which a frozen test failed."""
    frozen(world)
    case = '<testcase classname="tests.test_orders" name="{}">{}</testcase>'
    failed = '<failure message="TimeoutError: x">TimeoutError</failure>'
    cases = case.format("test_refund", failed) + case.format("test_total", "") + case.format("test_clock", "")
    report = f'<testsuites><testsuite name="pytest" tests="3" failures="1">{cases}</testsuite></testsuites>'
    world.root.with_name(OUT).joinpath("junit.xml").write_text(report)


def patched(world: World) -> None:
    """A branch that edits the product and a test."""

    def edit(here: World) -> None:
        edit_product(here)
        here.sub(TESTS, "x >= 0", "x >= -1")

    on_a_branch(world, edit)


def cited(world: World) -> None:
    """A freeze that the module which is staged cites, and the message of the commit."""
    world.freeze(REFUND, 0, 20)
    world.record("frozen")
    world.append(TESTS, "# flakeledger: cite PROP-1 runner_class=pinned-py311\n")
    world.git("add", "-A")
    world.write(".git/COMMIT_EDITMSG", "Subject\n")


def failing(world: World) -> None:
    """A property test that fails, always by the same example."""
    world.sub(TESTS, "assert x >= 0", "assert x < 5")
    profile = 'settings.register_profile("one", database=None, derandomize=True)'
    world.write(CONFTEST, f'from hypothesis import settings\n{profile}\nsettings.load_profile("one")\n')
    world.record("failing")


def refused(world: World) -> None:
    """A staged change that both hooks refuse: a fixture without its lock, and a freeze that stands longer."""
    frozen(world)
    drifted(world)
    world.set_fields(FREEZES, REFUND, expires=on(9))
    world.git("add", "-A")


#: the page says why it has no trend
_GIT_FAILED = "cannot be started|git ended with|failed: exit code"

CASES = (
    Case("freeze", replayed, ("freeze", REFUND, *SAID, *NOON)),
    Case(
        "freeze, witnessed",
        with_witness,
        ("freeze", REFUND, *SAID, "--witness", "../out/witness.json", "--note", "../out/note.json", *NOON),
        level="witnessed",
    ),
    Case("thaw", green, ("thaw", CLOCK, *NOON)),
    Case("pin", unpinned, ("pin", "--all", *NOON)),
    Case("lock", drifted, ("lock",)),
    Case("format", untidy, ("format",)),
    Case("format-ledgers", untidy, ("format-ledgers",)),
    Case("import", listed, ("import", "quarantine.txt", "--days", "3", "--owner", "@ada", *NOON)),
    Case("init", unadopted, ("init", "--merge-driver")),
    Case("replays merge", in_parts, ("replays", "merge", "../out/part.jsonl")),
    Case(
        "merge-driver",
        three_versions,
        ("merge-driver", "../out/O", "../out/A", "../out/B", FREEZES),
        given=("out/A",),
        marker=b"<<<<<<< ours\n",
    ),
    Case(
        "merge-driver, policy",
        three_policies,
        ("merge-driver", "../out/O", "../out/A", "../out/B", POLICY),
        given=("out/A",),
        marker=b"<<<<<<< ours\n",
    ),
    Case("verdict --write", reported, ("verdict", "../out/junit.xml", "--write", "../out/new.xml", *NOON)),
    Case("gate --out", patched, ("gate", "--base", "main", "--out", "../out/note.json")),
    Case(
        "oracle --out",
        patched,
        ("oracle", "--base", "main", "--approve", "--reviewer", "@finley", "--out", "../out/review.json", *NOON),
    ),
    Case(
        "record-decisions",
        cited,
        ("record-decisions", ".git/COMMIT_EDITMSG", "message", *NOON),
        excuse="no decision was recorded",
    ),
    Case("report --out", frozen, ("report", "--out", "../out/page", *NOON), excuse=_GIT_FAILED),
    Case("check", frozen, ("check", *NOON)),
    Case("check-ledgers, refused", refused, ("check-ledgers", *NOON)),
    Case("check-change, refused", refused, ("check-change", *NOON)),
    Case("status", frozen, ("status", *NOON)),
    Case("comment", patched, ("comment", "--base", "main", *NOON)),
    Case(
        "replay", replayable, ("replay", REFUND, "--seeds", "2", "--fast"), tuple(QUICKLY.items()), slow=True
    ),
    Case(
        "witness capture",
        failing,
        ("pytest", "-q", "-p", "no:cacheprovider", "-p", "flakeledger.evidence.pytest_plugin", "-p",
         "_hypothesis_pytestplugin", "--flakeledger-witness=../out/captured",
         f"--flakeledger-now={NOON[1]}", TESTS),
        tuple(QUICKLY.items()),
        unmade=r"tmp/[a-z0-9_]{8}|world/\.hypothesis(/.*)?",
        slow=True,
    ),
    Case(
        "demo",
        lambda _: None,
        ("demo", "--folder", "../out/shop"),
        again=("demo", "--folder", "../out/other"),
        unmade=r"out/(shop|other)(/.*)?",
        slow=True,
    ),
)  # fmt: skip
