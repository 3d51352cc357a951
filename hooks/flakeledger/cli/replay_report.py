"""What a replay came to: a table for people, an object for programs, and the lines of a dry run.

Invariants:
* Standard output holds the table or the object, or the lines that a dry run would have appended and nothing else.
* The verdict is the exit interview's on the replayed tree, with the new lines in its log.
* Whatever could not be recorded is told with its reason and what to do.
"""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from flakeledger.cli.replay_tests import with_replays
from flakeledger.cli.replaying import Plan, Replayed, told
from flakeledger.model.clock import format_instant
from flakeledger.model.ledger_paths import REPLAYS
from flakeledger.repo.repository import open_repository
from flakeledger.reporters.columns import columns, terminal_width
from flakeledger.reporters.escape import escape_line, escape_surrogates
from flakeledger.reporters.json import dumped
from flakeledger.rules.interviews import Interview, interview, next_step
from flakeledger.verdicts.rates import upper_bound

VERSION = 1
_HEADINGS = ("test", "runner", "replay", "line", "verdict", "next")
_COMMIT_DIGITS = 12
_FIX = "    fix: "


def show(plan: Plan, found: Sequence[Replayed], form: str, notes: Sequence[str]) -> None:
    """Print it all in the form `text` or `json`; `notes` are for the latter, people have read them already."""
    verdicts, steps = _verdicts(plan, found)
    if form == "json":
        sys.stdout.write(_json_text(plan, found, verdicts, steps, notes))
        sys.stdout.flush()
        return
    rows = [_cells(plan, one, verdicts, steps) for one in found]
    table = columns(_HEADINGS, rows, terminal_width(sys.stderr if plan.dry else sys.stdout))
    if plan.dry:
        sys.stdout.writelines(f"{one.recorded.text}\n" for one in found if one.recorded is not None)
    (sys.stderr if plan.dry else sys.stdout).write(table)
    sys.stdout.flush()
    sys.stderr.writelines(f"{escape_line(line)}\n" for line in (*_complaints(found), *_summary(plan, found)))


def state(found: Replayed) -> str:
    """`recorded`, `incomplete`, `refused` or `interrupted`; a line of a dry run counts as recorded."""
    if found.recorded is not None:
        return "recorded"
    return "interrupted" if found.unrecordable is None else found.unrecordable.kind


def _verdicts(plan: Plan, found: Sequence[Replayed]) -> tuple[dict[str, Interview], dict[str, str]]:
    """The exit interview of each frozen test that has a new line, and what to do next."""
    new = tuple(one.recorded.replay for one in found if one.recorded is not None)
    with open_repository(os.curdir, os.environ) as repository:
        before = repository.ledger(repository.tree(plan.commit))
        assert before.policy is not None  # it was read when the tests were chosen
        after = with_replays(before, new)
        freezes = (after.freeze_by_test.get(replay.test) for replay in new)
        limits, now = before.policy.limits, plan.clock.now()
        interviews = [interview(after, freeze, limits, now) for freeze in freezes if freeze is not None]
    return (
        {one.freeze.test or "": one for one in interviews},
        {one.freeze.test or "": next_step(one) for one in interviews},
    )


def _cells(plan: Plan, found: Replayed, verdicts: Mapping[str, Interview], steps: Mapping[str, str]) -> tuple[str, ...]:
    job = found.job
    if found.recorded is None:
        step = "the same command with --resume" if found.unrecordable is None else found.unrecordable.fix
        return job.test, job.runner.name, _counts(found), f"none: {state(found)}", "-", step
    where = "printed" if plan.dry else "recorded" if plan.out is None else f"in {plan.out}"
    known = verdicts.get(job.test)
    verdict = "not frozen" if known is None else known.verdict.name
    return job.test, job.runner.name, told(found), where, verdict, steps.get(job.test, "-")


def _counts(found: Replayed) -> str:
    counts = Counter(run.outcome for run in found.runs)
    parts = [f"{count} {outcome.replace('_', ' ')}" for outcome, count in counts.items()]
    return f"{len(found.runs)} of {len(found.job.seeds)} seeds" + (f": {', '.join(parts)}" if parts else "")


def _complaints(found: Sequence[Replayed]) -> Iterator[str]:
    for one in found:
        if one.unrecordable is not None:
            yield f"{one.job.test}: cannot be recorded: {one.unrecordable.reason}"
            yield f"{_FIX}{one.unrecordable.fix}"


def _summary(plan: Plan, found: Sequence[Replayed]) -> Iterator[str]:
    counts = Counter(map(state, found))
    number = f"{len(found)} {'replay' if len(found) == 1 else 'replays'}"
    shown = {name: "printed" if plan.dry and name == "recorded" else name for name in counts}
    yield f"{number}: {', '.join(f'{count} {shown[name]}' for name, count in counts.items())}; {_place(plan)}"
    if counts["interrupted"]:
        yield "what was done is kept: run the same command with --resume to go on"
    if counts["recorded"] and not plan.dry:
        yield f"next: git add {REPLAYS}, and commit" if plan.out is None else _merging(plan.out)


def _merging(out: str) -> str:
    from shlex import quote

    return f"next: flakeledger replays merge {quote(out)}"


def _place(plan: Plan) -> str:
    return f"replayed: commit {plan.commit[:_COMMIT_DIGITS]}; now: {format_instant(plan.clock.now())}"


def _json_text(
    plan: Plan,
    found: Sequence[Replayed],
    verdicts: Mapping[str, Interview],
    steps: Mapping[str, str],
    notes: Sequence[str],
) -> str:
    """For programs; `docs/commands.md` says what the keys mean."""
    counts = Counter(map(state, found))
    return dumped(
        {
            "version": VERSION,
            "commit": plan.commit,
            "now": format_instant(plan.clock.now()),
            "appended_to": None if plan.dry else escape_surrogates(plan.out or REPLAYS),
            "counts": {name: counts[name] for name in ("recorded", "incomplete", "refused", "interrupted")},
            "notes": [escape_surrogates(note) for note in notes],
            "replays": [_json_row(one, verdicts.get(one.job.test), steps) for one in found],
        }
    )


def _json_row(found: Replayed, known: Interview | None, steps: Mapping[str, str]) -> dict[str, object]:
    replay = None if found.recorded is None else found.recorded.replay
    why = found.unrecordable
    return {
        "test": escape_surrogates(found.job.test),
        "runner": found.job.runner.name,
        "state": state(found),
        "reason": None if why is None else escape_surrogates(why.reason),
        "fix": None if why is None else escape_surrogates(why.fix),
        "seeds": [{"seed": run.seed, "outcome": run.outcome, "failure": run.failure or None} for run in found.runs],
        "passed": None if replay is None else replay.passed,
        "total": None if replay is None else replay.total,
        "rate_at_most": None if replay is None else round(upper_bound(replay.total - replay.passed, replay.total), 6),
        "line": None if found.recorded is None else json.loads(found.recorded.text),
        "verdict": None if known is None else known.verdict.name,
        "next": steps.get(found.job.test),
    }
