"""State rules about a freeze as a waiver: window, property, test, count; and who can be an owner.

Invariants:
* A field that is absent or was refused by its field table is one finding, not two.
* `now` is an argument; a window is open while `now < end`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from operator import attrgetter
from typing import TYPE_CHECKING

from flakeledger.model.clock import DAY, format_date, format_instant
from flakeledger.model.fields import FREEZE_FIELDS, nearest_name, needed_at
from flakeledger.model.findings import Finding
from flakeledger.model.ledger_paths import FREEZES, POLICY, PROPERTIES
from flakeledger.model.records import Freeze, repeated
from flakeledger.model.window import end_of, ends_within, start_of, time_left, window_days

if TYPE_CHECKING:
    from flakeledger.repo.ledger import Ledger

#: how many names or pins a fix holds: ten thousand rows may need as many, and each says them again
MOST_NAMED = 50
#: words that people write where an owner belongs and that answer for nothing (LEDGERS.md, freezes.yaml)
NO_OWNERS = frozenset({"unassigned", "tbd", "none", "todo", "n/a", "?"})
_OWNER = re.compile(
    r"@[A-Za-z0-9][A-Za-z0-9_.-]*(/[A-Za-z0-9][A-Za-z0-9_.-]*)*|[^@\s]++@[^@\s][^@\s.]*+\.[^@\s]+", re.ASCII
)


@lru_cache(maxsize=1024)  # a few people own all rows
def is_owner(text: str | None) -> bool:
    """Whether the text names somebody: `@name`, `@org/team` or an e-mail address."""
    return text is not None and text.lower().lstrip("@") not in NO_OWNERS and _OWNER.fullmatch(text) is not None


def at(freeze: Freeze, field: str, rule: str, message: str, fix: str, item: str | None = None) -> Finding:
    """A finding at one field of a row (at the row itself when the field is absent)."""
    place = freeze.places.of(field, item)
    return Finding(FREEZES, place.line, place.column, rule, message, fix, subject=freeze.test or "")


def shown(freeze: Freeze) -> str:
    """The row's test, or its line where the test is missing."""
    return freeze.test or f"the row on line {freeze.places.line}"


def lacks(freeze: Freeze, field: str) -> bool:
    """Whether the row has neither the field nor a misspelt one that may mean it (a finding says so already)."""
    if getattr(freeze, field) is not None:
        return False
    written = freeze.places.fields
    if field in written:
        return False
    unknown = [name for name in written if name not in FREEZE_FIELDS.by_name]
    return not any(nearest_name(name, FREEZE_FIELDS) == field for name in unknown)


def missing_field(ledger: Ledger, _now: int) -> Iterator[Finding]:
    """A pin, the runner class or the failure class is absent at level `keyed` and above.

    What level `ledger` needs is found while reading. A witness and its note are needed by some tests only.
    """
    assert ledger.policy is not None
    needed = [field for field in needed_at(FREEZE_FIELDS, ledger.policy.level) if field.needed_at == "keyed"]
    if not needed:
        return
    values = attrgetter(*(field.name for field in needed))
    for freeze in ledger.freezes:
        for field in needed if None in values(freeze) else ():
            if lacks(freeze, field.name):
                yield at(
                    freeze,
                    "",
                    "missing-field",
                    f"{shown(freeze)} has no `{field.name}`, which level `{ledger.policy.level}` needs",
                    _pin_text(ledger, freeze, field.name),
                )


def _pin_text(ledger: Ledger, freeze: Freeze, field: str) -> str:
    """The line to write for an absent field, with the tree's own digest where it is one."""
    if field == "fixture_hashes":
        pins = ledger.fixture_pins(freeze.property_id)
        if len(pins) > MOST_NAMED:
            return f"flakeledger pin {named(freeze)}"
        return "fixture_hashes: {" + ", ".join(f"{name}: {digest}" for name, digest in pins.items()) + "}"
    if field == "generator_hash":
        return f"generator_hash: {ledger.generator_digest(freeze.property_id) or 'the digest of its generator set'}"
    if field == "test_hash":
        digest = ledger.sources.test_digest(freeze.test) if freeze.test else None
        return f"test_hash: {digest or 'the digest of the test'}"
    if field == "failure_class":
        return "failure_class: environment   # or invariant, which is a bug to fix and cannot be cited"
    return f"{field}: {freeze.replay_env or 'a runner of the policy'}"


