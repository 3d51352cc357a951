"""From the entries of a list to rows that the rules accept, and for every other entry what it lacks.

Invariants:
* Nothing is invented: an owner, an end and a property come from the entry, from what the person gave, or from the
  tree; pins are those of the tree. A window is the entry's own or the one that was asked for, never a mix of both.
* Every entry ends in exactly one of three places: a row to write, a row that stands already, the work list.
* An entry is refused for what the rules find about its own row. What they find about nothing that an entry could
  change refuses all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from flakeledger.cli.granting import pinned_row
from flakeledger.cli.ledger_edits import policy_of
from flakeledger.model import kinds
from flakeledger.model.clock import DAY, format_date, parse_instant
from flakeledger.model.errors import CannotTell
from flakeledger.model.findings import Finding
from flakeledger.model.ledger_paths import POLICY, PROPERTIES
from flakeledger.model.records import Freeze
from flakeledger.model.rows import Places
from flakeledger.model.wording import listed, shown
from flakeledger.repo.ledger import Ledger
from flakeledger.repo.selectors import Named, Selectors
from flakeledger.store.quarantine_entries import Entry


class Given(NamedTuple):
    """What the person said for entries that lack it."""

    property_id: str | None = None
    owner: str | None = None
    runner: str | None = None
    days: int | None = None


class Lack(NamedTuple):
    """One thing that keeps an entry out of the ledger: a word for it, a sentence, what to write."""

    what: str
    message: str
    fix: str


class Unfit(NamedTuple):
    """An entry that was not written, and everything that it lacks."""

    entry: Entry
    test: str
    lacks: tuple[Lack, ...]


class Candidate(NamedTuple):
    """An entry with the row that it would become."""

    entry: Entry
    row: Freeze

    @property
    def test(self) -> str:
        """The row's test."""
        assert self.row.test is not None
        return self.row.test


class Sorted(NamedTuple):
    """Where the entries ended; `standing` are those whose test is frozen already or was named above."""

    accepted: list[Candidate]
    standing: list[Entry]
    unfit: list[Unfit]


#: the rules that a row of an import may break -> what their findings say is lacking
_LACKING = {
    "freeze-unowned": "owner",
    "freeze-window": "expires",
    "freeze-expired": "expires",
    "freeze-unknown-runner": "runner",
    "freeze-unknown-property": "property",
    "freeze-not-bound": "property",
    "freeze-dangling": "test",
    "freeze-unevidenced": "replay",
    "freeze-renewed": "replay",
    "replay-missing": "replay",
    "replay-wrong-env": "replay",
    "replay-stale": "replay",
    "replay-few-seeds": "replay",
    "replay-broken": "replay",
    "property-unprotected": "live test",
}
_CAP = "freeze-cap"


class Drafts:
    """Makes rows of entries, for one tree and one time."""

    def __init__(self, ledger: Ledger, given: Given, now: int) -> None:
        """CannotTell when the tree has no policy that can be read."""
        self._ledger = ledger
        self._policy = policy_of(ledger)
        self._given = given
        self._now = now
        self._selectors = Selectors(ledger.tree)
        self._properties: dict[str, list[str]] = {}
        for row in ledger.properties:
            for test in row.tests or ():
                self._properties.setdefault(test, []).append(row.id or "")

    def candidate(self, entry: Entry, beside: str) -> Candidate | Unfit:
        """The entry as a row, or what it lacks. `beside` is the folder of the entry's list."""
        named = self._test(entry, beside)
        lacks: list[Lack] = [Lack("test", named.problem, named.fix)] if named.problem else []
        if entry.problem and not named.problem:
            lacks.append(Lack("entry", entry.problem, "repair the entry"))
        owner, window = self._owner(entry, named), self._window(entry)
        property_id = "" if named.problem else self._property(entry, named)  # of no test there is none
        lacks += [found for found in (owner, property_id, window) if isinstance(found, Lack)]
        if lacks or isinstance(owner, Lack) or isinstance(property_id, Lack) or isinstance(window, Lack):
            return Unfit(entry, named.test or entry.selector.text, tuple(lacks))
        return Candidate(entry, self._row(entry, named.test, owner, property_id, window))

    def _test(self, entry: Entry, beside: str) -> Named:
        if entry.selector.how == "none":
            return Named("", entry.problem, "name one test: path::name")
        named = self._selectors.test_of(entry.selector, beside)
        if named.problem:
            return named
        complaint = kinds.TEST.complaint(named.test)
        if complaint:
            return Named(named.test, complaint, "write the id as pytest prints it: path::name")
        found = self._ledger.sources.test(named.test)
        return named if found.state == "found" else Named(named.test, found.reason, found.fix)

    def _owner(self, entry: Entry, named: Named) -> str | Lack:
        owner = entry.owner or self._given.owner
        if owner:
            return owner
        owners = self._ledger.code_owners(named.test.partition("::")[0]) if named.test else ()
        if len(owners) == 1:
            return owners[0]
        found = f"CODEOWNERS gives it {listed(owners)}" if owners else "nobody answers for it"
        return Lack("owner", found, 'name one in the list, or for all that lack one: --owner "@name"')

    def _property(self, entry: Entry, named: Named) -> str | Lack:
        property_id = entry.property_id or self._given.property_id
        if property_id:
            return property_id
        ids = self._properties.get(named.test) or self._properties.get(named.test.partition("[")[0]) or []
        if len(ids) == 1:
            return ids[0]
        if ids:
            return Lack(
                "property", f"it is listed by {listed(ids)}", f"say which of them it protects: --property {ids[0]}"
            )
        fix = f"add {shown(named.test)} to the tests of a row in {PROPERTIES}"
        return Lack("property", "no property lists it", fix)

    def _window(self, entry: Entry) -> tuple[str, str] | Lack:
        """The first and the last day of the entry, or of the window that was asked for, from today."""
        if entry.expires is None and self._given.days is None:
            return Lack("expires", "it has no end", "give it one in the list, or for all that lack one: --days N")
        today = format_date(self._now)
        if entry.expires is None:
            assert self._given.days is not None
            return today, _days_from(self._now, self._given.days)
        complaint = kinds.WINDOW_END.complaint(entry.expires)
        if complaint:
            return Lack("expires", f"{shown(entry.expires)}: {complaint}", "write the last day: YYYY-MM-DD")
        added = today if entry.added is None else _day_of(entry.added)
        complaint = kinds.DATE.complaint(added)
        if complaint:
            return Lack("added", f"{shown(added)}: {complaint}", "write the day: YYYY-MM-DD")
        return added, entry.expires

    def _row(self, entry: Entry, test: str, owner: str, property_id: str, window: tuple[str, str]) -> Freeze:
        runner = self._given.runner or self._policy.default_runner
        keyed = self._policy.level != "ledger"
        row = Freeze(
            Places(entry.place.line, entry.place.column, {}),
            test=test,
            owner=owner,
            frozen_on=window[0],
            expires=window[1],
            reason=_reason(entry),
            property_id=property_id,
            replay_env=runner,
            runner_class=runner if keyed else None,
            failure_class="environment" if keyed else None,
            fixture_hashes=None,
            generator_hash=None,
            test_hash=None,
            witness=None,
            note=None,
            renewed=None,
            issue=entry.issue,
        )
        return pinned_row(self._ledger, row) if keyed else row


