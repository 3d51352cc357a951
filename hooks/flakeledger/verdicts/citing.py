"""Decision table 1 asked of every citation of a tree: which row it means, and what becomes of it.

Invariants:
* A citation means rows of its own file: those of its test, of the tests below its class (or that inherit from where
  it stands), or of the whole file. Where some of them have the cited property it means those alone, else all of them
  (and is `reject:property_id` on each).
* A malformed citation, and one without a row, has no decision.
* Time is an argument; what the tree says is asked of its `Ledger`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from flakeledger.model.clock import window_end
from flakeledger.model.records import Freeze
from flakeledger.repo.citations import Citation
from flakeledger.repo.ledger import Ledger
from flakeledger.verdicts.decision import Claim, Decision, decide


class Judged(NamedTuple):
    """A citation and a row that it means, with the decision; None and None where there is no row."""

    citation: Citation
    freeze: Freeze | None
    decision: Decision | None


def judged_citations(ledger: Ledger, now: int) -> list[Judged]:
    """Every citation of the tree, judged, in the order of `Ledger.citations`; one of several rows once for each."""
    return [found for citation in ledger.citations for found in judged(ledger, citation, now)]


def judged(ledger: Ledger, citation: Citation, now: int) -> list[Judged]:
    """One citation, judged: once for each row that it means, else once without a row."""
    rows = [] if citation.problem else meant_rows(ledger, citation)
    if not rows:
        return [Judged(citation, None, None)]
    return [Judged(citation, row, decide(claim_of(ledger, citation, row), now)) for row in rows]


def meant_rows(ledger: Ledger, citation: Citation) -> list[Freeze]:
    """The rows that a citation means, in the order of the ledger."""
    if citation.test:
        own = ledger.freezes_by_function.get(f"{citation.path}::{citation.test}")
        rows = own or [row for row in ledger.freezes_by_path.get(citation.path, ()) if _is_below(ledger, row, citation)]
    else:
        rows = ledger.freezes_by_path.get(citation.path, [])
    same = [row for row in rows if row.property_id == citation.property_id]
    return same or rows


def _is_below(ledger: Ledger, freeze: Freeze, citation: Citation) -> bool:
    """Whether the row's test is one of the class that a citation stands for, or inherits what the citation is on."""
    name = (freeze.test or "").partition("::")[2].partition("[")[0]
    if name.startswith(f"{citation.test}::"):
        return True
    method = name.rpartition("::")[2]
    written = citation.test if citation.test.endswith(f"::{method}") else f"{citation.test}::{method}"
    tests = ledger.sources.tests_of(citation.path)
    return name in tests and written in tests and tests[name].line == tests[written].line


def claim_of(ledger: Ledger, citation: Citation, freeze: Freeze) -> Claim:
    """What decision table 1 needs to know of a citation of a row in this tree.

    The runner class of a row that names none is its `replay_env` at level `ledger`, and absent above it.
    """
    fallback = freeze.replay_env if ledger.policy is not None and ledger.policy.level == "ledger" else None
    return Claim(
        property_id=freeze.property_id,
        cited_property_id=citation.property_id,
        is_named=freeze.property_id in ledger.sources.property_ids(citation.path),
        fixtures_match=fixtures_match(ledger, freeze),
        end=None if freeze.expires is None else window_end(freeze.expires),
        runner_class=freeze.runner_class or fallback,
        cited_runner_class=citation.runner_class,
        failure_class=freeze.failure_class,
    )


def fixtures_match(ledger: Ledger, freeze: Freeze) -> bool:
    """Whether the row was granted for what the tree holds.

    Every pin that the row holds must be the tree's. A generator or a test text that changed voids the freeze as a
    changed fixture does: it was granted for inputs that are gone, so nothing may rely on it. Of the fixtures only
    the pinned ids are compared; a row that pins none stands on the locks of its property's fixtures.
    """
    if ledger.void_pins(freeze):
        return False
    return bool(freeze.fixture_hashes) or all(_locks_hold(ledger, freeze))


def _locks_hold(ledger: Ledger, freeze: Freeze) -> Iterator[bool]:
    """For each fixture of the row's property whether its lock is the tree's digest."""
    found = ledger.property_by_id.get(freeze.property_id or "")
    for name in (found.fixtures or ()) if found is not None else ():
        fixture = ledger.fixture_by_id.get(name)
        digest = ledger.fixture_digest(name)[1]
        yield fixture is not None and digest is not None and fixture.sha256 == digest
