"""The change rule that keeps generators and freeze configuration apart.

Invariants:
* Classes come from the policy of the base, never from the one under review.
* The finding lists the paths and rows of both sides and the git commands that split the change.
"""

from __future__ import annotations

from collections.abc import Iterator

from flakeledger.model.findings import Finding
from flakeledger.model.ledger_paths import LEDGERS
from flakeledger.model.policy import ClassName
from flakeledger.repo.change import Change
from flakeledger.repo.situation import INDEX

_SHOWN = 10


def mixed_change(change: Change) -> Iterator[Finding]:
    """The change holds both classes of a forbidden pair."""
    for one, other in change.policy.forbid:
        left, right = _members(change, one), _members(change, other)
        if left and right:
            yield _finding(change, (one, left), (other, right))


def _members(change: Change, name: ClassName) -> dict[str, list[str]]:
    """The paths of a class with the rows concerned: none for a file that is classed by its path."""
    members: dict[str, list[str]] = {path: [] for path in change.paths_by_class.get(name, ())}
    if name == "freeze_config":
        for operation in change.freeze_operations:
            rows = members.setdefault(operation.path, [])
            if operation.key:
                rows.append(f"{operation.key} ({operation.what})")
    return members


def _finding(
    change: Change, left: tuple[ClassName, dict[str, list[str]]], right: tuple[ClassName, dict[str, list[str]]]
) -> Finding:
    path, line, column = _place(change, right[1])
    message = f"{left[0]} and {right[0]} change together: {_listed(*left)}; {_listed(*right)}"
    return Finding(path, line, column, "mixed-change", message, _split(change, left[1], right[1]))


def _place(change: Change, members: dict[str, list[str]]) -> tuple[str, int, int]:
    for operation in change.freeze_operations:
        if operation.path in members:
            return operation.path, *operation.place
    return next(iter(members)), 1, 1


def _listed(name: ClassName, members: dict[str, list[str]]) -> str:
    items = [path if not rows else f"{path} [{', '.join(rows)}]" for path, rows in members.items()]
    more = f" and {len(items) - _SHOWN} more" if len(items) > _SHOWN else ""
    return f"{name}: {', '.join(items[:_SHOWN])}{more}"


def _split(change: Change, left: dict[str, list[str]], right: dict[str, list[str]]) -> str:
    """The commands that take one side out. Ledgers are the side that waits, when there is one."""
    import shlex  # only a change that is refused pays for it

    later = sorted(right if any(path.startswith(LEDGERS) for path in right) else left)
    paths = " ".join(shlex.quote(path) for path in later)
    if change.basis.new == INDEX:
        return (
            "commit the two apart, each reviewed for itself:\n"
            f"git restore --staged -- {paths}\n"
            "git commit\n"
            f"git add -- {paths}\n"
            "git commit   # in a pull request of its own"
        )
    base = change.basis.base[:12]
    return (
        "put the two into pull requests of their own:\n"
        f"git switch -c freeze-configuration {base}\n"
        f"git checkout {change.basis.new[:12]} -- {paths}\n"
        "git commit\n"
        f"git switch - && git checkout {base} -- {paths} && git commit"
    )
