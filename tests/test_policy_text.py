"""The text of the first policy says what the field table says, and reads back as what was proposed."""

from __future__ import annotations

import pytest

from flakeledger.cli.policy_text import RUNNER, policy_text
from flakeledger.model.policy import Limits, PathClass, Policy, Runner
from flakeledger.model.policy_fields import POLICY_FIELDS
from flakeledger.model.policy_reading import build_policy
from flakeledger.repo.layout import Layout
from flakeledger.repo.proposal import ORDER, propose
from flakeledger.store.reader import read_policy

LAYOUTS = {
    "nothing": ((), None),
    "Python": (("tests/test_a.py", "src/a.py", "tests/data/a.json"), "tests/seeds/gate.json"),
    "odd names": (
        ("te\u202est/tests/test_a.py", 'a "b"/tests/test_[x].py', "#a/tests/no", "\udcff/tests/data/x"),
        None,
    ),
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_the_text_is_the_proposal_and_the_defaults(name: str) -> None:
    paths, seeds = LAYOUTS[name]
    proposed = propose(Layout(paths, lambda _: None), seeds)
    runners = (Runner(RUNNER), Runner("node", command=("node", "--test", "{name}", 'a "b"', "#c")))
    text = policy_text(proposed, seeds, runners)
    node, findings = read_policy(text.encode(), "ledgers/policy.yaml")
    assert node is not None
    assert findings == []
    policy, findings = build_policy(node, "ledgers/policy.yaml")
    assert findings == []
    classes = tuple(PathClass(each, tuple(one.pattern for one in proposed if one.name == each)) for each in ORDER)
    assert policy == Policy(classes, runners, limits=Limits(), seeds=seeds, default_runner=RUNNER)


def test_every_key_stands_in_the_text_with_its_help() -> None:
    text = policy_text(propose(Layout((), lambda _: None), "seeds.json"), "seeds.json", (Runner(RUNNER),))
    for one in POLICY_FIELDS:
        assert f"\n{one.name}:" in text
        assert f"# {one.help}" in text
