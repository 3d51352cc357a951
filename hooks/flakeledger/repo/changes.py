"""From a basis to the changes that are judged: one, or each first-parent step of a push.

Invariants:
* The policy that judges a change is the policy of the base branch's tip, else of the base, else the
  last one that an ancestor had. Where none of them ever had one, this is the adoption: no change
  rule applies, and a note says so.
* A step of a push that touches no ledger, no guard and no forbidden pair, and whose added lines of test code cannot
  bring a skip, builds no change.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING, NamedTuple

from flakeledger.model.errors import CannotTell
from flakeledger.model.ledger_paths import GUARD, LEDGERS, POLICY
from flakeledger.model.patterns import PathClasses
from flakeledger.model.policy import Policy
from flakeledger.repo.base import Basis
from flakeledger.repo.change import Change, Readers
from flakeledger.repo.ledger import Ledger
from flakeledger.repo.merge import after, before, expected_entries, merged_rows, refuse_unmerged
from flakeledger.repo.repository import Repository
from flakeledger.repo.situation import INDEX
from flakeledger.repo.tree import Tree
from flakeledger.store.git_output import PathChange, Step, TreeEntry

if TYPE_CHECKING:
    from flakeledger.repo.history import History

ADOPTION = "no change rule applies: no policy stood before this change (adoption)"
REPAIR = "the base's policy cannot be read and this change mends it alone: judged by the new policy"
#: so many criss-cross merges below each other are looked at; below them one of the merge bases is taken
_DEEPEST = 16


class Changes(NamedTuple):
    """The changes to judge, and what the summary must say about them."""

    changes: tuple[Change, ...]
    notes: tuple[str, ...]


def changes_of(repository: Repository, basis: Basis) -> Changes:
    """Every change that the basis holds. CannotTell when an object or a policy is missing or broken."""
    if basis.stepwise:
        return _steps(repository, basis)
    if basis.merged:
        return _merge(repository, basis)
    return net_change(repository, basis)


def net_change(repository: Repository, basis: Basis) -> Changes:
    """The net difference from base to new, as one change (or none, at the adoption)."""
    new_tree = repository.tree(basis.new)
    paths = repository.differences(basis.base, basis.new)
    base_tree = _put_back(new_tree, repository.label(basis.base), paths)
    return _single(repository, basis, paths, base_tree, new_tree)


def _put_back(tree: Tree, label: str, paths: tuple[PathChange, ...]) -> Tree:
    return tree.put_back(label, {change.path: before(change) for change in paths})


class _Side(NamedTuple):
    """A tree of a merge: its raw difference to the result, and its ledger, read when somebody asks for it."""

    tree: Tree
    paths: tuple[PathChange, ...]
    ledger: Callable[[], Ledger]


class _Merging(NamedTuple):
    """The repository of a merge, and its result."""

    repository: Repository
    result: Tree

    def side(self, commit: str, label: str) -> _Side:
        """A commit of the merge."""
        paths = self.repository.differences(commit, INDEX)
        tree = _put_back(self.result, label, paths)
        return _Side(tree, paths, partial(self.repository.ledger, tree))

    def three_way(self, base: _Side, ours: _Side, theirs: _Side) -> _Side:
        """What two sides make of a base: path by path, and in the ledger row by row."""
        results = _results(ours.paths, theirs.paths, base.paths)
        merged = expected_entries(base.paths, ours.paths, theirs.paths)
        paths = tuple(
            _path_change(path, entry, results[path]) for path, entry in merged.items() if entry != results[path]
        )
        tree = _put_back(self.result, "the three-way result", paths)
        return _Side(tree, paths, cache(partial(self._merged_ledger, tree, base, ours, theirs)))

    def common(self, bases: Sequence[str], deep: int = _DEEPEST) -> _Side:
        """What two heads have in common: their merge base, or what git makes of several, a merge of them."""
        first, *others = bases or (self.repository.git.empty_tree(),)
        found = self.side(first, "merge base")
        for other in others if deep else ():
            below = self.common(self.repository.git.merge_bases(first, other), deep - 1)
            found = self.three_way(below, found, self.side(other, "merge base"))
        return found

    def _merged_ledger(self, tree: Tree, *sides: _Side) -> Ledger:
        merged = self.repository.ledger(tree)
        ledgers = [*(side.ledger() for side in sides), self.repository.ledger(self.result)]
        rows = merged.rows._replace(
            freezes=merged_rows(*(one.freeze_by_test for one in ledgers)),
            fixtures=merged_rows(*(one.fixture_by_id for one in ledgers)),
            properties=merged_rows(*(one.property_by_id for one in ledgers)),
        )
        return Ledger(merged.tree, rows, merged.files, merged.modules, merged.citing)


def _merge(repository: Repository, basis: Basis) -> Changes:
    """What a merge that is being committed does itself, against the three-way result (octopus merges fold)."""
    new_tree = repository.tree(basis.new)
    merging = _Merging(repository, new_tree)
    merged = merging.side(basis.base, "HEAD")
    parents = [merged.tree]
    for head, bases in zip(basis.merged, basis.merge_bases, strict=True):
        theirs = merging.side(head, repository.label(head))
        parents.append(theirs.tree)
        merged = merging.three_way(merging.common(bases), merged, theirs)
    return _single(repository, basis, merged.paths, merged.tree, new_tree, tuple(parents), merged.ledger)


def _results(*differences: tuple[PathChange, ...]) -> dict[str, TreeEntry | None]:
    return {change.path: after(change) for changes in differences for change in changes}


def _path_change(path: str, old: TreeEntry | None, new: TreeEntry | None) -> PathChange:
    nothing = TreeEntry("", "")
    return PathChange(path, *(old or nothing), *(new or nothing))


def _single(
    repository: Repository,
    basis: Basis,
    paths: tuple[PathChange, ...],
    base_tree: Tree,
    new_tree: Tree,
    parents: tuple[Tree, ...] = (),
    base_ledger: Callable[[], Ledger] | None = None,
) -> Changes:
    refuse_unmerged(change.path for change in paths if change.unmerged)
    policy, notes = judging_policy(repository, basis, base_tree, new_tree, paths)
    if policy is None:
        return Changes((), (*notes, ADOPTION))
    point = basis.branch_point
    readers = Readers(
        base=base_ledger or partial(repository.ledger, base_tree),
        new=partial(repository.ledger, new_tree),
        branch_point=None if point is None else lambda: repository.ledger(repository.tree(point)),
        history=cache(partial(_history, repository)),
        blobs=repository.read_many,
    )
    return Changes((Change(basis, base_tree, new_tree, paths, policy, readers, parents or (base_tree,)),), notes)


def _history(repository: Repository, starts: Sequence[str]) -> History:
    from flakeledger.repo.history import History  # only a change that adds a freeze pays for it

    return History(repository, starts)


def judging_policy(
    repository: Repository, basis: Basis, base_tree: Tree, new_tree: Tree, paths: tuple[PathChange, ...]
) -> tuple[Policy | None, tuple[str, ...]]:
    """The policy that judges, and notes; None at the adoption. CannotTell when it cannot be read."""
    trees = [base_tree]
    if basis.tip is not None and basis.tip != basis.base:
        trees.insert(0, repository.tree(basis.tip))
    for tree in trees:
        if tree.entry(POLICY) is not None:
            policy = repository.policy(tree)
            if policy is not None:
                return policy, ()
            repaired = repository.policy(new_tree)
            if repaired is not None and {change.path for change in paths} == {POLICY}:
                return repaired, (REPAIR,)
            raise CannotTell(
                f"the policy of {tree.label} cannot be read, and it would judge this change",
                f"flakeledger check-ledgers   # says what is wrong; mend {POLICY} alone, in a change of its own",
            )
    if basis.base == repository.git.empty_tree():
        return None, ()
    return _ancestral_policy(repository, basis)


def _ancestral_policy(repository: Repository, basis: Basis) -> tuple[Policy | None, tuple[str, ...]]:
    """The last policy that an ancestor of the base had before it was deleted; None when none ever had one."""
    from flakeledger.store.git_history import newest_commit_touching  # only a branch without a policy pays for it

    deletion = newest_commit_touching(repository.git, basis.base, POLICY)
    for parent in repository.git.parents(deletion) if deletion else ():
        tree = repository.tree(parent)
        if tree.entry(POLICY) is not None:
            policy = repository.policy(tree)
            if policy is None:
                raise CannotTell(
                    f"the last policy before it was deleted ({tree.label}) cannot be read",
                    f"git checkout {parent[:12]} -- {POLICY}, mend it, and commit it alone",
                )
            return policy, (f"judged by the policy of {tree.label}: it was deleted afterwards",)
    return None, ()


def _steps(repository: Repository, basis: Basis) -> Changes:
    """The steps that may hold something to judge, oldest first."""
    from flakeledger.store.git_line import steps_between  # only a push step by step pays for it

    steps = steps_between(repository.git, basis.base, basis.new)
    if not steps:
        raise CannotTell(
            f"no commit lies between {basis.base[:12]} and {basis.new[:12]}",
            "--base REV   # the commit that the change starts from",
        )
    new_tree = repository.tree(basis.new)
    matters = _that_matter(repository, steps, new_tree.entry(POLICY))
    later: dict[str, TreeEntry | None] = {}
    found: list[Changes] = []
    for step in reversed(steps):
        if step.commit in matters:
            step_tree = new_tree.put_back(repository.label(step.commit), dict(later))
            found.append(_step(repository, basis, step, step_tree))
        later |= {change.path: before(change) for change in step.changes}
    found.reverse()
    return Changes(
        tuple(change for changes in found for change in changes.changes),
        tuple(dict.fromkeys(note for changes in found for note in changes.notes)),
    )


class _Judge(NamedTuple):
    """A policy of some step, and its classes."""

    policy: Policy
    classes: PathClasses


def _that_matter(repository: Repository, steps: Sequence[Step], newest: TreeEntry | None) -> set[str]:
    """The commits of the steps on which some change rule could fire; `newest` is the last step's policy."""
    from flakeledger.repo.code_of_tests import edits_of_tests  # only a push step by step pays for it

    found: set[str] = set()
    edits: list[tuple[str, PathChange]] = []
    judges: dict[str, _Judge | None] = {}
    policy = newest
    for step in reversed(steps):
        policy = next((before(change) for change in step.changes if change.path == POLICY), policy)
        if any(change.path.startswith(LEDGERS) or change.path == GUARD for change in step.changes):
            found.add(step.commit)
        elif policy is not None:
            judge = _judge(repository, policy.oid, judges)
            if judge is None or _is_mixed(step, judge):
                found.add(step.commit)
            else:
                edits += ((step.commit, edit) for edit in edits_of_tests(step.changes, judge.classes))
    return found | _bringing(repository, edits)