def thaw_command(freeze: Freeze) -> str:
    """The command that takes out the row of a frozen test."""
    return f"flakeledger thaw {named(freeze)}"


def renew_commands(freeze: Freeze) -> str:
    """The commands that give a frozen test a fresh window."""
    return f"flakeledger replay {named(freeze)} && flakeledger freeze {named(freeze)} --renew"


def named(freeze: Freeze) -> str:
    """The test of a row as a word for the shell."""
    from shlex import quote  # only who is told what to do pays for it

    return "TEST" if freeze.test is None else quote(freeze.test)


def freeze_expired(ledger: Ledger, now: int) -> Iterator[Finding]:
    """The window is over."""
    for freeze in ledger.freezes:
        end = end_of(freeze)
        if end is not None and now >= end:
            found = at(
                freeze,
                "expires",
                "freeze-expired",
                f"the freeze of {shown(freeze)} ended at {format_instant(end)}; {freeze.owner or 'nobody'} owns it",
                f"{thaw_command(freeze)}\nor, on newer evidence: {renew_commands(freeze)}",
            )
            yield found._replace(by_time=True)


def freeze_expiring(ledger: Ledger, now: int) -> Iterator[Finding]:
    """Fewer than `warn_days` are left: a warning that names the owner."""
    assert ledger.policy is not None
    warn_days = ledger.policy.limits.warn_days
    for freeze in ledger.freezes:
        end = end_of(freeze)
        if end is None or now >= end or not ends_within(end, warn_days, now):
            continue
        found = at(
            freeze,
            "expires",
            "freeze-expiring",
            f"{time_left(end, now)} left for {shown(freeze)}, which {freeze.owner or 'nobody'} owns",
            f"before {format_instant(end)}, once the test is mended: {thaw_command(freeze)}\n"
            f"or, on newer evidence: {renew_commands(freeze)}",
        )
        yield found._replace(level="warning", by_time=True)


def freeze_window(ledger: Ledger, now: int) -> Iterator[Finding]:
    """No end, an end before the start, a window that is too long, a start in the future."""
    assert ledger.policy is not None
    longest = ledger.policy.limits.max_window_days
    for freeze in ledger.freezes:
        start = start_of(freeze)
        if lacks(freeze, "expires"):
            endless = f"{shown(freeze)} has no end: a freeze expires"
            yield at(freeze, "", "freeze-window", endless, _latest_end(now if start is None else start, longest))
        if start is not None and start > now + DAY:
            ahead = f"{shown(freeze)} is frozen on {freeze.frozen_on}, which is more than a day ahead of now"
            yield at(freeze, "frozen_on", "freeze-window", ahead, f"frozen_on: {format_date(now)}")
        wrong = _wrong_window(freeze, start, longest)
        if wrong and start is not None:
            yield at(freeze, "expires", "freeze-window", f"{shown(freeze)} {wrong}", _latest_end(start, longest))


def _latest_end(start: int, longest: int) -> str:
    """The line of a row whose window is as long as the policy allows."""
    return f"expires: {format_date(start + longest * DAY)}"


def _wrong_window(freeze: Freeze, start: int | None, longest: int) -> str:
    """What is wrong between the first day and the end of a row that has both, as the end of a sentence; or ""."""
    end, days = end_of(freeze), window_days(freeze)
    if start is None or end is None or days is None:
        return ""
    if end <= start:
        return f"expires {freeze.expires}, before it was frozen on {freeze.frozen_on}"
    return f"is frozen for {days} days; the policy allows {longest}" if days > longest else ""


def freeze_no_property(ledger: Ledger, _now: int) -> Iterator[Finding]:
    """The row names no property."""
    for freeze in ledger.freezes:
        if lacks(freeze, "property_id"):
            yield at(
                freeze,
                "",
                "freeze-no-property",
                f"{shown(freeze)} is frozen without the property that it protected",
                f"property_id: ID of a row in {PROPERTIES} that lists this test",
            )


