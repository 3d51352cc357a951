"""State rules about citations: each needs a row, and a decision that lets it stay.

Invariants:
* What decides is decision table 1 (`verdicts/decision.py`), asked through `verdicts/citing.py`; the message prints the
  decision.
* A finding stands at the citation. The row that it is about is its subject, so that time forgives it as it forgives
  what it finds in the row itself: the file that cites is the file of the row's test.
* Where some row of freezes.yaml cannot be read, no citation is said to have none: a finding says why already.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from flakeledger.model.findings import Finding
from flakeledger.model.ledger_paths import FREEZES

if TYPE_CHECKING:
    from flakeledger.model.records import Freeze
    from flakeledger.repo.citations import Citation
    from flakeledger.repo.ledger import Ledger
    from flakeledger.verdicts.decision import Decision


def citation_unknown(ledger: Ledger, _now: int) -> Iterator[Finding]:
    """A citation without a row, or one that is malformed."""
    if not ledger.citations:
        return
    from flakeledger.verdicts.citing import MeantRows  # where nothing is cited, nothing pays for it

    meant = MeantRows(ledger)
    for citation in ledger.citations:
        if citation.problem:
            yield _malformed(citation)
        elif FREEZES not in ledger.unreadable and not meant.of(citation):
            yield _without_row(ledger, citation)


def _malformed(citation: Citation) -> Finding:
    from flakeledger.repo.citations import HOW_TO_CITE

    message = f"this is no citation: {citation.problem}"
    return _at(citation, "citation-unknown", message, f"write {HOW_TO_CITE}")


def _without_row(ledger: Ledger, citation: Citation) -> Finding:
    stands_for = f"{citation.path}::{citation.test}" if citation.test else citation.path
    message = f"{citation.property_id} is cited for {stands_for}, but {FREEZES} has no row that it can mean"
    other = ledger.frozen_by_property.get(citation.property_id)
    fix = _take_out(citation)
    if other is not None:
        fix += f"\nor cite at the test that is frozen: {other}"
    return _at(citation, "citation-unknown", message, fix)


def citation_rejected(ledger: Ledger, now: int) -> Iterator[Finding]:
    """A citation whose decision is `reject:…`."""
    if not ledger.citations:
        return
    from flakeledger.verdicts.citing import judged_citations
    from flakeledger.verdicts.decision import REMEDIES

    for citation, freeze, decision in judged_citations(ledger, now):
        if freeze is not None and decision is not None and decision != "allow_cite":
            message = f"{decision}: {citation.property_id} is cited for {freeze.test}"
            instead = _INSTEAD[decision](freeze, citation)
            fix = f"{REMEDIES[decision]} ({citation.path}:{citation.place.line})\nor {instead}"
            found = _at(citation, "citation-rejected", message, fix)
            yield found._replace(subject=freeze.test or "", by_time=True)


def _at(citation: Citation, rule: str, message: str, fix: str) -> Finding:
    line, column = citation.place
    return Finding(citation.path, line, column, rule, message, fix, subject=citation.property_id)


def _take_out(citation: Citation) -> str:
    return f"take the citation out ({citation.path}:{citation.place.line})"


def _name_property(freeze: Freeze, citation: Citation) -> str:
    name = freeze.property_id or citation.property_id
    field = "" if freeze.property_id else f"write `property_id: {name}` in the row, and "
    return f"{field}name the property in {citation.path}: a comment or a docstring with property_id: {name}"


def _cite_other(freeze: Freeze, _citation: Citation) -> str:
    return f"cite {freeze.property_id}, which the row names"


def _freeze_again(freeze: Freeze, _citation: Citation) -> str:
    return f"remove the row from {FREEZES} with it, replay the test, and freeze and cite it again: {freeze.test}"


def _open_window(freeze: Freeze, citation: Citation) -> str:
    holds = freeze.runner_class or freeze.replay_env
    if freeze.runner_class is None and holds is not None and citation.runner_class == holds:
        return f"write `runner_class: {holds}` in the row"
    if holds is not None and citation.runner_class is None:
        return f"name the runner class on which it holds: runner_class={holds}"
    if holds is not None and citation.runner_class != holds:
        return f"cite the runner class on which it holds: {holds}"
    from flakeledger.rules.freezes import named  # where nothing is cited, nothing pays for it

    return f"renew the freeze on newer evidence: flakeledger freeze {named(freeze)} --renew"


def _prove_environment(freeze: Freeze, _citation: Citation) -> str:
    if freeze.failure_class is None:
        return "write `failure_class: environment` in the row, where the failures of its replays are the environment's"
    return "mend the bug: the row says that an invariant fails"


#: a rejection -> what else makes the citation right, where a person may do so
_INSTEAD: dict[Decision, Callable[[Freeze, Citation], str]] = {
    "reject:unnamed": _name_property,
    "reject:property_id": _cite_other,
    "reject:fixture_hash": _freeze_again,
    "reject:window": _open_window,
    "reject:not_environment": _prove_environment,
}
