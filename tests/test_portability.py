"""What other systems do otherwise, each assumption played here: Windows, macOS, other encodings, other line ends."""

from __future__ import annotations

import ntpath
import os
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path
from shutil import which
from types import SimpleNamespace
from typing import Literal
from unicodedata import normalize

import pytest

from commands import TOOL, noon
from conftest import git
from flakeledger.cli import typed_paths
from flakeledger.model.errors import CannotTell
from flakeledger.model.kinds import PATH, TEST
from flakeledger.model.ledger_paths import FIXTURES, FREEZES, POLICY, PROPERTIES
from flakeledger.store import git_environment
from flakeledger.store.git import Git
from odd_commands import NEW
from played import System, expected, play
from world import World

HOOKS = Path(__file__).parent.parent / "hooks" / "flakeledger"
KINDS = tuple(NEW)
WINDOWS = System("windows", "cp1252", "\r\n")
#: what a command says that cannot do its work where files are not locked, or processes not forked
NO_LOCKS = "this system has no locks on files"
Form = Literal["NFC", "NFD"]
NEEDS_LOCKS = frozenset(
    {"pin --all", "lock --add", "lock --drop-void", "freeze", "thaw", "import", "replays merge", "replay --dry-run"}
)
FORMATS_WHAT_IS_WRONG = ("format-ledgers", "wrong")


@pytest.mark.parametrize("kind", KINDS)
def test_windows_gets_the_same_answers_but_from_what_needs_locks(kind: str, tmp_path: Path) -> None:
    """No fcntl, fork, user ids, SIGHUP and SIGKILL; no folder is opened, nothing open is replaced or removed."""
    for row, found in play(tmp_path, kind, WINDOWS, {}).items():
        assert found.crash == "", row.name
        if row.name in NEEDS_LOCKS or (row.name, kind) == FORMATS_WHAT_IS_WRONG:
            assert found.code == 2, row.name
            assert NO_LOCKS in found.err
            assert "\r\n    fix: " in found.err
        else:
            assert found.code == expected(row, kind).code, (row.name, found)


ENCODINGS = {
    "ASCII": (System("plain", "ascii", "\n"), {}),
    "cp1252 with CRLF": (System("plain", "cp1252", "\r\n"), {}),
    "cp932": (System("plain", "cp932", "\n"), {}),
    "the locale C": (System("plain", "ascii", "\n"), {"LC_ALL": "C"}),
    "narrow": (System("plain", "utf-8", "\n"), {"COLUMNS": "1", "LINES": "1"}),
    "no number of columns": (System("plain", "utf-8", "\n"), {"COLUMNS": "many"}),
}


@pytest.mark.parametrize("name", ENCODINGS)
def test_no_stream_and_no_width_of_a_terminal_changes_an_answer(name: str, tmp_path: Path) -> None:
    system, environment = ENCODINGS[name]
    for row, found in play(tmp_path, "wrong", system, environment).items():
        assert found.crash == "", row.name
        assert found.code == expected(row, "wrong").code, (row.name, found)


# text outside the encoding of the streams


NAME = "tests/test_é.py"
TEST_ID = f"{NAME}::test_日本"
DATA = "tests/données “x”.json"
READERS = {
    "check": (1, ("check",)),
    "check-ledgers": (1, ("check-ledgers",)),
    "check-change": (0, ("check-change",)),
    "status": (0, ("status",)),
    "remind": (0, ("remind", "--days", "9")),
    "review": (0, ("review",)),
    "comment": (0, ("comment", "--base", "HEAD")),
    "lock": (1, ("lock", "--check")),
    "classify": (0, ("classify",)),
    "log": (0, ("log", "PROP-2")),
    "thaw": (0, ("thaw", TEST_ID)),
    "trend": (0, ("trend",)),
    "unknown": (2, ("thäw",)),
    "bad usage": (2, ("freeze", "--öwner")),
}
TIMELESS = frozenset(("lock", "classify", "log", "unknown", "bad usage"))


@pytest.fixture
def foreign(tmp_path: Path) -> World:
    """A world whose names, owners and statements are in no encoding of one byte, with a fixture that drifted."""
    world = World.new(tmp_path / "wörld", level="ledger")
    world.write(DATA, '{"a": 1}\n')
    world.add_fixture("FX-2", DATA)
    world.write(NAME, '"""property_id: PROP-2"""\n\n\ndef test_日本():\n    assert len("é") == 1\n')
    world.add_row(PROPERTIES, id="PROP-2", statement="naïve 日本 counts", fixtures=["FX-2"], tests=[TEST_ID])
    world.record("wörds")
    world.freeze(TEST_ID, 19, 3, owner="@日本")
    world.record("freeze")
    world.write(DATA, '{"a": 2}\n')
    world.git("add", "-A")
    return world


