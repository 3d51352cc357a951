from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flakeledger.model.policy import Limits, PathClass, Policy, Runner
from flakeledger.model.policy_fields import POLICY_FIELDS
from flakeledger.model.policy_reading import build_policy
from flakeledger.model.rows import Entry, ListNode, MappingNode, Node, ScalarNode
from policies import PATH, SMALLEST, WHOLE, faults, read


def test_the_smallest_policy_has_every_default() -> None:
    policy, findings = build_policy(read(SMALLEST), PATH)
    assert findings == []
    assert policy == Policy(
        paths=(PathClass("freeze_config", ("/ledgers/",)), PathClass("generator", ("conftest.py", "tests/seeds/"))),
        runners=(Runner("local"),),
        level="keyed",
        forbid=(("generator", "freeze_config"),),
        limits=Limits(30, 3, 14, 20, 50, 1, 7, 8192, 5, 32),
        seeds=None,
        stale_rows="block",
        witness_match="exact",
        flaky_witness="deny",
        environment_failures=("TimeoutError", "ConnectionError", "socket.gaierror"),
        permanent_skips=(),
        owners="any",
        default_runner="local",
    )


def test_every_field_can_be_written() -> None:
    policy, findings = build_policy(read(WHOLE), PATH)
    assert findings == []
    assert policy == Policy(
        paths=(
            PathClass("freeze_config", ("/ledgers/", "freeze/", "*flaky_allowlist*")),
            PathClass("production", ("/vendor/",)),
            PathClass("generator", ("conftest.py", "/tests/seeds/")),
            PathClass("test_body", ("tests/", "test_*.py")),
        ),
        runners=(
            Runner("pinned-py311", "3.11", "America/Argentina/Buenos_Aires", "seed"),
            Runner("node", command=("node", "--test", "--test-name-pattern", "{name}", "{path}")),
        ),
        level="witnessed",
        forbid=(("generator", "freeze_config"), ("generator", "production")),
        limits=Limits(90, 0, 7, 50, 0, 3, 0, 65536, 3, 64),
        seeds="tests/seeds/gate.json",
        stale_rows="block_touched",
        witness_match="property",
        flaky_witness="accept",
        environment_failures=("TimeoutError", "socket.gaierror"),
        permanent_skips=("needs a display*",),
        owners="codeowners",
        default_runner="node",
    )


