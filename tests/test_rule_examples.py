"""The examples in docs/rules.md: each is made in a real repository, and what is printed is what the page shows.

Invariants:
* Every rule has one example; the first `text` block of its entry that holds a message is compared with the output.
* The repository that the examples start from passes both checks, so that each example shows its own edit.
"""

from __future__ import annotations

import contextlib
import io
import json
import re
from pathlib import Path
from typing import NamedTuple

import pytest

from flakeledger.cli.main import main
from flakeledger.model.ledger_paths import FIXTURES, FREEZES, GUARD, POLICY, PROPERTIES, REPLAYS
from flakeledger.rules.table import CHANGE_RULES, RULE_NAMES
from pages import ROOT, blocks_of, sections, shows
from world import World

NOW = "2026-10-27T12:00:00Z"
PAGE = ROOT / "docs" / "rules.md"
TESTS, STRATEGIES, ORDERS, PRODUCT = "tests/test_orders.py", "tests/strategies.py", "tests/data/orders.json", "shop.py"

SHOP = {
    POLICY: """\
version: 1
level: keyed
paths:
  - class: freeze_config
    match: [/ledgers/]
  - class: generator
    match: [conftest.py, strategies.py, /tests/data/]
  - class: test_body
    match: [/tests/]
limits:
  max_freezes: 50
  min_seeds: 20
runners:
  - name: pinned-py311
  - name: laptop
""",
    FIXTURES: """\
- id: orders
  path: tests/data/orders.json
  sha256: {orders}
  hash: contract
""",
    PROPERTIES: """\
- id: PROP-014
  statement: a refund never exceeds what was paid
  fixtures: [orders]
  tests:
    - tests/test_orders.py::test_partial_refund
    - tests/test_orders.py::test_total
""",
    TESTS: '''\
"""Refunds and totals. property_id: PROP-014"""

from hypothesis import given

from shop import refund, total
from tests.strategies import amounts


@given(amounts)
def test_partial_refund(paid):
    assert refund(paid) <= paid


def test_total():
    assert total([2, 3]) == 5
''',
    STRATEGIES: "from hypothesis import strategies\n\namounts = strategies.integers(0, 10_000)\n",
    ORDERS: '{"schema": "order/1", "currency": "EUR", "minor": 1250}\n',
    PRODUCT: "def refund(paid):\n    return paid\n\n\ndef total(prices):\n    return sum(prices)\n",
    GUARD: """\
repos:
  - repo: https://example.org/flakeledger
    rev: v0.1.0
    hooks:
      - id: check-ledgers
      - id: check-change
""",
    REPLAYS: "",
}
ROW = """\
- test: tests/test_orders.py::test_partial_refund
  owner: "@finley"
  frozen_on: 2026-10-20
  expires: 2026-11-19
  reason: "assertion depends on wall-clock ordering"
  property_id: PROP-014
  replay_env: pinned-py311
  runner_class: pinned-py311
  failure_class: environment
  fixture_hashes:
    orders: {fixture}
  generator_hash: {generator}
  test_hash: {test}
"""
#: a second freeze, short enough to need no replay
SHORT_ROW = (
    ROW.replace("test_partial_refund", "test_total")
    .replace("2026-10-20", "2026-10-27")
    .replace("2026-11-19", "2026-10-29")
)
#: a second freeze that does need one
LONG_ROW = SHORT_ROW.replace("2026-10-29", "2026-11-10")
REPLAY: dict[str, object] = {
    "test": "tests/test_orders.py::test_partial_refund",
    "run_at": "2026-10-20T09:30:00Z",
    "env": "pinned-py311",
    "seeds": list(range(1, 21)),
    "passed": 18,
    "total": 20,
    "failures": {"TimeoutError": 2},
}


def line(**fields: object) -> str:
    """A line of the replay log."""
    return json.dumps(REPLAY | fields) + "\n"


class Edit(NamedTuple):
    """One edit of a file: replace a text, append (`old` is empty), write all of it or delete it (`old` is None)."""

    path: str
    old: str | None
    new: str | None


class Example(NamedTuple):
    """What is edited, and the instant at which it is judged."""

    edits: tuple[Edit, ...] = ()
    now: str = NOW


def edited(path: str, old: str | None, new: str | None) -> Example:
    return Example((Edit(path, old, new),))