def _judge(repository: Repository, oid: str, judges: dict[str, _Judge | None]) -> _Judge | None:
    """The policy that a blob holds; None where it is broken."""
    if oid not in judges:
        read = repository.policy_of_blob(oid)
        judges[oid] = None if read is None else _Judge(read, PathClasses(read))
    return judges[oid]


def _is_mixed(step: Step, judge: _Judge) -> bool:
    names = {judge.classes.class_of(change.path).name for change in step.changes}
    return any(one in names and other in names for one, other in judge.policy.forbid)


def _bringing(repository: Repository, edits: Sequence[tuple[str, PathChange]]) -> set[str]:
    """The commits of edits that may bring a skip. All blobs are read in one stream."""
    from flakeledger.repo.code_of_tests import contents, versions_of
    from flakeledger.repo.skip_candidates import may_bring_skips

    versions = [versions_of(edit) for _, edit in edits]
    found = zip(edits, contents(versions, repository.read_many), strict=True)
    return {commit for (commit, edit), (new, base) in found if may_bring_skips(edit.path, base, new)}


def _step(repository: Repository, basis: Basis, step: Step, step_tree: Tree) -> Changes:
    base_tree = step_tree.put_back(
        repository.label(step.parent), {change.path: before(change) for change in step.changes}
    )
    own = basis._replace(base=step.parent, new=step.commit, stepwise=False, tip=None, branch_point=None)
    return _single(repository, own, tuple(step.changes), base_tree, step_tree)
