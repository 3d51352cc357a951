"""The state rule about the owner of a freeze: somebody, and where the policy asks for it an owner of the test's path.

Invariants:
* One finding a row: who is no owner at all is not looked up in CODEOWNERS.
* The message says who may own the path and by which file, and the fix names somebody of them where there is somebody.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from flakeledger.model.findings import Finding
from flakeledger.model.ledger_paths import POLICY
from flakeledger.model.wording import listed
from flakeledger.repo.owners import may_own
from flakeledger.repo.tree import CODEOWNERS
from flakeledger.rules.freezes import at, is_owner, lacks, shown

if TYPE_CHECKING:
    from flakeledger.repo.ledger import Ledger


def freeze_unowned(ledger: Ledger, _now: int) -> Iterator[Finding]:
    """No owner, a placeholder, or (policy) not an owner of the test's path."""
    assert ledger.policy is not None
    for freeze in ledger.freezes:
        if not is_owner(freeze.owner):
            if freeze.owner is None and not lacks(freeze, "owner"):
                continue
            said = f"`{freeze.owner}` is no owner" if freeze.owner else "nobody owns it"
            yield at(
                freeze,
                "owner",
                "freeze-unowned",
                f"{shown(freeze)} is frozen, but {said}",
                'owner: "@name"   # or "@org/team", or an e-mail address',
            )
        elif ledger.policy.owners == "codeowners" and freeze.test is not None:
            path = freeze.test.partition("::")[0]
            if not may_own(freeze.owner, ledger.owners.of(path)):
                yield at(freeze, "owner", "freeze-unowned", *_not_an_owner(ledger, freeze.owner, path))


def _not_an_owner(ledger: Ledger, owner: str | None, path: str) -> tuple[str, str]:
    """What is wrong with an owner whom CODEOWNERS does not give the path, and the fix."""
    place, given, names = ledger.owners.place, ledger.owners.of(path), ledger.code_owners(path)
    if place is None:
        fix = f"write {CODEOWNERS[0]}, or say `owners: any` in {POLICY}, alone in its change"
        return f"{owner} cannot be an owner of {path}: there is no CODEOWNERS file", fix
    message = f"{owner} is not an owner of {path}: {place} gives it {listed(given) if given else 'nobody'}"
    if not names:
        return message, f"name {owner}{' beside the role' if given else ' for that path'} in {place}"
    others = f"   # or {', '.join(names[1:])}" if names[1:] else ""
    return message, f'owner: "{names[0]}"{others}'