def row(old: str, new: str) -> Example:
    """The frozen row with a text replaced."""
    return edited(FREEZES, old, new)


RATES = "tests/data/rates.csv"
CITE = "# flakeledger: cite PROP-014 runner_class=pinned-py311\n"
PARTIAL, TOTAL = "tests/test_orders.py::test_partial_refund", "tests/test_orders.py::test_total"
STATE_EXAMPLES = {
    "yaml-syntax": row('owner: "@finley"', "owner: @finley"),
    "yaml-forbidden": row('owner: "@finley"', "owner: &team refunds"),
    "conflict-marker": row(
        "  expires: 2026-11-19\n", "<<<<<<< HEAD\n  expires: 2026-11-19\n=======\n  expires: 2026-11-12\n>>>>>>> main\n"
    ),
    "duplicate-key": row("  expires: 2026-11-19\n", "  expires: 2026-11-19\n  expires: 2026-12-19\n"),
    "unknown-field": row("expires:", "expiers:"),
    "missing-field": row("  failure_class: environment\n", ""),
    "bad-value": row("expires: 2026-11-19", "expires: 2026-11-31"),
    "policy-invalid": edited(POLICY, "min_seeds: 20", "min_seeds: 5"),
    "replay-malformed": edited(REPLAYS, "", "replayed by hand, was green\n"),
    "replay-inconsistent": edited(REPLAYS, "", line(run_at="2026-10-26T09:30:00Z", passed=21, failures={})),
    "replay-duplicate": edited(
        REPLAYS,
        "",
        line(id="nightly-7", run_at="2026-10-25T09:30:00Z") + line(id="nightly-7", run_at="2026-10-26T09:30:00Z"),
    ),
    "policy-missing": edited(POLICY, None, None),
    "freeze-unowned": row('owner: "@finley"', "owner: tbd"),
    "freeze-expired": Example(now="2026-11-20T08:00:00Z"),
    "freeze-expiring": Example(now="2026-11-15T12:00:00Z"),
    "freeze-window": row("expires: 2026-11-19", "expires: 2026-12-31"),
    "freeze-no-property": row("  property_id: PROP-014\n", ""),
    "freeze-unknown-property": row("property_id: PROP-014", "property_id: PROP-041"),
    "freeze-not-bound": edited(PROPERTIES, f"    - {PARTIAL}\n", ""),
    "freeze-dangling": row("test_partial_refund", "test_partial_refunds"),
    "freeze-duplicate": edited(FREEZES, "", ROW),
    "freeze-cap": edited(POLICY, "max_freezes: 50", "max_freezes: 0"),
    "freeze-renewals": row("replay_env: pinned-py311\n", "replay_env: pinned-py311\n  renewed: 2\n"),
    "freeze-unknown-runner": row("replay_env: pinned-py311", "replay_env: pinned-py312"),
    "freeze-fixture-hash": edited(ORDERS, "1250", "1200"),
    "freeze-generator-hash": edited(STRATEGIES, "integers(0, 10_000)", "integers(0, 10)"),
    "freeze-test-hash": edited(TESTS, "assert refund(paid) <= paid", "assert refund(paid) is not None"),
    "freeze-not-environment": row("failure_class: environment", "failure_class: invariant"),
    "freeze-witness": edited(POLICY, "level: keyed", "level: witnessed"),
    "freeze-note": edited(POLICY, "level: keyed", "level: witnessed"),
    "replay-missing": edited(REPLAYS, None, ""),
    "replay-wrong-env": edited(REPLAYS, '"env": "pinned-py311"', '"env": "laptop"'),
    "replay-stale": Example(now="2026-11-10T12:00:00Z"),
    "replay-few-seeds": edited(
        REPLAYS, "", line(run_at="2026-10-26T09:30:00Z", seeds=[1, 2, 3], passed=3, total=3, failures={})
    ),
    "replay-broken": edited(REPLAYS, "", line(run_at="2026-10-26T09:30:00Z", passed=0, failures={"TimeoutError": 20})),
    "replay-future": edited(REPLAYS, "", line(run_at="2026-12-01T09:30:00Z")),
    "fixture-missing": edited(ORDERS, None, None),
    "fixture-drifted": edited(ORDERS, "1250", "1200"),
    "fixture-not-a-file": edited(FIXTURES, "path: tests/data/orders.json", "path: tests/data"),
    "fixture-duplicate": edited(
        FIXTURES, "", "- id: orders-again\n  path: tests/data/orders.json\n  sha256: {orders}\n"
    ),
    "fixture-contract": edited(ORDERS, "1250", "12.50"),
    "fixture-unlocked": Example(
        (
            Edit(RATES, None, "EUR,1.08\n"),
            Edit(REPLAYS, "", line(run_at="2026-10-26T09:30:00Z", touched=[ORDERS, RATES])),
        )
    ),
    "property-untested": edited(PROPERTIES, f"tests:\n    - {PARTIAL}\n    - {TOTAL}\n", "tests: []\n"),
    "property-unprotected": edited(PROPERTIES, f"    - {TOTAL}\n", ""),
    "property-no-fixture": edited(PROPERTIES, "fixtures: [orders]", "fixtures: []"),
    "property-unknown-fixture": edited(PROPERTIES, "fixtures: [orders]", "fixtures: [orders, customers]"),
    "property-duplicate": edited(
        PROPERTIES,
        "",
        f"- id: PROP-014\n  statement: a total is the sum of its prices\n  fixtures: [orders]\n  tests: [{TOTAL}]\n",
    ),
    "property-unnamed": edited(TESTS, " property_id: PROP-014", ""),
    "property-dangling": edited(PROPERTIES, f"    - {TOTAL}\n", f"    - {TOTAL}s\n"),
    "citation-unknown": edited(TESTS, "def test_total", f"{CITE}def test_total"),
    "citation-rejected": Example((Edit(TESTS, "@given(", f"{CITE}@given("),), "2026-11-20T08:00:00Z"),
}
CHANGE_EXAMPLES = {
    "mixed-change": Example((Edit(STRATEGIES, "10_000", "100"), Edit(FREEZES, "", SHORT_ROW))),
    "policy-not-alone": Example(
        (Edit(POLICY, "max_freezes: 50", "max_freezes: 80"), Edit(PRODUCT, "", "\n\nTAX = 21\n"))
    ),
    "policy-removed": edited(POLICY, None, None),
    "log-rewritten": edited(REPLAYS, '"passed": 18', '"passed": 19'),
    "freeze-extended": row("expires: 2026-11-19", "expires: 2026-12-19"),
    "freeze-renewed": row(
        "frozen_on: 2026-10-20\n  expires: 2026-11-19", "frozen_on: 2026-10-27\n  expires: 2026-11-26"
    ),
    "freeze-rekeyed": row("replay_env: pinned-py311", "replay_env: laptop"),
    "freeze-unevidenced": edited(FREEZES, "", LONG_ROW),
    "freeze-with-edit": Example((Edit(TESTS, "total([2, 3]) == 5", "total([2, 3]) > 0"), Edit(FREEZES, "", SHORT_ROW))),
    "thaw-unearned": edited(FREEZES, None, ""),
    "property-redefined": edited(PROPERTIES, "never exceeds what was paid", "is at most twice what was paid"),
    "property-weakened": edited(PROPERTIES, f"    - {TOTAL}\n", ""),
    "skip-unledgered": edited(
        TESTS, "def test_total", '@pytest.mark.skip(reason="fails on slow machines")\ndef test_total'
    ),
    "guard-removed": Example((Edit(GUARD, "      - id: check-change\n", ""), Edit(PRODUCT, "", "\n\nTAX = 21\n"))),
}