def started(root: Path, arguments: tuple[str, ...], environment: Mapping[str, str]) -> tuple[int, bytes, bytes]:
    done = subprocess.run(
        [TOOL, *arguments], cwd=root, env={**os.environ, **environment}, capture_output=True, check=False
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-16"])
def test_text_outside_the_encoding_is_spelt(encoding: str, foreign: World) -> None:
    for name, (code, arguments) in READERS.items():
        timed = arguments if name in TIMELESS else (*arguments, "--now", noon(20))
        found, out, err = started(foreign.root, timed, {"PYTHONIOENCODING": encoding})
        assert b"Traceback" not in err, (name, err)
        assert found == code, (name, out, err)
        for told in (out, err):
            told.decode(encoding)


def test_names_that_python_reads_otherwise_than_git_are_refused_not_taken_for_gone(foreign: World) -> None:
    """A locale of another encoding, with Python's own ways out of it switched off."""
    elsewhere_named = {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
    for name, (_, arguments) in READERS.items():
        if name not in ("unknown", "bad usage"):  # these open no repository
            code, out, err = started(foreign.root, arguments, elsewhere_named)
            assert code == 2, name
            assert b"the names of files are " in out + err
            assert b"export PYTHONUTF8=1" in out + err
    code, out, _ = started(foreign.root, ("check-ledgers", "--now", noon(20)), {**elsewhere_named, "PYTHONUTF8": "1"})
    assert (code, out.count(b": fixture-drifted: "), out.count(b"-dangling: ")) == (1, 1, 0)


# line ends


def test_ledgers_with_the_line_ends_of_windows_in_the_index_are_read_and_edited(tmp_path: Path) -> None:
    world = World.new(tmp_path / "world", level="ledger")
    world.freeze("tests/test_orders.py::test_total", 1, 3)
    for paths in ((POLICY,), (FREEZES, FIXTURES, PROPERTIES)):  # the policy travels alone
        for path in paths:
            data = (world.root / path).read_bytes()
            (world.root / path).write_bytes(data.replace(b"\n", b"\r\n"))
        world.record("CRLF")
    now = ("--now", noon(1))
    assert started(world.root, ("check", *now), {})[0] == 0
    test = "tests/test_orders.py::test_clock"
    owned = ("--owner", "@finley", "--reason", "waits for a clock", "--runner", "pinned-py311", "--days", "3")
    code, _, err = started(world.root, ("freeze", test, *owned, *now), {})
    assert code == 0, err
    written = (world.root / FREEZES).read_bytes()
    assert written.count(b"\n") == written.count(b"\r\n") > 0


def test_a_checkout_with_other_line_ends_is_the_same_tree(tmp_path: Path) -> None:
    world = World.new(tmp_path / "world")
    copy = tmp_path / "copy"
    git(tmp_path, "clone", "-q", "-c", "core.autocrlf=true", str(world.root), str(copy))
    assert b"\r\n" in (copy / FIXTURES).read_bytes()
    for command in (("check", "--now", noon(1)), ("lock", "--check")):
        assert started(copy, command, {})[0] == 0
    assert git(copy, "status", "--porcelain") == ""


# names


@pytest.mark.parametrize(("ledger", "tree"), [("NFC", "NFD"), ("NFD", "NFC")])
def test_a_name_is_its_bytes_however_alike_two_look(ledger: Form, tree: Form, tmp_path: Path) -> None:
    """macOS may write names decomposed. git does not take the two for one, so a runner elsewhere finds no such file."""
    world = World.new(tmp_path / "world")
    world.write(normalize(tree, "tests/é.json"), "{}\n")
    world.add_fixture("FX-2", normalize(tree, "tests/é.json"))
    text = (world.root / FIXTURES).read_text(encoding="utf-8")
    (world.root / FIXTURES).write_text(normalize(ledger, text), encoding="utf-8")
    world.git("add", "-A")
    code, out, _ = started(world.root, ("check-ledgers", "--now", noon(1)), {})
    assert code == 1
    assert re.findall(r": (fixture-\w+): ", out.decode()) == ["fixture-missing"]


def test_a_name_in_other_letters_is_another_name(tmp_path: Path) -> None:
    """A disk that ignores case finds the file; git, and a runner on Linux, do not."""
    world = World.new(tmp_path / "world")
    world.sub(FIXTURES, "tests/", "Tests/")
    world.git("add", "-A")
    code, out, _ = started(world.root, ("check-ledgers", "--now", noon(1)), {})
    assert code == 1
    assert ": fixture-missing: " in out.decode()


@pytest.mark.parametrize("path", ["tests\\a.json", "C:\\a.json", "\\\\host\\share\\a.json", "/a.json", "a/../../b"])
def test_no_path_of_a_ledger_is_one_of_windows_or_leaves(path: str) -> None:
    assert PATH.complaint(path)
    assert TEST.complaint(f"{path}::test_a")


#: root, folder, what is typed -> path of the repository, None for outside
TYPED = {
    "backslashes": ("C:\\work\\shop", "C:\\work\\shop", "tests\\a.json", "tests/a.json"),
    "a drive": ("C:/work/shop", "C:\\work\\shop", "C:\\work\\shop\\tests\\a.json", "tests/a.json"),
    "another drive": ("C:/work/shop", "C:\\work\\shop", "D:\\a.json", None),
    "a share": ("C:/work/shop", "C:\\work\\shop", "\\\\host\\share\\a.json", None),
    "above": ("C:/work/shop", "C:\\work\\shop", "..\\a.json", None),
    "from a folder": ("C:/work/shop", "C:\\work\\shop\\tests", "..\\src\\a.py", "src/a.py"),
}


@pytest.mark.parametrize("name", TYPED)
def test_paths_as_windows_types_them(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    root, folder, typed, path = TYPED[name]

    def real(one: str) -> str:
        return ntpath.normpath(ntpath.join(folder, one))

    paths = SimpleNamespace(**{**vars(ntpath), "realpath": real})
    monkeypatch.setattr(typed_paths, "os", SimpleNamespace(path=paths, sep="\\", curdir=".", pardir=".."))
    if path is None:
        with pytest.raises(CannotTell, match="outside"):
            typed_paths.repository_path(root, typed)
    else:
        assert typed_paths.repository_path(root, typed) == path


# what Windows has not


@pytest.fixture
def windows(monkeypatch: pytest.MonkeyPatch) -> None:
    """The part of Windows that decides which git is started."""
    monkeypatch.setattr(git_environment, "os", SimpleNamespace(name="nt", path=os.path, pathsep=";", devnull="nul"))


@pytest.mark.usefixtures("windows")
def test_a_git_in_the_current_folder_is_not_started_on_windows(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The system would start a name that it finds there; so git is started by its whole path."""
    real = which("git")
    assert real is not None
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "git.exe").symlink_to(real)
    (repository / "git.exe").write_text("#!/bin/sh\necho started > ../started\n")
    (repository / "git.exe").chmod(0o755)
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(repository)
    path = f";.;relative;{tmp_path / 'empty'};{tmp_path / 'bin'};{repository}"
    found = Git.open(".", {**os.environ, "PATH": path})
    assert (found.head(), found.index_changes(found.empty_tree())) == (None, [])
    assert git_environment.git_program(found.environment) == str(tmp_path / "bin" / "git.exe")
    assert not (tmp_path / "started").exists()


@pytest.mark.usefixtures("windows")
@pytest.mark.parametrize("path", ["", ".;bin", None])
def test_where_no_path_has_a_git_windows_is_told(
    repository: Path, path: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    (repository / "git.exe").touch()
    monkeypatch.chdir(repository)
    environment = {name: value for name, value in os.environ.items() if name != "PATH"}
    with pytest.raises(CannotTell, match=r"no folder of PATH has a git\.exe"):
        Git.open(".", environment if path is None else environment | {"PATH": path})


POSIX_ALONE = re.compile(
    r"^(?:from|import) (?:fcntl|grp|pwd|resource|termios|tty|pty)\b"
    r"|^from (?:os|signal) import .*\b(?:fork|killpg|SIGKILL|SIGHUP|pthread_sigmask|getuid|geteuid)\b",
    re.MULTILINE,
)


def test_no_module_fails_to_be_imported_on_windows() -> None:
    """What is POSIX's alone is imported inside the function that says what helps without it."""
    texts = {path: path.read_text(encoding="utf-8") for path in HOOKS.rglob("*.py")}
    assert len(texts) > 200
    assert [str(path) for path, text in texts.items() if POSIX_ALONE.search(text)] == []
