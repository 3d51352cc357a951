"""What must hold of a policy as a whole: the checks that span fields, and the fields that each of them needs.

Invariants:
* A check is asked only when the fields that it needs are fine; it blames the node of the text that should change.
* A policy that passes guards its ledgers, names its generators, and names only runners that it has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from flakeledger.model.patterns import PathClasses
from flakeledger.model.policy import Policy
from flakeledger.model.rows import ListNode, MappingNode, Node
from flakeledger.model.wording import listed, shown


class Fault(NamedTuple):
    """What a check found, and the node to blame."""

    node: Node
    message: str
    fix: str


def _at(node: Node, *way: str | int) -> Node:
    """The node at the end of a way of keys and indices; where the way breaks off, the last node on it."""
    for step in way:
        if isinstance(node, MappingNode):
            node = next((entry.value for entry in node.entries if entry.key == step), node)
        elif isinstance(node, ListNode) and isinstance(step, int):
            node = node.items[step]
    return node


def _check_classes(policy: Policy, node: MappingNode) -> Iterator[Fault]:
    """Generators are named, the ledgers are guarded, and the seed list is a generator."""
    classes = PathClasses(policy)
    if not any(entry.name == "generator" for entry in policy.paths):
        message = "no pattern is of class generator, so an edit of what draws test inputs would go unseen"
        yield Fault(_at(node, "paths"), message, "add `- class: generator` with `match: [conftest.py]`")
    uncovered = classes.uncovered_ledger()
    if uncovered is not None:
        place, found = uncovered
        by = "" if found.pattern is None else f" by the pattern {shown(found.pattern)}"
        message = f"{place} is of class {found.name}{by}, and all of ledgers/ must be freeze_config"
        fix = "let `- class: freeze_config` with `match: [/ledgers/]` be the first entry of `paths:`"
        yield Fault(_at(node, "paths"), message, fix)
    if policy.seeds is not None and classes.class_of(policy.seeds).name != "generator":
        message = (
            f"the seed list {shown(policy.seeds)} is of class {classes.class_of(policy.seeds).name}, not generator"
        )
        yield Fault(_at(node, "seeds"), message, "add its folder to a pattern of class generator")


def _check_runner_names(policy: Policy, node: MappingNode) -> Iterator[Fault]:
    seen: set[str] = set()
    for number, runner in enumerate(policy.runners):
        if runner.name in seen:
            message = f"two runners are named {shown(runner.name)}"
            yield Fault(_at(node, "runners", number, "name"), message, "give this one a name of its own")
        seen.add(runner.name)


def _check_default_runner(policy: Policy, node: MappingNode) -> Iterator[Fault]:
    names = [runner.name for runner in policy.runners]
    if policy.default_runner is not None and policy.default_runner not in names:
        message = f"{shown(policy.default_runner)} is no runner of this policy"
        yield Fault(_at(node, "default_runner"), message, f"write one of {listed(names)}")


def _check_windows(policy: Policy, node: MappingNode) -> Iterator[Fault]:
    longest = policy.limits.max_window_days
    if policy.limits.unproven_days > longest:
        message = f"`unproven_days` is {policy.limits.unproven_days}, longer than `max_window_days`, {longest}"
        yield Fault(_at(node, "limits", "unproven_days"), message, f"write `unproven_days: {longest}` or less")


#: what spans fields: the fields that must be fine, and the check
CHECKS: tuple[tuple[tuple[str, ...], Callable[[Policy, MappingNode], Iterable[Fault]]], ...] = (
    (("paths",), _check_classes),
    (("runners",), _check_runner_names),
    (("runners", "default_runner"), _check_default_runner),
    (("limits",), _check_windows),
)
