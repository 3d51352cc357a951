"""`flakeledger excerpt`: names that the repository and Python know are told of a log, and no other word of it."""

from __future__ import annotations

import json
import re
from functools import partial
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from commands import Answer, typed
from flakeledger.cli.excerpt import LARGEST_LOG, classes_of
from flakeledger.model.ledger_paths import FIXTURES, POLICY, PROPERTIES
from growing import assert_linear
from world import CLOCK, PRODUCT, REFUND, TOTAL, World

CONTRACT = "tests/fixtures/rates.json"
OTHER = "tests/fixtures/users.json"
RATES = {"schema": "rates/1", "currency": "EUR", "rates": [{"minor": 1250, "given_name": "Finley"}]}
PYTEST = f"""\
=================================== FAILURES ===================================
_________________________________ test_refund __________________________________
    def test_refund(x):
>       assert refund(Order(minor=1250, customer="Jo Doe"), "ghp_0123456789abcdefghijklmnopqrstuvwxyz") == 3
E       AssertionError: assert -1 == 3
E         given_name: Jo Doe, jo@corp.internal, 10.1.2.3, fe80::1, /home/jo/key

tests/test_orders.py:7: AssertionError
FAILED {REFUND} - AssertionError: assert -1 == 3
"""


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    """A property on a contract, another one on another contract, and an exception class of the shop's own."""
    world = World.new(tmp_path_factory.mktemp("excerpt") / "shop")
    world.write(CONTRACT, json.dumps(RATES))
    world.write(OTHER, '{"schema": "users/1", "user_name": "a"}')
    world.append(PRODUCT, "\n\nclass StockError(ValueError):\n    pass\n\n\nclass Odd:\n    pass\n")
    assert typed(world, "lock", "--add", CONTRACT, OTHER).code == 0
    world.set_fields(PROPERTIES, "PROP-1", tests=[REFUND, CLOCK], fixtures=["FX-1", "FX-2"])
    world.add_row(PROPERTIES, id="PROP-2", statement="a total adds up", fixtures=["FX-3"], tests=[TOTAL])
    world.set_policy(environment_failures="[TimeoutError, broker.GoneAway]")
    world.record("contracts")
    return world


def excerpt(world: World, log: str | bytes, *arguments: str) -> Answer:
    file = world.root.with_name("failure.log")
    file.write_bytes(log if isinstance(log, bytes) else log.encode())
    return typed(world, "excerpt", str(file), *arguments)


def told(world: World, log: str | bytes) -> dict[str, list[str]]:
    answer = excerpt(world, log, "--format", "json")
    assert (answer.code, answer.err) == (0, ""), answer
    value = json.loads(answer.out)
    assert value.pop("version") == 1
    return dict(value)


def test_of_a_log_of_pytest_only_names_are_told(world: World) -> None:
    answer = excerpt(world, PYTEST)
    assert answer.out == "exception: AssertionError\nproperty: PROP-1\nfield: given_name\nfield: minor\n"
    assert (answer.code, answer.err) == (0, "")


def test_the_same_as_json(world: World) -> None:
    expected = {"exceptions": ["AssertionError"], "properties": ["PROP-1"], "fields": ["given_name", "minor"]}
    assert told(world, PYTEST) == expected


def traceback(last: str, margin: str = "") -> str:
    lines = ("Traceback (most recent call last):", '  File "/home/jo/x.py", line 3, in pay', "    pay()", last)
    return "".join(f"{margin}{line}\n" for line in lines)


EXCEPTIONS = {
    "of Python": (traceback("ValueError: Jo Doe"), ["ValueError"]),
    "without a message": (traceback("KeyError"), ["KeyError"]),
    "with its module": (traceback("requests.exceptions.ConnectionError: 10.0.0.1"), ["ConnectionError"]),
    "of the tree": (traceback("src.orders.StockError: Jo"), ["StockError"]),
    "a class of the tree that is called otherwise": (traceback("src.orders.Odd: Jo"), ["Odd"]),
    "of the policy": (traceback("broker.GoneAway: host db7"), ["GoneAway"]),
    "of Hypothesis": (traceback("hypothesis.errors.FlakyFailure: Jo"), ["FlakyFailure"]),
    "of pytest": ("E       Failed: DID NOT RAISE\n\ntests/x.py:3: Failed\n", ["Failed"]),
    "within pytest": (traceback("OSError: Jo", "E       "), ["OSError"]),
    "of a group": (
        "  + Exception Group Traceback (most recent call last):\n  |   File x\n  | ExceptionGroup: a (2)\n"
        "  +-+---------------- 1 ----------------\n" + traceback("TypeError: a", "    | "),
        ["ExceptionGroup", "TypeError"],
    ),
    "of a chain": (
        traceback("KeyError: 'a'") + "\nThe above exception was the direct cause:\n\n" + traceback("OSError: b"),
        ["KeyError", "OSError"],
    ),
    "in colours": ("\x1b[1m\x1b[31mE       ValueError: Jo\x1b[0m\n", ["ValueError"]),
    "a word of a message beside it": (
        "E       ValueError: Jo\nE       Secretive: x\nE       JoDoeError: x\n",
        ["ValueError"],
    ),
    "in prose": (traceback("ValueError: Jo") + "a TypeError was not raised\n", ["ValueError"]),
}


@pytest.mark.parametrize(("log", "names"), EXCEPTIONS.values(), ids=EXCEPTIONS.keys())
def test_exceptions_are_told_that_are_known(world: World, log: str, names: list[str]) -> None:
    assert told(world, f"{log}\nPROP-2\n") == {"exceptions": names, "properties": ["PROP-2"], "fields": []}


