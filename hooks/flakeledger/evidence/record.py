"""What a replay is as a line of replays.jsonl; or why it may be none.

Invariants:
* Pure: what was seen comes in, a line or a reason comes out. The clock is the caller's.
* Only passes and failures are recorded. One seed that ended in anything else, and there is no line.
* A line is what the reader of the log reads without a complaint: it is read again before it is given.
* The same content has the same id, so that a line that two merges brought is known for one.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from flakeledger.evidence.command_run import is_seeded
from flakeledger.evidence.runs import Environment, Job, Outcome, SeedRun, comparable, identical_streams
from flakeledger.model.clock import format_instant
from flakeledger.model.fields import REPLAY_FIELDS
from flakeledger.model.ledger_paths import REPLAYS
from flakeledger.model.records import Replay
from flakeledger.store.replay_log import SETTLED, read_replays

#: 128 bits tell more lines apart than any log will hold
_ID_DIGITS = 32
_MILLISECONDS = 3
#: what to do about a seed that neither passed nor failed
_FIXES: dict[Outcome, str] = {
    "error": "run that test by itself to see why, mend it or what this machine lacks, and replay it again",
    "not_run": "name the test as pytest --collect-only -q lists it, and let no option of the project deselect it",
    "skipped": "replay it where it is not skipped, or take the skip out and commit that",
    "timeout": "give each seed more time, --timeout SECONDS, or let the test end sooner and commit that",
}
_OTHER_FIX = "let every seed of the test pass or fail, and commit that; then replay it again"


class Recorded(NamedTuple):
    """A line that may be appended: its text without a newline, and what it says as evidence."""

    text: str
    replay: Replay


class Unrecordable(NamedTuple):
    """Why there is no line. `incomplete`: a seed neither passed nor failed. `refused`: what was seen is no evidence."""

    kind: str
    reason: str
    fix: str


def record(job: Job, runs: Sequence[SeedRun], commit: str, ended: int, *, draws: bool) -> Recorded | Unrecordable:
    """The line of a replay all of whose seeds have ended at this time (in seconds), or why there is none.

    `draws` says that Hypothesis draws the test's arguments.
    """
    by_seed = {run.seed: run for run in runs}
    ordered = [by_seed[seed] for seed in job.seeds]
    refused = _incomplete(ordered) or _changed_environment(ordered) or _same_streams(ordered)
    return refused or _proved(line_of(job, ordered, commit, ended, draws=draws))


def line_of(job: Job, runs: Sequence[SeedRun], commit: str, ended: int, *, draws: bool) -> str:
    """The text of the line, its fields in the order of their table."""
    passed = sum(run.outcome == "pass" for run in runs)
    values = {
        "test": job.test,
        "run_at": format_instant(ended),
        "env": job.runner.name,
        "seeds": list(job.seeds),
        "passed": passed,
        "total": len(runs),
        "commit": commit,
        "isolation": job.mode,
        "seeded": _is_seeded(job, runs, draws=draws),
        "examples": _drawn(runs),
        "failures": dict(sorted(Counter(run.failure for run in runs if run.failure).items())) or None,
        "outcomes": [run.outcome for run in runs],
        "touched": sorted({path for run in runs for path in run.touched}) or None,
        **_surroundings(runs[0].environment),
        "suite": job.suite is not None,
        "duration_s": round(sum(run.seconds for run in runs), _MILLISECONDS),
    }
    known = {name: value for name, value in values.items() if value is not None}
    return json.dumps(_in_order({**known, "id": _id(known)}))


def _in_order(values: Mapping[str, object]) -> dict[str, object]:
    return {field.name: values[field.name] for field in REPLAY_FIELDS.fields if field.name in values}


def _id(values: Mapping[str, object]) -> str:
    return _digest(values)[:_ID_DIGITS]


def _digest(value: object) -> str:
    from hashlib import sha256

    return sha256(json.dumps(value, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def _is_seeded(job: Job, runs: Sequence[SeedRun], *, draws: bool) -> bool:
    """Whether the seed reached the test: as a word of its command, or where it draws its examples."""
    if job.runner.command is not None:
        return is_seeded(job.runner.command)
    return not draws or all(run.executions for run in runs)


def _drawn(runs: Sequence[SeedRun]) -> str | None:
    """One digest of all that was drawn; None unless all of it has a faithful form."""
    if not all(run.examples and not run.partial for run in runs):
        return None
    return _digest([run.examples for run in runs])


def _surroundings(environment: Environment | None) -> dict[str, Any]:
    if environment is None:
        return {}
    versions = {environment.implementation: environment.python, **environment.versions}
    return {"versions": dict(sorted(versions.items())), "plugins": sorted(environment.plugins)}


def _incomplete(runs: Sequence[SeedRun]) -> Unrecordable | None:
    unsettled = [run for run in runs if run.outcome not in SETTLED]
    if not unsettled:
        return None
    first = unsettled[0]
    what = first.outcome.replace("_", " ")
    about = ": ".join(filter(None, (what, first.failure, first.detail)))
    more = len(unsettled) - 1
    others = f", and {more} other {'seed' if more == 1 else 'seeds'}" if more else ""
    fix = _FIXES.get(first.outcome, _OTHER_FIX)
    return Unrecordable("incomplete", f"seed {first.seed} neither passed nor failed{others}: {about}", fix)


def _changed_environment(runs: Sequence[SeedRun]) -> Unrecordable | None:
    """What happens when an interpreter or a package was replaced while a replay stood still."""
    known = {json.dumps(comparable(run.environment), sort_keys=True): run.seed for run in reversed(runs)}
    if len(known) == 1:
        return None
    one, other = sorted(known.values())[:2]
    reason = f"seeds {one} and {other} ran in different environments: another Python, package or plugin"
    return Unrecordable("refused", reason, "replay the test again, without --resume")


def _same_streams(runs: Sequence[SeedRun]) -> Unrecordable | None:
    if not identical_streams(runs):
        return None
    reason = f"{len(runs)} seeds drew the very same examples: the seed does not reach the test"
    fix = "let nothing in the test or its conftest set a seed of its own"
    return Unrecordable("refused", reason, fix)


def _proved(line: str) -> Recorded:
    """The line as the reader of the log reads it."""
    read, findings = read_replays(f"{line}\n".encode(), REPLAYS)
    assert not findings and len(read) == 1, findings
    return Recorded(line, read[0].replay)
