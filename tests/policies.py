"""Texts of policies, read by a reader that is not ours, and what is found wrong with one."""

from __future__ import annotations

import yaml

from flakeledger.model.policy_reading import build_policy
from flakeledger.model.rows import Entry, ListNode, MappingNode, Node, ScalarNode

PATH = "ledgers/policy.yaml"
SMALLEST = """\
version: 1
paths:
  - class: freeze_config
    match: [/ledgers/]
  - class: generator
    match: [conftest.py, tests/seeds/]
runners:
  - name: local
"""
WHOLE = """\
version: "1"
level: witnessed
paths:
  - class: freeze_config
    match: [/ledgers/, "freeze/", "*flaky_allowlist*"]
  - class: production
    match: [/vendor/]
  - class: generator
    match: ["conftest.py", /tests/seeds/]
  - class: test_body
    match: ["tests/", "test_*.py"]
forbid:
  - [generator, freeze_config]
  - [generator, production]
limits:
  max_window_days: 90
  unproven_days: 0
  max_replay_age_days: 7
  min_seeds: 50
  max_freezes: 0
  max_renewals: 3
  warn_days: 0
  witness_bytes: 65536
  witness_replays: 3
  seed_budget: 64
seeds: tests/seeds/gate.json
stale_rows: block_touched
witness_match: property
flaky_witness: accept
environment_failures: [TimeoutError, socket.gaierror]
permanent_skips: ["needs a display*"]
owners: codeowners
runners:
  - name: pinned-py311
    python: "3.11"
    timezone: America/Argentina/Buenos_Aires
    hash_seed: seed
  - name: node
    command: ["node", "--test", "--test-name-pattern", "{name}", "{path}"]
default_runner: node
"""


def node_of(found: yaml.Node) -> Node:
    """The nodes of a YAML text, made by a reader that is not ours."""
    line, column = found.start_mark.line + 1, found.start_mark.column + 1
    if isinstance(found, yaml.MappingNode):
        entries = [
            Entry(key.value, key.start_mark.line + 1, key.start_mark.column + 1, node_of(value))
            for key, value in found.value
        ]
        return MappingNode(tuple(entries), line, column)
    if isinstance(found, yaml.SequenceNode):
        return ListNode(tuple(node_of(item) for item in found.value), line, column)
    assert isinstance(found, yaml.ScalarNode)
    return ScalarNode(found.value if found.value or found.style else None, line, column)


def read(text: str) -> MappingNode:
    composed = yaml.compose(text, Loader=yaml.SafeLoader)
    assert composed is not None
    node = node_of(composed)
    assert isinstance(node, MappingNode)
    return node


def faults(text: str) -> list[tuple[str, int, int, str, str]]:
    policy, findings = build_policy(read(text), PATH)
    assert (policy is None) is bool(findings)
    assert all(finding.path == PATH and finding.level == "error" and finding.fix for finding in findings)
    return [(one.rule, one.line, one.column, one.message, one.fix) for one in findings]
