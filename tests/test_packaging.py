"""What users install: the wheel, in an environment of its own, with no source of ours around.

Invariants:
* Both archives are built offline, from a copy of the sources, by the build backend that pip would call.
* The clean environment holds the wheel alone; its dependencies are those that the tests run with.
"""

from __future__ import annotations

import configparser
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from flakeledger.cli.main import COMMANDS
from odd_commands import new_fine
from played import System, expected, play
from world import World

HOME = Path(__file__).parent.parent
CONFIG = configparser.ConfigParser()
CONFIG.read(HOME / "setup.cfg", encoding="utf-8")
#: caches, and what others may have built here
LEFT_OUT = (".git", ".tox", "venv", ".venv", "build", "dist", "*.egg-info", ".hypothesis", "__pycache__", ".*_cache")
#: what lies beside the modules of the wheel, and where it comes from
DATA = {
    "docs/rules.md": "docs/rules.md",
    "py.typed": "hooks/flakeledger/py.typed",
    "reporters/page.css": "hooks/flakeledger/reporters/page.css",
    "reporters/page.html.jinja": "hooks/flakeledger/reporters/page.html.jinja",
    "reporters/page.js": "hooks/flakeledger/reporters/page.js",
    **{f"schema/{path.name}": f"schema/{path.name}" for path in (HOME / "schema").glob("*.json")},
}
#: files of the repository that no user of a source archive needs
NOT_IN_THE_ARCHIVE = (".gitignore",)
#: what the tests' own tools allow: the tests cannot run with less -> whose bound it is
BOUND_BY_TOOLS = {"pytest": "pytest-asyncio", "ruamel.yaml": "check-jsonschema"}


