"""The checks as continuous-integration services run them: at every depth, in every event, whatever lies about."""

from __future__ import annotations

import json
import os
import re
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

from flakeledger import __version__
from flakeledger.model.ledger_paths import FREEZES, PROPERTIES
from flakeledger.rules.table import RULE_NAMES
from flakeledger.store.cache import Cache
from steps import (
    Edit,
    add_unrelated_file,
    edit_conftest,
    edit_production,
    freeze,
    replay,
    set_freeze,
    standing,
    standing_replayed,
    together,
    two_standing,
    unfreeze,
    write,
)
from world import CHECKS, CLOCK, ORDERS, TESTS, UNDECIDED, Start, Templates, Verdict, World, on, run_main

NOTHING: Verdict = frozenset()
#: what a freeze beside an edit of its conftest is refused by
MIXED = frozenset({"mixed-change", "freeze-with-edit"})
EXPIRED = frozenset({"freeze-expired"})
NOW = f"{on(2)}T12:00:00Z"

grant = together(replay(1, test=CLOCK), freeze(1, 20, CLOCK))
drift = write(ORDERS, '{"a": 2}\n')
shorten = set_freeze(expires=on(20))
#: a generator that no property of the world draws from
edit_factory = write("tests/factories.py", "LIMIT = 2\n")
#: two commits of a pull request -> what the state rules and the change rules refuse of it
PULL_REQUESTS: dict[str, tuple[tuple[Edit, Edit], Verdict, Verdict]] = {
    "honest": ((edit_production, replay(1, 19)), NOTHING, NOTHING),
    "mixed": ((edit_factory, shorten), NOTHING, frozenset({"mixed-change"})),
    "extended": (
        (edit_production, set_freeze(expires=on(31))),
        frozenset({"freeze-window"}),
        frozenset({"freeze-extended"}),
    ),
    "drifted": ((edit_production, drift), frozenset({"fixture-drifted", "freeze-fixture-hash"}), NOTHING),
}


class Hosted(NamedTuple):
    """A service's side of a pull request: its repository, what it checks out, and the commits that matter."""

    world: World
    head: str
    main: str
    work: str


class Service(NamedTuple):
    """A service in one event: what HEAD is, the variables it sets, how deep a clone must be for an answer."""

    checkout: Callable[[World], str]
    variables: Callable[[Hosted, Path], Mapping[str, str]]
    depth: int | None


def merged(world: World) -> str:
    """The test merge of the branch into main."""
    world.git("switch", "-q", "--detach", "main")
    world.git("merge", "-q", "--no-ff", "-m", "test merge", "work")
    return world.head()


def squashed(world: World) -> str:
    """Main after the branch was squashed onto it."""
    world.squash()
    return world.head()


def branch(world: World) -> str:
    """The branch itself."""
    return world.git("rev-parse", "work")


def github(event_name: str, event: object, folder: Path, **more: str) -> dict[str, str]:
    """The variables of an event on GitHub."""
    file = folder / "event.json"
    file.write_text(json.dumps(event), encoding="utf-8")
    service = {"CI": "true", "GITHUB_ACTIONS": "true", "GITHUB_EVENT_NAME": event_name, "GITHUB_EVENT_PATH": str(file)}
    return service | more


def no_variables(_hosted: Hosted, _folder: Path) -> Mapping[str, str]:
    return {}


def github_pull_request(hosted: Hosted, folder: Path) -> Mapping[str, str]:
    event = {"pull_request": {"head": {"sha": hosted.work}, "base": {"ref": "main", "sha": hosted.main}}}
    return github("pull_request", event, folder, GITHUB_SHA=hosted.head)


def github_push(name: str) -> Callable[[Hosted, Path], Mapping[str, str]]:
    def variables(hosted: Hosted, folder: Path) -> Mapping[str, str]:
        before = hosted.main if name == "main" else "0" * 40
        event = {"ref": f"refs/heads/{name}", "before": before, "repository": {"default_branch": "main"}}
        return github("push", event, folder)

    return variables


def github_merge_group(hosted: Hosted, folder: Path) -> Mapping[str, str]:
    return github("merge_group", {"merge_group": {"base_sha": hosted.main, "head_sha": hosted.head}}, folder)


