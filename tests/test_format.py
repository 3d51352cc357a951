"""`flakeledger format` and the hook `format-ledgers`, as a user runs them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from conftest import git
from flakeledger.cli.main import main
from flakeledger.model.ledger_paths import FIXTURES, FREEZES, POLICY, PROPERTIES
from flakeledger.store.formatter import format_rows

MANIFEST = Path(__file__).parent.parent / ".pre-commit-hooks.yaml"
UGLY = "-   owner: '@finley'\n    test: a.py::t # why"
FINE = '- test: a.py::t  # why\n  owner: "@finley"\n'
BROKEN = "- id: A\n  statement: it holds\n  owner: @robin\n"


@pytest.fixture
def ledgers(repository: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the ledgers, one of which is not canonical; we are in the repository."""
    (repository / "ledgers").mkdir()
    (repository / FREEZES).write_text(UGLY)
    (repository / POLICY).write_text("version:   1\n")
    monkeypatch.chdir(repository)
    return repository / "ledgers"


@pytest.mark.parametrize("command", ["format", "format-ledgers"])
def test_what_is_not_canonical_becomes_so_once(ledgers: Path, command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command]) == 1
    assert (ledgers / "freezes.yaml").read_text() == FINE
    assert (ledgers / "policy.yaml").read_text() == "version:   1\n"
    assert capsys.readouterr().out == "ledgers/freezes.yaml: formatted\n"
    assert main([command]) == 0
    assert capsys.readouterr().out == ""
    assert sorted(path.name for path in ledgers.iterdir()) == ["freezes.yaml", "policy.yaml"]


def test_it_works_from_any_folder(ledgers: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ledgers)
    assert main(["format"]) == 1
    assert (ledgers / "freezes.yaml").read_text() == FINE


def test_check_only_tells(ledgers: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["format", "--check"]) == 1
    assert capsys.readouterr().out == "ledgers/freezes.yaml: would be formatted\n"
    assert (ledgers / "freezes.yaml").read_text() == UGLY
    assert not (ledgers.parent / ".git/flakeledger").exists()
    (ledgers / "freezes.yaml").write_text(FINE)
    assert main(["format", "--check"]) == 0


