"""`skip-unledgered` on real repositories: what a change brings, what licenses it, and what the finding says."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import get_args

import pytest

from flakeledger.model.ledger_paths import FIXTURES, FREEZES, POLICY, PROPERTIES
from flakeledger.repo.skip import SkipKind
from flakeledger.rules.skips import EFFECTS, MOST_FINDINGS
from steps import Edit, do, freeze, move, replay, sub, together, unfreeze, write
from world import CLOCK, CONFTEST, DAY_0, REFUND, TESTS, Templates, World, on, run_main

SKIP = "@pytest.mark.skip\n"
OLD = "tests/test_old.py"
SPEC = "tests/orders.spec.ts"
DATA = "tests/fixtures/example.py"
CITE = '@pytest.mark.frozen("PROP-1", runner_class="pinned-py311")\n'


def old_skips(world: World) -> None:
    """The base tree with old skips in several files, a locked data file among them."""
    world.write(OLD, "import pytest\n\n@pytest.mark.skip\ndef test_a():\n    assert 1\n\ndef test_b():\n    assert 2\n")
    world.write(SPEC, "it.skip('adds up', () => {\n  add(1);\n});\n\nit('counts', () => {\n  count(2);\n});\n")
    world.write(DATA, "VALUE = 1\n")
    world.add_fixture("FX-2", DATA)
    world.record("old skips")


@pytest.fixture
def world(templates: Templates, tmp_path: Path) -> World:
    return templates.start(tmp_path / "world", old_skips, "keyed", "block")


def findings(world: World, *arguments: str, day: int = 1) -> list[dict[str, object]]:
    """The findings of the rule on what lies here, staged."""
    world.git("add", "-A")
    options = ["--now", f"{on(day)}T12:00:00Z", "--format", "json", "--only", "skip-unledgered", *arguments]
    _, out = run_main(world.root, ["check-change", *options], {})
    found: list[dict[str, object]] = json.loads(out)["findings"]
    return found


def places(world: World, *arguments: str, day: int = 1) -> list[str]:
    return [f"{one['path']}:{one['line']}" for one in findings(world, *arguments, day=day)]


def mark(text: str, test: str = "test_clock") -> Edit:
    return sub(TESTS, f"def {test}", f"{text}def {test}")


BROUGHT: list[tuple[str, Edit, list[str]]] = [
    ("a mark", mark(SKIP), [f"{TESTS}:10"]),
    ("a constant condition", mark("@pytest.mark.skipif(True)\n"), [f"{TESTS}:10"]),
    ("a platform", mark("@pytest.mark.skipif(sys.platform == 'win32')\n"), []),
    ("a call", sub(TESTS, "assert total() > 0", "pytest.skip()"), [f"{TESTS}:11"]),
    ("a new test", do(World.append, TESTS, f"{SKIP}def test_new():\n    assert 0\n"), [f"{TESTS}:12"]),
    ("a new file", write("tests/test_new.py", f"{SKIP}def test_new():\n    assert 0\n"), ["tests/test_new.py:1"]),
    ("an xfail", mark("@pytest.mark.xfail\n"), [f"{TESTS}:10"]),
    ("a flaky", mark("@pytest.mark.flaky(reruns=3)\n"), [f"{TESTS}:10"]),
    ("an ignored file", write(CONFTEST, "LIMIT = 1\ncollect_ignore = ['test_orders.py']\n"), [f"{CONFTEST}:2"]),
    ("a deselection", write("tox.ini", f"[pytest]\naddopts = --deselect {CLOCK}\n"), ["tox.ini:2"]),
    ("another language", sub(SPEC, "it('counts", "it.skip('counts"), [f"{SPEC}:5"]),
    ("by its name", write("src/test_login.py", f"{SKIP}def test_login():\n    assert 0\n"), ["src/test_login.py:1"]),
    ("production", write("src/skips.py", f"{SKIP}def test_login():\n    assert 0\n"), []),
    ("a text", write("tests/README.md", SKIP), []),
    (
        "moved to another test",
        sub(OLD, SKIP + "def test_a():\n    assert 1\n\n", "def test_a():\n    1\n\n" + SKIP),
        [f"{OLD}:6"],
    ),
    ("the tests change places", sub(OLD, "test_b", "test_a"), []),
    ("a renamed file", move(OLD, "tests/test_older.py"), []),
    ("renamed and edited", together(move(OLD, "tests/test_x.py"), sub("tests/test_x.py", "assert 1", "assert 3")), []),
    (
        "a copied file",
        do(World.write, "tests/test_copy.py", "@pytest.mark.skip\ndef test_a():\n    assert 1\n"),
        ["tests/test_copy.py:1"],
    ),
    ("taken out", sub(OLD, SKIP, ""), []),
    ("below a mark that stands", sub(OLD, "assert 1", "assert 3"), []),
    ("data", write(DATA, f"VALUE = 1\n{SKIP}def test_login():\n    assert 0\n"), []),
    (
        "locked, but run",
        together(
            write("tests/test_n.py", f"{SKIP}def test_n(): 0\n"), do(World.add_fixture, "FX-3", "tests/test_n.py")
        ),
        ["tests/test_n.py:1"],
    ),
]


@pytest.mark.parametrize(("edit", "expected"), [row[1:] for row in BROUGHT], ids=[row[0] for row in BROUGHT])
def test_a_change_brings_a_skip(edit: Edit, expected: list[str], world: World) -> None:
    edit(world)
    assert places(world) == expected


def test_a_file_of_tests_that_was_locked_before_is_data(world: World) -> None:
    path = "tests/fixtures/test_example.py"
    world.write(path, "VALUE = 1\n")
    world.add_fixture("FX-3", path)
    world.record("a file that a linter's test reads")
    world.write(path, f"{SKIP}def test_x(): 0\n")
    assert places(world) == []
    world.remove_row(FIXTURES, "FX-3")
    assert places(world) == [f"{path}:1"]


def test_permanent_skips_are_nobodys_business(world: World) -> None:
    world.append(POLICY, 'permanent_skips: ["needs a display*"]\n')
    world.record("a permanent skip")
    world.git("branch", "-f", "main")
    mark('@pytest.mark.skip(reason="needs a display server")\n')(world)
    mark('@pytest.mark.skip(reason="no time")\n', "test_total")(world)
    assert places(world) == [f"{TESTS}:8"]


def test_a_change_is_not_judged_by_its_own_permanent_skips(world: World) -> None:
    world.append(POLICY, 'permanent_skips: ["*"]\n')
    mark('@pytest.mark.skip(reason="no time")\n')(world)
    assert places(world) == [f"{TESTS}:10"]


# licences


def frozen(world: World) -> None:
    world.replay(0, test=CLOCK)
    world.freeze(CLOCK, 0, 20)
    world.record("a freeze")


LICENSED: list[tuple[str, str, bool, int]] = [
    ("xfail", "@pytest.mark.xfail\n", True, 1),
    ("flaky", "@pytest.mark.flaky\n", True, 1),
    ("unittest", "@unittest.expectedFailure\n", True, 1),
    ("skip", SKIP, False, 1),
    ("retry", "@pytest.mark.retry\n", False, 1),
    ("quarantine", "@pytest.mark.quarantine\n", False, 1),
    ("after its end", "@pytest.mark.xfail\n", False, 30),
]


@pytest.mark.parametrize(
    ("text", "is_licensed", "day"), [row[1:] for row in LICENSED], ids=[row[0] for row in LICENSED]
)
def test_an_open_freeze_that_is_cited_licenses_a_mark(text: str, is_licensed: bool, day: int, world: World) -> None:
    frozen(world)
    mark(CITE + text)(world)
    assert places(world, day=day) == ([] if is_licensed else [f"{TESTS}:11"])


def test_a_freeze_that_is_not_cited_licenses_nothing(world: World) -> None:
    frozen(world)
    mark("@pytest.mark.xfail\n")(world)
    (found,) = findings(world)
    assert found["fix"] == f"cite its open freeze on the test itself: {CITE.strip()}; or take the mark out"
    sub(TESTS, "@pytest.mark.xfail", SKIP.strip())(world)
    (found,) = findings(world)
    assert found["fix"] == "take it out: the test is frozen, and a frozen test still runs"


@pytest.mark.parametrize(
    "cite",
    [
        '@pytest.mark.frozen("PROP-2", runner_class="pinned-py311")\n',
        '@pytest.mark.frozen("PROP-1", runner_class="local-fixture")\n',
        '@pytest.mark.frozen("PROP-1")\n',
        '@pytest.mark.frozen(runner_class="pinned-py311")\n',
    ],
)
def test_a_citation_that_is_rejected_licenses_nothing(cite: str, world: World) -> None:
    frozen(world)
    mark(f"{cite}@pytest.mark.xfail\n")(world)
    assert places(world) == [f"{TESTS}:11"]


def test_the_freeze_of_one_test_licenses_no_mark_on_another(world: World) -> None:
    frozen(world)
    mark(CITE)(world)
    mark("@pytest.mark.xfail\n", "test_total")(world)
    world.sub(TESTS, '"""What', "# flakeledger: cite PROP-1 runner_class=pinned-py311\n" + '"""What')
    assert places(world) == [f"{TESTS}:9"]


def test_a_freeze_of_one_case_licenses_the_mark_on_a_case(world: World) -> None:
    cases = '[1, pytest.param(2, marks=pytest.mark.xfail, id="two")]'
    world.append(TESTS, f'{CITE}@pytest.mark.parametrize("x", [1, 2])\ndef test_case(x):\n    assert x\n')
    test = f"{TESTS}::test_case[two]"
    world.set_fields(PROPERTIES, "PROP-1", tests=[REFUND, CLOCK, test])
    world.record("a parametrised test")
    world.sub(TESTS, "[1, 2]", cases)
    assert places(world) == [f"{TESTS}:13"]
    world.record("before its freeze")
    together(replay(1, test=test), freeze(1, 20, test))(world)
    assert places(world, "--base", "main") == []
    world.sub(
        TESTS, f'@pytest.mark.parametrize("x", {cases})', '@pytest.mark.xfail\n@pytest.mark.parametrize("x", [1, 2])'
    )
    assert places(world, "--base", "main") == [f"{TESTS}:13"]


def test_a_freeze_added_with_the_mark_licenses_it(world: World) -> None:
    together(replay(1, test=CLOCK), mark(f"{CITE}@pytest.mark.xfail\n"), freeze(1, 20, CLOCK))(world)
    assert places(world) == []
    assert world.judge(1) == frozenset()


def test_a_freeze_that_goes_takes_the_mark_with_it_in_the_ledger_only(world: World) -> None:
    frozen(world)
    mark(f"{CITE}@pytest.mark.xfail\n")(world)
    world.record("an expected failure")
    unfreeze(CLOCK)(world)
    assert places(world, day=2) == []  # it stood; check-ledgers finds the citation without a row


# what the finding says


def test_the_row_to_write_is_one_that_the_hooks_accept(world: World) -> None:
    world.write("CODEOWNERS", "tests/ @finley\n")
    world.record("owners")
    mark('@pytest.mark.skip(reason="depends on the wall clock")\n')(world)
    (found,) = findings(world)
    fix = str(found["fix"])
    assert found["message"] == f"`@pytest.mark.skip` takes `{CLOCK}` out of every run, without an owner and an end"
    head, _, row = fix.partition("filled in:\n")
    assert f'flakeledger freeze {CLOCK} --reason "' in head
    assert "?" not in row
    world.sub(TESTS, '@pytest.mark.skip(reason="depends on the wall clock")\n', "")
    world.append(FREEZES, row + "\n")
    world.git("add", "-A")
    assert world.judge(1) == frozenset()


def test_what_only_a_person_knows_is_refused_until_it_is_filled_in(world: World) -> None:
    mark(SKIP, "test_total")(world)
    (found,) = findings(world)
    row = str(found["fix"]).partition("filled in:\n")[2]
    world.sub(TESTS, SKIP, "")
    world.append(FREEZES, row + "\n")
    world.git("add", "-A")
    assert world.judge(1) >= {"freeze-unowned", "bad-value"}


@pytest.mark.parametrize(
    "edit",
    [
        write("tests/test_new.py", "import pytest\npytestmark = pytest.mark.skip\ndef test_x(): 1\n"),
        write("tests/test_new.py", "import pytest\n@pytest.mark.skip\nclass TestX:\n    def test_x(self): 1\n"),
        write(CONFTEST, "collect_ignore = ['test_orders.py']\n"),
    ],
)
def test_of_several_tests_the_command_is_told(edit: Edit, world: World) -> None:
    edit(world)
    (found,) = findings(world)
    assert "one by one: flakeledger freeze tests/" in str(found["fix"])


def test_texts_of_strangers_stay_short(world: World) -> None:
    world.write(SPEC, world.read(SPEC) + f"it.skip('{'a' * 5000}', () => {{}});\n")
    (found,) = findings(world)
    assert len(str(found["message"])) < 300
    assert len(str(found["fix"])) < 300


def test_of_very_many_skips_the_first_are_told_one_by_one(world: World) -> None:
    """Each finding says what to do about it, which takes time: 10,000 of them took 40 seconds."""
    lines = [f"it.skip('adds {number}', () => {{}});\n" for number in range(MOST_FINDINGS + 50)]
    world.write("tests/new.spec.ts", "".join(lines))
    found = findings(world)
    assert [one["line"] for one in found] == list(range(1, MOST_FINDINGS + 2))
    assert str(found[-1]["message"]).startswith("50 more skips or marks")


def test_every_kind_has_its_words() -> None:
    assert EFFECTS.keys() == set(get_args(SkipKind))


# trees that git holds


@pytest.mark.parametrize(
    ("attributes", "config"),
    [
        ("* -diff\n", ()),
        ("*.py binary\n", ()),
        ("*.py diff=none\n", ("diff.none.textconv", "true")),
        ("", ("diff.noprefix", "true")),
    ],
)
def test_no_attribute_and_no_configuration_hides_a_skip(attributes: str, config: tuple[str, ...], world: World) -> None:
    world.write(".gitattributes", attributes)
    if config:
        world.git("config", *config)
    mark(SKIP)(world)
    assert places(world) == [f"{TESTS}:10"]


def test_a_link_is_no_test_code(world: World) -> None:
    (world.root / "tests/test_link.py").symlink_to("test_old.py")
    assert places(world) == []


def test_a_file_that_is_no_text_is_read_all_the_same(world: World) -> None:
    (world.root / "tests/test_bytes.py").write_bytes(
        b"import pytest\n# \xff\xfe\0\n@pytest.mark.skip\ndef test_x(): 1\n"
    )
    assert places(world) == ["tests/test_bytes.py:3"]


def test_a_branch_is_judged_as_a_whole(world: World) -> None:
    mark(SKIP)(world)
    world.record("a skip")
    world.sub(TESTS, SKIP, "")
    world.record("and back")
    assert places(world, "--base", "main") == []
    mark(SKIP, "test_total")(world)
    world.record("another")
    assert places(world, "--base", "main") == [f"{TESTS}:8"]


def test_a_push_is_judged_step_by_step(world: World) -> None:
    before = world.head()
    for number, edit in enumerate([write("src/a.py", "A = 1\n"), mark(SKIP), write("src/b.py", "B = 1\n")]):
        edit(world)
        world.record(f"step {number}")
    world.sub(TESTS, SKIP, "")
    world.record("and back")
    world.git("branch", "-f", "main")
    world.git("switch", "-q", "main")
    assert "skip-unledgered" in world.judge_push(1, before)


def merged(world: World, ours: Callable[[World], object], theirs: Callable[[World], object]) -> None:
    """A merge of main into the branch, staged and not committed."""
    ours(world)
    world.record("ours")
    world.git("switch", "-q", "main")
    theirs(world)
    world.record("theirs")
    world.git("switch", "-q", "work")
    world.git("merge", "-q", "--no-commit", "--no-ff", "main")


@pytest.mark.parametrize("is_evil", [False, True])
def test_a_merge_answers_for_what_it_does_itself(is_evil: bool, world: World) -> None:
    padding = "".join(f"\n# {n}" for n in range(9)) + "\n"
    world.sub(TESTS, "def test_total", padding + "def test_total")
    world.record("room between two tests")
    world.git("branch", "-f", "main")
    merged(world, mark(SKIP), do(World.sub, TESTS, "assert x >= 0", "pytest.xfail()"))
    if is_evil:
        mark(SKIP, "test_total")(world)
    assert places(world) == ([f"{TESTS}:18"] if is_evil else [])


def test_the_adoption_is_not_judged(world: World) -> None:
    world.git("switch", "-q", "--orphan", "other")
    world.write(TESTS, f"import pytest\n{SKIP}def test_x(): 1\n")
    world.record("before any ledger")
    world.git("branch", "-D", "main", "work")
    world.write(TESTS, world.read(TESTS) + f"{SKIP}def test_y(): 1\n")
    assert places(world) == []


def test_a_test_may_be_frozen_while_its_mark_waits_for_the_row(world: World) -> None:
    """The mark stands on disk; with the row it is licensed, and the command writes the row."""
    mark(f"{CITE}@pytest.mark.xfail\n")(world)
    arguments = [
        "freeze",
        CLOCK,
        "--owner",
        "@finley",
        "--reason",
        "depends on the clock",
        "--now",
        f"{DAY_0}T12:00:00Z",
    ]
    code, out = run_main(world.root, arguments, {})
    assert code == 0, out
    assert REFUND not in world.read(FREEZES)
    assert places(world, day=0) == []
