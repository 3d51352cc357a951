"""`flakeledger lock`: digests of what git would store, in files that people wrote; freezes that stand in the way."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from commands import commit_with_hooks, hook_findings, noon, typed
from flakeledger.cli.lock import next_id
from flakeledger.model.ledger_paths import FIXTURES, FREEZES
from world import ORDERS, REFUND, World

RATES = "tests/fixtures/rates.json"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> World:
    """Two locked fixtures, of which a property reads the first."""
    world = World.new(tmp_path_factory.mktemp("lock") / "template")
    world.write(RATES, '{"rate": 3}\n')
    world.add_fixture("FX-2", RATES)
    world.record("rates")
    return world


@pytest.fixture
def world(made: World, tmp_path: Path) -> World:
    return made.copy(tmp_path / "world")


def digest_in(world: World, name: str) -> str:
    """The digest that a row holds, read with a regular expression."""
    found = re.search(
        rf"id: {name}\r?\n(?:.*\n)*?\s*sha256: ([0-9a-f]+)", (world.root / FIXTURES).read_bytes().decode()
    )
    assert found is not None
    return found[1]


def ledgers(world: World) -> dict[str, bytes]:
    """The bytes of every file below ledgers/."""
    return {path.name: path.read_bytes() for path in sorted((world.root / "ledgers").iterdir())}


LAYOUTS: dict[str, Callable[[str], str]] = {
    "plain": lambda text: text,
    "CRLF": lambda text: text.replace("\n", "\r\n"),
    "no final newline": lambda text: text.removesuffix("\n"),
    "comments": lambda text: (
        "# top\n" + text.replace("  sha256", "  # why\n  sha256").replace("\n- id", "\n\n# two\n- id")
    ),
    "quoted": lambda text: re.sub(r"sha256: (\w+)", r'sha256: "\1"  # the lock', text),
    "dashes that stand in": lambda text: re.sub("(?m)^", "  ", text).rstrip(" "),
}


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS.keys())
def test_only_the_digests_of_fixtures_that_changed_are_written(world: World, layout: Callable[[str], str]) -> None:
    text = layout(world.read(FIXTURES))
    (world.root / FIXTURES).write_bytes(text.encode())
    old = world.digest_of(ORDERS)
    world.write(ORDERS, '{"a": 2}\n')
    assert typed(world, "lock").code == 0
    assert (world.root / FIXTURES).read_bytes() == text.replace(old, world.digest_of(ORDERS)).encode()


def test_a_named_path_locks_nothing_else(world: World) -> None:
    before = digest_in(world, "FX-1")
    world.write(ORDERS, "[]\n")
    world.write(RATES, "[]\n")
    answer = typed(world, "lock", "rates.json", folder="tests/fixtures")
    assert (answer.code, digest_in(world, "FX-1"), digest_in(world, "FX-2")) == (0, before, world.digest_of(RATES))
    assert f"locked FX-2: {RATES}" in answer.out
    assert "git add ledgers/fixtures.yaml" in answer.out


def test_a_lock_that_holds_is_not_written_again(world: World) -> None:
    before = (world.root / FIXTURES).stat()
    answer = typed(world, "lock")
    after = (world.root / FIXTURES).stat()
    assert (answer.code, answer.out) == (0, "nothing to do: 2 locks hold\n")
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)


def test_the_digest_is_of_what_git_would_store(world: World) -> None:
    """An unstaged file with Windows line ends that git converts."""
    world.write(".gitattributes", "*.json text\n")
    (world.root / ORDERS).write_bytes(b'{"a":\r\n 2}\r\n')
    assert typed(world, "lock", ORDERS).code == 0
    assert digest_in(world, "FX-1") == hashlib.sha256(b'{"a":\n 2}\n').hexdigest()
    assert world.git("diff", "--cached", "--name-only") == ""


def test_check_says_what_the_hook_says_and_writes_nothing(world: World) -> None:
    assert typed(world, "lock", "--check").code == 0
    world.write(ORDERS, "[]\n")
    before = ledgers(world)
    answer = typed(world, "lock", "--check")
    assert (answer.code, ledgers(world)) == (1, before)
    assert answer.findings == hook_findings(world, 1)
    assert [rule for rule, _ in answer.findings] == ["fixture-drifted"]


# new rows


IDS = (
    ((), (), "FX-1"),
    (("FX-7",), (), "FX-8"),
    (("FX-9", "FX-3"), (), "FX-10"),
    (("FX-007",), (), "FX-008"),
    (("FX-099",), (), "FX-100"),
    (("orders.2", "FX-7"), (), "FX-8"),
    (("FX-7", "orders.2"), (), "orders.3"),
    (("FX-7", "refunds"), (), "FX-8"),
    (("refunds", "orders"), (), "FX-1"),
    (("refunds",), ("FX-4",), "FX-5"),
    (("FX-1",), ("FX-4", "other-9"), "FX-5"),
    (("R2D2",), (), "R2D3"),
)


@pytest.mark.parametrize(("ids", "taken", "expected"), IDS)
def test_the_next_free_id_follows_the_style_of_the_rows(
    ids: tuple[str, ...], taken: tuple[str, ...], expected: str
) -> None:
    assert next_id(ids, taken) == expected


def test_add_makes_a_row_for_each_path_that_has_none(world: World) -> None:
    schema = {"schema": "tax/1", "b": 1, "a": [2, 1]}
    world.write("tests/fixtures/tax.json", json.dumps(schema, indent=4))
    world.write("tests/fixtures/odd.json", '{"schema": "odd/1", "pid": 7}')
    world.write("tests/fixtures/plain.csv", "a,b\n")
    before = world.read(FIXTURES)
    names = ("tax.json", "odd.json", "plain.csv", "rates.json")
    assert typed(world, "lock", "--add", *names, names[0], folder="tests/fixtures").code == 0
    added = world.read(FIXTURES).removeprefix(before)
    canonical = json.dumps(schema, sort_keys=True, separators=(",", ":")).encode()
    assert added == (
        f"- id: FX-3\n  path: tests/fixtures/tax.json\n  sha256: {hashlib.sha256(canonical).hexdigest()}\n"
        "  hash: contract\n"
        f"- id: FX-4\n  path: tests/fixtures/odd.json\n  sha256: {world.digest_of('tests/fixtures/odd.json')}\n"
        f"- id: FX-5\n  path: tests/fixtures/plain.csv\n  sha256: {world.digest_of('tests/fixtures/plain.csv')}\n"
    )
    assert hook_findings(world, 1) == []


def test_add_starts_a_ledger(world: World) -> None:
    world.delete(FIXTURES)
    world.delete("ledgers/properties.yaml")
    assert typed(world, "lock", "--add", ORDERS).code == 0
    assert world.read(FIXTURES) == f"- id: FX-1\n  path: {ORDERS}\n  sha256: {world.digest_of(ORDERS)}\n"


# what cannot be locked


def link(world: World) -> None:
    (world.root / "link.json").symlink_to(ORDERS)


def link_out(world: World) -> None:
    (world.root / "out").symlink_to("..")


def ignore(world: World) -> None:
    world.write(".gitignore", "*.local\n")
    world.write("x.local", "x\n")


def submodule(world: World) -> None:
    world.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(world.root / ".git"), "sub")


def nothing(_world: World) -> None:
    pass


NO_FIXTURES = (
    (link, ("--add", "link.json"), "link.json is a symbolic link"),
    (link_out, ("--add", "out/x.json"), "'out/x.json' lies outside the repository"),
    (nothing, ("--add", "../x.json"), "'../x.json' lies outside the repository"),
    (nothing, ("--add", "/etc/passwd"), "'/etc/passwd' lies outside the repository"),
    (nothing, ("--add", "tests"), "tests is a folder"),
    (nothing, ("--add", "."), "'.' cannot stand in a ledger"),
    (nothing, ("--add", "no.json"), "no.json is not in the tree"),
    (ignore, ("--add", "x.local"), "x.local is not in the tree"),
    (submodule, ("--add", "sub"), "sub is a submodule"),
    (nothing, ("--add",), "--add needs the files to lock"),
    (nothing, ("src/orders.py",), f"no row of {FIXTURES} locks src/orders.py"),
)


@pytest.mark.parametrize(("prepare", "arguments", "message"), NO_FIXTURES)
def test_what_is_no_file_of_the_repository_is_never_locked(
    world: World, prepare: Callable[[World], None], arguments: tuple[str, ...], message: str
) -> None:
    prepare(world)
    world.write(RATES, "drifted\n")
    before = ledgers(world)
    answer = typed(world, "lock", *arguments)
    assert (answer.code, ledgers(world)) == (2, before)
    assert message in answer.err
    assert "    fix: " in answer.err


def become_link(world: World) -> None:
    world.delete(ORDERS)
    (world.root / ORDERS).symlink_to("rates.json")


def vanish(world: World) -> None:
    world.delete(ORDERS)


def stop_being_a_contract(world: World) -> None:
    world.set_fields(FIXTURES, "FX-1", hash="contract")


CANNOT = ((become_link, "fixture-not-a-file"), (vanish, "fixture-missing"), (stop_being_a_contract, "fixture-contract"))


@pytest.mark.parametrize(("edit", "rule"), CANNOT, ids=[rule for _, rule in CANNOT])
def test_nothing_is_written_while_a_lock_cannot_be_made(world: World, edit: Callable[[World], None], rule: str) -> None:
    edit(world)
    world.write("tests/fixtures/other.json", "[]\n")
    world.add_fixture("FX-3", "tests/fixtures/other.json")
    world.write("tests/fixtures/other.json", "[1]\n")
    before = ledgers(world)
    answer = typed(world, "lock")
    assert (answer.code, ledgers(world)) == (1, before)
    assert set(answer.findings) <= set(hook_findings(world, 1))
    assert {found for found, _ in answer.findings} == {rule, "fixture-drifted"}
    assert typed(world, "lock", "tests/fixtures/other.json").code == 0


# freezes that stand in the way


def test_a_pinned_fixture_is_locked_only_together_with_its_row(world: World) -> None:
    world.freeze(REFUND, 0, 3)
    world.record("frozen")
    world.write(ORDERS, '{"a": 2}\n')
    before = ledgers(world)
    refused = typed(world, "lock")
    assert (refused.code, ledgers(world)) == (1, before)
    assert REFUND in refused.out
    assert "@finley" in refused.out
    assert "--drop-void" in refused.out
    assert [rule for rule, _ in refused.findings] == ["freeze-fixture-hash"]
    assert typed(world, "lock", "--drop-void").code == 0
    assert (world.read(FREEZES), digest_in(world, "FX-1")) == ("", world.digest_of(ORDERS))
    assert hook_findings(world, 1) == []
    assert commit_with_hooks(world, ".") == ""


def test_a_fixture_that_is_put_back_needs_no_row_to_go(world: World) -> None:
    """The freeze pins what the file holds again; only the lock is wrong."""
    world.freeze(REFUND, 0, 3)
    right = digest_in(world, "FX-1")
    world.sub(FIXTURES, right, "0" * 64)
    assert typed(world, "lock").code == 0
    assert digest_in(world, "FX-1") == right
    assert REFUND in world.read(FREEZES)


def test_a_new_lock_on_a_pinned_generator_needs_the_row_to_go(world: World) -> None:
    """A locked file is no generator any more."""
    world.freeze(REFUND, 0, 3)
    world.record("frozen")
    before = ledgers(world)
    refused = typed(world, "lock", "--add", "tests/seeds/gate.json")
    assert (refused.code, ledgers(world)) == (1, before)
    assert [rule for rule, _ in refused.findings] == ["freeze-generator-hash"]
    assert typed(world, "lock", "--add", "tests/seeds/gate.json", "--drop-void").code == 0
    assert world.read(FREEZES) == ""
    assert hook_findings(world, 1) == []


def test_a_new_lock_that_voids_nothing_leaves_every_row(world: World) -> None:
    world.freeze(REFUND, 0, 3)
    world.record("frozen")
    before = world.read(FREEZES)
    world.write("tests/fixtures/new.json", "{}\n")
    assert typed(world, "lock", "--add", "tests/fixtures/new.json", "--drop-void").code == 0
    assert world.read(FREEZES) == before


# files that are not as they should be


def test_a_ledger_behind_a_symbolic_link_is_refused(world: World) -> None:
    world.write(ORDERS, "[]\n")
    world.move(FIXTURES, "real.yaml")
    (world.root / FIXTURES).symlink_to("../real.yaml")
    before = world.read("real.yaml")
    answer = typed(world, "lock", "--add", RATES)
    assert (answer.code, world.read("real.yaml")) == (2, before)
    assert FIXTURES in answer.err


def test_a_ledger_that_cannot_be_read_is_not_edited(world: World) -> None:
    world.append(FIXTURES, "- id: FX-3\n  path: {}\n  oops\n")
    world.write(ORDERS, "[]\n")
    before = ledgers(world)
    answer = typed(world, "lock")
    assert (answer.code, ledgers(world)) == (2, before)
    assert re.search(rf"^{FIXTURES}:\d+:\d+: cannot tell: ", answer.err)


def test_a_row_that_lacks_its_digest_gets_one(world: World) -> None:
    world.set_fields(FIXTURES, "FX-1", sha256=None)
    assert typed(world, "lock").code == 0
    assert digest_in(world, "FX-1") == world.digest_of(ORDERS)
    assert hook_findings(world, 1) == []


def test_a_ledger_that_git_ignores_is_not_edited(world: World) -> None:
    world.git("rm", "-q", "--cached", FIXTURES)
    world.write(".gitignore", f"/{FIXTURES}\n")
    answer = typed(world, "lock", "--add", RATES)
    assert answer.code == 2
    assert f"git add -f {FIXTURES}" in answer.err


def test_the_hooks_accept_what_lock_wrote(world: World) -> None:
    world.write(ORDERS, '{"schema": "orders/1"}\n')
    assert commit_with_hooks(world, ".") != ""
    assert typed(world, "lock").code == 0
    assert commit_with_hooks(world, ".") == ""


def test_the_time_of_the_hooks_does_not_matter_to_a_lock(world: World) -> None:
    world.freeze(REFUND, 0, 3)
    assert typed(world, "check", "--now", noon(9)).code == 1
    assert typed(world, "lock").code == 0