def gitlab_merge_request(hosted: Hosted, _folder: Path) -> Mapping[str, str]:
    return {
        "CI": "true",
        "GITLAB_CI": "true",
        "CI_MERGE_REQUEST_IID": "7",
        "CI_MERGE_REQUEST_DIFF_BASE_SHA": hosted.main,
        "CI_MERGE_REQUEST_SOURCE_BRANCH_SHA": hosted.work if hosted.head != hosted.work else "",
        "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main",
    }


#: the depths that answer: `depth` and more; a clone that is not deep enough is exit 2
SERVICES = {
    "pre-commit.ci": Service(merged, no_variables, 2),
    "GitHub pull request": Service(merged, github_pull_request, 2),
    "GitHub merge group": Service(merged, github_merge_group, 2),
    "GitHub push to the default branch": Service(squashed, github_push("main"), 2),
    "GitHub push to a branch": Service(branch, github_push("work"), None),
    "GitLab merged result": Service(merged, gitlab_merge_request, 2),
    "GitLab merge request": Service(branch, gitlab_merge_request, None),
}
DEPTHS = (1, 2, None)


def host(templates: Templates, root: Path, edits: tuple[Edit, ...], checkout: Callable[[World], str]) -> Hosted:
    """The service's repository, with the edits as the commits of a branch."""
    world = templates.start(root, standing, "keyed", "block")
    main = world.head()
    for edit in edits:
        edit(world)
        world.record()
    work = world.head()
    head = checkout(world)
    world.git("update-ref", "refs/pull/1/merge", head)
    return Hosted(world, head, main, work)


def clone(hosted: Hosted, where: Path, depth: int | None) -> World:
    """The clone that a service makes: one ref at a depth, or every branch; HEAD is detached."""
    where.mkdir()
    world = World(where)
    world.git("init", "-q", "--template=")
    world.git("remote", "add", "origin", f"file://{hosted.world.root}")
    wanted = ["refs/pull/1/merge:refs/pull/1/merge"]
    wanted += [f"--depth={depth}"] if depth else ["+refs/heads/*:refs/remotes/origin/*"]
    world.git("fetch", "-q", "--no-tags", "origin", *wanted)
    world.git("checkout", "-q", "--detach", "refs/pull/1/merge")
    assert world.git("rev-parse", "--is-shallow-repository") == ("true" if depth else "false")
    return world


@pytest.mark.parametrize("service", SERVICES)
@pytest.mark.parametrize("example", PULL_REQUESTS)
def test_one_verdict_at_every_depth_or_none(service: str, example: str, templates: Templates, tmp_path: Path) -> None:
    edits, by_state, by_change = PULL_REQUESTS[example]
    found = SERVICES[service]
    hosted = host(templates, tmp_path / "hosted", edits, found.checkout)
    variables = found.variables(hosted, tmp_path)
    verdicts = {}
    for depth in DEPTHS:
        world = clone(hosted, tmp_path / str(depth), depth)
        verdicts[depth] = tuple(world.run(check, "--now", NOW, **variables) for check in CHECKS)
    deep = [depth for depth in DEPTHS if depth is None or (found.depth is not None and depth >= found.depth)]
    undecided = frozenset({UNDECIDED})
    assert verdicts == {depth: (by_state, by_change if depth in deep else undecided) for depth in DEPTHS}


@pytest.mark.parametrize("first", [edit_production, edit_conftest], ids=["honest", "mixed"])
def test_a_row_that_is_added_may_need_more_history_but_never_gets_another_verdict(
    first: Edit, templates: Templates, tmp_path: Path
) -> None:
    expected = NOTHING if first is edit_production else MIXED
    found = SERVICES["pre-commit.ci"]
    hosted = host(templates, tmp_path / "hosted", (first, together(unfreeze(), grant)), found.checkout)
    whole = clone(hosted, tmp_path / "whole", None).run("check-change", "--now", NOW)
    assert whole == expected
    for depth in (1, 2):
        shallow = clone(hosted, tmp_path / str(depth), depth).run("check-change", "--now", NOW)
        assert shallow in (whole, {UNDECIDED})