def shop(root: Path) -> World:
    """The shop with one freeze, committed."""
    world = World(root)
    root.mkdir()
    world.git("init", "-q", "--template=")
    for path, text in SHOP.items():
        world.write(path, text)
    world.write(FREEZES, "")
    with world.ledger() as ledger:
        orders = ledger.files.contract(world.git("rev-parse", f":{ORDERS}")).digest or ""
    world.sub(FIXTURES, "{orders}", orders)
    world.write(FREEZES, filled(world, ROW, PARTIAL))
    world.write(REPLAYS, line())
    world.record("shop")
    return world


def filled(world: World, text: str, test: str) -> str:
    """A row with the pins of the tree."""
    with world.ledger() as ledger:
        pins = ledger.fixture_pins("PROP-014")
        digests = {
            "orders": pins.get("orders", ""),
            "fixture": pins.get("orders", ""),
            "generator": ledger.generator_digest("PROP-014") or "",
            "test": ledger.sources.test_digest(test) or "",
        }
    return text.format_map(digests)


def apply(world: World, example: Example) -> None:
    """Make the edits and stage them, beside an edit of the product: a change of ledgers alone may repair them."""
    if not any(edit.path == PRODUCT for edit in example.edits):
        world.append(PRODUCT, "\n\nTAX = 21\n")
    for path, old, new in example.edits:
        if new is None:
            world.delete(path)
        elif old is None:
            world.write(path, new)
        elif old:
            world.sub(path, old, new)
        else:
            test = TOTAL if TOTAL in new else PARTIAL
            world.append(path, filled(world, new, test) if path in (FREEZES, FIXTURES) else new)
    world.git("add", "-A")


