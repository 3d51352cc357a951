"""State rules about properties: an invariant with a statement, a fixture and a live test.

Invariants:
* One finding per property for missing protection, not one per test. One live test is enough.
* A test is live while it exists and is not frozen under exactly the id that the property lists.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from flakeledger.model.clock import DAY, format_date, window_end
from flakeledger.model.findings import Finding
from flakeledger.model.ledger_paths import FIXTURES, PROPERTIES
from flakeledger.model.records import repeated
from flakeledger.repo.ids import is_python
from flakeledger.rules.freezes import is_owner

if TYPE_CHECKING:
    from flakeledger.model.records import Property
    from flakeledger.repo.ledger import Ledger


def at(found: Property, field: str, rule: str, message: str, fix: str, item: int | None = None) -> Finding:
    """A finding at one field of a row, or at one item of it (at the row itself when the field is absent)."""
    place = found.places.of(field, item)
    return Finding(PROPERTIES, place.line, place.column, rule, message, fix, subject=found.id or "")


def existing_tests(ledger: Ledger, found: Property) -> list[str]:
    """The listed tests that the tree has."""
    return [test for test in found.tests or () if ledger.sources.test(test).state != "absent"]


def property_untested(ledger: Ledger, now: int) -> Iterator[Finding]:
    """The property lists no test. (A listed test that is gone is `property-dangling`.)"""
    for found in ledger.properties:
        if found.tests is not None and not found.tests:
            yield from _unprotected(ledger, found, now, "property-untested", f"{found.id} lists no test")


def property_unprotected(ledger: Ledger, now: int) -> Iterator[Finding]:
    """Only frozen tests protect the property."""
    for found, tests in frozen_only(ledger):
        yield from _unprotected(
            ledger, found, now, "property-unprotected", f"only frozen tests protect {found.id}: {', '.join(tests)}"
        )


def frozen_only(ledger: Ledger) -> Iterator[tuple[Property, list[str]]]:
    """The properties that only frozen tests protect, each with those of its tests that exist."""
    frozen = ledger.freeze_by_test
    for found in ledger.properties:
        if any(test not in frozen and ledger.has_test(test) for test in found.tests or ()):
            continue
        tests = existing_tests(ledger, found)
        if tests:
            yield found, tests


def _unprotected(ledger: Ledger, found: Property, now: int, rule: str, message: str) -> Iterator[Finding]:
    assert ledger.policy is not None
    longest = ledger.policy.limits.max_window_days
    fix = (
        "add a test that runs, or say who answers for it and until when:\n"
        f'uncovered_until: {format_date(now + longest * DAY)}\nowner: "@name"'
    )
    end = None if found.uncovered_until is None else window_end(found.uncovered_until)
    if end is None or not is_owner(found.owner):
        yield at(found, "tests", rule, message, fix)
    elif now >= end:
        late = f"{message}, and `uncovered_until` ended on {found.uncovered_until}"
        yield at(found, "uncovered_until", rule, late, fix)._replace(by_time=True)
    elif end - DAY - now > longest * DAY:
        far = f"{message}, and `uncovered_until` is more than {longest} days away"
        yield at(found, "uncovered_until", rule, far, fix)


def property_no_fixture(ledger: Ledger, _now: int) -> Iterator[Finding]:
    """A property without a fixture is a wish."""
    for found in ledger.properties:
        if found.fixtures is not None and not found.fixtures:
            yield at(
                found,
                "fixtures",
                "property-no-fixture",
                f"{found.id} names no fixture: nothing pins what it is about",
                f"fixtures: [ID of a row in {FIXTURES}]",
            )


def property_unknown_fixture(ledger: Ledger, _now: int) -> Iterator[Finding]:
    """A fixture id that is no row of fixtures.yaml."""
    for found in ledger.properties:
        for index, name in enumerate(found.fixtures or ()):
            if name not in ledger.fixture_by_id:
                yield at(
                    found,
                    "fixtures",
                    "property-unknown-fixture",
                    f"{FIXTURES} has no fixture {name}",
                    f"add a row {name} to {FIXTURES}, or take it out of {found.id}",
                    index,
                )


def property_duplicate(ledger: Ledger, _now: int) -> Iterator[Finding]:
    """Two rows with one id."""
    for found, earlier in repeated(ledger.properties, "id"):
        message = f"property {found.id} stands twice; the first row is on line {earlier.places.line}"
        fix = f"delete one of the two rows from {PROPERTIES}, or give this one an `id` of its own"
        yield at(found, "id", "property-duplicate", message, fix)


def property_unnamed(ledger: Ledger, _now: int) -> Iterator[Finding]:
    """The id is not found in a module of one of its tests."""
    for found in ledger.properties:
        seen: set[str] = set()
        for index, test in enumerate(found.tests or ()):
            path = test.partition("::")[0]
            if found.id is None or path in seen or ledger.sources.test(test).state == "absent":
                continue
            seen.add(path)
            if found.id not in ledger.sources.property_ids(path):
                yield at(
                    found,
                    "tests",
                    "property-unnamed",
                    f"{path} does not name the property {found.id} that it protects",
                    _naming(path, found.id),
                    index,
                )


def _naming(path: str, name: str) -> str:
    """How a test file names a property: docstrings and marks are Python's."""
    if is_python(path):
        text, mark = f"write `property_id: {name}` in its docstring or a comment", f'@pytest.mark.property_id("{name}")'
        return f"{text}, or mark the test: {mark}"
    return f"write `property_id: {name}` in a comment of it"


def property_dangling(ledger: Ledger, _now: int) -> Iterator[Finding]:
    """A listed test does not exist."""
    for found in ledger.properties:
        for index, test in enumerate(found.tests or ()):
            answer = ledger.sources.test(test)
            if answer.state == "absent":
                yield at(found, "tests", "property-dangling", f"{test}: {answer.reason}", answer.fix, index)
