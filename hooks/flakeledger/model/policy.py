"""The policy: what the reviewers of this repository decided, with its floors and ceilings.

Invariants:
* A policy that breaks a floor or a ceiling is no policy: `build_policy` gives None and findings.
* Every default is the one that `docs/formats.md` shows.
* All that is wrong is found in one reading; a check that spans fields is made when those fields are fine.

The records are named tuples: making four frozen dataclasses costs every run of a hook 2 ms.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Literal, NamedTuple

from flakeledger.model.findings import MOST_TOLD, Finding, unread_below
from flakeledger.model.patterns import PathClasses, pattern_problem
from flakeledger.model.policy_fields import CLASSES, LONGEST_TEXT, PLACEHOLDERS, POLICY_FIELDS, Kind, PolicyField
from flakeledger.model.rows import Entry, ListNode, MappingNode, Node, ScalarNode
from flakeledger.model.wording import listed, shown

#: of one class: each is an expression of its own, and all are compiled before the first path is classed
MOST_PATTERNS = 1000

ClassName = Literal["freeze_config", "generator", "runner", "review_only", "test_body", "production"]
LevelName = Literal["ledger", "keyed", "witnessed"]


class PathClass(NamedTuple):
    """One entry of `paths`: a class and the gitignore patterns that give it."""

    name: ClassName
    match: tuple[str, ...]


class Limits(NamedTuple):
    """The numbers of the policy: days, counts, bytes."""

    max_window_days: int = 30
    unproven_days: int = 3
    max_replay_age_days: int = 14
    min_seeds: int = 20
    max_freezes: int = 50
    max_renewals: int = 1
    warn_days: int = 7
    witness_bytes: int = 8192
    witness_replays: int = 5
    seed_budget: int = 32


class Runner(NamedTuple):
    """A runner class: the kind of machine on which a freeze holds and replays run."""

    name: str
    python: str | None = None
    timezone: str | None = None
    hash_seed: str | None = None
    command: tuple[str, ...] | None = None


class Policy(NamedTuple):
    """policy.yaml, typed."""

    paths: tuple[PathClass, ...]
    runners: tuple[Runner, ...]
    level: LevelName = "keyed"
    forbid: tuple[tuple[ClassName, ClassName], ...] = (("generator", "freeze_config"),)
    limits: Limits = Limits()
    seeds: str | None = None
    stale_rows: Literal["block", "block_touched"] = "block"
    witness_match: Literal["exact", "property"] = "exact"
    flaky_witness: Literal["deny", "accept"] = "deny"
    environment_failures: tuple[str, ...] = ("TimeoutError", "ConnectionError", "socket.gaierror")
    permanent_skips: tuple[str, ...] = ()
    owners: Literal["any", "codeowners"] = "any"
    default_runner: str | None = None


def build_policy(node: MappingNode, path: str) -> tuple[Policy | None, list[Finding]]:
    """The policy that a text says, or None and all that is wrong with it, in the order of the text.

    `node` is what the reader read from `path`. The rules of the findings are `unknown-field`, `missing-field`,
    `bad-value` and `policy-invalid`; every one of them is an error. Never raises.
    """
    reading = _Reading(path)
    policy = _policy(_mapping(reading, POLICY_FIELDS, node))
    for needed, check in _CHECKS:
        if not reading.refused.intersection(needed):
            for fault in check(policy, node):
                reading.refuse("policy-invalid", fault.node, fault.message, fault.fix)
    if reading.findings:
        return None, sorted(reading.findings)
    return policy._replace(default_runner=policy.default_runner or policy.runners[0].name), []


class _Fault(NamedTuple):
    """What a check found, and the node to blame."""

    node: Node
    message: str
    fix: str


class _Reading:
    """What was found wrong so far, and the fields that hold it."""

    def __init__(self, path: str) -> None:
        """Nothing is wrong yet with the policy at this path."""
        self.path = path
        self.findings: list[Finding] = []
        self.refused: set[str] = set()

    def refuse(self, rule: str, place: Node | Entry, message: str, fix: str) -> None:
        """Note one thing that is wrong."""
        self.findings.append(Finding(self.path, place.line, place.column, rule, message, fix))


def _policy(accepted: dict[str, Any]) -> Policy:
    """The policy of the fields that are fine; a required one that is not is empty."""
    rest = {name: value for name, value in accepted.items() if name not in ("version", "paths", "runners", "limits")}
    return Policy(
        paths=tuple(PathClass(row["class"], row["match"]) for row in accepted.get("paths", ())),
        runners=tuple(Runner(**row) for row in accepted.get("runners", ())),
        limits=Limits(**accepted.get("limits", {})),
        **rest,
    )


def _mapping(reading: _Reading, fields: tuple[PolicyField, ...], node: MappingNode) -> dict[str, Any]:
    """The values of the fields that are fine, by name; findings for the others, unknown and missing ones."""
    by_name = {one.name: one for one in fields}
    accepted: dict[str, Any] = {}
    present: set[str | None] = set()
    for entry in node.entries:
        before = len(reading.findings)
        if before > MOST_TOLD:
            reading.findings.append(unread_below(reading.path, entry.line, "policy-invalid"))
            break
        one = by_name.get(entry.key)
        if one is None:
            present.add(_refuse_unknown(reading, entry, list(by_name)))
        else:
            present.add(one.name)
            accepted[entry.key] = _READERS[one.kind](reading, one, entry.value)
        if len(reading.findings) > before:
            accepted.pop(entry.key, None)
            reading.refused.add(entry.key)
    for name in (one.name for one in fields if one.required and one.name not in present):
        reading.refuse("missing-field", node, f"`{name}` is missing", f"add `{name}:`")
        reading.refused.add(name)
    return accepted


def _refuse_unknown(reading: _Reading, entry: Entry, names: list[str]) -> str | None:
    """The field that was probably meant: it is misspelt, not missing."""
    import difflib  # only a policy that is wrong pays for it

    near = difflib.get_close_matches(entry.key, names, n=1)
    hint = f"write `{near[0]}:`" if near else f"leave it out; the fields here are {', '.join(names)}"
    meant = f"; did you mean `{near[0]}`?" if near else ""
    reading.refuse("unknown-field", entry, f"{shown(entry.key)} is no field{meant}", hint)
    return near[0] if near else None


def _refuse_shape(reading: _Reading, one: PolicyField, node: Node, needed: str) -> None:
    reading.refuse("bad-value", node, f"`{one.name}` needs {needed}", f"write {needed} after `{one.name}:`")


def _text(reading: _Reading, one: PolicyField, node: Node) -> str | None:
    """A text that the field's pattern allows; None, and a finding, for anything else. So do all readers below."""
    if not isinstance(node, ScalarNode) or not node.text:
        _refuse_shape(reading, one, node, one.form or "a text")
    elif len(node.text) > LONGEST_TEXT or not node.text.isprintable():
        needed = f"at most {LONGEST_TEXT} characters, all of them printable"
        _refuse_shape(reading, one, node, needed)
    elif one.pattern and not re.fullmatch(one.pattern, node.text):
        reading.refuse("bad-value", node, f"{shown(node.text)} is not {one.form}", f"write {one.form}")
    else:
        return node.text
    return None


