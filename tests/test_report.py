"""`flakeledger report` on real repositories: the file that it writes, the numbers in it, and when it writes none."""

from __future__ import annotations

import importlib.util
import json
import re
from collections import Counter
from pathlib import Path

import pytest

from commands import Answer, noon, typed
from conftest import git
from flakeledger.model.ledger_paths import FREEZES, POLICY, PROPERTIES, REPLAYS
from world import CLOCK, REFUND, Templates, World, on, row_text

TESTS_A_PROPERTY = 50
ROW = re.compile(
    r'<tr data-verdict="(\w+)" data-state="([\w ]+)"><th scope="row"><bdi>(.+?)</bdi></th><td><bdi>([^<]+)</bdi></td>'
    r'<td data-key="(\d+)">.*?</td><td data-key="(\d+)">.*?</td><td data-key="([\d.]*)">'
)
TILE = re.compile(r'<div class="tile [\w ]*"><dt>([^<]+)</dt><dd>([\d,]+)</dd></div>')


def report(world: World, day: int, out: Path) -> Answer:
    return typed(world, "report", "--out", str(out), "--now", noon(day))


def many_freezes(world: World, count: int) -> None:
    """So many freezes of days 0 to 9, with replays for most of them, and properties of fifty tests."""
    tests = [f"tests/test_many.py::test_{number:04}" for number in range(count)]
    defs = "".join(f"def {test.rpartition('::')[2]}():\n    pass\n\n" for test in tests)
    world.write("tests/test_many.py", defs)
    lists = [tests[first : first + TESTS_A_PROPERTY] for first in range(0, count, TESTS_A_PROPERTY)]
    for number, listed in enumerate(lists):
        world.add_row(PROPERTIES, id=f"PROP-M{number}", statement="it adds up", fixtures=["FX-1"], tests=listed)
    rows = []
    lines = []
    for number, test in enumerate(tests):
        row = {
            "test": test,
            "owner": f"@owner-{number % 7}",
            "frozen_on": on(number % 10),
            "expires": on(number % 10 + 4 + number % 20),
            "reason": f"waits for the clock <{number}>",
            "property_id": f"PROP-M{number // TESTS_A_PROPERTY}",
            "replay_env": "local-fixture",
        }
        rows.append(row_text(row))
        if number % 3:
            seeds = list(range(20))
            line = {"test": test, "run_at": f"{on(number % 10)}T08:00:00Z", "env": "local-fixture", "seeds": seeds}
            failures = {"failures": {"TimeoutError": number % 5}} if number % 5 else {}
            lines.append(json.dumps(line | {"passed": 20 - number % 5, "total": 20} | failures) + "\n")
    world.write(FREEZES, "".join(rows))
    world.write(REPLAYS, "".join(lines))
    world.record(f"{count} freezes")


def two_freezes(world: World) -> None:
    world.replay(0)
    world.replay(0, 20, test=CLOCK)
    world.freeze(REFUND, 0, 30)
    world.freeze(CLOCK, 0, 10)
    world.record("freezes")


@pytest.fixture
def world(templates: Templates, tmp_path: Path) -> World:
    return templates.start(tmp_path / "world", two_freezes, "ledger", "block")


@pytest.mark.parametrize("count", [0, 1, 5000])
def test_the_numbers_are_those_of_review_and_of_check(count: int, tmp_path: Path) -> None:
    world = World.new(tmp_path / "world", level="ledger")
    many_freezes(world, count)
    assert report(world, 12, tmp_path / "out").code == 0
    html = (tmp_path / "out" / "index.html").read_text(encoding="utf-8")
    reviewed = json.loads(typed(world, "review", "--now", noon(12), "--format", "json").out)
    checked = json.loads(typed(world, "check", "--now", noon(12), "--format", "json").out)
    rows = ROW.findall(html)
    assert len(rows) == count
    assert [(verdict, test.replace("<wbr>", ""), owner) for verdict, _, test, owner, *_ in rows] == [
        (row["verdict"], row["test"], row["owner"]) for row in reviewed["freezes"]
    ]
    assert [state == "expired" for _, state, *_ in rows] == [row["expired"] for row in reviewed["freezes"]]
    status = json.loads(typed(world, "status", "--now", noon(12), "--format", "json").out)
    assert [int(found[4]) for found in rows] == [row["age_days"] for row in status["freezes"]]
    bounds = [row["replay"] and row["replay"]["rate_at_most"] for row in reviewed["freezes"]]
    assert [float(found[-1]) if found[-1] else None for found in rows] == [
        None if bound is None else pytest.approx(1 - bound, abs=1e-5) for bound in bounds
    ]
    tiles = {name: int(number.replace(",", "")) for name, number in TILE.findall(html)}
    assert {name: tiles[name] for name in reviewed["counts"] if name in tiles} == {
        name: number for name, number in reviewed["counts"].items() if number
    }
    assert tiles["frozen test" if count == 1 else "frozen tests"] == count
    assert tiles["expired"] == sum(row["expired"] for row in reviewed["freezes"])
    assert tiles["owner" if min(count, 7) == 1 else "owners"] == len({row["owner"] for row in reviewed["freezes"]})
    assert (tiles["errors found"], tiles["warnings"]) == tuple(checked["summary"].values())
    assert html.count('<tr data-level="error">') == checked["summary"]["errors"]
    unprotected = Counter(finding["rule"] for finding in checked["findings"])["property-unprotected"]
    counted = (
        "property that only frozen tests protect" if unprotected == 1 else "properties that only frozen tests protect"
    )
    assert tiles[counted] == unprotected


