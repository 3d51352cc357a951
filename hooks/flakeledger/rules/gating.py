"""The facts for the gate, gathered in the order in which its table asks for them, and how its answer is worded.

Invariants:
* A fact is gathered when the table asks for it, and no later one before: a patch that is denied by its paths has none
  of its code run, and its witness is not even read.
* The policy is that of the base branch's tip, so are the reviews; generators are compared with the merge base.
* What was not asked is unknown in the note, never guessed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from flakeledger.model.note import Note
from flakeledger.model.witness import Witness
from flakeledger.model.wording import listed
from flakeledger.repo.ledger import Ledger
from flakeledger.repo.repository import Repository
from flakeledger.rules.oracle_reviews import unreviewed
from flakeledger.rules.patches import Patch
from flakeledger.rules.witnesses import Refused, WitnessFile, differing, good_witness, unbound
from flakeledger.verdicts.gate import (
    Asked,
    Facts,
    Line,
    PatchClass,
    ReplayState,
    Verdict,
    WitnessState,
    decide,
    first_unknown,
    replay_state,
)
from flakeledger.verdicts.rates import bound_text

#: so many paths are named; a patch may have thousands
_MOST_PATHS = 10


class Replayed(NamedTuple):
    """What replays of a witness showed, how they were kept from the network, and what is to be said of each."""

    outcomes: tuple[str, ...]
    network: str
    details: tuple[str, ...] = ()


#: replays a witness so many times in a clean tree of the patch
Replay = Callable[[Witness, int], Replayed]


class Judgement(NamedTuple):
    """The gate's answer: the line that applied, what was known, why (clauses), what to do next, and the note."""

    line: Line
    facts: Facts
    because: tuple[str, ...]
    next_step: str
    note: Note


def judge(repository: Repository, patch: Patch, file: WitnessFile | None, replay: Replay) -> Judgement:
    """Walk the table for a patch. `file` is its witness, None where it has none; `replay` is called last, if at all.

    CannotTell when a fact cannot be known.
    """
    gathering = _Gathering(repository, patch, file, replay)
    facts = Facts()
    while (asked := first_unknown(facts)) is not None:
        facts = _GATHER[asked](gathering, facts)
    line = decide(facts)
    return Judgement(line, facts, gathering.because(line), NEXT_STEPS[line.verdict], gathering.note(line, facts))


class _Gathering:
    """What is known of one patch so far; everything is found once, when it is asked for."""

    def __init__(self, repository: Repository, patch: Patch, file: WitnessFile | None, replay: Replay) -> None:
        self._repository = repository
        self._patch = patch
        self._file = file
        self._replay = replay
        self._replayed: Replayed | None = None

    @cached_property
    def _ledgers(self) -> tuple[Ledger, Ledger]:
        """What the merge base and the patch say of properties and generators. No freeze has a say."""
        base, head = (self._repository.tree(commit) for commit in (self._patch.base, self._patch.head))
        return self._repository.protection(base), self._repository.protection(head)

    def classes(self) -> frozenset[PatchClass]:
        return frozenset(self._patch.paths)

    @cached_property
    def _unreviewed(self) -> list[str]:
        return unreviewed(self._repository, self._patch)

    def test_bodies_reviewed(self) -> bool:
        return not self._unreviewed

    @cached_property
    def _witness(self) -> Witness | Refused | None:
        if self._file is None:
            return None
        witness = good_witness(self._file, self._patch.policy)
        if isinstance(witness, Refused):
            return witness
        reasons = (unbound(ledger, witness) for ledger in self._ledgers)
        return next((Refused(reason) for reason in reasons if reason), witness)

    def witness(self) -> WitnessState:
        if self._witness is None:
            return "absent"
        return "refused" if isinstance(self._witness, Refused) else "good"

    @cached_property
    def _drift(self) -> str:
        """Where the generators differ: in the witness from the base, or in the patch from the base."""
        witness = self._good
        base, head = (ledger.generator_hashes(witness.property_id) for ledger in self._ledgers)
        return differing(base, witness.generator_hashes) or differing(base, head)

    @property
    def _good(self) -> Witness:
        """The witness, which is good: the table asked before."""
        assert isinstance(self._witness, Witness)
        return self._witness

    def generators_match(self) -> bool:
        return not self._drift

    def replay(self) -> ReplayState:
        needed = self._patch.policy.limits.witness_replays
        self._replayed = self._replay(self._good, needed)
        return replay_state(self._replayed.outcomes, needed)

    def because(self, line: Line) -> tuple[str, ...]:
        """Why the line applies: what it looked at, for people."""
        if line.asks == "classes":
            return tuple(_paths(self._patch, _BLAMED[line.verdict]))
        if line.asks == "test_bodies_reviewed":
            return tuple(self._unreviewed)
        if line.asks == "witness":
            return (self._witness.reason,) if isinstance(self._witness, Refused) else ("no witness was given",)
        if line.asks == "generators_match":
            return (f"not those of the base: {self._drift}",)
        replayed = self._replayed or Replayed((), "")
        counted = _counted(replayed.outcomes, self._patch.policy.limits.witness_replays)
        said = replayed.details if line.verdict == "deny:incomplete" else ()
        return (counted, *dict.fromkeys(filter(None, said)))

    def note(self, line: Line, facts: Facts) -> Note:
        """The review note: what is known now."""
        witness = self._witness if facts.witness == "good" and isinstance(self._witness, Witness) else None
        return Note(
            diff_class=self._patch.label,
            property_id=None if witness is None else witness.property_id,
            example_sha256=None if witness is None else witness.example_sha256,
            generator_hashes_match_base=facts.generators_match,
            replay_outcomes=() if self._replayed is None else self._replayed.outcomes,
            network=None if self._replayed is None else self._replayed.network,
            freeze=line.verdict,
            base=self._patch.base,
            head=self._patch.head,
        )