def test_two_direct_pushes_are_two_changes_and_need_both(templates: Templates, tmp_path: Path) -> None:
    def pushed(world: World) -> str:
        world.git("switch", "-q", "main")
        world.git("merge", "-q", "--ff-only", "work")
        return world.head()

    hosted = host(templates, tmp_path / "hosted", (edit_factory, shorten), pushed)
    variables = github_push("main")(hosted, tmp_path)
    found = {depth: clone(hosted, tmp_path / str(depth), depth).judge(2, **variables) for depth in (1, 2, 3, None)}
    assert found == {1: {UNDECIDED}, 2: {UNDECIDED}, 3: NOTHING, None: NOTHING}


@pytest.mark.parametrize("service", ["pre-commit.ci", "GitHub pull request"])
def test_without_its_base_a_change_gets_the_fix_for_every_platform(
    service: str, templates: Templates, tmp_path: Path
) -> None:
    found = SERVICES[service]
    hosted = host(templates, tmp_path / "hosted", (edit_production,), found.checkout)
    world = clone(hosted, tmp_path / "clone", 1)
    done = process(world, "check-change", **found.variables(hosted, tmp_path))
    assert (done.returncode, done.stdout) == (2, "")
    assert "base unknown" in done.stderr
    assert "the clone is shallow" in done.stderr
    for fix in ("fetch-depth: 2", "GIT_DEPTH: 0", "ci: skip: [check-change]", "--base REV"):
        assert fix in done.stderr


# without a base


def test_no_base_warns_aloud(templates: Templates, tmp_path: Path) -> None:
    found = SERVICES["GitHub pull request"]
    hosted = host(templates, tmp_path / "hosted", (edit_factory, shorten), found.checkout)
    summary = tmp_path / "summary.md"
    summary.write_text("# before\n", encoding="utf-8")
    variables = {**found.variables(hosted, tmp_path), "GITHUB_STEP_SUMMARY": str(summary)}
    shallow = process(clone(hosted, tmp_path / "shallow", 1), "check-change", "--no-base=warn", **variables)
    assert (shallow.returncode, shallow.stderr) == (0, "")
    assert "NOT CHECKED" in shallow.stdout
    first, *written = summary.read_text(encoding="utf-8").splitlines()
    assert (first, len(written)) == ("# before", 1)
    assert "flakeledger check-change: NOT CHECKED" in written[0]
    deep = process(clone(hosted, tmp_path / "deep", 2), "check-change", "--no-base=warn", **variables)
    assert deep.returncode == 1
    assert "NOT CHECKED" not in deep.stdout


def test_a_step_summary_that_cannot_be_written_is_no_pass(templates: Templates, tmp_path: Path) -> None:
    found = SERVICES["pre-commit.ci"]
    hosted = host(templates, tmp_path / "hosted", (edit_production,), found.checkout)
    world = clone(hosted, tmp_path / "clone", 1)
    nowhere = str(tmp_path / "nowhere" / "summary.md")
    done = process(world, "check-change", "--no-base=warn", GITHUB_STEP_SUMMARY=nowhere)
    assert done.returncode == 2
    assert "GITHUB_STEP_SUMMARY" in done.stderr
    assert "Traceback" not in done.stderr


# what strangers write

HOSTILE = "\n::error::x\r\n##[error]y\x1b[31m\u202e"
_PERCENT = re.compile("%(?!25|0A|0D|3A|2C)")


def hostile(world: World) -> None:
    """Names and texts that would be commands for a service or a terminal, in every place that is printed."""
    edit_conftest(world)
    grant(world)
    quoted = json.dumps(HOSTILE)
    world.write(f"tests/strategies/{HOSTILE}.py", "A = 1\n")
    world.write("tests/strategies/::warning::z.py", "A = 1\n")
    world.write(f"freeze/{HOSTILE}", "x\n")
    world.append(
        FREEZES,
        f"- test: {quoted}\n  owner: {quoted}\n  frozen_on: {quoted}\n  ::error::k: v\n  reason: '::error::r'\n"
        f"- test: '::error::t'\n  owner: '##[error]o'\n  expires: '::stop-commands::x'\n  property_id: '##vso[x]y'\n",
    )
    world.append(PROPERTIES, "- id: '::add-mask::p'\n  statement: '::error::s'\n  fixtures: ['::error::f']\n")
    world.write("ledgers/replays.jsonl", '::error::not json\n{"test": "\\n::error::"}\n')


