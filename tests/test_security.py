"""What a stranger tries: each attack as a table of what is set up, what is run, and what must hold.

`docs/security.md` tells the whole story, and names the tests of other modules beside those that stand here.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import stat
import subprocess
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from commands import TOOL, noon, typed
from conftest import git
from flakeledger.evidence.sealing import sealing
from flakeledger.model.ledger_paths import FIXTURES, FREEZES, PROPERTIES
from flakeledger.store import cache as caches
from flakeledger.store.cache import Cache
from odd_commands import NOW, new_wrong
from world import REFUND, TESTS, UNDECIDED, Templates, World, on

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "security.md"
#: what reads a repository and prints: a maintainer may type it in a stranger's clone
READING = (
    *(("check-ledgers", *NOW), ("check-change", *NOW), ("check", *NOW), ("check", "--rev", "HEAD", *NOW)),
    *(("classify",), ("status", *NOW), ("remind", *NOW), ("review", *NOW), ("decide", *NOW), ("trend", *NOW)),
    *(("log", REFUND), ("comment", "--base", "main", *NOW), ("oracle", "--base", "main"), ("lock", "--check")),
    *(("completion", "tests"), ("format", "--diff"), ("gate", "--base", "main")),
)


def nothing(_world: World) -> None:
    """The base tree as it is."""


@pytest.fixture
def world(templates: Templates, tmp_path: Path) -> World:
    return templates.start(tmp_path / "world", nothing, "keyed", "block")


@pytest.fixture
def mark(tmp_path: Path) -> Path:
    """What an attack leaves behind that got through."""
    return tmp_path / "pwned"


def program(file: Path, mark: Path, then: str = "exit 1") -> None:
    """A program that leaves the mark."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"#!/bin/sh\ntouch '{mark}'\n{then}\n")
    file.chmod(0o755)