NAMES = {
    "an id": ("PROP-1", ["PROP-1"]),
    "an id in a sentence": ("It broke (PROP-2).", ["PROP-2"]),
    "two": ("PROP-1, PROP-2", ["PROP-1", "PROP-2"]),
    "a test": (f"FAILED {TOTAL} - x", ["PROP-2"]),
    "a test with parameters": (f'"{TOTAL}[Jo Doe]": failed', ["PROP-2"]),
    "a longer id": ("PROP-10 PROP-1-x PROP-2", ["PROP-2"]),
}


@pytest.mark.parametrize(("text", "ids"), NAMES.values(), ids=NAMES.keys())
def test_properties_are_told_that_the_ledger_has(world: World, text: str, ids: list[str]) -> None:
    assert told(world, f"{text}\n{traceback('KeyError')}")["properties"] == ids


def test_fields_are_those_of_the_contracts_of_the_property(world: World) -> None:
    log = traceback("KeyError") + "user_name minor rates2 xminor currency: EUR schema Finley"
    assert told(world, log + " PROP-1")["fields"] == ["currency", "minor", "schema"]
    assert told(world, log + " PROP-2")["fields"] == ["schema", "user_name"]


UNSURE = {
    "no property": (traceback("KeyError"), "it names no property"),
    "no exception": ("PROP-1 broke", "no exception class"),
    "nothing": ("", "it names no property"),
    "a class that nobody knows": ("PROP-1\n" + traceback("corp.JoDoeError: x"), "neither Python nor this repository"),
    "one of two": ("PROP-1\n" + traceback("KeyError") + traceback("Hunter2: x"), "neither Python nor this repository"),
    "where pytest names it": ("PROP-1\nE   KeyError: x\nsecret.py:3: Hunter2\n", "neither Python nor this repository"),
    "too many": (
        "PROP-1\n" + "".join(traceback(f"Error{number}") for number in range(60)), "too many exceptions",
    ),
}  # fmt: skip


@pytest.mark.parametrize("form", ["text", "json"])
@pytest.mark.parametrize(("log", "reason"), UNSURE.values(), ids=UNSURE.keys())
def test_where_anything_is_unsure_nothing_is_told(world: World, log: str, reason: str, form: str) -> None:
    answer = excerpt(world, log, "--format", form)
    assert (answer.code, answer.out) == (1, "")
    assert reason in answer.err
    assert not re.search("Hunter2|JoDoe|Error5", answer.err)


def test_a_name_that_looks_like_a_secret_stops_it(world: World, tmp_path: Path) -> None:
    """A contract whose keys are tokens: its lock is written by hand."""
    other = world.copy(tmp_path / "other")
    token = "ghp_" + "a1B2c3D4e5F6" * 3
    other.write(CONTRACT, json.dumps(RATES | {token: 1}))
    other.record("a token")
    assert excerpt(other, f"PROP-1 {token}\n{traceback('KeyError')}").code == 1
    answer = excerpt(other, f"PROP-1\n{traceback('KeyError')}")
    assert answer.out == "exception: KeyError\nproperty: PROP-1\n"


def test_any_bytes_may_stand_in_a_log(world: World) -> None:
    log = b"\xff\xfe\x00\x1b]0;x\x07\r\n" + f"PROP-2\n{traceback('KeyError: x')}".encode() + b"\x80" * 500
    assert told(world, log) == {"exceptions": ["KeyError"], "properties": ["PROP-2"], "fields": []}


@pytest.mark.parametrize(
    "piece", ["a", "a.", "E ", "a/b:1: ", "| ", "\x1b[", "PROP-1::", "Traceback (most recent call last):\n"]
)
def test_the_largest_log_takes_linear_time(piece: str) -> None:
    assert_linear(lambda size: partial(classes_of, piece * (size // len(piece))), LARGEST_LOG)


CANNOT_TELL = {
    "too large": (b"x" * (LARGEST_LOG + 1), "is larger than 1 MiB"),
}


@pytest.mark.parametrize(("log", "reason"), CANNOT_TELL.values(), ids=CANNOT_TELL.keys())
def test_what_cannot_be_read_is_said(world: World, log: bytes, reason: str) -> None:
    answer = excerpt(world, log)
    assert (answer.code, answer.out) == (2, "")
    assert reason in answer.err


def test_a_ledger_or_contract_that_cannot_be_read_is_said(world: World, tmp_path: Path) -> None:
    for number, (path, text) in enumerate([(PROPERTIES, "- ["), (FIXTURES, "- ["), (CONTRACT, "{"), (POLICY, "a: [")]):
        other = world.copy(tmp_path / str(number))
        other.write(path, text)
        other.record("broken")
        answer = excerpt(other, PYTEST)
        assert (answer.code, answer.out) == (2, ""), path


def test_what_is_not_committed_does_not_count(world: World, tmp_path: Path) -> None:
    other = world.copy(tmp_path / "other")
    other.append(PRODUCT, "class JoDoeError(Exception): ...\n")
    assert excerpt(other, "PROP-1\n" + traceback("JoDoeError")).code == 1


LINES = st.sampled_from(
    [*PYTEST.splitlines(), *traceback("KeyError: 'jo'").splitlines(), "PROP-1", "PROP-2", "E   Jo: x", "x.py:1: Jo"]
)


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.one_of(LINES, st.text(max_size=20)), max_size=12))
def test_no_word_is_told_that_is_not_known_elsewhere(world: World, lines: list[str]) -> None:
    answer = excerpt(world, "\n".join(lines).encode("utf-8", "surrogatepass"))
    known = {"AssertionError", "KeyError", "PROP-1", "PROP-2"} | {"schema", "currency", "rates", "minor", "given_name"}
    assert answer.code in (0, 1)
    assert {line.partition(": ")[2] for line in answer.out.splitlines()} <= known | {"user_name"}
    assert bool(answer.out) == (answer.code == 0)
