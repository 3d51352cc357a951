"""The hook `record-decisions` in real commits: which trailers a commit gets, and every way in which git makes one.

The hook is a shell script that calls the installed command with a fixed instant, as git calls prepare-commit-msg.
"""

from __future__ import annotations

import os
import stat
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from commands import TOOL, noon, typed
from flakeledger.model.ledger_paths import FIXTURES, FREEZES, POLICY, PROPERTIES
from steps import base, edit_fixture
from world import PRODUCT, REFUND, TESTS, Templates, World, on

Edit = Callable[[World], object]

RUNNER = "runner_class=pinned-py311"
CITATION = f"# flakeledger: cite PROP-1 {RUNNER}\n"
SPEC = "tests/cart.spec.js"
ALLOWED, EXPIRED = (
    f"Freeze-Decision: PROP-1 {decision} now={noon(day)}"
    for decision, day in (("allow_cite", 5), ("reject:window", 40))
)
#: an editor, as a shell command that is given the file
TYPES_A_SUBJECT = "sed -i '1s/^/Subject/'"
LEAVES_IT = "true"


def cited(world: World) -> None:
    """A freeze until day 20, cited by its module; a second test module without any citation."""
    base(world)
    world.append(TESTS, CITATION)
    world.write("tests/test_other.py", "def test_other():\n    assert True\n")
    world.freeze(REFUND, 0, 20)
    world.record("start")


@pytest.fixture
def world(templates: Templates, tmp_path: Path) -> World:
    world = templates.start(tmp_path / "world", cited, "keyed", "block")
    install(world, 5)
    return world


def install(world: World, day: int) -> None:
    """Let git call the hook at noon of a day; what it prints lies beside the repository."""
    hook = world.root / ".git" / "hooks" / "prepare-commit-msg"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\nexec '{TOOL}' record-decisions --now {noon(day)} \"$@\" 2>>'{world.root}.notes'\n")
    hook.chmod(0o755)


def notes(world: World) -> str:
    file = Path(f"{world.root}.notes")
    return file.read_text() if file.exists() else ""