def installed(world: World, *arguments: str, folder: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
    """The installed program, as a hook runner and a person start it."""
    return subprocess.run(
        [str(TOOL), *arguments],
        cwd=world.root / folder,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )


def files(world: World) -> list[str]:
    """Every path of the work tree and of git, but for what is remembered between runs."""
    found = (str(path.relative_to(world.root)) for path in world.root.rglob("*"))
    return sorted(path for path in found if not path.startswith(".git/flakeledger"))


# programs and modules of the tree


def test_a_folder_that_looks_like_a_git_directory_is_none(world: World, mark: Path) -> None:
    """git finds a bare repository in any folder, and runs the programs that its configuration names."""
    trap = world.root / "vendor" / "data"
    git(world.root, "init", "-q", "--bare", str(trap))
    (trap / "config").write_text(
        '[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = ../..\n[filter "trap"]\n'
        f"\tclean = touch '{mark}'\n"
    )
    (trap / "info" / "attributes").write_text("* filter=trap\n")
    (trap / "refs" / "heads" / "kept").write_text("")  # git commits no empty folder, and needs these two
    (trap / "objects" / "kept").write_text("")
    world.record("a stranger's vendored data")
    clone = World(world.root.with_name("clone"))
    git(world.root, "clone", "-q", str(world.root), str(clone.root))
    for arguments in READING:
        answer = typed(clone, *arguments, folder="vendor/data")
        assert (answer.code, "is a bare repository" in answer.out + answer.err) == (2, True), (arguments, answer)
    assert not mark.exists()


@pytest.mark.parametrize("entry", ["bin", ".", "", "./bin"])
def test_no_program_of_the_tree_is_found_by_a_relative_path(
    world: World, mark: Path, entry: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("git", "bin/git"):
        program(world.root / name, mark)
    monkeypatch.setenv("PATH", f"{entry}{os.pathsep}{os.environ['PATH']}")
    assert typed(world, "check", *NOW).code in (0, 1)
    assert not mark.exists()


def test_what_seals_a_witness_is_no_program_of_the_tree(
    world: World, mark: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("flakeledger.evidence.sealing.network_leaving", lambda: None)  # a program would have to do it
    for name in ("bwrap", "unshare"):
        program(world.root / "bin" / name, mark, 'while [ "$1" != -- ]; do shift; done; shift; exec "$@"')
    monkeypatch.chdir(world.root)
    found = sealing(os.environ | {"PATH": f"bin{os.pathsep}{os.environ['PATH']}"})
    assert all(os.path.isabs(word) and str(world.root) not in word for word in found.words[:1])
    assert not mark.exists()


#: what Python, pytest and packaging tools read or run of a folder that they are started in
SHADOWS = (
    *("yaml.py", "json.py", "re.py", "argparse.py", "pygit2.py", "ruamel/__init__.py", "flakeledger/__init__.py"),
    *("sitecustomize.py", "usercustomize.py", "conftest.py", "tests/conftest.py", "setup.py", "noxfile.py"),
)


def test_no_module_of_the_tree_is_imported(world: World, mark: Path) -> None:
    for name in SHADOWS:
        world.write(name, f"open({str(mark)!r}, 'w').close()\n")
    world.write("evil.pth", f"import os; open({str(mark)!r}, 'w').close()\n")
    world.write("pytest.ini", "[pytest]\naddopts = -p yaml\n")
    world.write("pyvenv.cfg", "home = .\n")
    world.git("add", "-A")
    world.write("message", "subject\n")
    for arguments in (*READING[:3], ("format-ledgers",), ("record-decisions", "message", "message"), ("status", *NOW)):
        done = installed(world, *arguments)
        assert (done.returncode in (0, 1, 2), "Traceback" in done.stderr) == (True, False), done.stderr
    assert not mark.exists()


def test_the_program_of_a_hook_is_no_module() -> None:
    """With `python -m` the current folder comes first, and with it the tree's own `yaml.py`."""
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    assert {hook["entry"] for hook in hooks} == {f"flakeledger {hook['id']}" for hook in hooks}


# arguments

#: what git, in one place or another, takes for an option, a command, a file, several commits or none
REVISIONS = (
    *("--upload-pack=touch pwned", "--output=pwned", "-opwned", "--help", "--exec-path", "--all", "--stdin"),
    *("ext::sh -c touch% pwned", "file:///etc/passwd", "https://example.org/x", "^main", "main..work", "main...work"),
    *("HEAD:ledgers/policy.yaml", "HEAD^{tree}", "HEAD^{blob}", ":ledgers/policy.yaml", "README.md", TESTS),
    *("@{upstream}", "@{-9}", "HEAD@{999}", ":/nothing says this", "HEAD^{/(a+)+$}", "refs/../HEAD", "../HEAD"),
    *("", " ", "main\nwork", "\x1b[31m", "$(touch pwned)", "`touch pwned`", "; touch pwned", "a" * 5000),
)
NAMED_BY = (
    *(("check-change", "--base"), ("check", "--rev"), ("classify", "--base")),
    *(
        ("comment", "--base"),
        ("comment", "--base=main", "--head"),
        ("gate", "--base"),
        ("gate", "--base=main", "--head"),
    ),
    *(("oracle", "--base"), ("oracle", "--base=main", "--head"), ("decide", "--rev"), ("replay", REFUND, "--rev")),
)


@pytest.mark.parametrize("words", NAMED_BY, ids=" ".join)
def test_a_revision_is_a_revision_or_exit_2(world: World, words: tuple[str, ...]) -> None:
    before = files(world)
    for revision in REVISIONS:
        *first, option = words
        now = () if first[0] in ("classify", "replay", "gate") else ("--now", noon(1))
        answer = typed(world, *first, f"{option}={revision}", *now)
        assert answer.code == 2, (revision, answer)
        assert "cannot tell" in answer.out + answer.err, (revision, answer)
    assert files(world) == before


#: where a service or a hook runner names a revision
VARIABLES: dict[str, Callable[[str], dict[str, str]]] = {
    "pre-commit": lambda revision: {"PRE_COMMIT_FROM_REF": revision, "PRE_COMMIT_TO_REF": "HEAD"},
    "pre-commit's other": lambda revision: {"PRE_COMMIT_FROM_REF": "main", "PRE_COMMIT_TO_REF": revision},
    "a first push": lambda revision: {
        "PRE_COMMIT_REMOTE_NAME": revision,
        "PRE_COMMIT_REMOTE_URL": "ext::sh -c touch% pwned",
        "PRE_COMMIT_LOCAL_BRANCH": revision,
    },
    "GitLab": lambda revision: {
        "GITLAB_CI": "true",
        "CI_MERGE_REQUEST_DIFF_BASE_SHA": revision,
        "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": revision,
        "CI_DEFAULT_BRANCH": revision,
    },
    "a merge": lambda revision: {f"GITHEAD_{'0' * 40}": revision},
}


@pytest.mark.parametrize("service", VARIABLES)
def test_a_revision_of_the_environment_names_a_commit_or_nothing(world: World, service: str) -> None:
    world.record("work")
    before = files(world)
    for revision in REVISIONS:
        verdict = world.judge(1, **VARIABLES[service](revision))
        assert verdict in (frozenset(), {UNDECIDED}), revision
    assert files(world) == before


# paths

#: paths that lead elsewhere, or that another system reads in another way
PATHS = (
    *("../secret", "tests/../../secret", "/etc/passwd", "./../secret", "tests/fixtures/../../../secret"),
    *(".git/config", ".GIT/config", ".git", "tests/.git/config", "..", ".", "/", "//etc/passwd", "~/secret"),
    *(
        "..\\secret",
        "C:\\secret",
        "C:secret",
        "\\\\host\\secret",
        "file:///etc/passwd",
        "secret\0.json",
        "link",
        "links/secret",
    ),
)


@pytest.mark.parametrize("path", PATHS)
def test_no_path_of_a_ledger_leaves_the_tree(world: World, tmp_path: Path, path: str) -> None:
    """Where the digest is right for what lies outside, a check that followed the path would say nothing."""
    (tmp_path / "secret").write_text("a secret")
    (world.root / "link").symlink_to("../secret")
    (world.root / "links").symlink_to("..")
    world.append(
        FIXTURES, f"- id: FX-9\n  path: {json.dumps(path)}\n  sha256: {_sha256((tmp_path / 'secret').read_bytes())}\n"
    )
    assert world.commit(1), path
    answer = typed(world, "lock", "--add", path)
    assert answer.code in (1, 2), answer
    assert "a secret" not in answer.out + answer.err


def _sha256(data: bytes) -> str:
    import hashlib

    return hashlib.sha256(data).hexdigest()


# what is printed

#: a terminal's title and colours, links, what reverses or hides text, commands of services, and breaks of lines
POISON = (
    "\x1b]0;owned\x07\x1b[31m\x9b31m\x1b]8;;https://evil.example/\x1b\\\u202etxt.\u2066\u200b\U000e0041\r"
    "\n::error::owned\n##[error]owned\n##vso[task.setvariable variable=x]owned\n::stop-commands::x\x00\ud800"
)
WRITTEN = POISON.replace("\x00", "").replace("\ud800", "")


@pytest.fixture(scope="module")
def poisoned(tmp_path_factory: pytest.TempPathFactory) -> World:
    """Everything that a stranger may write says what a terminal or a service obeys."""
    world = new_wrong(tmp_path_factory.mktemp("poisoned") / "made")
    quoted = json.dumps(WRITTEN)
    world.append(FREEZES, f"-   test: {quoted}\n    owner: {quoted}\n    reason: {quoted}\n    {quoted}: 1\n")
    world.append(PROPERTIES, f"- id: {quoted}\n  statement: {quoted}\n  tests: [{quoted}]\n")
    world.append(FIXTURES, f"- id: {quoted}\n  path: {quoted}\n  sha256: {quoted}\n")
    world.append("ledgers/replays.jsonl", json.dumps({"test": WRITTEN, "env": WRITTEN, WRITTEN: 1}) + "\n")
    world.write("CODEOWNERS", f"* @finley {WRITTEN}\n")
    for name in (f"tests/test_{WRITTEN.replace('/', '_')}.py", f"src/{WRITTEN.replace('/', '_')}.py"):
        world.write(
            name,
            f"# flakeledger: cite PROP-1 runner_class=\x1b[31m\n{SKIP}",
        )
    world.record(WRITTEN, GIT_AUTHOR_NAME="\x1b[31mowned", GIT_COMMITTER_EMAIL="\u202eowned@example.org")
    world.git("rm", "-q", "--cached", "CODEOWNERS")
    return world


@pytest.mark.parametrize("arguments", READING, ids=lambda words: " ".join(words[:2]))
def test_nothing_that_is_printed_drives_a_terminal_or_a_service(poisoned: World, arguments: tuple[str, ...]) -> None:
    answer = typed(poisoned, *arguments)
    for line in (answer.out + answer.err).split("\n"):
        kinds = {unicodedata.category(character) for character in line.replace("\t", "")}
        assert kinds.isdisjoint(("Cc", "Cf", "Cs", "Zl", "Zp")), (arguments, line)
        assert not re.match(r"\s*::|.*##(\w*)\[", line), (arguments, line)


#: what a shell runs or expands, in every kind of quoting
SHELL_WORDS = "$(touch pwned)`touch pwned`;touch pwned;' $(touch pwned) '\" $(touch pwned) \"& x"


def suggested(text: str) -> Iterator[str]:
    """The commands that a text tells somebody to run."""
    for line in text.splitlines():
        for found in re.finditer(
            r"(?:(?<=fix: )|(?<=run: )|(?<=next: )|(?<=^ {9}))(?:git|flakeledger|rm|chmod) .*", line
        ):
            yield found[0]


MODULE = f"tests/test_{SHELL_WORDS}.py"
TEST, FIXTURE = f"{MODULE}::test_a", f"tests/fixtures/{SHELL_WORDS}.json"


def named_in_shell_words(world: World) -> None:
    """Tests, fixtures and generators of a stranger whose names are commands, and everything wrong with their rows."""
    text = json.dumps
    skipped = "@pytest.mark.skip\ndef test_b():\n    pass\n"
    world.write(MODULE, f"import pytest\n\n\ndef test_a():\n    assert 1\n\n\n{skipped}")
    world.write(FIXTURE, "{}")
    world.write(f"tests/strategies/{SHELL_WORDS}.py", "LIMIT = 1\n")
    for name, path in (("FX-2", FIXTURE), ("FX-3", f"gone/{SHELL_WORDS}")):
        world.append(FIXTURES, f"- id: {name}\n  path: {text(path)}\n  sha256: {'0' * 64}\n")
    world.append(PROPERTIES, f"- id: PROP-2\n  statement: it adds up\n  tests: [{text(TEST)}]\n  fixtures: [FX-2]\n")
    for name in ("test_a", "test_gone"):
        world.append(
            FREEZES,
            f'- test: {text(f"{MODULE}::{name}")}\n  owner: "@finley"\n  frozen_on: {on(0)}\n  expires: {on(9)}\n'
            "  reason: waits for the clock\n  property_id: PROP-2\n  replay_env: pinned-py311\n",
        )
    world.git("add", "-A")


def said_about(world: World, day: int) -> str:
    """Everything that the commands say which suggest other commands."""
    now = ("--now", noon(day))
    answers = [
        typed(world, *arguments)
        for arguments in (
            *((name, *now) for name in ("check-ledgers", "check-change", "review", "remind")),
            *(("thaw", TEST, *now), ("freeze", TEST, *now), ("freeze", f"{MODULE}::test_b", "--renew", *now)),
            *(("pin", f"{MODULE}::test_c"), ("lock", f"x{SHELL_WORDS}"), ("lock", "--add", f"x{SHELL_WORDS}")),
            ("lock", FIXTURE),
        )
    ]
    return "".join(answer.out + answer.err for answer in answers)


def test_a_command_that_is_suggested_runs_nothing_that_a_name_says(world: World, tmp_path: Path) -> None:
    """Whoever pastes a fix into a shell runs that command, whatever the files and tests of a stranger are called."""
    named_in_shell_words(world)
    said = said_about(world, 1) + said_about(world, 30)
    for name in ("git", "flakeledger", "rm", "chmod"):
        program(tmp_path / "programs" / name, tmp_path / "called", "exit 0")
    commands = [command for command in suggested(said) if "touch pwned" in command]
    assert len(commands) > 20
    for command in dict.fromkeys(commands):
        words = command.partition(", or ")[0].partition("; once")[0]
        path = f"{tmp_path}/programs:{os.environ['PATH']}"
        done = subprocess.run(["/bin/sh", "-c", words], cwd=tmp_path, env={"PATH": path}, check=False)
        assert done.returncode == 0, words
        assert any(SHELL_WORDS in word for word in shlex.split(words, comments=True)), words
    assert not (tmp_path / "pwned").exists()


# what is remembered between runs


def remembered(world: World) -> Path:
    """The folder that holds it, filled by a run."""
    world.judge(1)
    folder = world.root / ".git" / "flakeledger"
    assert list(folder.glob("*.json"))
    return folder


def forged(name: str, value: object) -> bytes:
    """What this version of flakeledger would have written."""
    payload = json.dumps(value).encode()
    return caches._heading(name, payload) + payload


@pytest.mark.parametrize("umask", [0o000, 0o002, 0o022, 0o077])
def test_what_is_remembered_only_its_user_may_write(world: World, umask: int) -> None:
    before = os.umask(umask)
    try:
        folder = remembered(world)
    finally:
        os.umask(before)
    assert {stat.S_IMODE(file.stat().st_mode) for file in folder.glob("*.json")} == {0o600}


def poison_policy(folder: Path) -> Path:
    """A policy that is looser than the text with this id: what a poisoned cache would be for."""
    (file,) = folder.glob("policies-*.json")
    known = json.loads(file.read_bytes().partition(b"\n")[2])
    loose = json.loads(json.dumps(known).replace("30, 3,", "3000, 3000,"))
    file.write_bytes(forged(file.stem, loose))
    return file


@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666, 0o660])
def test_what_others_may_write_is_not_believed(world: World, mode: int) -> None:
    file = poison_policy(remembered(world))
    file.chmod(mode)
    world.freeze(REFUND, 0, 300)
    assert "freeze-window" in world.commit(0)


def test_what_another_user_wrote_is_not_believed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = Cache(str(tmp_path))
    cache.save("rows", 1)
    assert cache.load("rows") == 1
    user = os.geteuid() + 1  # only root could give the file away
    monkeypatch.setattr(os, "geteuid", lambda: user)
    assert cache.load("rows") is None


def test_a_value_is_known_by_its_own_name(world: World) -> None:
    folder = remembered(world)
    files = sorted(folder.glob("*.json"))
    for file, other in zip(files, [*files[1:], files[0]], strict=True):
        Path(f"{file}.moved").write_bytes(other.read_bytes())
    for file in files:
        os.replace(f"{file}.moved", file)
        file.chmod(0o600)
    assert all(Cache(str(folder.parent)).load(file.stem) is None for file in files)
    assert world.judge(1) == frozenset()


def test_no_remembered_name_becomes_an_option_of_git(world: World, mark: Path) -> None:
    """`git diff-tree` takes the name of a tree, and `--output=FILE` empties a file."""
    world.write("src/cites.py", "# flakeledger: cite PROP-1 runner_class=pinned-py311\n")
    world.record("a citation")
    file = remembered(world) / "citing.json"
    kept = json.loads(file.read_bytes().partition(b"\n")[2])
    for tree in (f"--output={mark}", "HEAD", "", "-h", "0" * 39, f"{kept[1]}\n", ["x"]):
        file.write_bytes(forged("citing", [kept[0], tree, [1, *kept[2]]]))
        file.chmod(0o600)
        assert typed(world, "decide", "--now", noon(1)).code == 1
    assert not mark.exists()


# variables

VARIABLES_OF_STRANGERS = {
    "programs": {
        **dict.fromkeys(("GIT_EXTERNAL_DIFF", "GIT_PAGER", "PAGER", "GIT_EDITOR", "EDITOR", "VISUAL"), "touch {mark}"),
        **dict.fromkeys(
            ("GIT_SSH", "GIT_SSH_COMMAND", "GIT_ASKPASS", "SSH_ASKPASS", "GIT_PROXY_COMMAND"), "touch {mark}"
        ),
        **dict.fromkeys(("BROWSER", "LESSOPEN", "GIT_SEQUENCE_EDITOR", "PYTHONBREAKPOINT"), "touch {mark}"),
    },
    "traces": dict.fromkeys(
        ("GIT_TRACE", "GIT_TRACE2", "GIT_TRACE2_EVENT", "GIT_TRACE_PACKET", "GIT_TRACE_SETUP"), "{mark}"
    ),
    "width": {
        "COLUMNS": "-1",
        "LINES": "x",
        "TERM": "../../x",
        "NO_COLOR": "",
        "FORCE_COLOR": "3",
        "CLICOLOR_FORCE": "1",
    },
    "a width without end": {"COLUMNS": "9" * 400},
    "no home": {
        "HOME": "/nowhere",
        "XDG_CONFIG_HOME": "/nowhere",
        "XDG_CACHE_HOME": "../x",
        "USER": "",
        "TMP": "/nowhere",
    },
    "language": {"LC_ALL": "tr_TR.UTF-8", "LANG": "C", "LANGUAGE": "de", "PYTHONIOENCODING": "ascii", "TZ": "../../x"},
    "hidden lines": {
        "GIT_DIFF_OPTS": "-u0",
        "GIT_GLOB_PATHSPECS": "1",
        "GIT_ATTR_SOURCE": "HEAD",
        "GIT_LITERAL_PATHSPECS": "0",
    },
}


@pytest.mark.parametrize("kind", VARIABLES_OF_STRANGERS)
def test_no_variable_changes_the_verdict_or_starts_a_program(world: World, mark: Path, kind: str) -> None:
    world.write("tests/strategies.py", "LIMIT = 1\n")
    world.freeze(REFUND, 0, 2)
    world.git("add", "-A")
    values = {name: value.replace("{mark}", str(mark)) for name, value in VARIABLES_OF_STRANGERS[kind].items()}
    assert world.judge(0, **values) == world.judge(0) == {"mixed-change", "freeze-with-edit"}
    assert not mark.exists()


# words that Python reads and a search does not

SKIP = "import pytest\n\n\n@pytest.mark.skip\ndef test_new():\n    assert 0\n"
ESCAPED = SKIP.replace("skip", r"\x73\x6b\x69\x70")
DISGUISES: dict[str, bytes] = {
    "as it is": SKIP.encode(),
    "bold letters": SKIP.replace("skip", "\U0001d42c\U0001d424\U0001d422\U0001d429").encode(),
    "full width": SKIP.replace("skip", "\uff53\uff4b\uff49\uff50").encode(),
    "full width in GBK": b"# coding: gbk\n" + SKIP.replace("skip", "\uff53\uff4b\uff49\uff50").encode("gbk"),
    "full width in Shift JIS": b"# coding: sjis\n" + SKIP.replace("skip", "\uff53\uff4b\uff49\uff50").encode("sjis"),
    "utf-7": b"# coding: utf-7\n" + SKIP.replace("skip", "+AHMAawBpAHA-").encode(),
    "escapes": b"# coding: unicode_escape\n" + ESCAPED.encode(),
    "escapes by another name": b"#!python\n# -*- coding=Unicode-Escape -*-\n" + ESCAPED.encode(),
    "escapes, declared far to the right": b"#" + b" " * 5000 + b"coding: unicode_escape\n" + ESCAPED.encode(),
    "escapes behind an empty line": b"\x0c\n# vim: set fileencoding=raw_unicode_escape :\n"
    rb"# \u000aimport pytest\u000apytestmark = pytest.mark.\u0073kip",
    "a codec of the project": b"# coding: ours\n" + SKIP.replace("skip", "fxvc").encode(),
    "EBCDIC": b"# coding: cp037\n" + SKIP.encode("cp037"),
}


@pytest.mark.parametrize("disguise", DISGUISES)
def test_no_encoding_hides_a_skip(world: World, disguise: str) -> None:
    (world.root / "tests" / "test_new.py").write_bytes(DISGUISES[disguise])
    assert world.commit(1) == {"skip-unledgered"}


def test_an_edit_of_a_module_in_an_old_encoding_passes(world: World) -> None:
    module = world.root / "tests" / "test_new.py"
    text = "# coding: {}\ndef test_new():\n    assert '\u043d'\n"
    for encoding in ("koi8-r", "cp1251", "utf-8-unix", "gb18030", "latin-1-dos"):
        codec = {"utf-8-unix": "utf-8", "latin-1-dos": "latin-1"}.get(encoding, encoding)
        module.write_bytes(text.format(encoding).encode(codec, "replace"))
        assert world.commit(1) == frozenset(), encoding


# services


def recipes() -> list[Path]:
    return [*sorted((ROOT / "docs" / "recipes").glob("*.yml")), ROOT / "action.yml"]


def mappings(value: Any) -> Iterator[dict[Any, Any]]:
    """Every mapping in a document."""
    if isinstance(value, dict):
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from mappings(inner)


@pytest.mark.parametrize("recipe", recipes(), ids=lambda path: path.name)
def test_no_recipe_gives_a_stranger_more_than_reading(recipe: Path) -> None:
    document = yaml.safe_load(recipe.read_text(encoding="utf-8"))
    assert "pull_request_target" not in recipe.read_text(encoding="utf-8")
    for mapping in mappings(document):
        assert not str(mapping.get("uses", "")).startswith("actions/cache"), "a cache is what a stranger's job may fill"
        assert "cache" not in mapping, mapping
    runs_on_strangers = "pull_request" in (document.get(True) or {})  # YAML 1.1 reads `on` as a truth value
    for mapping in mappings(document):
        if runs_on_strangers and str(mapping.get("uses", "")).startswith("actions/checkout"):
            assert mapping["with"]["persist-credentials"] is False, recipe.name


# the page


def test_every_test_that_the_page_names_is_there() -> None:
    named = re.findall(r"`(test_\w+)(?:\.py)?::(test_\w+)`", PAGE.read_text(encoding="utf-8"))
    assert len(named) > 60
    for module, test in named:
        text = (ROOT / "tests" / f"{module}.py").read_text(encoding="utf-8")
        assert re.search(rf"(?m)^(?:async )?def {test}\(", text), f"{module}::{test}"


def test_the_page_names_every_test_that_stands_here() -> None:
    page = PAGE.read_text(encoding="utf-8")
    here = re.findall(r"(?m)^def (test_\w+)\(", Path(__file__).read_text(encoding="utf-8"))
    assert [test for test in here if f"`test_security::{test}`" not in page and "_page" not in test] == []
