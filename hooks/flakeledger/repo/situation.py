"""What a run can know about where it happens: the user's words, the environment, HEAD, the default branch.

Invariants:
* Every answer is found once, and only when it is asked for: no git is started for a context that is not at hand.
* Whatever is asked for by name and is not wholly here is `CannotTell`, with the fix for every platform.
* Nothing is guessed: a shallow boundary is no root, an event that cannot be read is no missing event.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import NamedTuple

from flakeledger.model.errors import CannotTell
from flakeledger.store.git import Git

#: the new tree that is not a commit yet
INDEX = "index"
FIXES = (
    "make the base known: on GitHub actions/checkout with `fetch-depth: 2` (or 0), on GitLab `GIT_DEPTH: 0`, "
    "on pre-commit.ci `ci: skip: [check-change]`, anywhere `--base REV`"
)
EARLIER = "check out what is to be judged (a merge ref, a head), or give an earlier base: --base REV"
BASE_SETTING = "flakeledger.base"
USUAL_NAMES = ("main", "master")


class Basis(NamedTuple):
    """From what to what a change goes, and who judges it."""

    #: the row of the table: a short stable name
    context: str
    #: a commit id, or the id of the empty tree
    base: str
    #: INDEX or a commit id
    new: str
    #: the other heads of a merge that is being committed, and the merge bases of HEAD with each
    merged: tuple[str, ...] = ()
    merge_bases: tuple[tuple[str, ...], ...] = ()
    #: judge each first-parent step from base to new, instead of the net difference
    stepwise: bool = False
    #: the tip of the base branch, whose policy judges; None where it is not known: then the base's does
    tip: str | None = None
    #: where the branch that is being committed to left the default branch; None where it did not, or nobody knows
    branch_point: str | None = None
    #: a push to the default branch or a scheduled run of a continuous-integration service, or its tip as it stands
    on_default_branch: bool = False
    #: one sentence for the summary
    why: str = ""


class Default(NamedTuple):
    """The default branch as far as it is known here: the reference that was found, and its tip."""

    reference: str
    tip: str


class Situation:
    """What the rows of the table ask about."""

    def __init__(self, git: Git, base: str | None, head: str | None, environment: Mapping[str, str]) -> None:
        """`base` and `head` are what the user gave."""
        self.git = git
        self.base = base
        self.head = head
        self.environment = environment

    def variable(self, name: str) -> str:
        """A variable of the environment, "" when it is not set."""
        return self.environment.get(name, "")

    def unknown(self, tried: str) -> CannotTell:
        """The error for a base that is not known."""
        depth = "; the clone is shallow" if self.git.shallow else ""
        return CannotTell(f"base unknown: {tried}{depth}", FIXES)

    def no_default(self) -> CannotTell:
        """The error for a default branch that is not known."""
        return self.unknown(f"no default branch is known here ({', '.join(self.candidates)} are no commits)")

    def known(self, revision: str, what: str) -> str:
        """The commit of a revision. CannotTell when it is not wholly here."""
        commit = self.git.commit(revision)
        if commit is None:
            raise self.unknown(f"{what} {revision!r} names no commit whose tree is here")
        return commit

    @cached_property
    def new(self) -> str:
        """INDEX, or the commit that the user gave or that is being pushed."""
        if self.head is not None:
            return self.known(self.head, "--head")
        if self.variable("PRE_COMMIT_FROM_REF") and self.variable("PRE_COMMIT_TO_REF"):
            return self.known(self.variable("PRE_COMMIT_TO_REF"), "PRE_COMMIT_TO_REF")
        if self.variable("PRE_COMMIT_REMOTE_NAME"):
            return self.known(self.variable("PRE_COMMIT_LOCAL_BRANCH"), "PRE_COMMIT_LOCAL_BRANCH")
        return INDEX

    @cached_property
    def configured(self) -> str | None:
        """The base branch that the user configured."""
        return self.git.config(BASE_SETTING)

    @cached_property
    def remotes(self) -> tuple[str, ...]:
        """The names of the remotes that count: the one that is pushed to, then origin."""
        return tuple(dict.fromkeys(filter(None, (self.variable("PRE_COMMIT_REMOTE_NAME"), "origin"))))

    @cached_property
    def candidates(self) -> tuple[str, ...]:
        """Where the default branch's tip is looked for, in order."""
        if self.configured is not None:
            return (self.configured,)
        remote = (f"refs/remotes/{remote}/{name}" for remote in self.remotes for name in ("HEAD", *USUAL_NAMES))
        return (*remote, *(f"refs/heads/{name}" for name in USUAL_NAMES))

    @cached_property
    def _commits(self) -> list[str | None]:
        return self.git.commits(("HEAD", *self.candidates))

    @cached_property
    def at(self) -> str | None:
        """The commit of HEAD; None before the first commit."""
        return self._commits[0] or self.git.head()

    @property
    def commit(self) -> str:
        """The commit of HEAD, for the rows below the one for the first commit."""
        assert self.at is not None
        return self.at

    @cached_property
    def branch(self) -> str | None:
        """The full name of HEAD's branch; None when HEAD is detached."""
        return self.git.branch()

    @cached_property
    def _found(self) -> tuple[Default, ...]:
        pairs = zip(self.candidates, self._commits[1:], strict=True)
        return tuple(Default(reference, tip) for reference, tip in pairs if tip is not None)

    @cached_property
    def default(self) -> Default | None:
        """The default branch, None when nothing here says which. CannotTell when the configured one is unknown."""
        if not self._found and self.configured is not None:
            fix = f"git fetch, or git config {BASE_SETTING} with a branch that is here"
            raise CannotTell(f"git config {BASE_SETTING} is {self.configured!r}, which is no commit here", fix)
        return next(iter(self._found), None)

    @cached_property
    def upstream(self) -> Default | None:
        """The default branch, unless it is the very branch that HEAD is on."""
        default = self.default
        return None if default is None or self.branch in _full_names(default.reference) else default

    @cached_property
    def remote_default(self) -> Default | None:
        """The default branch of the remote that is pushed to, or the configured one unless it is what is pushed."""
        pushed = self.variable("PRE_COMMIT_LOCAL_BRANCH")
        if self.default is None or pushed in _full_names(self.default.reference):
            return None
        of_remote = self.default.reference.startswith(f"refs/remotes/{self.remotes[0]}/")
        return self.default if of_remote or self.configured is not None else None

    def is_default_name(self, branch: str) -> bool:
        """Whether a branch of the remote (by its full or short name) is the remote's default branch."""
        named = self.configured or self.git.symbolic_target(f"refs/remotes/{self.remotes[0]}/HEAD")
        names = USUAL_NAMES if named is None else (_short_name(named, self.remotes[0]),)
        return _short_name(branch, self.remotes[0]) in names

    def judging_tip(self, new: str) -> str | None:
        """The default branch's tip, whose policy judges a pushed commit; None where it holds that commit already."""
        if self.default is None or self.merge_base(self.default.tip, new) == new:
            return None
        return self.default.tip

    @cached_property
    def event(self) -> Mapping[str, object] | None:
        """What GitHub says about the event, None elsewhere. CannotTell when its file cannot be read."""
        path = self.variable("GITHUB_EVENT_PATH")
        if not path:
            return None
        import json  # only a continuous-integration service pays for it

        try:
            with open(path, "rb") as file:
                event = json.load(file)
        except (OSError, ValueError, RecursionError) as error:
            raise CannotTell(f"GITHUB_EVENT_PATH {path!r} cannot be read: {error}", FIXES) from error
        if not isinstance(event, dict):
            raise CannotTell(f"GITHUB_EVENT_PATH {path!r} holds no event", FIXES)
        return event

    def merge_base(self, one: str, other: str) -> str | None:
        """The merge base of two commits, None when they share none. CannotTell when too little history is here."""
        return next(iter(self.merge_bases(one, other)), None)

    def merge_bases(self, one: str, other: str) -> tuple[str, ...]:
        """All merge bases of two commits: several after a criss-cross merge. CannotTell as in `merge_base`."""
        try:
            return tuple(self.git.merge_bases(one, other))
        except CannotTell as error:
            raise self.unknown(error.reason) from error

    def start_of(self, base: str, new: str) -> str:
        """The merge base of two commits, else the base itself."""
        return self.merge_base(base, new) or base

    def first_parent(self, commit: str) -> str:
        """The first parent that a commit names, the empty tree for a root. CannotTell when it is not here."""
        parents = self.git.parents(commit)
        return self.known(parents[0], f"the first parent of {commit[:7]},") if parents else self.git.empty_tree()

    def empty_base(self) -> str:
        """The empty tree, as what was there before a whole history. CannotTell when some of it was not fetched."""
        if self.git.shallow:
            raise self.unknown("nothing was there before, and where this history starts is not here")
        return self.git.empty_tree()

    def is_line(self, base: str, new: str) -> bool:
        """Whether base is on the first-parent line of new. CannotTell when too little history is here."""
        from flakeledger.store.git_line import line_between  # only a push pays for it

        try:
            return line_between(self.git, base, new) is not None
        except CannotTell as error:
            raise self.unknown(error.reason) from error

    def refuse_empty(self, base: str, new: str) -> None:
        """CannotTell when no commit lies between base and new: an empty range is no answer."""
        if base == new:
            raise CannotTell(f"the range from {base[:7]} to {new[:7]} holds 0 commits", EARLIER)


def new_tree(git: Git, *, head: str | None, environment: Mapping[str, str]) -> str:
    """The tree that is judged where no base is needed: INDEX, or the commit that is given or pushed.

    CannotTell when that commit is not here.
    """
    return Situation(git, None, head, environment).new


def is_zeros(revision: str) -> bool:
    """Whether an id says that nothing was there before."""
    return len(revision) in (40, 64) and not revision.strip("0")


def _full_names(reference: str) -> tuple[str, str]:
    return reference, f"refs/heads/{reference}"


def _short_name(reference: str, remote: str) -> str:
    """The name of a branch without what says where it is."""
    for prefix in (f"refs/remotes/{remote}/", "refs/heads/", f"{remote}/"):
        if reference.startswith(prefix):
            return reference.removeprefix(prefix)
    return reference