def built(source: Path, folder: Path, kind: str) -> Path:
    """The archive that the build backend makes of the sources."""
    folder.mkdir(exist_ok=True)
    code = f"from setuptools.build_meta import build_{kind}; build_{kind}({str(folder)!r})"
    done = subprocess.run([sys.executable, "-c", code], cwd=source, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (archive,) = folder.iterdir()
    return archive


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the sources, with what tests and tools leave beside them."""
    copy = tmp_path_factory.mktemp("packaging") / "source"
    shutil.copytree(HOME, copy, ignore=shutil.ignore_patterns(*LEFT_OUT), symlinks=True)
    for litter in ("tests/.hypothesis/x/y", "tests/__pycache__/x.pyc", "hooks/flakeledger/__pycache__/x.pyc"):
        (copy / litter).parent.mkdir(parents=True, exist_ok=True)
        (copy / litter).write_bytes(b"litter")
    return copy


@pytest.fixture(scope="module")
def sdist(source: Path) -> Path:
    """The source archive, unpacked."""
    archive = built(source, source.parent / "sdist", "sdist")
    with tarfile.open(archive) as packed:
        packed.extractall(source.parent / "unpacked", filter="data")
    (root,) = (source.parent / "unpacked").iterdir()
    return root


@pytest.fixture(scope="module")
def wheel(sdist: Path, source: Path) -> Path:
    """The wheel of the source archive."""
    copy = source.parent / "to build"
    shutil.copytree(sdist, copy)
    return built(copy, source.parent / "wheel", "wheel")


@pytest.fixture(scope="module")
def python(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The interpreter of a new environment in which the wheel is installed."""
    folder = tmp_path_factory.mktemp("clean") / "environment"
    venv.create(folder, symlinks=True)
    interpreter = folder / "bin" / "python"
    done = subprocess.run(
        [sys.executable, "-m", "pip", "--python", interpreter, "install", "--no-deps", "--no-index", "-q", wheel],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    # a path file of a path in a path file is not read: our own sources, installed to be edited, are not found by it
    (site,) = folder.glob("lib/python*/site-packages")
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    yield interpreter
    shutil.rmtree(folder)


def run(python: Path, *arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Start the interpreter of the clean environment, or a program beside it (`-` and its name)."""
    beside = arguments[0] == "-"
    command = [str(python.with_name(arguments[1])), *arguments[2:]] if beside else [str(python), *arguments]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


def contents(wheel: Path) -> dict[str, bytes]:
    """The files of a wheel. Its names of distribution data do not hang on the version."""
    with zipfile.ZipFile(wheel) as packed:
        return {re.sub(r"^[^/]+\.dist-info/", "dist-info/", name): packed.read(name) for name in packed.namelist()}


# the archives


def test_the_wheel_holds_every_module_and_what_they_read_and_nothing_else(wheel: Path, source: Path) -> None:
    modules = {path.relative_to(source / "hooks").as_posix(): path for path in (source / "hooks").rglob("*.py")}
    packages = {f"flakeledger/{name}/__init__.py": source / name / "__init__.py" for name in ("docs", "schema")}
    data = {f"flakeledger/{name}": source / path for name, path in DATA.items()}
    found = {name: text for name, text in contents(wheel).items() if not name.startswith("dist-info/")}
    assert found == {name: path.read_bytes() for name, path in (modules | packages | data).items()}


def test_the_source_archive_makes_the_wheel_of_the_sources(wheel: Path, source: Path) -> None:
    copy = source.parent / "again"
    shutil.copytree(source, copy)
    assert contents(built(copy, source.parent / "wheel of the sources", "wheel")) == contents(wheel)


def test_the_source_archive_holds_what_the_tests_need_and_no_litter(sdist: Path, source: Path) -> None:
    made = ("PKG-INFO", "setup.cfg", "hooks/flakeledger.egg-info")
    found = {path.relative_to(sdist).as_posix() for path in sdist.rglob("*") if path.is_file()}
    wanted = {path.relative_to(source).as_posix() for path in source.rglob("*") if path.is_file()}
    litter = {path for path in wanted if ".hypothesis/" in path or path.endswith(".pyc") or ".egg-info/" in path}
    wanted -= {*litter, *NOT_IN_THE_ARCHIVE}
    assert {path for path in found ^ wanted if not path.startswith(made)} == set()


# the wheel, installed


def test_the_sources_are_not_what_runs(python: Path, tmp_path: Path) -> None:
    done = run(python, "-c", "import flakeledger; print(flakeledger.__file__)", cwd=tmp_path)
    assert Path(done.stdout.strip()).is_relative_to(python.parent.parent)


@pytest.mark.parametrize("kind", ["fine", "wrong"])
def test_every_command_answers_as_from_the_sources(kind: str, python: Path, tmp_path: Path) -> None:
    for row, found in play(tmp_path, kind, System(), {}, str(python)).items():
        assert found.crash == "", row.name
        assert found.code == expected(row, kind).code, (row.name, found)


def test_every_command_has_its_help(python: Path, tmp_path: Path) -> None:
    code = """\
import contextlib, sys
from flakeledger.cli.main import main
for name in sys.argv[1:]:
    with contextlib.suppress(SystemExit):
        main([name, "--help"])
"""
    done = run(python, "-c", code, *COMMANDS, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("usage: flakeledger ") == len(COMMANDS)


@pytest.mark.parametrize("name", ["freezes", "fixtures", "properties", "policy", "replays", "report"])
def test_the_schemas_are_there(name: str, python: Path, tmp_path: Path) -> None:
    assert (
        run(python, "-", "flakeledger", "schema", name, cwd=tmp_path).stdout.encode()
        == (HOME / "schema" / f"{name}.json").read_bytes()
    )


def test_nothing_that_the_wheel_needs_is_missing(python: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pip", "--python", python, "check"], capture_output=True, text=True, check=False
    )
    assert "flakeledger" not in done.stdout


def test_pre_commit_runs_its_hooks(python: Path, tmp_path: Path) -> None:
    world = World.new(tmp_path / "world")
    tool = python.with_name("flakeledger")
    hooks = "".join(
        f"      - {{id: {name}, name: {name}, entry: {tool} {name}, language: system, pass_filenames: false}}\n"
        for name in ("check-ledgers", "check-change", "format-ledgers")
    )
    world.write(".pre-commit-config.yaml", f"repos:\n  - repo: local\n    hooks:\n{hooks}")
    world.git("add", "-A")
    done = run(python, "-m", "pre_commit", "run", "--all-files", cwd=world.root)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("Passed") == 3


def test_pytest_finds_its_plugin_by_itself(python: Path, tmp_path: Path) -> None:
    world = new_fine(tmp_path / "fine")
    test = "tests/test_orders.py::test_refund"
    world.sub("tests/test_orders.py", "    assert x >= 0", "    raise TimeoutError")
    now = "2026-03-22T12:00:00Z"
    command = ("-m", "pytest", "-p", "no:cacheprovider", "--flakeledger", "report", "--flakeledger-now", now, test)
    done = run(python, *command, cwd=world.root)
    assert f"{test}" in done.stdout
    assert "\nflakeledger: 2 freezes open for pinned-py311 (report)\n" in done.stdout


# without extras


def test_without_the_extras_each_command_works_or_says_which_it_needs(tmp_path: Path) -> None:
    needs = {"report": "pip install 'flakeledger[report]'", "demo": "pip install 'flakeledger[pre-commit]'"}
    for row, found in play(tmp_path, "fine", System("without extras"), {}).items():
        assert found.crash == "", row.name
        if row.name in needs:
            assert (found.code, needs[row.name] in found.err) == (2, True), row.name
        else:
            assert found.code == expected(row, "fine").code, (row.name, found)


def test_without_dask_a_scheduler_needs_its_extra(python: Path, tmp_path: Path) -> None:
    world = new_fine(tmp_path / "fine")
    code = (
        "import sys; sys.modules['distributed'] = sys.modules['dask'] = None\n"
        "from flakeledger.cli.main import main; sys.exit(main(sys.argv[1:]))"
    )
    arguments = ("tests/test_more.py::test_live", "--seeds", "1", "--runner", "pinned-py311")
    done = run(python, "-c", code, "replay", *arguments, "--scheduler", "tcp://127.0.0.1:1", cwd=world.root)
    assert (done.returncode, "fix: pip install 'flakeledger[dask]'" in done.stderr) == (2, True), done.stderr


# what may be installed beside it


def bounds() -> dict[str, str]:
    """The lower bound of each dependency, of the extras too."""
    texts = [CONFIG["options"]["install_requires"], *CONFIG["options.extras_require"].values()]
    found = (re.fullmatch(r"([\w.-]+)(?:\[\w+\])?>=([\d.]+)", line) for text in texts for line in text.split())
    return {one[1]: one[2] for one in found if one is not None}


def test_the_oldest_that_tox_installs_are_the_lower_bounds() -> None:
    lines = (HOME / "tests" / "oldest.txt").read_text(encoding="utf-8").splitlines()
    pinned = dict(line.split("==") for line in lines if not line.startswith("#"))
    expected_bounds = {name: bound for name, bound in bounds().items() if name not in BOUND_BY_TOOLS}
    assert {name: version for name, version in pinned.items() if name not in BOUND_BY_TOOLS} == expected_bounds
    assert pinned.keys() >= BOUND_BY_TOOLS.keys()


def test_tox_knows_every_python_that_is_allowed() -> None:
    tox = configparser.ConfigParser()
    tox.read(HOME / "tox.ini", encoding="utf-8")
    assert CONFIG["options"]["python_requires"] == ">=3.11"
    assert tox["tox"]["env_list"].split()[0] == "py3{11,12,13}-{oldest,newest}"