def test_the_same_time_gives_the_same_page(world: World, tmp_path: Path) -> None:
    answer = report(world, 6, tmp_path / "out")
    assert (answer.code, answer.out) == (0, f"wrote {tmp_path}/out/index.html\n")
    before = (tmp_path / "out" / "index.html").read_bytes()
    assert report(world, 6, tmp_path / "out").code == 0
    assert (tmp_path / "out" / "index.html").read_bytes() == before
    assert report(world, 7, tmp_path / "out").code == 0
    assert (tmp_path / "out" / "index.html").read_bytes() != before
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["index.html"]
    assert git(world.root, "status", "--porcelain") == ""


def test_a_file_that_is_no_page_of_ours_stays(world: World, tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("<!doctype html>\nmine")
    answer = report(world, 6, tmp_path)
    assert answer.code == 2
    assert f"{tmp_path}/index.html is no page of flakeledger, and stays as it is" in answer.err
    assert "fix: name another folder with --out" in answer.err
    assert (tmp_path / "index.html").read_text() == "<!doctype html>\nmine"


@pytest.mark.parametrize("below", ["", "deeper/still"])
def test_a_file_is_no_folder_for_a_page(below: str, world: World, tmp_path: Path) -> None:
    (tmp_path / "notes").write_text("mine")
    answer = report(world, 6, tmp_path / "notes" / below)
    assert answer.code == 2
    assert f"{tmp_path}/notes is no folder, and stays as it is\n    fix: name another folder with --out" in answer.err
    assert (tmp_path / "notes").read_text() == "mine"


def test_a_link_is_not_written_through(world: World, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "index.html").symlink_to(tmp_path / "elsewhere")
    assert report(world, 6, tmp_path / "out").code == 2
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize(
    ("path", "text", "said"),
    [
        (POLICY, "version: 2\n", f"{POLICY}:1:"),
        (FREEZES, "- test: [\n", f"{FREEZES}:1:"),
        (REPLAYS, "{}\n", f"{REPLAYS}:1:"),
    ],
)
def test_ledgers_that_cannot_be_read_give_no_page(
    path: str, text: str, said: str, world: World, tmp_path: Path
) -> None:
    world.write(path, text)
    answer = report(world, 6, tmp_path / "out")
    assert answer.code == 2
    assert said in answer.err
    assert not (tmp_path / "out").exists()


def test_what_the_history_cannot_tell_is_said_on_the_page(world: World, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--depth", "1", world.root.as_uri(), "shallow")
    assert report(World(tmp_path / "shallow"), 6, tmp_path / "out").code == 0
    html = (tmp_path / "out" / "index.html").read_text(encoding="utf-8")
    assert "The trend cannot be told: " in html
    assert "--unshallow" in html
    assert len(ROW.findall(html)) == 2


def test_a_hostile_reason_stays_text(world: World, tmp_path: Path) -> None:
    reason = "</style><script>alert(1)</script> {{7*7}}" + " long" * 2000
    world.set_fields(FREEZES, REFUND, reason=reason)
    assert report(world, 6, tmp_path / "out").code == 0
    html = (tmp_path / "out" / "index.html").read_text(encoding="utf-8")
    assert "&lt;/style&gt;&lt;script&gt;alert(1)&lt;/script&gt; {{7*7}} long" in html
    assert (html.count("<script"), html.count("</style>")) == (1, 1)
    assert f"({len(reason):,} characters)" in html


def test_without_the_extra_the_command_to_install_it_is_told(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *rest: None if name == "jinja2" else real(name, *rest)
    )
    answer = report(world, 6, tmp_path / "out")
    assert answer.code == 2
    assert "the page needs the package jinja2, which is not installed" in answer.err
    assert "fix: pip install 'flakeledger[report]'" in answer.err
    assert not (tmp_path / "out").exists()
