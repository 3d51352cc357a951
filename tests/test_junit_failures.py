"""The names of exceptions in JUnit XML reports, as frameworks write them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest

from flakeledger.evidence.junit import read_report
from flakeledger.evidence.junit_failures import Failed
from growing import assert_linear


def failed(inside: str, name: str = "refund", classname: str = "shop.OrdersTest") -> Failed:
    """What a test case of a report failed with."""
    text = f'<testsuite><testcase name="{name}" classname="{classname}">{inside}</testcase></testsuite>'
    (case,) = read_report(text.encode(), "junit.xml").cases
    return case.failed


NODE = """
[Error [ERR_TEST_FAILURE]: timed out] {{
  code: 'ERR_TEST_FAILURE',
  failureType: 'testCodeFailure',
  cause: {cause}: timed out
      at TestContext.&lt;anonymous> (/home/dev/shop/test/orders.test.js:6:54)
"""


@pytest.mark.parametrize(
    ("failure", "exceptions"),
    [
        # the attribute `type`: the JVM, PHPUnit, unittest-xml-reporting
        ('<failure type="java.net.SocketTimeoutException" message="x: y"/>', [("java.net.SocketTimeoutException",)]),
        ('<failure type="shop.Client$Late"/>', [("shop.Client$Late", "shop.Client.Late")]),
        (r'<failure type="Shop\Late"/>', [("Shop\\Late", "Shop.Late")]),
        ('<failure type="what went wrong" message="TimeoutError: x"/>', []),
        (f'<failure type="{"x" * 201}"/>', []),
        # the beginning of `message`: pytest
        ('<failure message="TimeoutError: the clock">AssertionError: no</failure>', [("TimeoutError",)]),
        ('<failure message="TimeoutError"/>', [("TimeoutError",)]),
        ('<failure message="TimeoutError&#10;more"/>', [("TimeoutError",)]),
        ('<failure message="socket.gaierror: [Errno -2]"/>', [("socket.gaierror",)]),
        ('<failure message="ExceptionGroup: two (2 sub-exceptions)"/>', [("ExceptionGroup",)]),
        ('<failure message="assert 1 == 2"/>', []),
        ('<failure message="the TimeoutError: came"/>', []),
        ('<failure message="Read timed out"/>', []),
        (f'<failure message="{"x" * 300}: long"/>', []),
        # the beginning of the text: jest
        ("<failure>TypeError: no\n  at x</failure>", [("TypeError",)]),
        ("<failure>\n  TypeError: no</failure>", [("TypeError",)]),
        # node's cause
        (
            f'<failure type="testCodeFailure">{NODE.format(cause="RangeError")}</failure>',
            [("RangeError", "testCodeFailure")],
        ),
        (
            f'<failure type="testCodeFailure">{NODE.format(cause="Error [TimeoutError]")}</failure>',
            [("TimeoutError", "Error", "testCodeFailure")],
        ),
        (
            f'<failure type="testCodeFailure">{NODE.format(cause="AssertionError [ERR_ASSERTION]")}</failure>',
            [("AssertionError", "ERR_ASSERTION", "testCodeFailure")],
        ),
        ('<failure type="testTimeoutFailure" message="test timed out after 10ms"/>', [("testTimeoutFailure",)]),
        # nothing: CTest
        ('<failure message=""/>', []),
        # several: one without a name, and what it failed with is not known
        ('<failure type="A"/><rerunFailure type="B"/>', [("A",), ("B",)]),
        ('<failure type="A"/><failure/>', []),
    ],
)
def test_the_names_of_exceptions(failure: str, exceptions: list[tuple[str, ...]]) -> None:
    assert failed(failure) == Failed(tuple(exceptions))


@pytest.mark.parametrize(
    ("inside", "covered"),
    [
        ('<failure type="A">at shop.SetupTest.connect(X.java:1)</failure>', True),
        ('<error type="A">A: late\n\tat shop.OrdersTest.refund(OrdersTest.java:7)</error>', True),
        ('<error type="A">A: late\n\tat shop.OrdersTest.lambda$refund$0(OrdersTest.java:7)</error>', True),
        ('<error type="A">A: late\n\tat shop.OrdersTest.refundAll(OrdersTest.java:7)</error>', False),
        ('<error type="A">A: late\n\tat shop.OrdersTest.connect(OrdersTest.java:3)</error>', False),
        ('<error message="failed on setup with &quot;TimeoutError: x&quot;">late</error>', False),
        ("<error/>", False),
        ('<failure type="A"/><error type="A"/>', False),
        ('<failure type="A"/><rerunError type="A"/>', False),
        ('<failure message="[XPASS(strict)] a known bug"/>', False),
    ],
)
def test_what_no_freeze_covers(inside: str, covered: bool) -> None:
    assert (failed(inside).beyond == "") is covered


@pytest.mark.parametrize("part", ["  failureType: 'a',\n", "a.", "a", "\n", "at shop.OrdersTest.refund", "cause: a ["])
def test_long_texts_take_linear_time(part: str) -> None:
    def work(size: int) -> Callable[[], object]:
        text = part * (size // len(part))
        return partial(failed, f"<failure>{text}</failure><error>{text}</error>")

    assert_linear(work, 2_000_000)
