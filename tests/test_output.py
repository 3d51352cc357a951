"""Printing: which stream, which summary, and what a run imports for it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from flakeledger.model.errors import CannotTell
from flakeledger.model.report import Report
from flakeledger.precommit.output import show, show_undecided
from flakeledger.reporters import REPORTERS
from reports import ERRORS, REPORTS, report_of
from world import REFUND, World, on

LOUD = report_of(notes=("NOT CHECKED: no base could be found",))


@pytest.fixture
def summary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of a step's summary, which another command has written into."""
    path = tmp_path / "summary.md"
    path.write_text("# before\n", encoding="utf-8")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(path))
    return path


@pytest.mark.parametrize("name", REPORTERS)
def test_a_report_goes_to_standard_output(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    show(REPORTS["three"], name)
    assert capsys.readouterr() == (REPORTERS[name](REPORTS["three"], False), "")


@pytest.mark.parametrize("name", REPORTERS)
def test_people_read_standard_error_and_programs_standard_output(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    show_undecided("check", ERRORS["a place"], name)
    out, err = capsys.readouterr()
    assert (bool(out), bool(err)) == (name != "text", name == "text")


@pytest.mark.parametrize("report", [REPORTS["nothing"], REPORTS["three"], LOUD], ids=["nothing", "three", "loud"])
def test_with_github_every_run_has_a_summary(report: Report, summary: Path) -> None:
    show(report, "github")
    first, heading, *_ = summary.read_text(encoding="utf-8").splitlines()
    assert first == "# before"
    assert heading.startswith(f"### flakeledger {report.command}: ")


@pytest.mark.parametrize("name", sorted(REPORTERS.keys() - {"github"}))
def test_with_another_format_the_summary_has_what_is_loud(name: str, summary: Path) -> None:
    show(REPORTS["three"], name)
    assert summary.read_text(encoding="utf-8") == "# before\n"
    show(LOUD, name)
    assert summary.read_text(encoding="utf-8").splitlines()[1:] == [
        "- flakeledger check: NOT CHECKED: no base could be found"
    ]


def test_what_could_not_be_decided_is_in_the_summary_of_github_alone(summary: Path) -> None:
    show_undecided("check", ERRORS["a place"], "text")
    assert summary.read_text(encoding="utf-8") == "# before\n"
    show_undecided("check", ERRORS["a place"], "github")
    assert "\n### flakeledger check: ❓ cannot tell\n" in summary.read_text(encoding="utf-8")


def test_a_full_summary_gets_no_more(summary: Path) -> None:
    before = "x" * (1 << 20)
    summary.write_text(before, encoding="utf-8")
    show(REPORTS["three"], "github")
    show_undecided("check", ERRORS["a place"], "github")
    assert summary.read_text(encoding="utf-8") == before


@pytest.mark.parametrize(
    ("name", "report", "fails"),
    [("github", REPORTS["nothing"], True), ("text", REPORTS["three"], False), ("text", LOUD, True)],
)
def test_a_summary_that_cannot_be_written_is_no_pass(
    name: str,
    report: Report,
    fails: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "nowhere" / "summary.md"))
    if fails:
        with pytest.raises(CannotTell, match="cannot be written: No such file"):
            show(report, name)
    else:
        show(report, name)
    assert capsys.readouterr().out


# what a run imports

IMPORTED = """\
import sys
before = set(sys.modules)
from flakeledger.cli.main import main
main(sys.argv[1:])
print(*(set(sys.modules) - before), file=sys.stderr)
"""
#: what a report in the text format does not need
FORMATS = {f"flakeledger.reporters.{name}" for name in ("github", "gitlab", "json", "junit", "sarif")}
HELPERS = {f"flakeledger.reporters.{name}" for name in ("told", "fingerprints", "rule_texts", "step_summary")}
LIBRARIES = {
    *("rich", "jinja2", "markupsafe", "drawsvg", "plotille", "junitparser", "defusedxml", "lxml"),
    *("xml", "xml.etree.ElementTree", "urllib.parse", "importlib.resources", "importlib.metadata"),
}


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    world = World.new(tmp_path_factory.mktemp("output") / "world")
    world.replay(0)
    world.freeze(REFUND, 0, 10)
    return world


def imported(world: World, *arguments: str) -> set[str]:
    command = [sys.executable, "-c", IMPORTED, *arguments, "--now", f"{on(1)}T12:00:00Z"]
    done = subprocess.run(command, cwd=world.root, capture_output=True, text=True, check=True)
    return set(done.stderr.split())


@pytest.mark.parametrize("check", ["check-ledgers", "check-change"])
def test_a_hook_imports_no_format_that_it_was_not_asked_for(check: str, world: World) -> None:
    loaded = imported(world, check, "--format", "text")
    assert "flakeledger.reporters.text" in loaded
    assert loaded & (FORMATS | HELPERS | LIBRARIES) == set()
    pages = {name for name in loaded if name.startswith("flakeledger.reporters.page")}
    assert not pages


@pytest.mark.parametrize(
    ("name", "needs"),
    [
        ("github", {"github", "told"}),
        ("gitlab", {"gitlab", "json", "told", "fingerprints"}),
        ("json", {"json"}),
        ("junit", {"junit", "told"}),
        ("sarif", {"sarif", "json", "told", "fingerprints", "rule_texts"}),
    ],
)
def test_a_format_imports_what_it_needs_and_no_other(name: str, needs: set[str], world: World) -> None:
    loaded = imported(world, "check-ledgers", "--format", name)
    assert loaded & (FORMATS | HELPERS) == {f"flakeledger.reporters.{need}" for need in needs}