def _choice(reading: _Reading, one: PolicyField, node: Node) -> str | None:
    allowed = f"one of {listed(one.allowed)}" if len(one.allowed) > 1 else f"`{one.allowed[0]}`"
    if not isinstance(node, ScalarNode) or node.text is None:
        _refuse_shape(reading, one, node, allowed)
    elif node.text not in one.allowed:
        rule = "policy-invalid" if one.allowed == CLASSES else "bad-value"
        reading.refuse(rule, node, f"{shown(node.text)} is not {allowed}", f"write {allowed}")
    else:
        return node.text
    return None


def _number(reading: _Reading, one: PolicyField, node: Node) -> int | None:
    if not isinstance(node, ScalarNode) or node.text is None or not re.fullmatch("-?[0-9]{1,9}", node.text):
        _refuse_shape(reading, one, node, "a whole number of at most nine digits")
        return None
    number = int(node.text)
    bounds = ((one.floor, "least", int.__lt__), (one.ceiling, "most", int.__gt__))
    for bound, word, beyond in bounds:
        if bound is not None and beyond(number, bound):
            message = f"`{one.name}` is {number}; it must be at {word} {bound}"
            reading.refuse("policy-invalid", node, message, f"write `{one.name}: {bound}`")
    return number


def _texts(reading: _Reading, one: PolicyField, node: Node) -> tuple[str, ...] | None:
    if not isinstance(node, ListNode):
        _refuse_shape(reading, one, node, "a list")
        return None
    return tuple(text for item in node.items if (text := _text(reading, one, item)) is not None)


def _gitignore(reading: _Reading, one: PolicyField, node: Node) -> tuple[str, ...] | None:
    patterns = _texts(reading, one, node)
    if patterns is None or not isinstance(node, ListNode):
        return None
    if not node.items:
        reading.refuse("policy-invalid", node, "a class without a pattern matches nothing", "add a pattern")
    if len(node.items) > MOST_PATTERNS:
        reading.refuse("policy-invalid", node, f"more than {MOST_PATTERNS} patterns", "use fewer and wider patterns")
        return None
    for item in node.items:
        text = item.text if isinstance(item, ScalarNode) else None
        problem = pattern_problem(text) if text else None
        if problem is not None:
            message = f"the pattern {shown(text or '')} is refused: {problem.reason}"
            reading.refuse("policy-invalid", item, message, problem.fix)
    return patterns


def _command(reading: _Reading, one: PolicyField, node: Node) -> tuple[str, ...] | None:
    before = len(reading.findings)
    words = _texts(reading, one, node) or ()
    if len(reading.findings) == before and not any(name in word for name in PLACEHOLDERS for word in words):
        names = ", ".join(PLACEHOLDERS)
        message = f"the command does not say which test to run: it holds none of {names}"
        reading.refuse("policy-invalid", node, message, 'write it as a list, such as ["npx", "jest", "{path}"]')
    return words