def commit(
    world: World, *arguments: str, editor: str = "false", code: int = 0, environment: Mapping[str, str] | None = None
) -> str:
    """Commit all that lies here; gives the message of HEAD."""
    world.git("add", "-A")
    command = ["git", "commit", "-q", *arguments]
    variables = os.environ | {"GIT_EDITOR": editor} | dict(environment or {})
    done = subprocess.run(command, cwd=world.root, env=variables, capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stdout + done.stderr
    return world.git("log", "-1", "--format=%B").strip("\n")


def trailers(message: str) -> list[str]:
    return [line for line in message.splitlines() if line.startswith("Freeze-Decision: ")]


def touch(world: World) -> None:
    """Edit the module that cites, and nothing that a pin covers."""
    world.append(TESTS, "# edited\n")


# what is recorded


def set_field(ledger: str, key: str, **fields: str) -> Edit:
    return lambda world: world.set_fields(ledger, key, **fields)


TOUCHES: dict[str, tuple[Edit, list[str]]] = {
    "the file that cites": (touch, [ALLOWED]),
    "the row": (set_field(FREEZES, REFUND, owner="@robin"), [ALLOWED]),
    "its property": (set_field(PROPERTIES, "PROP-1", statement="never less than zero"), [ALLOWED]),
    "its fixture and the lock": (
        edit_fixture,
        [f"Freeze-Decision: PROP-1 reject:fixture_hash now={noon(5)}"],
    ),
    "a freeze of a test in another file": (
        lambda world: world.append(FREEZES, world.row(FREEZES, REFUND).replace("test_orders.py", "test_other.py")),
        [],
    ),
    "another fixture": (lambda world: world.add_fixture("FX-2", PRODUCT), []),
    "production": (lambda world: world.append(PRODUCT, "# edited\n"), []),
    "a test module without a citation": (lambda world: world.append("tests/test_other.py", "# edited\n"), []),
    "the layout of a row": (lambda world: world.append(FREEZES, "# a comment\n"), []),
    "the citation goes": (lambda world: world.sub(TESTS, CITATION, ""), []),
    "the row goes": (World.unfreeze, []),
    "two citations that agree": (lambda world: world.append(TESTS, CITATION), [ALLOWED]),
    "two citations that differ": (
        lambda world: world.append(TESTS, "# flakeledger: cite PROP-1 runner_class=local-fixture\n"),
        [ALLOWED, f"Freeze-Decision: PROP-1 reject:window now={noon(5)}"],
    ),
    "a citation of another property": (
        lambda world: world.sub(TESTS, "cite PROP-1", "cite PROP-9"),
        [f"Freeze-Decision: PROP-9 reject:property_id now={noon(5)}"],
    ),
    "a citation that is malformed": (lambda world: world.append(TESTS, "# flakeledger: cite\n"), [ALLOWED]),
    "a citation without a row": (
        lambda world: world.append("tests/test_other.py", CITATION),
        [],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", TOUCHES)
def test_a_commit_records_the_citations_that_it_touches(name: str, world: World) -> None:
    edit, expected = TOUCHES[name]
    edit(world)
    message = commit(world, "-m", "Edit")
    assert message == "\n".join(["Edit", *([""] if expected else []), *expected])
    assert notes(world) == ""


def test_an_expired_window_is_recorded(world: World) -> None:
    install(world, 40)
    touch(world)
    assert trailers(commit(world, "-m", "Late")) == [EXPIRED]


def test_the_last_second_of_a_window(world: World) -> None:
    world.set_fields(FREEZES, REFUND, expires=noon(5))
    touch(world)
    assert trailers(commit(world, "-m", "Late")) == [EXPIRED.replace(noon(40), noon(5))]


def test_a_citation_in_another_language(world: World) -> None:
    world.write(SPEC, f"// property_id: PROP-1\n// flakeledger: cite PROP-1 {RUNNER}\ntest('adds up', () => {{}})\n")
    world.add_row(FREEZES, test=f"{SPEC}::adds up", owner="@finley", frozen_on=on(0), expires=on(20),
                  reason="depends on a slow clock", property_id="PROP-1", replay_env="pinned-py311",
                  runner_class="pinned-py311", failure_class="environment")  # fmt: skip
    assert trailers(commit(world, "-m", "Spec")) == [ALLOWED]
    world.append(SPEC, "// edited\n")
    assert trailers(commit(world, "-m", "Spec again")) == [ALLOWED]


def test_what_is_staged_is_recorded_and_not_what_lies_on_disk(world: World) -> None:
    world.append(PRODUCT, "# edited\n")
    world.git("add", "-A")
    touch(world)
    world.git("commit", "-q", "-m", "Product")
    assert world.git("log", "-1", "--format=%B").strip() == "Product"
    world.append(PRODUCT, "# again\n")
    world.git("commit", "-q", "-m", "The path", TESTS)
    assert trailers(world.git("log", "-1", "--format=%B")) == [ALLOWED]


# ways to commit


@pytest.mark.parametrize("editor", [TYPES_A_SUBJECT, LEAVES_IT])
@pytest.mark.parametrize("arguments", [("--no-edit",), ()])
def test_amending_replaces_what_was_recorded(arguments: tuple[str, ...], editor: str, world: World) -> None:
    touch(world)
    commit(world, "-m", "Edit")
    install(world, 40)
    world.append(PRODUCT, "# edited\n")
    message = commit(world, "--amend", *arguments, editor=editor)
    assert message == f"{'Subject' if not arguments and editor != LEAVES_IT else ''}Edit\n\n{EXPIRED}"


def test_amending_away_what_was_touched_takes_the_record_out(world: World) -> None:
    touch(world)
    world.append(PRODUCT, "# edited\n")
    commit(world, "-m", "Edit")
    world.sub(TESTS, "# edited\n", "")
    assert commit(world, "--amend", "--no-edit") == "Edit"


def test_amending_the_first_commit(repository: Path) -> None:
    world = World(repository)
    made = World.new(repository.parent / "made")
    made.append(TESTS, CITATION)
    made.freeze(REFUND, 0, 20)
    for path in made.root.rglob("*"):
        if path.is_file() and ".git" not in path.parts:
            world.write(str(path.relative_to(made.root)), path.read_text())
    install(world, 5)
    assert commit(world, "-m", "Adopt") == f"Adopt\n\n{ALLOWED}"
    install(world, 40)
    assert commit(world, "--amend", "--no-edit") == f"Adopt\n\n{EXPIRED}"


@pytest.mark.parametrize(
    ("given", "arguments", "expected"),
    [
        ("Fix\n", ("-F", "../given"), f"Fix\n\n{ALLOWED}"),
        ("Fix", ("-F", "../given"), f"Fix\n\n{ALLOWED}"),
        ("Fix\r\n\r\nbody\r\n", ("-F", "../given"), f"Fix\n\nbody\n\n{ALLOWED}"),
        ("Fix\r\n\r\nbody\r\n", ("-F", "../given", "--cleanup=verbatim"), f"Fix\r\n\r\nbody\r\n\n{ALLOWED}"),
        ("Fix\n\n#123\n", ("-F", "../given"), f"Fix\n\n#123\n\n{ALLOWED}"),
        ("Fix\n\n#123\n", ("-F", "../given", "--cleanup=strip"), f"Fix\n\n{ALLOWED}"),
        ("Fix\n\n---\nnot a patch\n", ("-F", "../given"), f"Fix\n\n---\nnot a patch\n\n{ALLOWED}"),
        ("", ("-m", "Fix", "-s"), f"Fix\n\nSigned-off-by: Finley <finley@example.org>\n{ALLOWED}"),
        ("", ("-m", "Fix", "-m", "body"), f"Fix\n\nbody\n\n{ALLOWED}"),
        ("", ("-m", "Fix: a colon"), f"Fix: a colon\n\n{ALLOWED}"),
        ("", ("-m", "Fix", "--trailer", "Refs: 12"), f"Fix\n\nRefs: 12\n{ALLOWED}"),
        ("", ("-m", "Fix", "--cleanup=verbatim"), f"Fix\n\n{ALLOWED}"),
    ],
)
def test_messages_that_are_given(given: str, arguments: tuple[str, ...], expected: str, world: World) -> None:
    world.root.with_name("given").write_bytes(given.encode())
    touch(world)
    world.git("add", "-A")
    subprocess.run(["git", "commit", "-q", *arguments], cwd=world.root, check=True)
    raw = subprocess.run(["git", "log", "-1", "--format=%B"], cwd=world.root, capture_output=True, check=True).stdout
    assert raw.decode().rstrip("\n") == expected


@pytest.mark.parametrize("comment", ["#", ";", "auto"])
@pytest.mark.parametrize("verbose", [(), ("-v",), ("--cleanup=scissors",)])
def test_messages_that_are_written_in_an_editor(comment: str, verbose: tuple[str, ...], world: World) -> None:
    world.git("config", "core.commentChar", comment)
    touch(world)
    assert commit(world, *verbose, editor=TYPES_A_SUBJECT) == f"Subject\n\n{ALLOWED}"
    install(world, 40)
    touch(world)
    assert commit(world, "--amend", *verbose, editor=LEAVES_IT) == f"Subject\n\n{EXPIRED}"


def test_a_line_that_makes_git_choose_another_comment_character(world: World) -> None:
    world.git("config", "core.commentChar", "auto")
    touch(world)
    commit(world, "-m", "#12 is fixed")
    install(world, 40)
    touch(world)
    assert commit(world, "--amend", editor=LEAVES_IT) == f"#12 is fixed\n\n{EXPIRED}"


def test_a_template_keeps_its_text_and_says_how_to_make_no_commit(world: World) -> None:
    template = world.root.with_name("template")
    template.write_text("What changes:\n\nWhy:\n# a hint\n")
    world.git("config", "commit.template", str(template))
    touch(world)
    seen = world.root.with_name("seen")
    message = commit(world, editor=f'sh -c \'cp "$1" {seen}; sed -i 1s/$/x/ "$1"\' -')
    assert message.startswith("What changes:x\n\nWhy:")
    assert trailers(message) == [ALLOWED]
    assert "\n# flakeledger: to make no commit, delete the lines above as well\n" in seen.read_text()


def test_an_empty_message_in_an_editor_leaves_room_and_says_how_to_make_no_commit(world: World) -> None:
    touch(world)
    seen = world.root.with_name("seen")
    before = world.head()
    commit(world, editor=f'sh -c \'cp "$1" {seen}; sed -i /^Freeze-Decision/d "$1"\' -', code=1)
    assert world.head() == before
    assert seen.read_text().startswith(
        f"\n\n{ALLOWED}\n# flakeledger: to make no commit, delete the lines above as well\n# Please enter"
    )


def test_an_empty_message_without_an_editor_stays_empty(world: World) -> None:
    touch(world)
    before = world.head()
    commit(world, "-m", "", code=1)
    assert world.head() == before
    assert commit(world, "-m", "", "--allow-empty-message") == ""


def test_a_merge_records_what_it_does_itself(world: World) -> None:
    world.git("switch", "-q", "-c", "side")
    touch(world)
    commit(world, "-m", "Side")
    world.git("switch", "-q", "work")
    world.append(PRODUCT, "# edited\n")
    commit(world, "-m", "Work")
    world.git("merge", "-q", "--no-edit", "side")
    assert world.git("log", "-1", "--format=%B").strip() == "Merge branch 'side' into work"
    world.git("reset", "-q", "--hard", "HEAD~1")
    world.git("merge", "-q", "--no-commit", "side")
    world.append(TESTS, "# by the merge\n")
    assert commit(world, "--no-edit") == f"Merge branch 'side' into work\n\n{ALLOWED}"
    install(world, 40)
    assert trailers(commit(world, "--amend", "--no-edit")) == [EXPIRED]


def test_a_squashed_merge_is_one_commit_that_touches_all(world: World) -> None:
    world.git("switch", "-q", "-c", "side")
    touch(world)
    commit(world, "-m", "Side")
    world.git("switch", "-q", "work")
    world.git("merge", "-q", "--squash", "side")
    message = commit(world, "--no-edit")
    assert trailers(message) == [ALLOWED]
    assert message.endswith(f"\n\n{ALLOWED}")
    assert f"    {ALLOWED}" in message


def test_picked_and_rebased_commits_are_recorded_anew(world: World) -> None:
    world.git("switch", "-q", "-c", "side")
    touch(world)
    commit(world, "-m", "Side")
    world.git("switch", "-q", "work")
    world.append(PRODUCT, "# edited\n")
    commit(world, "-m", "Work")
    install(world, 40)
    world.git("cherry-pick", "side")
    assert world.git("log", "-1", "--format=%B").strip() == f"Side\n\n{EXPIRED}"
    world.git("reset", "-q", "--hard", "HEAD~1")
    world.git("rebase", "-q", "work", "side")
    assert world.git("log", "-1", "--format=%B").strip() == f"Side\n\n{EXPIRED}"


def test_commits_that_a_rebase_joins_have_one_record(world: World) -> None:
    touch(world)
    commit(world, "-m", "One")
    touch(world)
    commit(world, "-m", "Two")
    install(world, 40)
    joined = {"GIT_SEQUENCE_EDITOR": "sed -i '2s/^pick/squash/'", "GIT_EDITOR": LEAVES_IT}
    world.git("rebase", "-q", "-i", "HEAD~2", **joined)
    message = world.git("log", "-1", "--format=%B")
    assert "One\n" in message
    assert "Two\n" in message
    assert trailers(message) == [EXPIRED]


# configuration


def test_configured_trailers_neither_run_nor_interfere(world: World) -> None:
    for name, value in {
        "trailer.separators": "#",
        "trailer.where": "start",
        "trailer.sign.key": "Signed-off-by: ",
        "trailer.sign.command": "touch executed",
    }.items():
        world.git("config", name, value)
    touch(world)
    assert commit(world, "-m", "Fix") == f"Fix\n\n{ALLOWED}"
    assert not (world.root / "executed").exists()


# never in the way


def message_file(world: World, text: str = "Fix\n") -> Path:
    file = world.root / ".git" / "COMMIT_EDITMSG"
    file.write_text(text)
    return file


BROKEN: dict[str, tuple[Edit, str]] = {
    "the policy": (lambda world: world.append(POLICY, "nonsense: 1\n"), POLICY),
    "no policy": (lambda world: world.delete(POLICY), POLICY),
    "the freezes": (lambda world: world.append(FREEZES, "- {\n"), FREEZES),
    "all freezes": (lambda world: world.write(FREEZES, "<<<<<<< HEAD\n"), FREEZES),
    "the fixtures": (lambda world: world.append(FIXTURES, "<<<<<<< HEAD\n"), FIXTURES),
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_cannot_be_read_stops_nothing_and_records_nothing(name: str, world: World) -> None:
    edit, path = BROKEN[name]
    edit(world)
    touch(world)
    assert commit(world, "-m", "Broken") == "Broken"
    assert f"{path} cannot be read as a whole" in notes(world)
    assert "note: no decision was recorded; the commit goes on\n" in notes(world)


def test_a_broken_policy_is_no_news_where_nothing_is_touched(world: World) -> None:
    world.append(POLICY, "nonsense: 1\n")
    assert commit(world, "-m", "Broken") == "Broken"
    assert notes(world) == ""


def test_nothing_to_record_leaves_the_file_as_it_is(world: World) -> None:
    world.append(PRODUCT, "# edited\n")
    world.git("add", "-A")
    file = message_file(world, "Fix  \r\n\n\n")
    os.utime(file, (1, 1))
    before = file.stat()
    answer = typed(world, "record-decisions", str(file), "message")
    assert (answer.code, answer.out, answer.err) == (0, "", "")
    after = file.stat()
    assert (after.st_ino, after.st_mtime_ns, file.read_bytes()) == (before.st_ino, before.st_mtime_ns, b"Fix  \r\n\n\n")


def test_a_repository_without_ledgers_has_nothing_to_record(repository: Path) -> None:
    world = World(repository)
    world.write("a.py", CITATION)
    install(world, 5)
    assert commit(world, "-m", "First") == "First"
    world.append("a.py", CITATION)
    assert commit(world, "-m", "Second") == "Second"
    assert notes(world) == ""


def test_the_file_is_replaced_whole_and_keeps_its_mode(world: World) -> None:
    touch(world)
    world.git("add", "-A")
    file = message_file(world)
    file.chmod(0o640)
    assert typed(world, "record-decisions", ".git/COMMIT_EDITMSG", "--now", noon(5)).code == 0
    assert file.read_text() == f"Fix\n\n{ALLOWED}\n"
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert [path.name for path in file.parent.iterdir() if "unfinished" in path.name] == []


def unreadable_link(world: World) -> str:
    link = world.root / ".git" / "LINK"
    link.symlink_to("COMMIT_EDITMSG")
    return str(link)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (lambda _: [], "no message file was given"),
        (lambda _: ["nowhere"], "there is no message file 'nowhere'"),
        (lambda _: [".git"], ".git is no regular file"),
        (lambda world: [unreadable_link(world)], "LINK is no regular file, but a symbolic link"),
        (lambda _: [".git/COMMIT_EDITMSG", "commit", "--now", noon(5)], ""),
        (lambda _: [".git/COMMIT_EDITMSG", "commit", "no-such-commit", "--now", noon(5)], ""),
    ],
)
def test_odd_calls_stop_nothing(arguments: Callable[[World], list[str]], reason: str, world: World) -> None:
    touch(world)
    world.git("add", "-A")
    file = message_file(world)
    answer = typed(world, "record-decisions", *arguments(world))
    assert answer.code == 0
    assert reason in answer.err
    assert file.read_text() == ("Fix\n" if reason else f"Fix\n\n{ALLOWED}\n")


def test_outside_of_a_repository_it_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / "message").write_text("Fix\n")
    answer = typed(World(tmp_path), "record-decisions", "message")
    assert answer.code == 0
    assert "not a git repository" in answer.err
    assert (tmp_path / "message").read_text() == "Fix\n"


def test_a_shallow_clone_that_amends_says_that_it_does_not_know(world: World, tmp_path: Path) -> None:
    touch(world)
    commit(world, "-m", "Edit")
    world.git("clone", "-q", "--depth=1", f"file://{world.root}", str(tmp_path / "shallow"))
    shallow = World(tmp_path / "shallow")
    install(shallow, 40)
    touch(shallow)
    assert commit(shallow, "--amend", "--no-edit") == f"Edit\n\n{ALLOWED}"
    assert "no decision was recorded" in notes(shallow)


def test_a_date_that_is_given_to_git_is_not_the_clock(world: World) -> None:
    touch(world)
    world.git("add", "-A")
    file = message_file(world)
    variables = {"GIT_AUTHOR_DATE": "2026-03-04T00:00:00Z", "GIT_COMMITTER_DATE": "2026-03-04T00:00:00Z"}
    done = subprocess.run([TOOL, "record-decisions", str(file)], cwd=world.root, env=os.environ | variables, check=True)
    assert done.returncode == 0
    (line,) = trailers(file.read_text())
    assert not line.endswith("now=2026-03-04T00:00:00Z")
