"""`flakeledger classify`: which class, by which pattern, and which tests fell to production."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from conftest import git
from flakeledger.cli.main import main

POLICY = """\
version: 1
paths:
  - class: freeze_config
    match: [/ledgers/]
  - class: generator
    match: [conftest.py]
  - class: test_body
    match: [/tests/]
runners:
  - name: local
"""
FILES = ("conftest.py", "src/a.py", "src/test_lost.py", "tests/test_a.py", "web/cart.spec.ts")
LOST = 'add "test_*.py" to the `match:` of `class: test_body` in ledgers/policy.yaml'


@pytest.fixture
def shop(repository: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with a policy, staged and committed."""
    for path, text in {"ledgers/policy.yaml": POLICY, **dict.fromkeys(FILES, "")}.items():
        (repository / path).parent.mkdir(parents=True, exist_ok=True)
        (repository / path).write_text(text)
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "Open")
    monkeypatch.chdir(repository)
    return repository


def test_every_path_of_the_index(shop: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (shop / "untracked.py").write_text("")
    assert main(["classify"]) == 1
    captured = capsys.readouterr()
    assert captured.out.splitlines() == [
        "conftest.py\tgenerator\tconftest.py",
        "ledgers/policy.yaml\tfreeze_config\t/ledgers/",
        "src/a.py\tproduction\t-",
        "src/test_lost.py\tproduction\t-",
        "tests/test_a.py\ttest_body\t/tests/",
        "web/cart.spec.ts\tproduction\t-",
    ]
    assert captured.err.splitlines() == [
        "src/test_lost.py: is named as a test, but of class production",
        f"    fix: {LOST}",
        "web/cart.spec.ts: is named as a test, but of class production",
        '    fix: add "*.spec.[jt]s" to the `match:` of `class: test_body` in ledgers/policy.yaml',
        "6 paths: 1 freeze_config, 1 generator, 1 test_body, 3 production",
    ]


def test_the_fix_mends_it(shop: Path) -> None:
    mended = POLICY.replace("[/tests/]", '[/tests/, "test_*.py", "*.spec.[jt]s"]')
    (shop / "ledgers/policy.yaml").write_text(mended)
    assert main(["classify"]) == 1, "the policy of the index decides, not the one on disk"
    git(shop, "add", "-A")
    assert main(["classify"]) == 0


@pytest.mark.parametrize(
    ("folder", "arguments", "paths"),
    [
        (".", ["src/a.py"], ["src/a.py"]),
        (".", ["not/there.py", "src"], ["not/there.py", "src/a.py", "src/test_lost.py"]),
        ("src", ["a.py", "../tests/test_a.py"], ["src/a.py", "tests/test_a.py"]),
        ("src", [".."], [*FILES[:1], "ledgers/policy.yaml", *FILES[1:]]),
        ("src", ["."], ["src/a.py", "src/test_lost.py"]),
        ("src", ["./../src/a.py", "a.py"], ["src/a.py"]),
    ],
)
def test_named_paths(
    shop: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    folder: str,
    arguments: list[str],
    paths: list[str],
) -> None:
    monkeypatch.chdir(shop / folder)
    main(["classify", "--format", "json", *arguments])
    assert [row["path"] for row in json.loads(capsys.readouterr().out)["paths"]] == paths


@pytest.mark.parametrize("path", ["../elsewhere.py", "/etc/passwd"])
@pytest.mark.usefixtures("shop")
def test_a_path_outside_is_refused(capsys: pytest.CaptureFixture[str], path: str) -> None:
    assert main(["classify", path]) == 2
    assert "outside the repository" in capsys.readouterr().err


def test_a_branch_is_classed_by_the_policy_of_its_base(shop: Path, capsys: pytest.CaptureFixture[str]) -> None:
    git(shop, "switch", "-qc", "feature")
    (shop / "ledgers/policy.yaml").write_text(POLICY.replace("[conftest.py]", "[src/]"))
    (shop / "src/new.py").write_text("")
    git(shop, "add", "-A")
    git(shop, "rm", "-q", "tests/test_a.py")
    assert main(["classify", "--base", "main"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "ledgers/policy.yaml\tfreeze_config\t/ledgers/",
        "src/new.py\tproduction\t-",
        "tests/test_a.py\ttest_body\t/tests/",
    ]


@pytest.mark.parametrize("base", ["nowhere", "--output=x", ""])
@pytest.mark.usefixtures("shop")
def test_a_base_that_is_none(capsys: pytest.CaptureFixture[str], base: str) -> None:
    assert main(["classify", f"--base={base}"]) == 2
    assert "is no commit" in capsys.readouterr().err


@pytest.mark.parametrize("policy", [None, "version: 1\n", "paths: ["])
def test_without_a_policy_it_cannot_tell(shop: Path, capsys: pytest.CaptureFixture[str], policy: str | None) -> None:
    if policy is None:
        git(shop, "rm", "-q", "ledgers/policy.yaml")
    else:
        (shop / "ledgers/policy.yaml").write_text(policy)
        git(shop, "add", "-A")
    assert main(["classify"]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "fix: flakeledger init && git add ledgers/policy.yaml   # " in captured.err


@pytest.mark.usefixtures("shop")
def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["classify", "--format", "json", "src/test_lost.py", "conftest.py"]) == 1
    captured = capsys.readouterr()
    assert json.loads(captured.out) == {
        "version": 1,
        "paths": [
            {"path": "conftest.py", "class": "generator", "pattern": "conftest.py", "finding": None},
            {"path": "src/test_lost.py", "class": "production", "pattern": None, "finding": LOST},
        ],
        "counts": {"freeze_config": 0, "generator": 1, "runner": 0, "review_only": 0, "test_body": 0, "production": 1},
    }
    assert captured.err == ""


def test_odd_names_are_escaped(shop: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("a\nb.py", "a\tb.py", "::error::x", "\x1b[31m.py", os.fsdecode(b"\xff.py")):
        (shop / name).write_text("")
    git(shop, "add", "-A")
    main(["classify"])
    out = capsys.readouterr().out
    assert len(out.splitlines()) == len(FILES) + 6
    assert all(line.count("\t") == 2 for line in out.splitlines())
    assert not out.startswith("::")
    assert "\n::" not in out
    assert "\x1b" not in out
    main(["classify", "--format", "json"])
    assert "\\\\xff.py" in capsys.readouterr().out


@pytest.mark.usefixtures("shop")
def test_a_terminal_gets_columns(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    main(["classify", "src", "conftest.py"])
    assert capsys.readouterr().out.splitlines() == [
        "conftest.py       generator      conftest.py",
        "src/a.py          production     -",
        "src/test_lost.py  production     -",
    ]