#: lines added to the smallest policy (they start at line 9), and the one finding
ADDED = [
    ("levl: keyed", "unknown-field", 9, 1, "`levl` is no field; did you mean `level`?"),
    ("colour: red", "unknown-field", 9, 1, "`colour` is no field"),
    ("limits:\n  max_windows_days: 3", "unknown-field", 10, 3, "did you mean `max_window_days`?"),
    ("level: strict", "bad-value", 9, 8, "`strict` is not one of `ledger`, `keyed`, `witnessed`"),
    ("level: Keyed", "bad-value", 9, 8, "`Keyed` is not one of"),
    ("level:", "bad-value", 9, 7, "`level` needs one of"),
    ("level: [keyed]", "bad-value", 9, 8, "`level` needs one of"),
    ("stale_rows: allow", "bad-value", 9, 13, "`block`, `block_touched`"),
    ("witness_match: close", "bad-value", 9, 16, "`exact`, `property`"),
    ("flaky_witness: maybe", "bad-value", 9, 16, "`deny`, `accept`"),
    ("owners: all", "bad-value", 9, 9, "`any`, `codeowners`"),
    ("limits: 3", "bad-value", 9, 9, "`limits` needs a mapping"),
    ("limits:\n  warn_days: soon", "bad-value", 10, 14, "`warn_days` needs a whole number"),
    ("limits:\n  warn_days: 1.5", "bad-value", 10, 14, "`warn_days` needs a whole number"),
    ("limits:\n  warn_days: 1_0", "bad-value", 10, 14, "`warn_days` needs a whole number"),
    ("limits:\n  warn_days: ٣", "bad-value", 10, 14, "`warn_days` needs a whole number"),
    (f"limits:\n  warn_days: {'9' * 5000}", "bad-value", 10, 14, "`warn_days` needs a whole number"),
    ("limits:\n  warn_days: {a: 1}", "bad-value", 10, 14, "`warn_days` needs a whole number"),
    ("limits:\n  min_seeds: 19", "policy-invalid", 10, 14, "`min_seeds` is 19; it must be at least 20"),
    ("limits:\n  witness_replays: 2", "policy-invalid", 10, 20, "it must be at least 3"),
    ("limits:\n  max_window_days: 91", "policy-invalid", 10, 20, "it must be at most 90"),
    ("limits:\n  witness_bytes: 65537", "policy-invalid", 10, 18, "it must be at most 65536"),
    ("limits:\n  max_renewals: 4", "policy-invalid", 10, 17, "it must be at most 3"),
    ("limits:\n  max_freezes: -1", "policy-invalid", 10, 16, "it must be at least 0"),
    ("limits:\n  warn_days: -1", "policy-invalid", 10, 14, "it must be at least 0"),
    ("limits:\n  unproven_days: -1", "policy-invalid", 10, 18, "it must be at least 0"),
    ("limits:\n  max_window_days: 0", "policy-invalid", 10, 20, "it must be at least 1"),
    ("limits:\n  max_replay_age_days: 0", "policy-invalid", 10, 24, "it must be at least 1"),
    ("limits:\n  seed_budget: 0", "policy-invalid", 10, 16, "it must be at least 1"),
    ("forbid: [generator]", "bad-value", 9, 10, "pairs of two different classes"),
    ("forbid: generator", "bad-value", 9, 9, "a list of pairs"),
    ("forbid:\n  - [generator, generator]", "bad-value", 10, 5, "pairs of two different classes"),
    ("forbid:\n  - [generator]", "bad-value", 10, 5, "pairs of two different classes"),
    ("forbid:\n  - [generator, runner, production]", "bad-value", 10, 5, "pairs of two different classes"),
    ("forbid:\n  - [generator, config]", "policy-invalid", 10, 17, "`config` is not one of `freeze_config`"),
    ("forbid:\n  - [generator, [runner]]", "bad-value", 10, 17, "needs one of"),
    ("seeds: /tests/seeds/a.json", "bad-value", 9, 8, "is not a path from the root"),
    ("seeds: ../seeds/a.json", "bad-value", 9, 8, "is not a path from the root"),
    ("seeds: tests/seeds/../../a.json", "bad-value", 9, 8, "is not a path from the root"),
    ("seeds: tests//seeds", "bad-value", 9, 8, "is not a path from the root"),
    ("seeds: ./tests/seeds/a", "bad-value", 9, 8, "is not a path from the root"),
    ("seeds: tests\\seeds", "bad-value", 9, 8, "is not a path from the root"),
    ("seeds: tests/seeds/", "bad-value", 9, 8, "is not a path from the root"),
    ('seeds: "tests/seeds/a\\n"', "bad-value", 9, 8, "all of them printable"),
    ("seeds:", "bad-value", 9, 7, "`seeds` needs a path from the root"),
    ("environment_failures: TimeoutError", "bad-value", 9, 23, "needs a list"),
    ("environment_failures: [Timeout Error]", "bad-value", 9, 24, "`Timeout Error` is not the name of a class"),
    ("environment_failures: [a.b, socket..x]", "bad-value", 9, 29, "`socket..x` is not the name of a class"),
    ("permanent_skips: [[a]]", "bad-value", 9, 19, "`permanent_skips` needs a text"),
    (f"permanent_skips: [{'a' * 513}]", "bad-value", 9, 19, "at most 512 characters"),
    ("default_runner: ''", "bad-value", 9, 17, "needs the name of a runner"),
]


@pytest.mark.parametrize(("added", "rule", "line", "column", "message"), ADDED)
def test_a_line_too_many(added: str, rule: str, line: int, column: int, message: str) -> None:
    found = faults(f"{SMALLEST}{added}\n")
    assert [one[:3] for one in found] == [(rule, line, column)]
    assert message in found[0][3]


