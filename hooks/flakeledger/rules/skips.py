"""The change rule about skips: the ledger is not walked around in test code.

Invariants:
* A skip is never licensed: a frozen test still runs. A mark that lets a test fail or run again is, where it stands on
  the test itself and the test has an open freeze that it cites.
* What stood before is nobody's finding, and neither is what the policy calls permanent.
* Of a file that brings very many, the first are told one by one and the others in one finding.
* The row to write instead is that of the tree at hand; what nobody but a person knows is `?`, which the hooks refuse.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from flakeledger.model.findings import Finding
from flakeledger.model.ledger_paths import FREEZES

if TYPE_CHECKING:
    from flakeledger.repo.brought_skips import Brought
    from flakeledger.repo.change import Change
    from flakeledger.repo.skip import SkipKind
    from flakeledger.store.row_writing import NewValue

#: what a skip does to what it names
EFFECTS: dict[SkipKind, str] = {
    "skip": "takes {} out of every run",
    "deselect": "takes {} out of every run",
    "ignore": "takes {} out of every run",
    "quarantine": "sets {} aside in every run",
    "xfail": "lets {} fail in every run",
    "flaky": "runs {} again until it passes",
    "retry": "runs {} again until it passes",
    "unread": "holds more places than are looked at, and may take {} out of every run",
    "hidden": "is an encoding that may hide words, which may take {} out of every run",
}
#: what an open freeze that is cited licenses
LICENSED: frozenset[SkipKind] = frozenset(("xfail", "flaky"))
#: so many findings of one file are told one by one, for each takes time and nobody reads more
MOST_FINDINGS = 200
#: a longer id is none that anybody would copy from a message
_LONGEST_ID = 400
#: where the finding says that a person must fill in
UNKNOWN = "?"
#: between the command and the row, either of which does
_OR_WRITE = f"\nor write this row to {FREEZES}, each {UNKNOWN} filled in:\n"


class Licensed(NamedTuple):
    """The tests of a file whose open freeze is cited, and the functions of those among them that are one case."""

    tests: frozenset[str]
    of_cases: frozenset[str]


_NOTHING = Licensed(frozenset(), frozenset())


def skip_unledgered(change: Change, now: int) -> Iterator[Finding]:
    """Added lines of test code bring a skip, or a mark that no open freeze licenses."""
    from flakeledger.repo.code_of_tests import edits_of_tests

    if not edits_of_tests(change.paths, change.classes):
        return
    from flakeledger.repo.brought_skips import brought_skips  # only an edit of test code pays for it

    for path, every in groupby(brought_skips(change), key=lambda found: found.path):
        brought = [one for one in every if not _is_permanent(change, one)]
        licensed = _licensed(change, path, now) if any(one.skip.kind in LICENSED for one in brought) else _NOTHING
        left = [one for one in brought if not _is_licensed(one, licensed)]
        yield from (_finding(change, found, now) for found in left[:MOST_FINDINGS])
        if left[MOST_FINDINGS:]:
            yield _further(path, left[MOST_FINDINGS:])


def _id_of(found: Brought) -> str:
    """The id of the test that is taken out; "" where the skip does not name one."""
    skip = found.skip
    if skip.kind == "ignore":
        return ""
    return skip.test if skip.kind == "deselect" else f"{found.path}::{skip.test}" if skip.test else ""


def _is_permanent(change: Change, found: Brought) -> bool:
    from flakeledger.model.reasons import is_permanent

    return is_permanent(found.skip.reason, change.policy.permanent_skips)


def _licensed(change: Change, path: str, now: int) -> Licensed:
    """What the open freezes that are cited in a file license, for all that it brings."""
    if path not in change.new.freezes_by_path:
        return _NOTHING
    from flakeledger.repo.citations import Citation
    from flakeledger.verdicts.citing import judged

    citations = [Citation(path, *cited) for cited in change.new.sources.citations(path)]
    decided = judged(change.new, citations, now)
    rows = (one.freeze for one in decided if one.decision == "allow_cite" and one.freeze is not None)
    tests = frozenset(row.test for row in rows if row.test is not None)
    names = (test.removeprefix(f"{path}::") for test in tests)
    return Licensed(tests, frozenset(f"{path}::{name.partition('[')[0]}" for name in names if "[" in name))


def _is_licensed(found: Brought, licensed: Licensed) -> bool:
    """Whether an open freeze of the very test (or of a case of it, where one case is marked) is cited on it."""
    if found.skip.kind not in LICENSED:
        return False
    from flakeledger.repo.skip_texts import is_case

    test = _id_of(found)
    return test in licensed.tests or (is_case(found.skip) and test in licensed.of_cases)


def _finding(change: Change, found: Brought, now: int) -> Finding:
    from flakeledger.model.wording import shown

    skip, test = found.skip, _id_of(found)
    what = shown(test or skip.test) if skip.test else "tests"
    message = f"{shown(skip.name)} {EFFECTS[skip.kind].format(what)}, without an owner and an end"
    fix = _fix(change, found, test, now)
    return Finding(found.path, skip.first, skip.column, "skip-unledgered", message, fix, subject=test)


def _further(path: str, left: Sequence[Brought]) -> Finding:
    """One finding for all that one file brings beyond those that are told one by one."""
    first = left[0].skip
    message = f"{len(left)} more skips or marks from here on take tests out of every run, without an owner and an end"
    fix = "take them out as well; those that are left are told once the ones before them are gone"
    return Finding(path, first.first, first.column, "skip-unledgered", message, fix)


def _fix(change: Change, found: Brought, test: str, now: int) -> str:
    """What to do instead: the row of the one test that is taken out, or the command for each of several."""
    if found.skip.kind == "hidden":
        return "save the file as UTF-8, and take the line that declares its encoding out: `coding`"
    ledger = change.new
    frozen = ledger.freeze_by_test.get(test)
    if frozen is not None:
        cite = f'@pytest.mark.frozen("{frozen.property_id}", runner_class="{frozen.runner_class or frozen.replay_env}")'
        if found.skip.kind in LICENSED:
            return f"cite its open freeze on the test itself: {cite}; or take the mark out"
        return "take it out: the test is frozen, and a frozen test still runs"
    if not test or len(test) > _LONGEST_ID or ledger.sources.test(test).state != "found":
        command = freeze_command(f"{found.path}::TEST")
        return f"take it out, and freeze the tests that are not trusted, one by one: {command}"
    return f"take it out, and run: {freeze_command(test)}{_OR_WRITE}{_row(change, found, test, now)}"


def freeze_command(test: str) -> str:
    """The command that freezes a test instead."""
    import shlex

    return f'flakeledger freeze {shlex.quote(test)} --reason "why it is not trusted"'


def row_to_paste(finding: Finding) -> tuple[str, str]:
    """The fix of a finding without the row that it holds, and that row; "" where it holds none."""
    before, _, row = finding.fix.rpartition(_OR_WRITE) if finding.rule == "skip-unledgered" else ("", "", "")
    return (before, row) if row else (finding.fix, "")


def _row(change: Change, found: Brought, test: str, now: int) -> str:
    """The row of a freeze that needs no replay yet, with what the tree and the policy know."""
    from flakeledger.model.clock import DAY, format_date
    from flakeledger.model.fields import FREEZE_FIELDS
    from flakeledger.model.kinds import REASON
    from flakeledger.store.row_writing import Style, row_text

    ledger, policy = change.new, change.policy
    owners = ledger.code_owners(test.partition("::")[0])
    ids = [row.id for row in ledger.properties_of(test)]
    property_id = ids[0] if len(ids) == 1 and ids[0] else UNKNOWN
    runner = policy.default_runner or policy.runners[0].name
    reason = " ".join(found.skip.reason.split())
    fields: dict[str, NewValue] = {
        "test": test,
        "owner": owners[0] if len(owners) == 1 else UNKNOWN,
        "frozen_on": format_date(now),
        "expires": format_date(now + policy.limits.unproven_days * DAY),
        "reason": UNKNOWN if REASON.complaint(reason) else reason,
        "property_id": property_id,
        "replay_env": runner,
    }
    if policy.level != "ledger":
        fields |= {"runner_class": runner, "failure_class": "environment"} | _pins(change, found, test, property_id)
    return row_text(FREEZE_FIELDS, fields, Style()).rstrip("\n")


def _pins(change: Change, found: Brought, test: str, property_id: str) -> dict[str, NewValue]:
    """The pins that the row needs; `?` for one that is known once the skip is out, or the property is known."""
    from flakeledger.repo.outline import MARKS_THAT_ARE_NO_EDIT

    ledger = change.new
    is_mark = found.text.startswith("@") and found.skip.name.lstrip("@") in MARKS_THAT_ARE_NO_EDIT
    stays = is_mark or found.skip.kind == "deselect"
    return {
        "fixture_hashes": ledger.fixture_pins(property_id) or UNKNOWN,
        "generator_hash": ledger.generator_digest(property_id) or UNKNOWN,
        "test_hash": (stays and ledger.sources.test_digest(test)) or UNKNOWN,
    }