def _days_from(now: int, days: int) -> str:
    try:
        return format_date(now + days * DAY)
    except OverflowError:
        raise CannotTell("the window would end after the year 9999", "give fewer days: --days N") from None


def _day_of(text: str) -> str:
    """The UTC day of a date or an instant; what is neither stays as it is."""
    try:
        return format_date(parse_instant(text)) if "T" in text else text
    except ValueError:
        return text


def _reason(entry: Entry) -> str:
    """The entry's own reason; where it gives none, or one word, the list that did not trust the test."""
    own = " ".join((entry.reason or "").split())
    if own and not kinds.REASON.complaint(own):
        return own
    return f"{own}: untrusted by {entry.path}" if own else f"untrusted by {entry.path}, which does not say why"


def sort_entries(
    drafts: Iterable[tuple[Entry, Candidate | Unfit]],
    ledger: Ledger,
    refusals: Callable[[Sequence[Candidate]], Sequence[Finding]],
) -> Sorted:
    """Sort the entries. `refusals` gives what the rules find about an edit that writes the rows of candidates.

    Findings about the ledger as a whole leave no row to write: every entry then lacks what they say.
    """
    found = Sorted([], [], [])
    known = {freeze.test for freeze in ledger.freezes}
    candidates: list[Candidate] = []
    for entry, draft in drafts:
        if isinstance(draft, Unfit) and (not draft.test or draft.test not in known):
            found.unfit.append(draft)
        elif draft.test in known:
            found.standing.append(entry)
        else:
            assert isinstance(draft, Candidate)
            known.add(draft.test)
            candidates.append(draft)
    limits = policy_of(ledger).limits
    fitting = _fitting(candidates, refusals, found.unfit)
    room = max(0, limits.max_freezes - len(ledger.freezes))
    if len(fitting) > room:
        full = Lack(
            "room", f"the policy allows {limits.max_freezes} freezes", f"raise `max_freezes` in {POLICY}, alone"
        )
        found.unfit.extend(Unfit(each.entry, each.test, (full,)) for each in fitting[room:])
        fitting = _fitting(fitting[:room], refusals, found.unfit)
    found.accepted.extend(fitting)
    found.unfit.sort(key=lambda unfit: (unfit.entry.path, unfit.entry.place))
    return found


def _fitting(
    candidates: list[Candidate], refusals: Callable[[Sequence[Candidate]], Sequence[Finding]], unfit: list[Unfit]
) -> list[Candidate]:
    """The candidates that the rules accept together; the others go to `unfit`, each with what was found."""
    while candidates:
        findings = [finding for finding in refusals(candidates) if finding.rule != _CAP]
        if not findings:
            return candidates
        blamed = _blamed(candidates, findings)
        lacks = {test: tuple(_lacks(found)) for test, found in blamed.items()}
        unfit.extend(Unfit(each.entry, each.test, lacks[each.test]) for each in candidates if each.test in lacks)
        candidates = [each for each in candidates if each.test not in lacks]
    return []


def _blamed(candidates: Sequence[Candidate], findings: Sequence[Finding]) -> dict[str, list[Finding]]:
    """Findings by the test of the row to leave out.

    Those about rows come first: without these rows the others may not be. Then one about a property blames its last
    row, and any other blames all rows.
    """
    tests = {each.test for each in candidates}
    last_of = {str(each.row.property_id): each.test for each in candidates}
    subjects = {*tests, *last_of}
    own = [finding for finding in findings if finding.subject in tests]
    blamed: dict[str, list[Finding]] = {}
    for finding in own or findings:
        for test in [last_of.get(finding.subject, finding.subject)] if finding.subject in subjects else tests:
            blamed.setdefault(test, []).append(finding)
    return blamed


def _lacks(findings: Iterable[Finding]) -> Iterator[Lack]:
    for finding in findings:
        yield Lack(_LACKING.get(finding.rule, finding.rule), f"{finding.rule}: {finding.message}", finding.fix)


def place_of(entry: Entry) -> str:
    """`path:line:column` of an entry."""
    return f"{entry.path}:{entry.place.line}:{entry.place.column}"
