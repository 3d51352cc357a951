"""The runners of a first policy: what package.json may say, and what nobody may guess."""

from __future__ import annotations

import json

import pytest

from flakeledger.cli.policy_text import RUNNER
from flakeledger.cli.starting_runners import PACKAGE, runner_advice, starting_runners
from flakeledger.model.policy import Runner
from flakeledger.repo.layout import LARGEST_READ, Layout

NODE = ("node", "--test", "--test-name-pattern", "{name}", "{path}")
JEST = ("npx", "--no-install", "jest", "-t", "{name}", "{path}")
PLAIN = (Runner(RUNNER),)


def layout(package: bytes | None, *paths: str) -> Layout:
    """A layout with this package.json, which nothing else is read of."""
    return Layout((*paths, *([] if package is None else [PACKAGE])), lambda path: package if path == PACKAGE else None)


def scripts(test: object) -> bytes:
    return json.dumps({"scripts": {"test": test}}).encode()


@pytest.mark.parametrize(
    ("script", "command"),
    [
        ("node --test", NODE),
        ("node --import tsx --test src/**/*.test.ts", NODE),
        ("jest", JEST),
        ("NODE_ENV=test jest --ci", JEST),
        ("tsc && ./node_modules/.bin/jest;", JEST),
        ("vitest run --coverage", ("npx", "--no-install", "vitest", "run", "-t", "{name}", "{path}")),
        ("mocha -r ts-node/register", ("npx", "--no-install", "mocha", "--grep", "{name}", "{path}")),
        ("ava", None),
        ("jest-circus", None),
        ("majestic", None),
        ("node --test-only", None),
        ('echo "Error: no test specified" && exit 1', None),
        ("", None),
    ],
)
def test_the_command_is_that_of_the_tool_which_the_script_starts(script: str, command: tuple[str, ...] | None) -> None:
    found = layout(scripts(script), "src/cart.test.js")
    assert starting_runners(found) == (PLAIN if command is None else (Runner(RUNNER, command=command),))


@pytest.mark.parametrize(
    "package",
    [
        None,
        b"",
        b"{",
        b"\xff",
        b"[]",
        b"{}",
        b'{"scripts": []}',
        b'{"scripts": {"test": ["jest"]}}',
        b'{"scripts": {"build": "jest"}}',
        b"[" * 60_000,
        scripts("jest" + " " * LARGEST_READ),
    ],
)
def test_what_is_odd_proposes_nothing(package: bytes | None) -> None:
    found = layout(package, "src/cart.test.js")
    assert starting_runners(found) == PLAIN
    assert list(runner_advice(found)) == []


def test_beside_tests_in_python_node_is_a_runner_of_its_own() -> None:
    found = layout(scripts("jest"), "src/cart.test.js", "tests/test_orders.py")
    assert starting_runners(found) == (Runner(RUNNER), Runner("node", command=JEST))


@pytest.mark.parametrize(
    ("script", "paths", "said"),
    [
        ("jest", ("src/cart.test.tsx",), ["must fail where no test has the name"]),
        ("ava --serial", ("src/cart.spec.js",), ["by `ava --serial`"]),
        ("jest", ("src/cart.js", "tests/test_orders.py"), []),
    ],
)
def test_what_a_person_has_to_know(script: str, paths: tuple[str, ...], said: list[str]) -> None:
    advice = list(runner_advice(layout(scripts(script), *paths)))
    assert len(advice) == len(said)
    assert all(words in one for words, one in zip(said, advice, strict=True))
