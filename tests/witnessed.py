"""Repositories with property tests that fail, and real runs of pytest in them that capture witnesses.

Invariants:
* Every run is a process of its own, with the plugin and no others but those that a case asks for.
* No example database is there, so that each run searches for itself.
* The shop is one such repository for the gate: its witnesses are captured once, and a product says what each replay of
  them shows. Whatever of it is run leaves a mark in a file outside of the repository.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

from flakeledger.model.ledger_paths import POLICY, PROPERTIES
from flakeledger.model.witness import Witness, read_witness
from world import PRODUCT, REFUND, STRATEGIES, TESTS, World

SUITE = "tests/test_suite.py"
FOLDER = "captured"
PROPERTY = "PROP-2"
IGNORED = f"{FOLDER}/\n__pycache__/\n.pytest_cache/\n.hypothesis/\n"
HEAD = f'''\
"""property_id: {PROPERTY}"""
import pytest
from hypothesis import assume, example, given, settings, strategies as st, Phase
'''


class Captured(NamedTuple):
    """What a run printed, its exit code, the witnesses by the digests that name them, and the refusals."""

    code: int
    out: str
    files: dict[str, bytes]
    refused: list[dict[str, Any]]

    @property
    def witnesses(self) -> list[Witness]:
        """The witnesses, by test and example."""
        return sorted(
            (read_witness(data) for data in self.files.values()), key=lambda one: (one.test, str(one.example))
        )

    @property
    def arguments(self) -> dict[str, list[object]]:
        """The arguments of the witnesses by the name of their test."""
        found: dict[str, list[object]] = {}
        for one in self.witnesses:
            found.setdefault(one.test.partition("::")[2], []).append(dict(one.arguments))
        return found

    @property
    def reasons(self) -> dict[str, str]:
        """Why there is no witness, by the name of the test."""
        return {one["test"].partition("::")[2]: one["reason"] for one in self.refused}


def property_suite(root: Path, text: str, *names: str, level: str = "witnessed", **policy: str) -> World:
    """A new world with a suite whose named tests protect one property, committed."""
    world = World.new(root, level=level, **policy)
    world.write(".gitignore", IGNORED)
    world.write(SUITE, HEAD + text)
    tests = [f"{SUITE}::{name}" for name in names]
    world.add_row(PROPERTIES, id=PROPERTY, statement="an answer comes", fixtures=["FX-1"], tests=tests)
    world.record("suite")
    return world


def capture(world: World, *arguments: str, python: str = sys.executable, **environment: str) -> Captured:
    """Run the suite and capture what fails."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    clean |= {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "COLUMNS": "400"} | environment
    command = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "flakeledger.evidence.pytest_plugin"]
    done = subprocess.run(
        [*command, "-p", "_hypothesis_pytestplugin", f"--flakeledger-witness={FOLDER}", *(arguments or [SUITE])],
        cwd=world.root,
        env=clean,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    out = done.stdout + done.stderr
    assert "INTERNALERROR" not in out, out
    folder = world.root / FOLDER
    found = {path.name: path.read_bytes() for path in sorted(folder.iterdir())} if folder.is_dir() else {}
    assert not [name for name in found if name.endswith(".unfinished")]
    refused = [json.loads(data) for name, data in found.items() if name.endswith(".refused.json")]
    files = {name.removesuffix(".json"): data for name, data in found.items() if not name.endswith(".refused.json")}
    return Captured(done.returncode, out, files, refused)


# the shop

LETTER, BASKET = (f"{TESTS}::test_{name}" for name in ("letter", "basket"))
SHOP = {
    ".gitignore": IGNORED,
    PRODUCT: """\
def connect():
    pass
def sold(paid):
    return True
def refund(paid):
    return paid
""",
    STRATEGIES: """\
from hypothesis import strategies
amounts = strategies.integers(0, 9)
letters = strategies.integers(0, 9).map(lambda number: "y" * 9000 + str(number))
baskets = strategies.lists(strategies.integers(), min_size=5)
""",
    TESTS: '''\
"""Refunds. property_id: PROP-1"""
from hypothesis import assume, given
from src.orders import connect, refund, sold
from tests.strategies import amounts, baskets, letters
def setup_module():
    connect()
@given(amounts)
def test_refund(paid):
    assume(sold(paid))
    assert refund(paid) <= paid
@given(letters)
def test_letter(text):
    assert refund(len(text)) <= len(text)
@given(baskets)
def test_basket(prices):
    assert sum(prices) < 1000 or refund(1) <= 1
''',
}
#: the product while witnesses are captured: it fails always, or at its seventh refund and never again
FAILING = """\
import os
refunds = []
def connect():
    pass
def sold(paid):
    return True
def refund(paid):
    refunds.append(paid)
    return paid + (os.environ["FAILS"] == "always" or len(refunds) == 7)
"""
#: a plugin under which a search for the smallest failure ends too early
CAPPED = "import hypothesis.internal.conjecture.engine as engine\nengine.MAX_SHRINKS = 3\n"
#: the gate's replays are seeded with 1, 2 and 3, and what they draw first tells them apart
_DRAWING = """\
import os, random, time
import pytest
{mark}
DRAWS = [random.Random(seed).random() for seed in (1, 2, 3)]
does = []
def connect():
    does.append({does}[DRAWS.index(random.random())])
def sold(paid):
    return does != ["assume"]
def refund(paid):
    if does == ["skip"]:
        pytest.skip("closed on Mondays")
    if does == ["die"]:
        os.kill(os.getpid(), 9)
    while does == ["hang"]:
        time.sleep(0.05)
    return paid + (does == ["fail"] or "FAR" in os.environ)
"""


def product(mark: str, *does: str) -> str:
    """A product that leaves a mark when it is imported and does one of these in each replay of a refund.

    `pass`, `fail`, `skip`, `assume` (the example is rejected), `die` (by SIGKILL) or `hang`.
    """
    return _DRAWING.format(mark=mark, does=list(does))


class Shop(NamedTuple):
    """The shop, committed on main, and what was captured in it: files with a witness, or with a refusal of one."""

    world: World
    #: shrunk to the end; more than the 8 KiB of the policy; seen once and never again; not shrunk to the end
    complete: Path
    large: Path
    flaky: Path
    capped: Path


def committed_shop(root: Path) -> World:
    """The shop on main, without witnesses."""
    world = World.new(root, level="witnessed")
    world.sub(POLICY, "limits:\n", "limits:\n  witness_replays: 3\n")
    for path, text in SHOP.items():
        world.write(path, text)
    world.set_fields(PROPERTIES, "PROP-1", tests=[REFUND, LETTER, BASKET])
    world.record("refunds")
    return world


def new_shop(folder: Path) -> Shop:
    """A new shop in the folder, whose witnesses are captured by real runs of pytest."""
    world = committed_shop(folder / "shop")
    failing = world.copy(folder / "failing")
    failing.write(PRODUCT, FAILING)
    failing.sub(POLICY, "limits:\n", "limits:\n  witness_bytes: 65536\n")
    failing.record("failing")
    (folder / "capped.py").write_text(CAPPED, encoding="utf-8")

    def captured(name: str, *arguments: str, fails: str) -> Path:
        found = capture(failing, *arguments, FAILS=fails, PYTHONPATH=str(folder))
        (only,) = (failing.root / FOLDER).iterdir()
        assert (found.code, len(found.files) + len(found.refused)) == (1, 1), found.out
        kept = folder / name
        kept.mkdir()
        return only.rename(kept / only.name)

    return Shop(
        world,
        complete=captured("complete", REFUND, fails="always"),
        large=captured("large", LETTER, fails="always"),
        flaky=captured("flaky", REFUND, fails="once"),
        capped=captured("capped", "-p", "capped", BASKET, fails="always"),
    )
