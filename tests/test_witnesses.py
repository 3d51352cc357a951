"""When a witness is good, whoever asks."""

from __future__ import annotations

from pathlib import Path

import pytest

from flakeledger.model.policy import Limits, PathClass, Policy, Runner
from flakeledger.model.witness import Witness, example_digest, example_of, witness_file
from flakeledger.rules.witnesses import Refused, WitnessFile, differing, good_witness, unbound
from patched import PROPERTY, a_witness
from world import CONFTEST, REFUND, STRATEGIES, TESTS, TOTAL, World

POLICY = Policy((PathClass("generator", ("conftest.py",)),), (Runner("local"),))
EXAMPLE = example_of({"x": 7}, REFUND)
SIZE = len('{"arguments":{"x":7}}')
WITNESS = Witness(PROPERTY, REFUND, None, EXAMPLE, example_digest(EXAMPLE), {}, "complete")


def file_of(witness: Witness, name: str = "witness.json") -> WitnessFile:
    return WitnessFile(name, witness_file(witness).data)


def test_a_good_witness_is_given() -> None:
    name = f"{witness_file(WITNESS).digest}.json"
    assert good_witness(file_of(WITNESS, name), POLICY) == WITNESS
    assert good_witness(file_of(WITNESS), POLICY) == WITNESS


@pytest.mark.parametrize(
    ("file", "policy", "reason"),
    [
        (file_of(WITNESS, f"{'0' * 64}.json"), POLICY, "its name is not its digest"),
        (WitnessFile("a.json", b"{"), POLICY, "line 1, column 2: not JSON"),
        (WitnessFile("a.json", file_of(WITNESS).data + b"\n"), POLICY, "not in canonical form"),
        (file_of(WITNESS._replace(example_sha256="0" * 64)), POLICY, "the digest of the example is"),
        (file_of(WITNESS), POLICY._replace(limits=Limits(witness_bytes=SIZE - 1)), f"{SIZE} bytes long"),
        (file_of(WITNESS._replace(shrink="flaky")), POLICY, "the policy denies that"),
    ],
)
def test_what_is_no_good_witness_says_why(file: WitnessFile, policy: Policy, reason: str) -> None:
    found = good_witness(file, policy)
    assert isinstance(found, Refused)
    assert reason in found.reason


def test_the_policy_says_how_large_and_whether_flaky() -> None:
    assert good_witness(file_of(WITNESS), POLICY._replace(limits=Limits(witness_bytes=SIZE))) == WITNESS
    flaky = WITNESS._replace(shrink="flaky")
    assert good_witness(file_of(flaky), POLICY._replace(flaky_witness="accept")) == flaky


def test_a_witness_belongs_to_a_property_and_a_test_of_the_tree(tmp_path: Path) -> None:
    world = World.new(tmp_path / "shop")
    good = a_witness(world)
    gone = f"{TESTS}::test_gone"
    world.set_fields("ledgers/properties.yaml", PROPERTY, tests=[REFUND, gone])
    with world.ledger() as ledger:
        assert unbound(ledger, good) == ""
        assert unbound(ledger, good._replace(test=f"{REFUND}[a-1]")) == "", "a property may list the function"
        assert "has no property `PROP-2`" in unbound(ledger, good._replace(property_id="PROP-2"))
        assert "does not list" in unbound(ledger, good._replace(test=TOTAL))
        assert f"has no test `{gone}`" in unbound(ledger, good._replace(test=gone))


def test_generators_are_compared_path_by_path(tmp_path: Path) -> None:
    world = World.new(tmp_path / "shop")
    with world.ledger() as ledger:
        found = ledger.generator_hashes(PROPERTY)
        assert ledger.generator_hashes("PROP-2") == {}
    assert found == {path: world.digest_of(path) for path in (CONFTEST, "tests/seeds/gate.json", STRATEGIES)}
    assert differing(found, found) == ""
    assert differing(found, {**found, CONFTEST: "0" * 64}) == f"`{CONFTEST}`"
    assert differing({"b": "1", "a": "1"}, {"c": "1"}) == "`a`, `b`, `c`"
