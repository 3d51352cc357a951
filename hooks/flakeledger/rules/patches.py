"""A patch as the gate sees it: the paths that it changes, each with its class by the policy of the base.

Invariants:
* The policy is that of the base branch's tip; the paths are what differs from the merge base, by name, no renames.
* Only commits are looked at: nothing that lies in the working tree or the index is part of the question or the answer.
* What a class says nothing about is classed strictly: a symbolic link or a submodule may stand for any file, and
  `.gitattributes` decides what a checkout holds.
"""

from __future__ import annotations

from typing import NamedTuple, get_args

from flakeledger.model.errors import CannotTell
from flakeledger.model.ledger_paths import GUARD, POLICY
from flakeledger.model.patterns import PathClasses, looks_like_test
from flakeledger.model.policy import Policy
from flakeledger.repo.guard import weakened
from flakeledger.repo.repository import Repository
from flakeledger.repo.tree import REGULAR_MODES
from flakeledger.store.git import PathChange
from flakeledger.verdicts.gate import PatchClass

_ATTRIBUTES = ".gitattributes"
#: in a patch of these classes alone a path may be anything that the policy does not know
_PERMISSIVE = ("production", "test_body")


class Patch(NamedTuple):
    """What one branch changes."""

    #: the tip of the base branch: its policy and its reviews count
    tip: str
    #: the merge base
    base: str
    head: str
    changes: tuple[PathChange, ...]
    policy: Policy
    #: the paths of each class that the patch has, sorted
    paths: dict[PatchClass, list[str]]

    @property
    def label(self) -> str:
        """The classes that it has, joined by "+"."""
        return "+".join(name for name in get_args(PatchClass) if name in self.paths)

    def edits(self, name: PatchClass) -> list[PathChange]:
        """What changes at the paths of a class."""
        paths = frozenset(self.paths.get(name, ()))
        return [change for change in self.changes if change.path in paths]


def read_patch(repository: Repository, base: str, head: str) -> Patch:
    """The patch from the merge base of two revisions to the second.

    CannotTell when one of them is not here, they share no history, nothing differs, or the base has no policy that
    can be read.
    """
    git = repository.git
    tip, new = git.commits((base, head))
    for revision, commit in ((base, tip), (head, new)):
        if commit is None:
            raise CannotTell(
                f"{revision!r} names no commit whose tree is here", "git fetch   # then: --base REV [--head REV]"
            )
    assert tip is not None and new is not None
    start = git.merge_base(tip, new)
    if start is None:
        raise CannotTell(
            f"{base!r} and {head!r} share no history", "name the branch that the patch goes to: --base REV"
        )
    changes = repository.differences(start, new)
    if not changes:
        fix = "commit the patch, and name the branch that it goes to: --base REV [--head REV]"
        raise CannotTell(f"nothing differs between {start[:12]} and {new[:12]}: there is no patch", fix)
    policy = policy_of_base(repository, tip)
    return Patch(tip, start, new, changes, policy, _paths_by_class(repository, policy, start, new, changes))


def policy_of_base(repository: Repository, tip: str) -> Policy:
    """The policy of a commit. CannotTell when there is none, or it cannot be read."""
    tree = repository.tree(tip)
    policy = repository.policy(tree)
    if policy is None:
        fix = f"commit a {POLICY} to the base branch first: flakeledger check --rev {tip[:12]}   # says what is wrong"
        raise CannotTell(f"{tree.label}, the base, has no {POLICY} that can be read", fix)
    return policy


def _paths_by_class(
    repository: Repository, policy: Policy, base: str, head: str, changes: tuple[PathChange, ...]
) -> dict[PatchClass, list[str]]:
    classes = PathClasses(policy)
    grouped: dict[PatchClass, list[str]] = {}
    for change in changes:
        name = class_of_change(classes, change)
        if change.path == GUARD and weakened(*(repository.tree(side).read(GUARD) for side in (base, head))):
            name = "freeze_config"
        grouped.setdefault(name, []).append(change.path)
    return {name: sorted(paths) for name, paths in grouped.items()}


def class_of_change(classes: PathClasses, change: PathChange) -> PatchClass:
    """The class of a path that a patch changes, as the gate takes it."""
    name = classes.class_of(change.path).name
    if name not in _PERMISSIVE:
        return name
    if not {mode for mode in (change.old_mode, change.new_mode) if mode} <= set(REGULAR_MODES):
        return "unclassified"
    if change.path.rpartition("/")[2] == _ATTRIBUTES:
        return "runner"
    return "unclassified" if name == "production" and looks_like_test(change.path) else name