#: a text of the smallest policy, what stands there instead, and the one finding
CHANGED = [
    ("version: 1", "version: 2", "bad-value", 1, 10, "`2` is not `1`"),
    ("version: 1\n", "", "missing-field", 1, 1, "`version` is missing"),
    ("runners:\n  - name: local\n", "", "missing-field", 1, 1, "`runners` is missing"),
    ("- name: local", "- python: '3'", "missing-field", 8, 5, "`name` is missing"),
    ("class: generator", "klass: generator", "unknown-field", 5, 5, "did you mean `class`?"),
    ("  - name: local", "  []", "policy-invalid", 8, 3, "`runners` is empty"),
    ("  - name: local", "  local", "bad-value", 8, 3, "`runners` needs a list"),
    ("- name: local", "- local", "bad-value", 8, 5, "`runners` needs a mapping"),
    ("name: local", "name: a/b", "bad-value", 8, 11, "`a/b` is not a name"),
    ("name: local", "name: local\n    python: latest", "bad-value", 9, 13, "is not a version"),
    ("name: local", "name: local\n    timezone: ../etc/passwd", "bad-value", 9, 15, "is not a time zone"),
    ("name: local", "name: local\n    timezone: :/etc/passwd", "bad-value", 9, 15, "is not a time zone"),
    ("name: local", "name: local\n    hash_seed: random", "bad-value", 9, 16, "`random` is not"),
    ("name: local", "name: local\n    hash_seed: -1", "bad-value", 9, 16, "`-1` is not"),
    ("name: local", "name: local\n    command: []", "policy-invalid", 9, 14, "does not say which test to run"),
    ("name: local", "name: local\n    command: [npm, test]", "policy-invalid", 9, 14, "does not say which test to run"),
    ("name: local", "name: local\n    command: npm test {name}", "bad-value", 9, 14, "needs a list"),
    ("name: local", 'name: local\n    command: [a, "{name}\\0"]', "bad-value", 9, 18, "all of them printable"),
    ("generator", "generators", "policy-invalid", 5, 12, "`generators` is not one of `freeze_config`"),
    ("[/ledgers/]", "[]", "policy-invalid", 4, 12, "a class without a pattern matches nothing"),
    ("[/ledgers/]", "/ledgers/", "bad-value", 4, 12, "`match` needs a list"),
    ("[/ledgers/]", "[/ledgers/, '']", "bad-value", 4, 24, "`match` needs a text"),
    ("[/ledgers/]", "[/ledgers/, '!x']", "policy-invalid", 4, 24, "the pattern `!x` is refused"),
    ("[/ledgers/]", "[/ledgers/, '[x']", "policy-invalid", 4, 24, "is not closed"),
    ("[/ledgers/]", "[/ledgers/, ./x]", "policy-invalid", 4, 24, "goes down from the root"),
]


@pytest.mark.parametrize(("before", "after", "rule", "line", "column", "message"), CHANGED)
def test_a_line_that_is_wrong(before: str, after: str, rule: str, line: int, column: int, message: str) -> None:
    assert SMALLEST.count(before) == 1
    found = faults(SMALLEST.replace(before, after))
    assert [one[:3] for one in found] == [(rule, line, column)]
    assert message in found[0][3]


def test_all_that_is_wrong_is_found_at_once_and_in_order() -> None:
    text = """\
versoin: 1
level: high
paths:
  - class: generator
    match: ["!a", b//c]
runners:
  - name: a
  - name: a
default_runner: b
limits:
  min_seeds: 1
  max_renewals: many
"""
    assert [one[:3] for one in faults(text)] == [
        ("unknown-field", 1, 1),
        ("bad-value", 2, 8),
        ("policy-invalid", 5, 13),
        ("policy-invalid", 5, 19),
        ("policy-invalid", 8, 11),
        ("policy-invalid", 9, 17),
        ("policy-invalid", 11, 14),
        ("bad-value", 12, 17),
    ]


def test_an_empty_mapping() -> None:
    assert [one[:3] for one in faults("{}")] == [("missing-field", 1, 1)] * 3


KEYS = st.sampled_from(
    [field.name for field in POLICY_FIELDS] + ["class", "match", "name", "command", "min_seeds", "x"]
)
SCALARS = st.builds(
    ScalarNode,
    st.none() | st.text(max_size=8) | st.sampled_from(["1", "generator", "freeze_config", "/ledgers/", "**", "{name}"]),
    st.just(1),
    st.just(1),
)


def mappings(inner: st.SearchStrategy[Node]) -> st.SearchStrategy[MappingNode]:
    return st.dictionaries(KEYS, inner, max_size=6).map(
        lambda entries: MappingNode(tuple(Entry(key, 1, 1, value) for key, value in entries.items()), 1, 1)
    )


NODES: st.SearchStrategy[Node] = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4).map(lambda items: ListNode(tuple(items), 1, 1)) | mappings(inner),
    max_leaves=12,
)


@settings(max_examples=100)
@given(mappings(NODES))
def test_no_nodes_give_a_traceback(node: MappingNode) -> None:
    policy, findings = build_policy(node, PATH)
    assert (policy is None) is bool(findings)
