"""CODEOWNERS: who may own a path.

Invariants:
* The first file of `CODEOWNERS` counts, an order that keeps that of either service.
* In each section the last rule that matches wins, and whoever owns the path by one of the sections owns it (GitHub
  has one section). What a section excludes stays excluded in it.
* A stranger writes the patterns: each is matched in time linear in the path (`model/patterns.py`). One that cannot
  be is `CannotTell`: it might be what decides.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from flakeledger.model.errors import CannotTell
from flakeledger.model.patterns import RefusedPattern, compile_pattern
from flakeledger.repo.tree import CODEOWNERS, Tree

if TYPE_CHECKING:
    import re

    from flakeledger.repo.owner_rules import Rule

#: the prefix of a role of GitLab, such as `@@maintainer`; a role is nobody's name
_ROLE = "@@"


class CodeOwners:
    """The owners that the tree's CODEOWNERS file gives to paths."""

    def __init__(self, place: str | None, sections: Iterable[Sequence[Rule]]) -> None:
        """`place` is the path of the file, None where there is none; the rules of a section come in their order."""
        self.place = place
        self._sections = [list(reversed(rules)) for rules in sections]
        self._compiled: dict[int, re.Pattern[str]] = {}
        self._known: dict[str, tuple[str, ...]] = {}

    @classmethod
    def read(cls, tree: Tree) -> CodeOwners:
        """The first CODEOWNERS file of the tree; one that owns nothing when there is none. CannotTell: not readable."""
        for path in CODEOWNERS:
            data = tree.read(path)
            if data is not None:
                from flakeledger.repo.owner_rules import sections  # only who asks for owners pays for its expressions

                return cls(path, sections(path, data, has_gitlab_pipeline=tree.entry(".gitlab-ci.yml") is not None))
        return cls(None, [])

    def of(self, path: str) -> tuple[str, ...]:
        """The owners of a path and the roles, as CODEOWNERS writes them; empty when nobody owns it."""
        known = self._known.get(path)
        if known is None:
            found = (owner for rules in self._sections for owner in self._of_section(rules, path))
            known = self._known[path] = tuple(dict.fromkeys(found))
        return known

    def _of_section(self, rules: Sequence[Rule], path: str) -> tuple[str, ...]:
        if any(rule.excludes and self._matches(rule, path) for rule in rules):
            return ()
        return next((rule.owners for rule in rules if self._matches(rule, path)), ())

    def _matches(self, rule: Rule, path: str) -> bool:
        compiled = self._compiled.get(rule.line)
        if compiled is None:
            try:
                compiled = self._compiled[rule.line] = compile_pattern(rule.pattern, files_alone=rule.files_alone)
            except RefusedPattern as refused:
                raise CannotTell(
                    f"this CODEOWNERS pattern cannot be matched: {refused.reason}",
                    refused.fix,
                    f"{self.place}:{rule.line}:1",
                ) from None
        return compiled.match(path) is not None


def is_role(owner: str) -> bool:
    """Whether this is a role of GitLab: who has it, no file says."""
    return owner.startswith(_ROLE)


def may_own(owner: str | None, owners: Sequence[str]) -> bool:
    """Whether somebody is one of the owners. Both services compare names and addresses without their case."""
    return owner is not None and owner.casefold() in {other.casefold() for other in owners}
