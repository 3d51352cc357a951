"""The files of the demo's shop: orders and refunds, with the tests and the data that protect them.

Invariants:
* The files are real: `pytest` runs them.
* Amounts are whole cents, for a contract holds no floats.
"""

from __future__ import annotations

from flakeledger.model.canonical import digest

TOTAL_TEST = "tests/test_orders.py::test_total_is_the_sum_of_the_lines"
BOOKING_TEST = "tests/test_refunds.py::test_refund_is_booked_in_time"
ORDERS_FIXTURE = "tests/fixtures/orders.json"
REFUNDS_FIXTURE = "tests/fixtures/refunds.json"
STRATEGIES = "tests/strategies.py"
ORDERS = "shop/orders.py"
ORDERS_TESTS = "tests/test_orders.py"

FILES = {
    "pyproject.toml": """\
[project]
name = "shop"
version = "1.0"

[tool.pytest.ini_options]
pythonpath = ["."]
testpaths = ["tests"]
""",
    ".gitignore": """\
__pycache__/
.hypothesis/
.pytest_cache/
""",
    "shop/__init__.py": '"""A small shop."""\n',
    ORDERS: '''\
"""Orders: lines of a price and a quantity, in whole cents."""


def total(order: dict) -> int:
    """What the customer pays, in cents."""
    return sum(line["price_cents"] * line["quantity"] for line in order["lines"])
''',
    "shop/refunds.py": '''\
"""Refunds: what goes back to the customer, and the bank that books it."""

from concurrent.futures import Future, ThreadPoolExecutor


def refund(paid_cents: int, asked_cents: int) -> int:
    """What goes back, in cents: never more than was paid."""
    return min(paid_cents, asked_cents)


class Bank:
    """Books refunds in a thread of its own."""

    def __init__(self) -> None:
        self.workers = ThreadPoolExecutor(max_workers=1)

    def book(self, cents: int) -> Future:
        """The booking; its result is the booked amount."""
        return self.workers.submit(lambda: cents)
''',
    "tests/conftest.py": '''\
import json
from pathlib import Path

import pytest

from shop.refunds import Bank


@pytest.fixture
def bank():
    """A bank that is closed after the test."""
    opened = Bank()
    yield opened
    opened.workers.shutdown()


@pytest.fixture
def contract():
    """Reads a contract of tests/fixtures."""
    return lambda name: json.loads((Path(__file__).parent / "fixtures" / name).read_text(encoding="utf-8"))
''',
    STRATEGIES: '''\
"""What the tests draw from."""

from hypothesis import strategies as st

cents = st.integers(min_value=0, max_value=1_000_000)
lines = st.fixed_dictionaries({"price_cents": cents, "quantity": st.integers(min_value=0, max_value=99)})
orders = st.fixed_dictionaries({"lines": st.lists(lines, max_size=20)})
''',
    ORDERS_TESTS: '''\
"""Orders.

property_id: PROP-TOTAL
"""

from hypothesis import given
from shop.orders import total
from strategies import orders


def test_total_of_the_example_order(contract):
    order = contract("orders.json")
    assert total(order) == order["total_cents"]


@given(orders)
def test_total_is_the_sum_of_the_lines(order):
    assert total(order) == sum(total({"lines": [line]}) for line in order["lines"])
''',
    "tests/test_refunds.py": '''\
"""Refunds.

property_id: PROP-REFUND
"""

from shop.refunds import refund


def test_refund_is_never_more_than_was_paid(contract):
    for case in contract("refunds.json")["cases"]:
        assert refund(case["paid_cents"], case["asked_cents"]) == case["refund_cents"]


def test_refund_is_booked_in_time(bank):
    """Fails now and then with TimeoutError, when the machine is busy."""
    assert bank.book(1250).result(timeout=0.5) == 1250
''',
    ORDERS_FIXTURE: """\
{
  "schema": 1,
  "lines": [
    {"price_cents": 1250, "quantity": 2},
    {"price_cents": 499, "quantity": 1}
  ],
  "total_cents": 2999
}
""",
    REFUNDS_FIXTURE: """\
{
  "schema": 1,
  "cases": [
    {"paid_cents": 2999, "asked_cents": 499, "refund_cents": 499},
    {"paid_cents": 2999, "asked_cents": 5000, "refund_cents": 2999}
  ]
}
""",
}

_FIXTURE_ROWS = """\
- id: ORDERS
  path: {orders_path}
  sha256: {orders_digest}
  hash: contract

- id: REFUNDS
  path: {refunds_path}
  sha256: {refunds_digest}
  hash: contract
"""


def fixture_rows() -> str:
    """The rows that lock the two contracts as they are in `FILES`."""
    orders, refunds = (digest(FILES[path].encode()) for path in (ORDERS_FIXTURE, REFUNDS_FIXTURE))
    return _FIXTURE_ROWS.format(
        orders_path=ORDERS_FIXTURE, orders_digest=orders, refunds_path=REFUNDS_FIXTURE, refunds_digest=refunds
    )


PROPERTY_ROWS = """\
- id: PROP-TOTAL
  statement: "the total of an order is the sum of its lines"
  fixtures: [ORDERS]
  tests:
    - tests/test_orders.py::test_total_of_the_example_order
    - tests/test_orders.py::test_total_is_the_sum_of_the_lines

- id: PROP-REFUND
  statement: "a refund is never more than was paid, and is booked"
  fixtures: [REFUNDS]
  tests:
    - tests/test_refunds.py::test_refund_is_never_more_than_was_paid
    - tests/test_refunds.py::test_refund_is_booked_in_time
"""

FREEZE_ROW = """\
- test: {test}
  owner: "@finley"
  frozen_on: {frozen_on}
  expires: {expires}
  reason: "{reason}"
  property_id: {property_id}
  replay_env: {runner}
  runner_class: {runner}
  failure_class: environment
  fixture_hashes:
    {fixture}: {fixture_digest}
  generator_hash: {generator_digest}
  test_hash: {test_digest}
"""

COUNT_FUNCTION = '''

def count(order: dict) -> int:
    """How many things the order holds."""
    return sum(line["quantity"] for line in order["lines"])
'''

COUNT_TEST = """

def test_count_of_the_example_order(contract):
    assert count(contract("orders.json")) == 3
"""
