"""The rows of the table of contexts for what a continuous-integration service says about its run.

Invariants:
* A row that recognizes its service answers or is `CannotTell`; None only where another row may apply.
* What a service calls the base counts only where nothing better is known: the first parent of a test merge is what
  was merged, an event's base may be old.
* HEAD has a commit: these rows stand below the one for the first commit.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from flakeledger.repo.situation import Basis, Situation, is_zeros


class _Push(NamedTuple):
    """A push as a continuous-integration service describes it."""

    context: str
    #: what the pushed branch was before; all zeros for a new branch
    before: str
    #: the short name of the branch, "" for a tag
    branch: str
    #: the short name of the default branch, "" where the service does not say
    default: str


def github_pull_request(situation: Situation) -> Basis | None:
    """The merge ref against its first parent; where the branch itself was checked out, against the merge base."""
    pull = _part(situation.event, "pull_request")
    if pull is None:
        return None
    at = situation.commit
    parents, head = situation.git.parents(at), _word(_part(pull, "head"), "sha")
    tested = situation.variable("GITHUB_EVENT_NAME") == "pull_request" and at == situation.variable("GITHUB_SHA")
    if len(parents) == 2 and (tested or parents[1] == head):
        base = situation.known(parents[0], "the first parent of the merge ref,")
        return Basis("github-pull-request", base, at, tip=base)
    target = _part(pull, "base")
    return _merge_request(
        situation, "github-pull-request", at, (f"refs/remotes/origin/{_word(target, 'ref')}", _word(target, "sha"))
    )


def _merge_request(situation: Situation, context: str, at: str, tips: tuple[str, ...]) -> Basis:
    """A branch that asks to be merged, against its merge base with the first of `tips` that is here."""
    tip = next(filter(None, situation.git.commits(tips)), None)
    if tip is None:
        raise situation.unknown(f"neither {' nor '.join(tips)} is a commit whose tree is here")
    base = situation.start_of(tip, at)
    situation.refuse_empty(base, at)
    return Basis(context, base, at, tip=tip)


def github_merge_group(situation: Situation) -> Basis | None:
    """Each step that the merge queue puts on its base."""
    group = _part(situation.event, "merge_group")
    if group is None:
        return None
    at = situation.commit
    base = situation.known(_word(group, "base_sha"), "merge_group.base_sha")
    situation.refuse_empty(base, at)
    return Basis("github-merge-group", base, at, stepwise=situation.is_line(base, at), tip=base)


def github_schedule(situation: Situation) -> Basis | None:
    """A scheduled run: always of the default branch."""
    event = situation.event
    if event is None or "schedule" not in (situation.variable("GITHUB_EVENT_NAME"), *event):
        return None
    return _scheduled(situation, "github-schedule")


def github_push(situation: Situation) -> Basis | None:
    """A push, as the event tells it."""
    event = situation.event
    name = situation.variable("GITHUB_EVENT_NAME")
    if event is None or not (name == "push" or (not name and "before" in event)):
        return None
    reference = _word(event, "ref")
    branch = reference.removeprefix("refs/heads/") if reference.startswith("refs/heads/") else ""
    default = _word(_part(event, "repository"), "default_branch")
    return _pushed(situation, _Push("github-push", _word(event, "before"), branch, default))


def gitlab_merge_request(situation: Situation) -> Basis | None:
    """A merged result against its first parent, else the branch against the base that GitLab names."""
    if not situation.variable("GITLAB_CI") or not situation.variable("CI_MERGE_REQUEST_IID"):
        return None
    at = situation.commit
    parents = situation.git.parents(at)
    if parents[1:] == [situation.variable("CI_MERGE_REQUEST_SOURCE_BRANCH_SHA")]:
        base = situation.known(parents[0], "the first parent of the merged result,")
        return Basis("gitlab-merge-request", base, at, tip=base)
    base = situation.known(situation.variable("CI_MERGE_REQUEST_DIFF_BASE_SHA"), "CI_MERGE_REQUEST_DIFF_BASE_SHA")
    situation.refuse_empty(base, at)
    target = situation.variable("CI_MERGE_REQUEST_TARGET_BRANCH_NAME")
    return Basis("gitlab-merge-request", base, at, tip=situation.git.commit(f"refs/remotes/origin/{target}"))


def gitlab_branch(situation: Situation) -> Basis | None:
    """A push or a scheduled run, as GitLab's variables tell it."""
    branch, default = situation.variable("CI_COMMIT_BRANCH"), situation.variable("CI_DEFAULT_BRANCH")
    source = situation.variable("CI_PIPELINE_SOURCE")
    if not situation.variable("GITLAB_CI") or not branch:
        return None
    if source == "schedule" and branch == default:
        return _scheduled(situation, "gitlab-schedule")
    if source != "push":
        return None
    return _pushed(situation, _Push("gitlab-push", situation.variable("CI_COMMIT_BEFORE_SHA"), branch, default))


def _scheduled(situation: Situation, context: str) -> Basis:
    at = situation.commit
    return Basis(context, situation.first_parent(at), at, on_default_branch=True)


def _pushed(situation: Situation, push: _Push) -> Basis:
    is_default = push.branch == push.default if push.default else situation.is_default_name(push.branch)
    return _pushed_default(situation, push) if push.branch and is_default else _pushed_branch(situation, push)


def _pushed_default(situation: Situation, push: _Push) -> Basis:
    """A push to the default branch: step by step where what was there before is on its first-parent line."""
    at = situation.commit
    if is_zeros(push.before):
        return Basis("first-push", situation.empty_base(), at, on_default_branch=True)
    base = situation.known(push.before, "what the branch was before the push,")
    situation.refuse_empty(base, at)
    line = situation.is_line(base, at)
    return Basis(push.context, base, at, stepwise=line, tip=base, on_default_branch=True)


def _pushed_branch(situation: Situation, push: _Push) -> Basis:
    """A push to another branch (or of a tag): the whole branch where the default one is known, else what is new."""
    at = situation.commit
    context = "first-push" if is_zeros(push.before) else push.context
    named = situation.git.commit(f"refs/remotes/origin/{push.default}") if push.default else None
    tip = named if push.default else situation.default and situation.default.tip
    if tip is not None:
        base = situation.start_of(tip, at)
        if base == at:  # everything here is on the default branch already
            return Basis(context, situation.first_parent(at), at)
        return Basis(context, base, at, tip=tip)
    if is_zeros(push.before):
        return Basis(context, situation.empty_base(), at)
    base = situation.start_of(situation.known(push.before, "what the branch was before the push,"), at)
    situation.refuse_empty(base, at)
    return Basis(context, base, at)


def _part(event: Mapping[str, object] | None, name: str) -> Mapping[str, object] | None:
    """A mapping inside of an event, None where there is none."""
    part = None if event is None else event.get(name)
    return part if isinstance(part, dict) else None


def _word(event: Mapping[str, object] | None, name: str) -> str:
    """A text inside of an event, "" where there is none."""
    word = "" if event is None else event.get(name)
    return word if isinstance(word, str) else ""
