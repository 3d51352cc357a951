"""`flakeledger init` on real repositories: what it writes, what it keeps, and that its own commit passes its hooks."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
import yaml

from conftest import git
from flakeledger.cli.hook_config import INSTALLED_TYPES
from flakeledger.cli.main import main
from flakeledger.repo.guard import GUARDS, hooks

PYTHON = {
    "src/shop/orders.py": "def total(lines):\n    return sum(lines)\n",
    "tests/conftest.py": "",
    "tests/strategies.py": "from hypothesis import strategies as st\n",
    "tests/test_orders.py": "def test_total():\n    assert True\n",
    "tests/data/orders.json": '{"schema": 1}\n',
}
#: exit code, output and errors of a run
Init = Callable[..., tuple[int, str, str]]
LEDGERS = ["fixtures.yaml", "freezes.yaml", "policy.yaml", "properties.yaml", "replays.jsonl"]


def build(where: Path, files: Mapping[str, str]) -> None:
    for path, text in files.items():
        (where / path).parent.mkdir(parents=True, exist_ok=True)
        (where / path).write_bytes(text.encode())


def snapshot(where: Path) -> dict[str, bytes]:
    """Every file and link of the work tree."""
    found = {}
    for path in sorted(where.rglob("*")):
        name = path.relative_to(where).as_posix()
        if not name.startswith(".git/") and (path.is_symlink() or path.is_file()):
            found[name] = os.readlink(path).encode() if path.is_symlink() else path.read_bytes()
    return found


@pytest.fixture
def init(repository: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Init:
    """Runs `flakeledger init` in a folder of the repository; gives exit code, output and errors."""

    def run(*arguments: str, folder: str = ".") -> tuple[int, str, str]:
        monkeypatch.chdir(repository / folder)
        code = main(["init", *arguments])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run


def policy_of(where: Path) -> dict[str, list[str]]:
    """The patterns of the written policy, by class."""
    loaded = yaml.safe_load((where / "ledgers/policy.yaml").read_text())
    return {entry["class"]: entry["match"] for entry in loaded["paths"]}


@pytest.mark.parametrize(
    ("files", "seeds", "patterns"),
    [
        (PYTHON, "tests/seeds/gate.json", {"generator": ["/tests/data/", "/tests/seeds/"], "test_body": ["/tests/"]}),
        # flat: tests beside the code
        ({"orders.py": "", "test_orders.py": ""}, None, {"test_body": ["test_*.py"], "generator": ["conftest.py"]}),
        # a monorepo: the seed list goes where most tests are
        (
            {
                "a/tests/test_a.py": "",
                "b/tests/test_a.py": "",
                "b/tests/test_b.py": "",
                "b/src/strategies.py": "x = 1\n",
            },
            "b/tests/seeds/gate.json",
            {"test_body": ["/a/tests/", "/b/tests/"], "generator": ["**/tests/**/strategies.py"]},
        ),
        # no Python at all
        (
            {
                "cart.ts": "",
                "cart.test.ts": "",
                "e2e/data/a.json": "{}",
                "e2e/buy.spec.ts": "",
                "package-lock.json": "{}",
            },
            "e2e/seeds/gate.json",
            {"test_body": ["*.test.[jt]s"], "generator": ["/e2e/data/"], "runner": ["package-lock.json"]},
        ),
        # a seed list of its own
        ({**PYTHON, "tests/seeds.json": str(list(range(25)))}, "tests/seeds.json", {"generator": ["/tests/"]}),
        ({}, None, {"test_body": ["test_*.py"]}),
    ],
    ids=["src layout", "flat", "monorepo", "no Python", "own seeds", "empty"],
)
def test_layouts(
    init: Init, repository: Path, files: dict[str, str], seeds: str | None, patterns: dict[str, list[str]]
) -> None:
    build(repository, files)
    code, out, _ = init()
    assert code == 0
    assert sorted(os.listdir(repository / "ledgers")) == LEDGERS
    policy = yaml.safe_load((repository / "ledgers/policy.yaml").read_text())
    assert policy.get("seeds") == seeds
    assert seeds is None or (repository / seeds).is_file()
    written = policy_of(repository)
    for name, expected in patterns.items():
        assert set(expected) <= set(written[name]), name
    assert "pre-commit install" in out
    git(repository, "add", "-A")
    assert main(["check"]) == 0
    assert main(["classify"]) == 0


def test_its_own_commit_passes_its_own_hooks(init: Init, repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build(repository, PYTHON)
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "Before the adoption")
    assert init()[0] == 0
    monkeypatch.setenv("PATH", os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"])))
    installed = subprocess.run(
        [sys.executable, "-m", "pre_commit", "install"], capture_output=True, text=True, check=True
    )
    for kind in INSTALLED_TYPES:
        assert f"hooks/{kind}" in installed.stdout
    git(repository, "add", "-A")
    committed = subprocess.run(["git", "commit", "-m", "Adopt"], capture_output=True, text=True, check=False)
    assert committed.returncode == 0, committed.stdout + committed.stderr
    for name in ("format ledgers", "check ledgers", "check change"):
        assert re.search(rf"^{name}\.+Passed$", committed.stderr, re.MULTILINE)
    assert main(["check"]) == 0
    # and they are not merely there: an edit of the policy with anything else is refused
    build(repository, {"src/shop/new.py": ""})
    with (repository / "ledgers/policy.yaml").open("a") as file:
        file.write("# looser\n")
    git(repository, "add", "-A")
    refused = subprocess.run(["git", "commit", "-m", "Loosen"], capture_output=True, text=True, check=False)
    assert refused.returncode == 1
    assert "policy-not-alone" in refused.stderr


def test_a_dry_run_prints_every_file_and_writes_nothing(init: Init, repository: Path) -> None:
    build(repository, PYTHON)
    before = snapshot(repository)
    code, out, _ = init("--dry-run")
    assert code == 0
    assert snapshot(repository) == before
    assert init()[0] == 0
    for path, data in snapshot(repository).items():
        if path not in before:
            assert f"would write {path}\n" in out
            assert all(f"    {line}".rstrip() in out for line in data.decode().splitlines())


def test_a_second_run_changes_nothing(init: Init, repository: Path) -> None:
    build(repository, PYTHON)
    init()
    before = snapshot(repository)
    code, out, _ = init()
    assert code == 0
    assert out.startswith("already set up; nothing was written\n")
    assert "kept ledgers/policy.yaml\n" in out
    assert snapshot(repository) == before


def test_what_stands_is_kept_and_the_rest_is_written(init: Init, repository: Path) -> None:
    own = {**PYTHON, "ledgers/policy.yaml": "version: 1\n", ".github/workflows/flakeledger.yml": "name: mine\n"}
    build(repository, own)
    code, out, _ = init()
    assert code == 0
    after = snapshot(repository)
    assert {path: after[path] for path in own} == {path: text.encode() for path, text in own.items()}
    assert "kept ledgers/policy.yaml\n" in out
    assert "wrote ledgers/freezes.yaml\n" in out
    assert "tests/seeds/gate.json" not in after


def test_it_writes_at_the_root_from_a_subfolder(init: Init, repository: Path) -> None:
    build(repository, PYTHON)
    assert init(folder="src/shop")[0] == 0
    assert (repository / "ledgers/policy.yaml").is_file()
    assert os.listdir(repository / "src/shop") == ["orders.py"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("*.txt text\n", "*.txt text\nledgers/replays.jsonl text eol=lf merge=union\n"),
        ("*.txt text", "*.txt text\nledgers/replays.jsonl text eol=lf merge=union\n"),
        ("*.txt text\r\n", "*.txt text\r\nledgers/replays.jsonl text eol=lf merge=union\r\n"),
        ("/ledgers/replays.jsonl -text\n", "/ledgers/replays.jsonl -text\n"),
        ("", "ledgers/replays.jsonl text eol=lf merge=union\n"),
    ],
)
def test_git_attributes_grow_by_one_line(init: Init, repository: Path, before: str, after: str) -> None:
    build(repository, {".gitattributes": before})
    _, out, _ = init()
    assert (repository / ".gitattributes").read_bytes() == after.encode()
    assert ("in its own way" in out) == (before == after)


def test_an_existing_configuration_grows(init: Init, repository: Path) -> None:
    before = "# ours\nrepos:\n- repo: https://example.org/ruff\n  rev: v1\n  hooks:\n  - id: ruff\n"
    build(repository, {".pre-commit-config.yaml": before})
    _, out, _ = init("--repo", "https://example.org/flakeledger", "--rev", "v1")
    after = (repository / ".pre-commit-config.yaml").read_bytes()
    assert after.startswith(before.encode())
    assert set(hooks(after)) == set(GUARDS)
    assert "extended .pre-commit-config.yaml\n" in out


@pytest.mark.parametrize("link", ["ledgers", ".pre-commit-config.yaml", ".gitattributes", ".github", "tests/seeds"])
def test_nothing_is_written_through_a_link(init: Init, repository: Path, tmp_path: Path, link: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    build(repository, PYTHON)
    (repository / link).symlink_to(outside)
    before = snapshot(repository)
    code, out, err = init()
    assert (code, out) == (2, "")
    assert link in err
    assert "fix:" in err
    assert snapshot(repository) == before
    assert os.listdir(outside) == []


def test_outside_a_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["init"]) == 2
    assert "git init" in capsys.readouterr().err
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    ("files", "origin", "workflow", "said"),
    [
        ({}, None, True, ""),
        ({".github/dependabot.yml": ""}, None, True, ""),
        ({".gitlab-ci.yml": ""}, None, False, "    GIT_DEPTH"),
        ({}, "git@gitlab.example.org:a/b", False, "    GIT_DEPTH"),
        ({"Jenkinsfile": ""}, None, False, "let Jenkinsfile run"),
        ({"Jenkinsfile": ""}, "https://github.com/a/b", True, ""),
    ],
)
def test_the_gate_fits_the_service(
    init: Init, repository: Path, files: dict[str, str], origin: str | None, workflow: bool, said: str
) -> None:
    build(repository, files)
    if origin is not None:
        git(repository, "remote", "add", "origin", origin)
    _, out, _ = init()
    assert (repository / ".github/workflows/flakeledger.yml").exists() == workflow
    assert said in out


def test_a_node_project_gets_its_command_and_hears_of_its_owners(init: Init, repository: Path) -> None:
    package = '{"scripts": {"test": "node --test"}}'
    build(repository, {"package.json": package, "cart.test.js": "", ".github/CODEOWNERS": "* @dana\n"})
    code, out, _ = init()
    assert code == 0
    (runner,) = yaml.safe_load((repository / "ledgers/policy.yaml").read_text())["runners"]
    assert runner == {"name": "local", "command": ["node", "--test", "--test-name-pattern", "{name}", "{path}"]}
    assert "note: the command in ledgers/policy.yaml must fail where no test has the name" in out
    assert "note: .github/CODEOWNERS says who owns a test: `owners: codeowners` in ledgers/policy.yaml" in out
    git(repository, "add", "-A")
    assert main(["check"]) == 0


def test_ignored_ledgers_are_said(init: Init, repository: Path) -> None:
    build(repository, {".gitignore": "ledgers/\n"})
    _, out, _ = init()
    assert "ledgers/policy.yaml is ignored by git" in out


def test_a_short_seed_list_is_no_seed_list(init: Init, repository: Path) -> None:
    build(repository, {**PYTHON, "tests/my_seeds.json": "[1, 2]"})
    _, out, _ = init()
    assert "tests/my_seeds.json looks like a seed list, but a replay needs 20 different seeds" in out
    assert yaml.safe_load((repository / "ledgers/policy.yaml").read_text())["seeds"] == "tests/seeds/gate.json"


def test_odd_names_of_strangers(init: Init, repository: Path) -> None:
    build(
        repository,
        {"a\n::error::x\u202e/tests/test_a.py": "", "b [x] '\"#/tests/data/a.json": "", "x: y/tests/test_b.py": ""},
    )
    (repository / os.fsdecode(b"\xff")).mkdir()
    (repository / os.fsdecode(b"\xff/test_c.py")).write_bytes(b"")
    code, out, _ = init()
    assert code == 0
    assert "\n::error" not in out
    git(repository, "add", "-A")
    assert main(["check"]) == 0


@pytest.mark.parametrize(
    "arguments", [["--repo", "https://example.org/a"], ["--rev", "v1"], ["--repo=-x", "--rev", "v1"]]
)
def test_half_a_source_is_refused(init: Init, repository: Path, arguments: list[str]) -> None:
    code, _, err = init(*arguments)
    assert code == 2
    assert "--repo" in err
    assert snapshot(repository) == {}