def printed(where: Path, *arguments: str) -> str:
    """What a command prints, on both of its outputs."""
    out = io.StringIO()
    with contextlib.chdir(where), contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        main(list(arguments))
    return out.getvalue()


def of_findings(output: str) -> str:
    """The findings of an output, each with its whole fix: what stands before the notes and the summary."""
    kept = [line for line in output.splitlines() if not re.match(r"note: |[0-9]+ \w+[,;] ", line)]
    return "".join(f"{line}\n" for line in kept)


def difference(world: World, example: Example) -> str:
    """What the example stages, as the page shows it: file names and changed lines with one line around them."""
    paths = [edit.path for edit in example.edits] or ["nothing"]
    text = world.git("diff", "--cached", "--no-prefix", "--unified=1", "--diff-filter=AMT", "--", *paths)
    kept = [line for line in text.splitlines() if line.strip() and not re.match(r"diff |index |--- |@@ ", line)]
    return "".join(f"{line.removeprefix('+++ ')}\n" for line in kept)


def shown(rule: str) -> tuple[str, str]:
    """The difference ("" for none) and the message that the entry of a rule shows."""
    found = [block for block in ENTRIES[rule] if block.language in ("diff", "text")]
    assert [block.language for block in found] in (["text"], ["diff", "text"]), rule
    return "".join(block.text for block in found[:-1]), found[-1].text


ENTRIES = {name: list(blocks_of(text, PAGE.name)) for name, text in sections(PAGE).items()}


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("template") / "shop"


def start(template: Path) -> World:
    """The shop, made once."""
    return World(template) if template.exists() else shop(template)


def test_every_rule_has_an_example() -> None:
    assert sorted([*STATE_EXAMPLES, *CHANGE_EXAMPLES, "base-unknown"]) == sorted(RULE_NAMES)
    assert CHANGE_EXAMPLES.keys() == CHANGE_RULES.keys()


def test_the_shop_is_in_order(template: Path) -> None:
    world = start(template)
    for command in ("check-ledgers", "check-change"):
        assert re.search(r"\b0 findings; judged", printed(world.root, command, "--now", NOW))


@pytest.mark.parametrize("rule", [*STATE_EXAMPLES, *CHANGE_EXAMPLES])
def test_the_page_shows_what_is_printed(rule: str, template: Path, tmp_path: Path) -> None:
    world = start(template).copy(tmp_path / "shop")
    example = (STATE_EXAMPLES | CHANGE_EXAMPLES)[rule]
    command = "check-ledgers" if rule in STATE_EXAMPLES else "check-change"
    apply(world, example)
    diff, message = shown(rule)
    real = difference(world, example)
    assert shows(tuple(diff.splitlines()), real), real
    out = printed(world.root, command, "--now", example.now, "--only", rule)
    assert shows(tuple(message.splitlines()), of_findings(out)), out


def test_the_page_shows_how_an_unknown_base_is_reported(template: Path, tmp_path: Path) -> None:
    world = start(template)
    world.git("clone", "-q", "--depth=1", f"file://{world.root}", str(tmp_path / "shallow"))
    clone = World(tmp_path / "shallow")
    clone.git("switch", "-q", "--detach")
    clone.git("branch", "-q", "-D", "main")
    clone.git("remote", "remove", "origin")
    diff, message = shown("base-unknown")
    out = printed(clone.root, "check-change", "--now", NOW)
    assert not diff
    assert shows(tuple(message.splitlines()), out), out
