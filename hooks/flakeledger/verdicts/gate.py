"""The gate (decision table 2): may this patch receive a freeze?

Invariants:
* The table is here and nowhere else: rules and commands ask `decide`, the documentation is printed from it.
* From top to bottom the first line that applies decides; a later column never overrides an earlier deny.
* A line asks one fact. A fact that is not known is no fact: `decide` raises CannotTell, and nothing below the line is
  asked. So nobody is eligible while a fact is missing.
* `first_unknown` says which fact the table asks next: what is dear, a replay, is gathered when nothing else denies.
* Pure: what is known comes in as `Facts`. By path classes alone, never by what a patch says of itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

from flakeledger.model.errors import CannotTell

#: the classes of a policy, and a path that looks like a test although its class is production
PatchClass = Literal["freeze_config", "generator", "runner", "review_only", "test_body", "production", "unclassified"]
Verdict = Literal[
    "deny:freeze_config",
    "deny:mixed",
    "deny:generator",
    "deny:review_only",
    "deny:runner",
    "deny:unclassified",
    "deny:test_body",
    "deny:no_witness",
    "deny:witness",
    "deny:generator_drift",
    "deny:incomplete",
    "deny:stable_pass",
    "deny:stable_fail",
    "eligible_short",
]
WitnessState = Literal["absent", "refused", "good"]
ReplayState = Literal["incomplete", "all_passed", "all_failed", "both"]
Asked = Literal["classes", "test_bodies_reviewed", "witness", "generators_match", "replay"]
#: the classes of a patch whose failures a freeze may excuse
ORDINARY: frozenset[PatchClass] = frozenset({"production", "test_body"})


class Facts(NamedTuple):
    """What is known of a patch, in the order in which the table asks. None: not known."""

    #: the classes of its paths; a patch has at least one path
    classes: frozenset[PatchClass] | None = None
    #: every edited test body has a review of exactly its blobs in the base (true where none is edited)
    test_bodies_reviewed: bool | None = None
    #: `refused`: its digest differs, it is over the cap, or its shrink is not one that the policy takes
    witness: WitnessState | None = None
    #: the digests of the property's generators are those of the base, in the witness and in the patch
    generators_match: bool | None = None
    replay: ReplayState | None = None


class Line(NamedTuple):
    """A line of the table: its cells as printed, the fact that it asks, and whether it applies once that is known."""

    paths: str
    witness: str
    replay: str
    verdict: Verdict
    #: what the printed verdict adds for people
    advice: str
    asks: Asked
    applies: Callable[[Facts], bool]


def _touches(*classes: PatchClass) -> Callable[[Facts], bool]:
    return lambda facts: facts.classes is not None and facts.classes.issuperset(classes)


def _is_eligible(facts: Facts) -> bool:
    return (
        bool(facts.classes)
        and ORDINARY.issuperset(facts.classes or ())
        and facts.test_bodies_reviewed is True
        and facts.witness == "good"
        and facts.generators_match is True
        and facts.replay == "both"
    )


_ANY = "any"
_SAME = "the same"
_GOOD = "good"

TABLE: tuple[Line, ...] = (
    Line(
        "freeze_config edited", _ANY, _ANY,
        "deny:freeze_config", "", "classes", _touches("freeze_config"),
    ),
    Line(
        "generator edited, production too", _ANY, _ANY,
        "deny:mixed", "split the patch", "classes", _touches("generator", "production"),
    ),
    Line(
        "generator edited", _ANY, _ANY,
        "deny:generator", "", "classes", _touches("generator"),
    ),
    Line(
        "review_only edited", _ANY, _ANY,
        "deny:review_only", "", "classes", _touches("review_only"),
    ),
    Line(
        "runner edited", _ANY, _ANY,
        "deny:runner", "", "classes", _touches("runner"),
    ),
    Line(
        "looks like a test, but classed production", _ANY, _ANY,
        "deny:unclassified", "", "classes", _touches("unclassified"),
    ),
    Line(
        "test_body edited, no review of exactly these blobs in the base", _ANY, _ANY,
        "deny:test_body", "", "test_bodies_reviewed", lambda facts: facts.test_bodies_reviewed is False,
    ),
    Line(
        "production (and reviewed test bodies) only", "absent", _ANY,
        "deny:no_witness", "", "witness", lambda facts: facts.witness == "absent",
    ),
    Line(
        _SAME, "digest differs, over the cap, shrink incomplete, or `flaky` while the policy denies it", _ANY,
        "deny:witness", "", "witness", lambda facts: facts.witness == "refused",
    ),
    Line(
        _SAME, "good, generator digests differ from the base", _ANY,
        "deny:generator_drift", "", "generators_match", lambda facts: facts.generators_match is False,
    ),
    Line(
        _SAME, _GOOD, "fewer outcomes than `witness_replays`, or any that is neither pass nor fail",
        "deny:incomplete", "", "replay", lambda facts: facts.replay == "incomplete",
    ),
    Line(
        _SAME, _GOOD, "every one passed",
        "deny:stable_pass", "contamination, or a flake too rare to see", "replay",
        lambda facts: facts.replay == "all_passed",
    ),
    Line(
        _SAME, _GOOD, "every one failed",
        "deny:stable_fail", "a real counterexample: fix the product", "replay",
        lambda facts: facts.replay == "all_failed",
    ),
    Line(
        _SAME, _GOOD, "both outcomes seen",
        "eligible_short", "", "replay", _is_eligible,
    ),
)  # fmt: skip

#: why a fact may be unknown, as the reason of CannotTell
_UNKNOWN: dict[Asked, str] = {
    "classes": "which classes the paths of the patch have is not known",
    "test_bodies_reviewed": "whether the edited test bodies were reviewed is not known",
    "witness": "whether the witness is good is not known",
    "generators_match": "whether the generators are those of the base is not known",
    "replay": "what the replays of the witness showed is not known",
}


def decide(facts: Facts) -> Line:
    """The first line of the table that applies. CannotTell when a fact that a line asks before is not known."""
    for line in TABLE:
        if not _is_known(facts, line.asks):
            raise _cannot_tell(line.asks)
        if line.applies(facts):
            return line
    raise _cannot_tell("classes")


def first_unknown(facts: Facts) -> Asked | None:
    """The fact that the table asks next; None when what is known decides already."""
    for line in TABLE:
        if not _is_known(facts, line.asks):
            return line.asks
        if line.applies(facts):
            return None
    raise _cannot_tell("classes")


def replay_state(outcomes: Sequence[str], needed: int) -> ReplayState:
    """What the outcomes of a witness's replays show, of which the policy wants at least so many."""
    seen = frozenset(outcomes)
    if not outcomes or len(outcomes) < needed or not seen <= {"pass", "fail"}:
        return "incomplete"
    if len(seen) == 2:
        return "both"
    return "all_passed" if "pass" in seen else "all_failed"


def table_markdown() -> str:
    """The table as the documentation shows it, ending in a newline."""
    lines = ["| paths of the patch | witness | clean replay | verdict |", "|---|---|---|---|"]
    for line in TABLE:
        advice = f" ({line.advice})" if line.advice else ""
        lines.append(f"| {line.paths} | {line.witness} | {line.replay} | `{line.verdict}`{advice} |")
    return "\n".join(lines) + "\n"


def _is_known(facts: Facts, asked: Asked) -> bool:
    """Whether a fact is known; a patch without a path is none, and nothing is known of it."""
    value = getattr(facts, asked)
    return value is not None and value != frozenset()


def _cannot_tell(asked: Asked) -> CannotTell:
    return CannotTell(f"the gate cannot decide: {_UNKNOWN[asked]}", "make it known, and run the gate again")