def _pairs(reading: _Reading, one: PolicyField, node: Node) -> tuple[tuple[Any, ...], ...] | None:
    if not isinstance(node, ListNode):
        _refuse_shape(reading, one, node, "a list of pairs, such as [[generator, freeze_config]]")
        return None
    pairs = []
    for item in node.items:
        names = tuple(_choice(reading, one, part) for part in item.items) if isinstance(item, ListNode) else ()
        if len(names) == 2 and names[0] != names[1]:
            pairs.append(names)
        elif None not in names:
            _refuse_shape(reading, one, item, "pairs of two different classes, such as [generator, freeze_config]")
    return tuple(pairs)


def _nested(reading: _Reading, one: PolicyField, node: Node) -> dict[str, Any] | None:
    if not isinstance(node, MappingNode):
        _refuse_shape(reading, one, node, "a mapping")
        return None
    return _mapping(reading, one.fields, node)


def _rows(reading: _Reading, one: PolicyField, node: Node) -> list[dict[str, Any] | None] | None:
    if not isinstance(node, ListNode):
        _refuse_shape(reading, one, node, "a list")
        return None
    if not node.items:
        reading.refuse("policy-invalid", node, f"`{one.name}` is empty", f"add an entry to `{one.name}:`")
    return [_nested(reading, one, item) for item in node.items]


_READERS: dict[Kind, Callable[[_Reading, PolicyField, Node], object]] = {
    "choice": _choice,
    "number": _number,
    "text": _text,
    "texts": _texts,
    "gitignore": _gitignore,
    "command": _command,
    "pairs": _pairs,
    "mapping": _nested,
    "rows": _rows,
}


def _at(node: Node, *way: str | int) -> Node:
    """The node at the end of a way of keys and indices; where the way breaks off, the last node on it."""
    for step in way:
        if isinstance(node, MappingNode):
            node = next((entry.value for entry in node.entries if entry.key == step), node)
        elif isinstance(node, ListNode) and isinstance(step, int):
            node = node.items[step]
    return node


def _check_classes(policy: Policy, node: MappingNode) -> Iterator[_Fault]:
    """Generators are named, the ledgers are guarded, and the seed list is a generator."""
    classes = PathClasses(policy)
    if not any(entry.name == "generator" for entry in policy.paths):
        message = "no pattern is of class generator, so an edit of what draws test inputs would go unseen"
        yield _Fault(_at(node, "paths"), message, "add `- class: generator` with `match: [conftest.py]`")
    uncovered = classes.uncovered_ledger()
    if uncovered is not None:
        place, found = uncovered
        by = "" if found.pattern is None else f" by the pattern {shown(found.pattern)}"
        message = f"{place} is of class {found.name}{by}, and all of ledgers/ must be freeze_config"
        fix = "let `- class: freeze_config` with `match: [/ledgers/]` be the first entry of `paths:`"
        yield _Fault(_at(node, "paths"), message, fix)
    if policy.seeds is not None and classes.class_of(policy.seeds).name != "generator":
        message = (
            f"the seed list {shown(policy.seeds)} is of class {classes.class_of(policy.seeds).name}, not generator"
        )
        yield _Fault(_at(node, "seeds"), message, "add its folder to a pattern of class generator")


def _check_runner_names(policy: Policy, node: MappingNode) -> Iterator[_Fault]:
    seen: set[str] = set()
    for number, runner in enumerate(policy.runners):
        if runner.name in seen:
            message = f"two runners are named {shown(runner.name)}"
            yield _Fault(_at(node, "runners", number, "name"), message, "give this one a name of its own")
        seen.add(runner.name)


def _check_default_runner(policy: Policy, node: MappingNode) -> Iterator[_Fault]:
    names = [runner.name for runner in policy.runners]
    if policy.default_runner is not None and policy.default_runner not in names:
        message = f"{shown(policy.default_runner)} is no runner of this policy"
        yield _Fault(_at(node, "default_runner"), message, f"write one of {listed(names)}")


def _check_windows(policy: Policy, node: MappingNode) -> Iterator[_Fault]:
    longest = policy.limits.max_window_days
    if policy.limits.unproven_days > longest:
        message = f"`unproven_days` is {policy.limits.unproven_days}, longer than `max_window_days`, {longest}"
        yield _Fault(_at(node, "limits", "unproven_days"), message, f"write `unproven_days: {longest}` or less")


#: what spans fields: the fields that must be fine, and the check
_CHECKS: tuple[tuple[tuple[str, ...], Callable[[Policy, MappingNode], Iterable[_Fault]]], ...] = (
    (("paths",), _check_classes),
    (("runners",), _check_runner_names),
    (("runners", "default_runner"), _check_default_runner),
    (("limits",), _check_windows),
)
