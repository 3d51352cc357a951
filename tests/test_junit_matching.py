"""Which frozen test a case of a report is: by file, by class, and by name alone where nothing else bears it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from flakeledger.evidence.junit import Case
from flakeledger.evidence.junit_failures import Failed
from flakeledger.evidence.junit_matching import Match, Matching
from flakeledger.repo.ledger import Ledger
from world import World

FILES = {
    "tests/test_a.py": "class TestA:\n    def test_x(self):\n        assert 1\n\n\ndef test_x():\n    assert 1\n",
    "tests/test_a/TestA.py": "def test_x():\n    assert 1\n",
    "tests/v1.2/test_b.py": "def test_x():\n    assert 1\n",
    "web/a.test.js": 'test("adds up")\ntest("orders refund")\n',
    "web/b.test.js": 'test("adds up")\n',
    "src/shop/OrdersTest.java": "class OrdersTest {}\n",
    "one/src/shop/RatesTest.java": "class RatesTest {}\n",
    "two/src/shop/RatesTest.java": "class RatesTest {}\n",
    "CMakeLists.txt": "add_test(NAME refund COMMAND false)\n",
}
A, B = "tests/test_a.py", "tests/v1.2/test_b.py"
JS, OTHER_JS, JAVA, RATES = "web/a.test.js", "web/b.test.js", "src/shop/OrdersTest.java", "one/src/shop/RatesTest.java"
TWO_CASES = "2 test cases may be it"


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ledger]:
    world = World.new(tmp_path_factory.mktemp("matching") / "world")
    for path, text in FILES.items():
        world.write(path, text)
    with world.ledger() as found:
        yield found


def case(name: str, classname: str = "", file: str = "", suites: tuple[str, ...] = ()) -> Case:
    return Case(name, classname, file, suites, "pass", Failed())


def matched(ledger: Ledger, cases: list[Case], *frozen: str) -> list[Match]:
    """The matches of the cases of one report."""
    (found,) = Matching(ledger, frozen, "/home/dev/shop").match([cases])
    return found


@pytest.mark.parametrize(
    ("frozen", "given"),
    [
        # pytest, without and with the file
        (f"{A}::test_x", case("test_x", "tests.test_a", A)),
        (f"{A}::TestA::test_x", case("test_x", "tests.test_a.TestA", A)),
        (f"{A}::TestA::test_x[1.5-a::b]", case("test_x[1.5-a::b]", "tests.test_a.TestA", A)),
        (f"{B}::test_x", case("test_x", "tests.v1.2.test_b")),
        (f"{B}::test_x[1]", case("test_x[1]", "tests.v1.2.test_b", suites=("pytest tests", "pytest"))),
        # unittest, run inside of the folder of its tests
        (f"{A}::TestA::test_x", case("test_x", "test_a.TestA", f"/home/dev/shop/{A}")),
        (f"{A}::TestA::test_x", case("test_x", "TestA", f"./{A}")),
        (f"{A}::test_x", case("test_x", "", A.replace("/", "\\"))),
        # the file decides: the attribute of the case, its class or its suite
        (f"{JS}::adds up", case("adds up", "test", JS)),
        (f"{JS}::adds up", case("adds up", JS)),
        (f"{JS}::adds up", case("adds up", "", suites=(JS,))),
        (f"{JS}::adds up", case(" adds up ", " adds up", JS)),
        # the names of suites belong to the name
        (f"{JS}::orders refund", case("refund", "test", JS, ("orders",))),
        (f"{JS}::orders > refund", case("refund", "test", JS, ("all", "orders"))),
        (f"{JS}::all orders refund", case("refund", "test", JS, ("all", "orders"))),
        (f"{JS}::refund", case("refund", "test", JS, ("all", "orders"))),
        (f"{JS}::orders::refund", case("refund", "test", JS, ("all", "orders"))),
        (f"{JS}::refund", case("orders refund", "orders refund", JS)),
        (f"{JS}::orders::refund", case("all orders refund", "", JS)),
        # the class, where one file alone bears its name
        (f"{JAVA}::refund", case("refund", "shop.OrdersTest")),
        (f"{JAVA}::refund", case("refund", "OrdersTest")),
        (f"{JAVA}::refund", case("refund", "shop.OrdersTest$Nested")),
        (f"{JAVA}::refund", case("refund", r"shop\OrdersTest")),
        (f"{JAVA}::OrdersTest::refund", case("refund", "OrdersTest")),
        # the name alone, where no other file of the kind bears it
        ("CMakeLists.txt::refund", case("refund", "refund")),
        (f"{JS}::orders refund", case("orders refund", "test")),
    ],
)
def test_a_case_is_the_frozen_test(ledger: Ledger, frozen: str, given: Case) -> None:
    assert matched(ledger, [given], frozen) == [Match((frozen,))]


@pytest.mark.parametrize(
    ("frozen", "given"),
    [
        (f"{A}::test_x", case("test_y", "tests.test_a", A)),
        (f"{A}::test_x", case("test_x[1]", "tests.test_a", A)),
        (f"{A}::test_x", case("test_x", "tests.test_a.TestA", A)),
        (f"{A}::test_x", case("test_x", "tests.test_b")),
        (f"{A}::test_x", case("test_x")),
        (f"{A}::test_x", case("test_x", "x" * 2000, A)),
        (f"{B}::test_x", case("test_x", "test_b")),
        (f"{JS}::adds up", case("adds up", "test", OTHER_JS)),
        (f"{JS}::adds up", case("adds", "test", JS)),
        (f"{JS}::adds up", case("never-adds up", "test", JS)),
        (f"{JAVA}::refund", case("refund", "shop.RatesTest")),
        (f"{JAVA}::refund", case("refund", "shop.OrdersTest", RATES)),
        ("CMakeLists.txt::refund", case("x" * 1_000_000, "refund")),
    ],
)
def test_a_case_is_another_test(ledger: Ledger, frozen: str, given: Case) -> None:
    assert matched(ledger, [given], frozen) == [Match()]


@pytest.mark.parametrize(
    ("frozen", "given", "doubt"),
    [
        # a class of a module, and a module in a folder, have one dotted name
        (
            f"{A}::TestA::test_x",
            case("test_x", "tests.test_a.TestA"),
            f"`{A}::TestA::test_x` or `tests/test_a/TestA.py",
        ),
        (
            f"{RATES}::refund",
            case("refund", "shop.RatesTest"),
            "`two/src/shop/RatesTest.java` bear the name of its class",
        ),
        (f"{JS}::adds up", case("adds up", "test"), f"`{OTHER_JS}` holds its name"),
    ],
)
def test_a_doubt_is_said(ledger: Ledger, frozen: str, given: Case, doubt: str) -> None:
    (match,) = matched(ledger, [given], frozen)
    assert (match.test, match.tests) == ("", (frozen,))
    assert doubt in match.unclear


def test_two_frozen_tests_that_a_case_may_be(ledger: Ledger) -> None:
    (match,) = matched(ledger, [case("refund")], "CMakeLists.txt::refund", "web/a.test.js::refund")
    assert match.test == ""
    assert len(match.tests) == 2


@pytest.mark.parametrize(
    ("cases", "doubt"),
    [
        # the same name in two blocks of one file
        ([case("refund", file=JS, suites=("one",)), case("refund", file=JS, suites=("two",))], TWO_CASES),
        # a report that lists a test twice, and tells its file
        ([case("refund", file=JS), case("refund", file=JS)], ""),
        # the test itself, and one whose name ends as its own does
        ([case("refund", file=JS), case("orders refund", file=JS)], ""),
        ([case("one refund", file=JS), case("two refund", file=JS)], TWO_CASES),
        # and one that does not
        ([case("refund"), case("refund")], "2 test cases bear its name"),
    ],
)
def test_several_cases_for_one_test(ledger: Ledger, cases: list[Case], doubt: str) -> None:
    matches = [match for match in matched(ledger, cases, f"{JS}::refund") if match.tests]
    assert {match.unclear for match in matches} == {doubt}


def test_the_same_test_in_two_reports_is_one_test(ledger: Ledger) -> None:
    frozen = "CMakeLists.txt::refund"
    one, other = Matching(ledger, [frozen], "/").match([[case("refund")], [case("refund")]])
    assert (one, other) == ([Match((frozen,))], [Match((frozen,))])
