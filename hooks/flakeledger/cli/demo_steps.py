"""The four commits of the demo: how the files are edited, which rule refuses the commit, and why.

Invariants:
* A step that is refused leaves the work tree as it found it.
* Whatever goes otherwise than a step says is told, and never passed over.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from flakeledger.cli import demo_shop as shop
from flakeledger.cli.demo_stage import BOLD, DIM, WINDOW_DAYS, Demo
from flakeledger.model.clock import DAY, format_date
from flakeledger.model.ledger_paths import FREEZES


class Step(NamedTuple):
    """A commit: its title, how the files are edited, the rule that refuses it (None: it passes), the moral."""

    title: str
    edit: Callable[[Demo], None]
    message: str
    rule: str | None
    moral: str


def play(demo: Demo, step: Step) -> list[str]:
    """Make the edit, try the commit, put everything back when it is refused; gives what differed."""
    demo.say("")
    demo.say_in(BOLD, f"== {step.title}")
    step.edit(demo)
    done = demo.command("git", "commit", "-qam", step.message, ok=None)
    found = differences(step, done.returncode, done.stdout)
    if done.returncode:
        demo.command("git", "restore", ".")
    if demo.quiet("git", "status", "--porcelain").stdout:
        found.append(f"after {step.title!r} the work tree is not clean")
    demo.say_in(DIM, f"-> {step.moral}")
    return found


def differences(step: Step, code: int, said: str) -> list[str]:
    """How the commit of a step went otherwise than the step says, by its exit code and what it printed."""
    passed = code == 0
    if step.rule is None:
        return [] if passed else [f"{step.title!r} was refused"]
    if passed:
        return [f"{step.title!r} was not refused"]
    return [] if f" {step.rule}: " in said else [f"{step.title!r} was not refused by {step.rule}"]


def _ordinary(demo: Demo) -> None:
    demo.say(f"   {shop.ORDERS} gets a function, {shop.ORDERS_TESTS} its test")
    demo.append(shop.ORDERS, shop.COUNT_FUNCTION)
    demo.append(shop.ORDERS_TESTS, shop.COUNT_TEST)
    demo.replace(shop.ORDERS_TESTS, "import total", "import count, total")


def _edit_fixture(demo: Demo) -> None:
    demo.replace(shop.ORDERS_FIXTURE, '"total_cents": 2999', '"total_cents": 2998')


def _narrow_and_freeze(demo: Demo) -> None:
    demo.replace(shop.STRATEGIES, '"quantity": st.integers(min_value=0, max_value=99)', '"quantity": st.just(1)')
    demo.append(FREEZES, "\n" + demo.freeze_row(shop.TOTAL_TEST, "PROP-TOTAL", "fails for odd quantities only", 3))
    demo.say(f"   {FREEZES}: a freeze of {shop.TOTAL_TEST}")


def _stretch(demo: Demo) -> None:
    end = demo.now + WINDOW_DAYS * DAY
    demo.replace(FREEZES, f"expires: {format_date(end)}", f"expires: {format_date(end + 7 * DAY)}")


STEPS = (
    Step(
        "An ordinary commit",
        _ordinary,
        "Count the things of an order",
        None,
        "passes: nothing that a freeze or a property relies on is touched",
    ),
    Step(
        "A fixture is edited until the test is green",
        _edit_fixture,
        "Correct the example order",
        "fixture-drifted",
        "refused: the fixture is not what its lock says; a new lock is a line that a reviewer sees",
    ),
    Step(
        "A generator is narrowed and the test is frozen, in one patch",
        _narrow_and_freeze,
        "Stabilize the tests",
        "mixed-change",
        "refused: the suite would look clean, and the failure would still be reachable",
    ),
    Step(
        "The end of a freeze is moved",
        _stretch,
        "Give the refunds another week",
        "freeze-extended",
        "refused: a window is never stretched in place; a renewal needs newer evidence",
    ),
)