def freeze_unknown_property(ledger: Ledger, _now: int) -> Iterator[Finding]:
    """The property that the row names is no row of properties.yaml."""
    for freeze in ledger.freezes:
        if freeze.property_id is not None and freeze.property_id not in ledger.property_by_id:
            near = ledger.nearest_property(freeze.property_id)
            yield at(
                freeze,
                "property_id",
                "freeze-unknown-property",
                f"{PROPERTIES} has no property {freeze.property_id}",
                f"did you mean {near}?" if near else f"add the property {freeze.property_id} to {PROPERTIES}",
            )


def freeze_not_bound(ledger: Ledger, _now: int) -> Iterator[Finding]:
    """The property that the row names does not list the test."""
    for freeze in ledger.freezes:
        found = ledger.property_by_id.get(freeze.property_id or "")
        if found is None or freeze.test is None or found.tests is None:
            continue
        if not ledger.lists(found, freeze.test):
            yield at(
                freeze,
                "property_id",
                "freeze-not-bound",
                f"property {freeze.property_id} does not list {freeze.test}",
                f'add "{freeze.test}" to the tests of {freeze.property_id} in {PROPERTIES}',
            )


def freeze_dangling(ledger: Ledger, _now: int) -> Iterator[Finding]:
    """The test does not exist, or the id names more or less than one test."""
    for freeze in ledger.freezes:
        if freeze.test is None:
            continue
        found = ledger.sources.test(freeze.test)
        if found.state != "found":
            yield at(freeze, "test", "freeze-dangling", f"{freeze.test}: {found.reason}", found.fix)


def freeze_duplicate(ledger: Ledger, _now: int) -> Iterator[Finding]:
    """Two rows for one test."""
    for freeze, earlier in repeated(ledger.freezes, "test"):
        line = earlier.places.line
        message = f"{freeze.test} is frozen twice; the first row is on line {line}"
        fix = f"delete this row, or the one on line {line}, from {FREEZES}"
        yield at(freeze, "test", "freeze-duplicate", message, fix)


def freeze_cap(ledger: Ledger, _now: int) -> Iterator[Finding]:
    """More rows than the policy allows: one finding, at the first row over the cap."""
    assert ledger.policy is not None
    most = ledger.policy.limits.max_freezes
    if len(ledger.freezes) > most:
        yield at(
            ledger.freezes[most],
            "",
            "freeze-cap",
            f"rows of freezes: {len(ledger.freezes)}; the policy allows {most}",
            f"flakeledger thaw TEST   # {len(ledger.freezes) - most} of them; `flakeledger review` says which may go\n"
            f"or raise `max_freezes` in {POLICY}, alone in its change",
        )


def freeze_renewals(ledger: Ledger, _now: int) -> Iterator[Finding]:
    """Renewed more often than the policy allows."""
    assert ledger.policy is not None
    most = ledger.policy.limits.max_renewals
    for freeze in ledger.freezes:
        if freeze.renewed is not None and freeze.renewed > most:
            yield at(
                freeze,
                "renewed",
                "freeze-renewals",
                f"{shown(freeze)} was renewed {freeze.renewed} times; the policy allows {most}",
                f"mend or delete the test, and: {thaw_command(freeze)}",
            )


def freeze_unknown_runner(ledger: Ledger, _now: int) -> Iterator[Finding]:
    """`replay_env` or `runner_class` is no runner of the policy."""
    assert ledger.policy is not None
    names = [runner.name for runner in ledger.policy.runners]
    known = {None, *names}
    shown_names = " or ".join(names[:MOST_NAMED])
    for freeze in ledger.freezes:
        if freeze.replay_env in known and freeze.runner_class in known:
            continue
        for field, value in (("replay_env", freeze.replay_env), ("runner_class", freeze.runner_class)):
            if value not in known:
                yield at(
                    freeze,
                    field,
                    "freeze-unknown-runner",
                    f"`{field}: {value}` is no runner of {POLICY}",
                    f"{field}: {shown_names}",
                )