#: the fact that the table asks -> what is known with it
_GATHER: Mapping[Asked, Callable[[_Gathering, Facts], Facts]] = {
    "classes": lambda found, facts: facts._replace(classes=found.classes()),
    "test_bodies_reviewed": lambda found, facts: facts._replace(test_bodies_reviewed=found.test_bodies_reviewed()),
    "witness": lambda found, facts: facts._replace(witness=found.witness()),
    "generators_match": lambda found, facts: facts._replace(generators_match=found.generators_match()),
    "replay": lambda found, facts: facts._replace(replay=found.replay()),
}
#: the classes whose paths are the reason of a verdict
_BLAMED: Mapping[Verdict, tuple[PatchClass, ...]] = {
    "deny:freeze_config": ("freeze_config",),
    "deny:mixed": ("generator", "production"),
    "deny:generator": ("generator",),
    "deny:review_only": ("review_only",),
    "deny:runner": ("runner",),
    "deny:unclassified": ("unclassified",),
}
#: what whoever made the patch does next
NEXT_STEPS: Mapping[Verdict, str] = {
    "deny:freeze_config": "leave the ledgers and whatever else configures freezes out of the patch; "
    "a freeze is a change of its own",
    "deny:mixed": "split the patch: the generators in one, the product in another, and run the gate on that one",
    "deny:generator": "an edit of what draws the inputs gets no freeze: leave it out, or merge it on its own",
    "deny:review_only": "no freeze excuses a failure of this code: mend what fails",
    "deny:runner": "leave what runs the tests out of the patch, or merge it on its own first",
    "deny:unclassified": "give the test a class in the policy, alone in its change; "
    "put regular files in the place of links and submodules",
    "deny:test_body": "have the edited tests reviewed: flakeledger oracle --base REV   # shows the edits; "
    "with --approve it writes the review, which its reviewer commits to the base branch",
    "deny:no_witness": "run the failing property with --flakeledger-witness DIR, and name the file: --witness FILE",
    "deny:witness": "capture the failure again: --flakeledger-witness DIR writes a witness only when it is a good one",
    "deny:generator_drift": "capture the failure again with the generators of the base; the patch must not edit them",
    "deny:incomplete": "see why a replay neither passed nor failed: flakeledger witness replay FILE",
    "deny:stable_pass": "nothing failed when it ran alone: look for what another test leaves behind, "
    "or for a flake too rare for so few replays",
    "deny:stable_fail": "it is a real counterexample: mend the product",
    "eligible_short": "a short freeze may be opened on this note: "
    "flakeledger freeze TEST --reason TEXT --witness FILE --note FILE",
}


def _paths(patch: Patch, classes: Sequence[PatchClass]) -> list[str]:
    """The paths of some classes, a clause for each class."""
    clauses = []
    for name in classes:
        paths = patch.paths[name]
        more = f" and {len(paths) - _MOST_PATHS} more" if len(paths) > _MOST_PATHS else ""
        clauses.append(f"{name}: {listed(paths[:_MOST_PATHS])}{more}")
    return clauses


def _counted(outcomes: Sequence[str], needed: int) -> str:
    """What the replays showed, with the bound on the rate of failure where every one was a pass or a failure."""
    failed, passed = outcomes.count("fail"), outcomes.count("pass")
    if failed + passed < max(len(outcomes), needed):
        return f"{needed} replays are needed; what they showed: {', '.join(outcomes) or 'nothing'}"
    return f"{failed} of {len(outcomes)} replays failed (rate of failure at most {bound_text(failed, len(outcomes))})"
