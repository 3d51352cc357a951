"""Which change is judged: its base, its new tree, and whose policy judges; the table of contexts, row by row.

Invariants:
* The first row that applies answers; a row that applies but whose base is not here is `CannotTell`, never the next row.
* No base is guessed: a shallow boundary is no root, and a range of no commits is no answer.
* The same change has the same basis at every depth at which its base and new tree are here.
* What a commit names as its parents is read from the commit itself, not from a shallow view of history.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from flakeledger.model.errors import CannotTell
from flakeledger.repo.services import (
    github_merge_group,
    github_pull_request,
    github_push,
    github_schedule,
    gitlab_branch,
    gitlab_merge_request,
)
from flakeledger.repo.situation import INDEX, Basis, Situation, is_zeros, new_tree
from flakeledger.store.git import Git

#: variables that say that a service runs this, which has a row of its own or must be told the base
SERVICES = ("CI", "GITHUB_EVENT_PATH", "GITLAB_CI")

__all__ = ("INDEX", "Basis", "new_tree", "resolve")


def resolve(git: Git, *, base: str | None, head: str | None, environment: Mapping[str, str]) -> Basis:
    """The basis of the change at hand; `base` and `head` are revisions that a user gave.

    CannotTell where no base is known: what was tried, whether the clone is shallow, the fix per platform.
    """
    situation = Situation(git, base, head, environment)
    answers = (row(situation) for row in ROWS)
    found = next((answer for answer in answers if answer is not None), None)
    if found is None:
        raise situation.unknown("nothing is staged, HEAD is detached and no merge, and no known service names a base")
    return found._replace(why=_why(situation, found))


def _why(situation: Situation, basis: Basis) -> str:
    """The sentence for the summary."""

    def named(tree: str) -> str:
        names = {INDEX: "index", situation.git.empty_tree(): "the empty tree"}
        return names.get(tree) or ("HEAD " if tree == situation.at else "") + tree[:7]

    merged = f", merging {' and '.join(head[:7] for head in basis.merged)}" if basis.merged else ""
    steps = ", each first-parent step" if basis.stepwise else ""
    judge = f", judged by the policy of {basis.tip[:7]}" if basis.tip not in (None, basis.base) else ""
    return f"{basis.context}: {named(basis.base)} -> {named(basis.new)}{merged}{steps}{judge}"


def _explicit(situation: Situation) -> Basis | None:
    """What the user gave: the merge base with the new tree, else the base itself."""
    if situation.head is not None and situation.base is None:
        return _against_default(situation, situation.new)
    if situation.base is None:
        return None
    new, given = situation.new, situation.known(situation.base, "--base")
    at = situation.at if new == INDEX else new
    base = given if at is None else situation.start_of(given, at)
    situation.refuse_empty(base, new)
    if situation.variable("CI") and base == at and not situation.git.index_differs(base):
        situation.refuse_empty(base, at)
    return Basis("explicit", base, new, tip=given)


def _pre_push(situation: Situation) -> Basis | None:
    """What is pushed onto something; FROM may be no ancestor after a force push."""
    start, new = situation.variable("PRE_COMMIT_FROM_REF"), situation.new
    if not start or is_zeros(start) or not situation.variable("PRE_COMMIT_TO_REF"):
        return None
    before = situation.known(start, "PRE_COMMIT_FROM_REF")
    base = situation.start_of(before, new)
    if not situation.variable("PRE_COMMIT_REMOTE_NAME"):  # a service's range; a push may well take commits away
        situation.refuse_empty(base, new)
    branch = situation.variable("PRE_COMMIT_REMOTE_BRANCH")
    if branch and situation.is_default_name(branch):
        return Basis("pre-push", base, new, stepwise=situation.is_line(base, new), tip=before)
    return Basis("pre-push", base, new, tip=situation.judging_tip(new) or before)


def _first_push(situation: Situation) -> Basis | None:
    """A history that the remote has nothing of."""
    if not situation.variable("PRE_COMMIT_REMOTE_NAME") and not is_zeros(situation.variable("PRE_COMMIT_FROM_REF")):
        return None
    new, default = situation.new, situation.remote_default
    if default is None:
        return Basis("first-push", situation.empty_base(), new)
    base = situation.start_of(default.tip, new)
    if base == new:
        return Basis("first-push", situation.first_parent(new), new)
    return Basis("first-push", base, new, tip=default.tip)


def _merge(situation: Situation) -> Basis | None:
    """A merge that is being committed."""
    at = situation.at
    heads = [] if at is None else situation.git.merge_heads()
    if at is None or not heads:
        return None
    merged = tuple(situation.known(head, "the merged head") for head in heads)
    merge_bases = tuple(situation.merge_bases(at, head) for head in merged)
    return _committing(situation, Basis("merge", at, INDEX, merged, merge_bases))


def _first_commit(situation: Situation) -> Basis | None:
    """HEAD is on a branch without a commit."""
    if situation.at is not None:
        return None
    upstream = situation.upstream
    return Basis("first-commit", situation.git.empty_tree(), INDEX, tip=upstream and upstream.tip)


def _commit(situation: Situation) -> Basis | None:
    """A commit is being made, or something is staged."""
    at = situation.commit
    if "GIT_INDEX_FILE" not in situation.environment and not situation.git.index_differs(at):
        return None
    return _committing(situation, Basis("commit", at, INDEX))


def _committing(situation: Situation, basis: Basis) -> Basis:
    """The basis with what is known of the branch that is being committed to."""
    upstream = situation.upstream
    if upstream is None or upstream.tip == basis.base:
        return basis._replace(tip=upstream and upstream.tip)
    try:
        point = situation.git.merge_base(upstream.tip, basis.base)
    except CannotTell:  # too shallow to forgive the branch its own rows: judged as any other row is
        point = None
    return basis._replace(tip=upstream.tip, branch_point=None if point == basis.base else point)


def _detached_merge(situation: Situation) -> Basis | None:
    """The test merge of a pull request that somebody checked out without a word (pre-commit.ci)."""
    if any(situation.variable(name) for name in SERVICES) or situation.branch is not None:
        return None
    at = situation.commit
    parents = situation.git.parents(at)
    if len(parents) != 2:
        return None
    base = situation.known(parents[0], "the first parent of the merge commit,")
    return Basis("detached-merge", base, at, tip=base)


def _branch(situation: Situation) -> Basis | None:
    """Nothing is staged on a branch: the branch, or the last commit of the base branch itself."""
    if situation.branch is None:
        return None
    return _against_default(situation, situation.commit)


def _against_default(situation: Situation, new: str) -> Basis:
    """A commit against its merge base with the default branch; against its first parent where it is on it."""
    default = situation.default
    if default is None:
        raise situation.no_default()
    base = situation.merge_base(default.tip, new)
    if base is None:
        raise situation.unknown(f"{default.reference} and {new[:7]} share no history")
    if base == new:
        return Basis("branch-tip", situation.first_parent(new), new, on_default_branch=True)
    return Basis("branch", base, new, tip=default.tip)


#: the table: the first row that applies answers
ROWS: tuple[Callable[[Situation], Basis | None], ...] = (
    _explicit,
    _pre_push,
    _first_push,
    _merge,
    _first_commit,
    _commit,
    github_pull_request,
    github_merge_group,
    github_schedule,
    github_push,
    gitlab_merge_request,
    gitlab_branch,
    _detached_merge,
    _branch,
)
