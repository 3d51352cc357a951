"""Views of the page that no repository is needed for: of any size, and with hostile text in every field.

Invariants:
* The same arguments give the same view. Row 0 ends first; states, verdicts and owners alternate.
* The hostile view holds `HOSTILE` in every text that can come from a file.
"""

from __future__ import annotations

from flakeledger.model.clock import DAY, format_date, format_instant, parse_date
from flakeledger.model.findings import Finding
from flakeledger.model.records import Freeze, Property, Replay
from flakeledger.model.report import Report
from flakeledger.model.rows import Places
from flakeledger.repo.trend import Oldest, Trend, Week
from flakeledger.reporters.page_view import (
    FrozenProperty,
    Replayed,
    ShownFreeze,
    State,
    View,
    ages_of,
    owners_of,
)
from flakeledger.verdicts.interview import TABLE

NOW = parse_date("2026-03-20") + DAY // 2
#: what breaks a page that escapes too little: markup, ends of our elements, templates, directions, controls
HOSTILE = (
    "<script>window.hacked = true</script><img src=x onerror='window.hacked=true'>"
    "</style></script></textarea><svg onload=window.hacked=true>\"'><b>bold</b>"
    "{{7*7}}{% raw %}${7*7} &lt;b&gt; \u202egnp.exe\u202c \u2066x\u2069 שלום \x1b[31m\x00\u200b"
)
#: what a visitor does with the rows, until they are laid out anew: a click, and words that are typed
SORT = """() => {
    document.querySelectorAll("#table-freezes thead button")[1].click();
    document.body.getBoundingClientRect();
}"""
FILTER = """async (words) => {
    const input = document.querySelector(".filters input");
    input.value = words;
    input.dispatchEvent(new Event("input", { bubbles: true }));
    // the page waits for a moment whether more is typed
    await new Promise(done => window.setTimeout(done, 200));
    document.body.getBoundingClientRect();
}"""
_STATES: tuple[State, ...] = ("no end", "expired", "expiring", "open", "open", "open")
_NO_PLACES = Places(1, 1, {})


def replay(test: str, passed: int, total: int, day: int) -> Replay:
    at = NOW - day * DAY
    return Replay(1, test, format_instant(at), at, "local", passed, total, None, None, {}, 0, ())


def shown(number: int, text: str = "") -> ShownFreeze:
    """A row; `text` takes the place of everything that a file says."""
    state = _STATES[min(number, 3)] if number < 4 else _STATES[number % 2 + 3]
    age, left = number % 60, {"no end": None, "expired": 0, "expiring": 2}.get(state, 8 + number)
    start, end = NOW - age * DAY, None if left is None else NOW + left * DAY - (number == 1)
    test = text or f"tests/area_{number % 7}/test_orders.py::test_case_{number:04}"
    passed = 20 - number % 4
    freeze = Freeze(
        places=_NO_PLACES,
        test=test,
        owner=text or f"@owner-{number % 5}",
        frozen_on=format_date(start),
        expires=None if end is None else format_date(end),
        reason=text or f"waits for the clock, case {number}",
        property_id=text or f"PROP-{number % 9}",
        replay_env=text or "local",
        runner_class=None,
        failure_class=None,
        fixture_hashes=None,
        generator_hash=None,
        test_hash=None,
        witness=None,
        note=None,
        renewed=number % 2,
        issue=text or None,
    )
    seen = replay(test, passed, 20, number % 10)
    return ShownFreeze(
        freeze=freeze,
        state=state,
        left=state if left in (None, 0) else f"{left} days left",
        start=start,
        end=end,
        age_days=age,
        days_left=left,
        replayed=None if number % 6 == 5 else Replayed(seen, f"{passed}/20 passed", passed / 20, passed / 20 - 0.1),
        generators="unchanged",
        verdict=TABLE[number % len(TABLE)],
        why=text or "its newest replay says so",
        next_step=text or f"flakeledger thaw {test}",
        may_go=number % 2 == 0,
    )


def trend_of(weeks: int, text: str = "") -> Trend:
    """A trend of so many weeks."""
    first = parse_date("2025-12-29")
    found = tuple(
        Week(format_date(first + 7 * number * DAY), number % 5 + 1, number % 3, number % 2, 1, 0)
        for number in range(weeks)
    )
    oldest = Oldest(text or "tests/test_orders.py::test_old", text or "@finley", text or "PROP-1", "2026-01-02", 77)
    return Trend(found[0].start, "2026-03-20", found, found[-1].open, 9, 4, 2, 1, 0.25, 6.5, (oldest,))


def view(count: int, text: str = "") -> View:
    """A page of so many freezes."""
    freezes = tuple(shown(number, text) for number in range(count))
    finding = Finding(
        text or "ledgers/freezes.yaml",
        3,
        5,
        "freeze-expired",
        text or "it is expired",
        text or "mend it\nand thaw it",
        "error",
    )
    report = Report(
        command="check",
        findings=(finding, finding._replace(line=9, level="warning", rule="freeze-expiring")) if count else (),
        counts={"freezes": count, "fixtures": 1, "properties": 9, "replays": count},
        judged="the working tree",
        base=text or "branch-tip",
        now=format_instant(NOW),
        notes=(text or "a note",),
    )
    found = Property(
        _NO_PLACES, text or "PROP-1", text or "a refund is never negative", [], [], None, None, text or None
    )
    return View(
        name=text or "shop",
        now=NOW,
        warn_days=7,
        report=report,
        freezes=freezes,
        verdicts=tuple((one, sum(row.verdict is one for row in freezes)) for one in TABLE),
        owners=owners_of(freezes),
        ages=ages_of(freezes),
        properties=(FrozenProperty(found, [row.freeze.test or "" for row in freezes[:2]]),) if count else (),
        trend=trend_of(12, text),
    )
