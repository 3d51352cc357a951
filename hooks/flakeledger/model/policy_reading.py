"""From the nodes of policy.yaml to the policy, field by field as `policy_fields.py` has them.

Invariants:
* A policy that breaks a floor or a ceiling is no policy: `build_policy` gives None and findings.
* All that is wrong is found in one reading; a check that spans fields is made when those fields are fine.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from flakeledger.model.findings import MOST_TOLD, Finding, unread_below
from flakeledger.model.patterns import pattern_problem
from flakeledger.model.policy import CLASSES, Limits, PathClass, Policy, Runner
from flakeledger.model.policy_checks import CHECKS
from flakeledger.model.policy_fields import LONGEST_TEXT, PLACEHOLDERS, POLICY_FIELDS, Kind, PolicyField
from flakeledger.model.rows import Entry, ListNode, MappingNode, Node, ScalarNode
from flakeledger.model.wording import listed, shown

#: of one class: each is an expression of its own, and all are compiled before the first path is classed
MOST_PATTERNS = 1000


def build_policy(node: MappingNode, path: str) -> tuple[Policy | None, list[Finding]]:
    """The policy that a text says, or None and all that is wrong with it, in the order of the text.

    `node` is what the reader read from `path`. The rules of the findings are `unknown-field`, `missing-field`,
    `bad-value` and `policy-invalid`; every one of them is an error. Never raises.
    """
    reading = _Reading(path)
    policy = _policy(_mapping(reading, POLICY_FIELDS, node))
    for needed, check in CHECKS:
        if not reading.refused.intersection(needed):
            for fault in check(policy, node):
                reading.refuse("policy-invalid", fault.node, fault.message, fault.fix)
    if reading.findings:
        return None, sorted(reading.findings)
    return policy._replace(default_runner=policy.default_runner or policy.runners[0].name), []


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
