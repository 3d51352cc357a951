"""The text of the first policy: every key of the field table, with its help and the value that holds.

Invariants:
* Keys, help and defaults come from the field table alone, so the text is never behind the checks.
* One pattern a line with its reason: a policy is read by reviewers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from flakeledger.cli.plain_yaml import comment, flow
from flakeledger.model.policy import Runner
from flakeledger.model.policy_fields import POLICY_FIELDS, PolicyField
from flakeledger.repo.proposal import ORDER, Proposed
from flakeledger.store.scalars import scalar

RUNNER = "local"

_HEADING = """\
What the reviewers of this repository decided about flaky tests. Written by `flakeledger init`; edit it by hand.
A change is judged by the policy of its base, and a change of this file travels alone.
Every key stands here; one that is left out has the default that this file began with."""

_ABOUT_CLASSES = {
    "freeze_config": "what makes the gate more lenient",
    "generator": "what draws test inputs; editing it together with a freeze is refused",
    "runner": "what runs the tests",
    "test_body": "the tests",
    "review_only": "never excused by a freeze",
}

_MORE_RUNNERS = """\
  # - name: pinned-py311
  #   python: "3.11"
  #   timezone: UTC
  #   hash_seed: "0"
  # - name: node
  #   command: ["node", "--test", "--test-name-pattern", "{name}", "{path}"]
"""


def policy_text(proposed: Iterable[Proposed], seeds: str | None, runners: Sequence[Runner]) -> str:
    """The text of policy.yaml for the proposed patterns and runners, the default runner first.

    `seeds` is the path of the seed list, None for none.
    """
    special: dict[str, str] = {
        "version": "version: 1\n",
        "paths": _paths_text(list(proposed)),
        "seeds": "# seeds: tests/seeds/gate.json\n" if seeds is None else f"seeds: {scalar(seeds)}\n",
        "runners": f"runners:\n{''.join(map(_runner_text, runners))}{_MORE_RUNNERS}",
        "default_runner": f"default_runner: {runners[0].name}\n",
    }
    sections = (f"{comment(_help(one))}{special.get(one.name) or _default_text(one)}" for one in POLICY_FIELDS)
    return "\n".join((comment(_HEADING), *sections))


def _help(one: PolicyField) -> str:
    choices = f": {' | '.join(one.allowed)}" if one.kind == "choice" and len(one.allowed) > 1 else ""
    return f"{one.help}{choices}"


def _paths_text(proposed: list[Proposed]) -> str:
    lines = ["paths:"]
    for name in ORDER:
        lines += [f"  - class: {name}  # {_ABOUT_CLASSES[name]}", "    match:"]
        lines += [f"      - {scalar(one.pattern)}  # {one.why}" for one in proposed if one.name == name]
    return "\n".join(lines) + "\n"


def _runner_text(runner: Runner) -> str:
    command = "" if runner.command is None else f"    command: {flow(runner.command)}\n"
    return f"  - name: {runner.name}\n{command}"


def _default_text(one: PolicyField) -> str:
    return f"{one.name}:{_VALUES[one.kind](one)}\n"


def _mapping_value(one: PolicyField) -> str:
    return "".join(f"\n  {field.name}: {field.default}  # {field.help}" for field in one.fields)


def _pairs_value(one: PolicyField) -> str:
    assert isinstance(one.default, tuple)
    return "".join(f"\n  - {flow(map(str, pair))}" for pair in one.default if isinstance(pair, tuple))


def _texts_value(one: PolicyField) -> str:
    assert isinstance(one.default, tuple)
    return f" {flow(map(str, one.default))}"


_VALUES: dict[str, Callable[[PolicyField], str]] = {
    "choice": lambda one: f" {scalar(str(one.default))}",
    "mapping": _mapping_value,
    "pairs": _pairs_value,
    "texts": _texts_value,
}