def commands(output: str) -> list[tuple[str, str, str]]:
    """Every line that the runner of GitHub Actions would obey: (command, properties, data)."""
    found = []
    for line in re.split(r"\r\n|\r|\n", output):
        v2 = re.match(r"\s*::([^ :]*)(?: ([^:]*))?::(.*)", line)
        if v2:
            found.append((v2[1], v2[2] or "", v2[3]))
        found += [("old syntax", "", one) for one in re.findall(r"##\[?\w*\[.*|##\[.*", line)]
    return found


@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize("unreadable", [False, True])
def test_no_text_of_a_stranger_is_a_command(check: str, unreadable: bool, templates: Templates, tmp_path: Path) -> None:
    world = templates.start(tmp_path / "world", standing, "keyed", "block")
    hostile(world)
    if unreadable:
        world.append(FREEZES, "- '::error::': {'::error::': x}\n::error::\n")
    world.git("add", "-A")
    counted = json.loads(run_main(world.root, [check, "--format", "json", "--now", NOW], {})[1])
    done = process(world, check, "--format", "github", "--now", NOW)
    assert done.returncode in (1, 2)
    obeyed = commands(done.stdout)
    assert len(done.stdout.splitlines()) == len(obeyed) + ("cannot_tell" not in counted)
    if "cannot_tell" in counted:
        assert [name for name, _, _ in obeyed] == ["error"]
    else:
        levels = [finding["level"] for finding in counted["findings"]] + ["notice"] * len(counted["notes"])
        assert [name for name, _, _ in obeyed] == levels
        titles = {re.search("title=([^,]*)", properties)[1] for name, properties, _ in obeyed if name != "notice"}  # type: ignore[index]  # every command has a title, or this fails
        assert titles <= set(RULE_NAMES)
        assert len(titles) >= 1
    for _, properties, data in obeyed:
        assert not _PERCENT.search(properties + data)
    for output in (done.stdout, done.stderr, *plain(world, check)):
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", output)


def plain(world: World, check: str) -> tuple[str, str]:
    """What people see of the same, which is a log of the service too: it holds no command."""
    done = process(world, check, "--now", NOW)
    assert commands(done.stdout + done.stderr) == []
    return done.stdout, done.stderr


#: an edit, and the exit code of each check
OUTCOMES: dict[str, tuple[Edit, int, int]] = {
    "nothing wrong": (edit_production, 0, 0),
    "findings": (together(edit_conftest, grant, drift), 1, 1),
    "no policy": (lambda world: world.delete("ledgers/policy.yaml"), 2, 1),
    "broken policy": (write("ledgers/policy.yaml", "version: 1\n"), 2, 0),
    "conflict": (write(FREEZES, "<<<<<<< HEAD\n=======\n>>>>>>> x\n"), 1, 2),
}


@pytest.mark.parametrize("outcome", OUTCOMES)
@pytest.mark.parametrize("format_name", ["json", "github", "text"])
def test_every_outcome_in_every_format(outcome: str, format_name: str, templates: Templates, tmp_path: Path) -> None:
    edit, *codes = OUTCOMES[outcome]
    world = templates.start(tmp_path / "world", standing, "keyed", "block")
    edit(world)
    world.git("add", "-A")
    for check, code in zip(CHECKS, codes, strict=True):
        done = process(world, check, "--format", format_name, "--now", NOW)
        assert done.returncode == code, done.stdout + done.stderr
        assert "Traceback" not in done.stderr
        if format_name == "json":
            told = json.loads(done.stdout)
            assert told["command"] == check
            findings = told.get("findings", [])
            assert ("cannot_tell" in told) != ("findings" in told)
            assert code == 2 or code == int(any(finding["level"] == "error" for finding in findings))


# what earlier runs left