def test_diff_shows_what_would_change_and_nothing_that_drives_a_terminal(
    ledgers: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (ledgers / "freezes.yaml").write_text(
        '# head\n- test: a.py::t\n  reason: "\\x1b[31m red"\n  owner: x\r\n', newline=""
    )
    assert main(["format", "--diff"]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "--- a/ledgers/freezes.yaml",
        "+++ b/ledgers/freezes.yaml",
        "@@ -1,4 +1,4 @@",
        " # head",
        " - test: a.py::t",
        '+  owner: "x"',
        '   reason: "\\x1b[31m red"',
        "-  owner: x",
    ]
    assert b"\r" in (ledgers / "freezes.yaml").read_bytes()


PATCHES = {
    "no newline at the end": UGLY,
    "a newline at the end": f"{UGLY}\n",
    "blank lines at the end": f"{UGLY}\n\n\n",
    "canonical but for the newline at the end": FINE.removesuffix("\n"),
    "carriage returns": f"{UGLY}\n".replace("\n", "\r\n"),
    "letters of the world": UGLY.replace("why", "\u00fc\u4e00"),
    "a long ledger": "# head\n"
    + "".join(f"- test: a.py::t{n}\n  owner:{' ' * (1 + n % 9 // 8)}x\n" for n in range(40)),
}


@pytest.mark.parametrize("text", PATCHES.values(), ids=PATCHES.keys())
def test_a_diff_is_a_patch_that_git_applies(
    ledgers: Path, text: str, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    (ledgers / "freezes.yaml").write_bytes(text.encode())
    (ledgers / "properties.yaml").write_bytes(b"- statement: it holds\n  id: A")
    assert main(["format", "--diff"]) == 1
    patch = capfdbinary.readouterr().out
    applied = subprocess.run(["git", "apply", "-"], input=patch, capture_output=True, check=False)
    assert applied.returncode == 0, (patch, applied.stderr)
    assert main(["format", "--check"]) == 0


@pytest.mark.parametrize("command", ["format", "format-ledgers"])
def test_a_ledger_that_cannot_be_read_is_reported_and_the_others_are_formatted(
    ledgers: Path, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (ledgers / "properties.yaml").write_text(BROKEN + "- id: [\n")
    assert main([command]) == 2
    said = capsys.readouterr().out.splitlines()
    assert said[0] == "ledgers/freezes.yaml: formatted"
    assert said[1] == "ledgers/properties.yaml:3:10: yaml-syntax: a text that begins with `@` must be quoted"
    assert said[2] == '    fix: write owner: "@robin"'
    assert said[-1] == "2 findings; judged: the working tree"
    assert (ledgers / "properties.yaml").read_text() == BROKEN + "- id: [\n"
    assert (ledgers / "freezes.yaml").read_text() == FINE


def test_repair_mends_what_can_be_proven(ledgers: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (ledgers / "freezes.yaml").write_text(FINE)
    (ledgers / "properties.yaml").write_text(BROKEN)
    assert main(["format", "--repair", "--check"]) == 1
    assert (ledgers / "properties.yaml").read_text() == BROKEN
    capsys.readouterr()
    assert main(["format", "--repair"]) == 1
    assert capsys.readouterr().out == (
        "ledgers/properties.yaml:3: quoted `@robin`\nledgers/properties.yaml: formatted\n"
    )
    mended = BROKEN.replace("@robin", '"@robin"').replace("it holds", '"it holds"')
    assert (ledgers / "properties.yaml").read_text() == mended
    assert main(["format", "--repair"]) == 0


def test_repair_keeps_what_it_mended_beside_what_it_cannot(ledgers: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (ledgers / "freezes.yaml").write_text(FINE)
    (ledgers / "properties.yaml").write_text(BROKEN + "- id: b: c\n")
    assert main(["format", "--repair"]) == 2
    assert (ledgers / "properties.yaml").read_text() == BROKEN.replace("@robin", '"@robin"') + "- id: b: c\n"
    said = capsys.readouterr().out.splitlines()
    assert said[:2] == ["ledgers/properties.yaml:3: quoted `@robin`", "ledgers/properties.yaml: mended in part"]
    assert said[2].startswith("ledgers/properties.yaml:4:8: yaml-syntax: ")


def test_a_link_is_not_followed(ledgers: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (ledgers / "freezes.yaml").rename(ledgers.parent / "elsewhere.yaml")
    (ledgers / "freezes.yaml").symlink_to("../elsewhere.yaml")
    assert main(["format"]) == 2
    assert "ledgers/freezes.yaml is no regular file, but a symbolic link" in capsys.readouterr().err
    assert (ledgers.parent / "elsewhere.yaml").read_text() == UGLY


def test_a_read_only_ledger_stays(ledgers: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (ledgers / "freezes.yaml").chmod(0o444)
    assert main(["format"]) == 2
    said = capsys.readouterr().err
    assert "cannot tell: ledgers/freezes.yaml is read-only" in said
    assert "fix: chmod u+w ledgers/freezes.yaml" in said
    assert (ledgers / "freezes.yaml").read_text() == UGLY


def test_nothing_is_there_to_be_formatted(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(repository)
    assert main(["format"]) == 0
    monkeypatch.chdir(repository.parent)
    assert main(["format"]) == 2


def test_what_init_writes_is_canonical(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(repository)
    git(repository, "commit", "-q", "--allow-empty", "-m", "empty")
    assert main(["init"]) == 0
    assert main(["format"]) == 0
    for path in (FREEZES, FIXTURES, PROPERTIES):
        assert format_rows((repository / path).read_bytes(), path) == (repository / path).read_bytes()


@pytest.mark.parametrize("path", [FREEZES, FIXTURES, PROPERTIES])
def test_our_own_ledgers_are_canonical(path: str) -> None:
    data = (MANIFEST.parent / path).read_bytes()
    assert format_rows(data, path) == data


def test_a_commit_is_stopped_and_finds_its_ledger_formatted(ledgers: Path) -> None:
    """The entry of the manifest, run by pre-commit on a real commit; policy.yaml alone does not start it."""
    hook = next(hook for hook in yaml.safe_load(MANIFEST.read_text()) if hook["id"] == "format-ledgers")
    hook |= {"language": "system", "entry": f"{Path(sys.executable).with_name('flakeledger')} format-ledgers"}
    (ledgers.parent / ".pre-commit-config.yaml").write_text(json.dumps({"repos": [{"repo": "local", "hooks": [hook]}]}))
    git(ledgers.parent, "add", "-A")
    command = [sys.executable, "-m", "pre_commit", "run"]
    first = subprocess.run(command, capture_output=True, text=True, check=False)
    assert first.returncode == 1
    assert "ledgers/freezes.yaml: formatted" in first.stdout
    assert (ledgers / "freezes.yaml").read_text() == FINE
    git(ledgers.parent, "add", "-A")
    assert subprocess.run(command, capture_output=True, check=False).returncode == 0
    git(ledgers.parent, "reset", "-q", "--", FREEZES)
    assert "no files to check" in subprocess.run(command, capture_output=True, text=True, check=True).stdout