def process(world: World, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """A run in a process of its own."""
    command = [sys.executable, "-c", "import sys; from flakeledger.cli.main import main; sys.exit(main())", *arguments]
    return subprocess.run(
        command, cwd=world.root, env=os.environ | variables, capture_output=True, encoding="utf-8", check=False
    )


def judged(world: World) -> list[tuple[int, str]]:
    """Everything that both checks say."""
    return [run_main(world.root, [check, "--format", "json", "--now", NOW], {}) for check in CHECKS]


def cached(world: World) -> list[Path]:
    """The files of the cache."""
    return sorted((world.root / ".git/flakeledger").iterdir())


@pytest.fixture(params=[edit_production, together(edit_conftest, grant, drift), hostile], ids=["fine", "wrong", "odd"])
def staged(request: pytest.FixtureRequest, templates: Templates, tmp_path: Path) -> World:
    """A world with something staged and an empty cache."""
    world = templates.start(tmp_path / "world", standing, "keyed", "block")
    request.param(world)
    world.git("add", "-A")
    shutil.rmtree(world.root / ".git/flakeledger", ignore_errors=True)
    return world


def test_a_warm_run_says_what_a_cold_one_said(staged: World) -> None:
    cold = judged(staged)
    assert cached(staged)
    assert judged(staged) == cold
    for check, (code, output) in zip(CHECKS, cold, strict=True):
        alone = process(staged, check, "--format", "json", "--now", NOW)
        assert (alone.returncode, alone.stdout) == (code, output)


def other_facts(data: bytes) -> bytes:
    """The same keys with other digests behind them: only the heading tells."""
    heading, payload = data.split(b"\n", 1)
    known = json.loads(payload)
    swap = str.maketrans("cd", "dc")
    values = known if isinstance(known, dict) else {"": known}
    swapped = {key: json.loads(json.dumps(value).translate(swap)) for key, value in values.items()}
    other = swapped if isinstance(known, dict) else swapped[""]
    return heading + b"\n" + json.dumps(other, separators=(",", ":")).encode()


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda _: b"",
    "cut": lambda data: data[: len(data) // 2],
    "noise": lambda data: bytes(byte ^ 0x55 for byte in data),
    "one byte": lambda data: data[:-2] + bytes([data[-2] ^ 1]) + data[-1:],
    "other facts": other_facts,
    "another version": lambda data: data.replace(f"flakeledger {__version__}".encode(), b"flakeledger 99.0"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_cache_changes_no_answer(damage: str, staged: World) -> None:
    cold = judged(staged)
    for file in cached(staged):
        file.write_bytes(DAMAGES[damage](file.read_bytes()))
    assert judged(staged) == cold


@pytest.mark.parametrize("value", [None, [], {}, 7, "text", [[]], {"x": 1}, {"x": {"y": []}}, [1, "a", None]])
def test_a_cache_of_another_shape_changes_no_answer(value: object, staged: World) -> None:
    cold = judged(staged)
    names = [file.stem for file in cached(staged)]
    for name in names:
        Cache(str(staged.root / ".git")).save(name, value)
    assert judged(staged) == cold


@pytest.fixture
def read_only(staged: World) -> Iterator[World]:
    """A git directory that nothing can be written to; a file in the place of the cache stops root too."""
    folder = staged.root / ".git"
    (folder / "flakeledger").write_text("no folder", encoding="utf-8")
    everything = [folder, *folder.rglob("*")]
    modes = {path: stat.S_IMODE(path.stat().st_mode) for path in everything}
    for path, mode in modes.items():
        path.chmod(mode & 0o555)
    yield staged
    for path, mode in modes.items():
        path.chmod(mode)


def test_a_git_directory_that_cannot_be_written_changes_no_answer(read_only: World, tmp_path: Path) -> None:
    found = judged(read_only)
    assert (read_only.root / ".git/flakeledger").read_text(encoding="utf-8") == "no folder"
    writable = read_only.copy(tmp_path / "writable")
    for path in [writable.root / ".git", *(writable.root / ".git").rglob("*")]:
        path.chmod(path.stat().st_mode | stat.S_IWUSR)
    (writable.root / ".git/flakeledger").unlink()
    assert judged(writable) == found
    assert cached(writable)


# what time broke


def on_branch(world: World, edit: Edit) -> Verdict:
    """A pull request."""
    edit(world)
    world.record()
    return world.run("check-ledgers", "--now", f"{on(32)}T12:00:00Z", "--base", "main")


def on_test_merge(world: World, edit: Edit) -> Verdict:
    """The same as pre-commit.ci sees it."""
    edit(world)
    world.record()
    merged(world)
    return world.run("check-ledgers", "--now", f"{on(32)}T12:00:00Z")


def on_event(world: World, edit: Edit) -> Verdict:
    """The same as GitHub tells it."""
    main = world.git("rev-parse", "main")
    edit(world)
    world.record()
    hosted = Hosted(world, merged(world), main, world.git("rev-parse", "work"))
    variables = github_pull_request(hosted, world.root.parent)
    return world.run("check-ledgers", "--now", f"{on(32)}T12:00:00Z", **variables)


def on_shallow(world: World, edit: Edit) -> Verdict:
    """The same where the base is not known."""
    edit(world)
    world.record()
    shallow = World(world.root.with_name("shallow"))
    origin = f"file://{world.root}"
    world.git("clone", "-q", "--depth=1", "--branch=work", origin, str(shallow.root))
    shallow.git("checkout", "-q", "--detach")
    return shallow.run("check-ledgers", "--now", f"{on(32)}T12:00:00Z")


def on_push(world: World, edit: Edit) -> Verdict:
    """A push to the default branch."""
    edit(world)
    world.record()
    return world.judge_push(32, world.squash())


def on_schedule(world: World, edit: Edit) -> Verdict:
    """A scheduled run of the default branch."""
    edit(world)
    world.record()
    world.squash()
    event = github("schedule", {"schedule": "0 3 * * *"}, world.root.parent)
    return world.run("check-ledgers", "--now", f"{on(32)}T12:00:00Z", **event)


def on_local_commit(world: World, edit: Edit) -> Verdict:
    """A commit that is being made on the default branch."""
    world.git("switch", "-q", "main")
    edit(world)
    world.git("add", "-A")
    return world.run("check-ledgers", "--now", f"{on(32)}T12:00:00Z")


def on_tip(world: World, edit: Edit) -> Verdict:
    """The default branch as it stands, on a service that says nothing: a nightly run of one that is not known here."""
    edit(world)
    world.record()
    world.squash()
    return world.run("check-ledgers", "--now", f"{on(32)}T12:00:00Z", CI="true")


CONTEXTS = (on_branch, on_test_merge, on_event, on_shallow, on_push, on_schedule, on_tip, on_local_commit)
ANYWHERE = frozenset(CONTEXTS)
#: where it must not be forgiven
STRICT = frozenset({on_shallow, on_push, on_schedule, on_tip})


def touch_test_file(world: World) -> None:
    """An edit of the frozen test's file that leaves the test as it was."""
    world.append(TESTS, "# a comment\n")


def loosen(world: World) -> None:
    world.set_policy(warn_days=6)


#: (stale_rows, start, edit, where it is refused)
STALENESS: dict[str, tuple[str, Start, Edit, frozenset[object]]] = {
    "unrelated": ("block", standing_replayed, add_unrelated_file, ANYWHERE),
    "unrelated, touched only": ("block_touched", standing_replayed, add_unrelated_file, STRICT),
    "its test file, touched only": ("block_touched", standing_replayed, touch_test_file, ANYWHERE),
    "one of two repaired": ("block", two_standing, unfreeze(), STRICT),
    "one of two repaired, touched only": ("block_touched", two_standing, unfreeze(), STRICT),
    "one of two repaired, beside code": ("block", two_standing, together(unfreeze(), edit_production), ANYWHERE),
    "one of two repaired, beside policy": ("block", two_standing, together(unfreeze(), loosen), ANYWHERE),
    "replays appended": ("block", standing_replayed, replay(31, 19), STRICT),
    "replays appended, touched only": ("block_touched", standing_replayed, replay(31, 19), STRICT),
    "ledgers alone, nothing repaired": (
        "block",
        two_standing,
        set_freeze(issue="https://example.org"),
        ANYWHERE,
    ),
    "all repaired": ("block", standing_replayed, unfreeze(), frozenset()),
}


@pytest.mark.parametrize(
    ("case", "context"),
    [
        pytest.param(case, context, id=f"{case}-{context.__name__}".replace(" ", "_"))
        for case in STALENESS
        for context in (CONTEXTS if case.startswith(("unrelated", "one of two repaired")) else CONTEXTS[:5])
    ],
)
def test_what_time_broke_is_forgiven_to_whoever_repairs_it(
    case: str, context: Callable[[World, Edit], Verdict], templates: Templates, tmp_path: Path
) -> None:
    stale_rows, start, edit, refused = STALENESS[case]
    world = templates.start(tmp_path / "world", start, "keyed", stale_rows)
    assert context(world, edit) & EXPIRED == (EXPIRED if context in refused else NOTHING)
