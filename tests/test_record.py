"""A replay as a line: what is recorded, and what is not."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flakeledger.evidence.record import Recorded, Unrecordable, record
from flakeledger.evidence.runs import OUTCOMES, Environment, Outcome, SeedRun
from flakeledger.model.policy import Runner
from flakeledger.store.replay_log import SETTLED
from replaying import job

TEST = "tests/test_orders.py::test_refund"
COMMIT = "0123456789" * 4
ENDED = 1_800_000_000
HERE = Environment("3.11.7", "cpython", ("UTC", "UTC"), (0, 0), "0", False, {"pytest": "9.2.0"}, ("b-2", "a-1"))
RUN = SeedRun(1, "pass", seconds=0.25, examples="1" * 64, executions=3, used_up=True, environment=HERE)


def recorded(*runs: SeedRun, draws: bool = False, runner: Runner | None = None) -> dict[str, object]:
    one = job(TEST, [run.seed for run in runs])
    found = record(one if runner is None else one._replace(runner=runner), runs, COMMIT, ENDED, draws=draws)
    assert isinstance(found, Recorded), found
    values: dict[str, object] = json.loads(found.text)
    return values


def refused(*runs: SeedRun) -> Unrecordable:
    found = record(job(TEST, [run.seed for run in runs]), runs, COMMIT, ENDED, draws=True)
    assert isinstance(found, Unrecordable), found
    return found


def test_all_that_is_known_is_in_the_line() -> None:
    failed = RUN._replace(seed=2, outcome="fail", failure="TimeoutError", examples="2" * 64, touched=("b.json", "a"))
    line = recorded(RUN, failed)
    assert len(str(line.pop("examples"))) == len(str(line.pop("id"))) * 2 == 64
    assert line == {
        "test": TEST,
        "run_at": "2027-01-15T08:00:00Z",
        "env": "pinned",
        "seeds": [1, 2],
        "passed": 1,
        "total": 2,
        "commit": COMMIT,
        "isolation": "process",
        "seeded": True,
        "failures": {"TimeoutError": 1},
        "outcomes": ["pass", "fail"],
        "touched": ["a", "b.json"],
        "versions": {"cpython": "3.11.7", "pytest": "9.2.0"},
        "plugins": ["a-1", "b-2"],
        "suite": False,
        "duration_s": 0.5,
    }


def test_the_order_in_which_seeds_ended_is_none_of_the_line() -> None:
    other = RUN._replace(seed=2, outcome="fail", examples="2" * 64)
    one = record(job(TEST, [1, 2]), [RUN, other], COMMIT, ENDED, draws=True)
    assert one == record(job(TEST, [1, 2]), [other, RUN], COMMIT, ENDED, draws=True)


def test_the_id_is_that_of_the_content() -> None:
    assert recorded(RUN)["id"] == recorded(RUN)["id"]
    assert recorded(RUN)["id"] != recorded(RUN._replace(seconds=0.5))["id"]


@pytest.mark.parametrize(
    ("runner", "draws", "executions", "seeded"),
    [
        (None, False, 0, True),
        (None, True, 3, True),
        (None, True, 0, False),
        (Runner("node", command=("node", "{path}")), False, 0, False),
        (Runner("node", command=("node", "--seed={seed}")), False, 0, True),
    ],
)
def test_whether_the_seed_reached_the_test(runner: Runner | None, draws: bool, executions: int, seeded: bool) -> None:
    assert recorded(RUN._replace(executions=executions), draws=draws, runner=runner)["seeded"] is seeded


@pytest.mark.parametrize("change", [{"examples": ""}, {"partial": True}])
def test_examples_without_a_faithful_form_have_no_digest(change: dict[str, object]) -> None:
    assert "examples" not in recorded(RUN, RUN._replace(seed=2, **change))  # type: ignore[arg-type]  # of any field


@given(st.lists(st.sampled_from(OUTCOMES), min_size=1, max_size=5))
def test_one_seed_that_neither_passed_nor_failed_and_there_is_no_line(outcomes: list[str]) -> None:
    runs = [RUN._replace(seed=seed, outcome=outcome) for seed, outcome in enumerate(outcomes)]  # type: ignore[arg-type]  # of OUTCOMES
    found = record(job(TEST, range(len(runs))), [run._replace(examples="") for run in runs], COMMIT, ENDED, draws=False)
    assert isinstance(found, Recorded) is set(outcomes).issubset(SETTLED)


def test_what_is_incomplete_says_which_seed_and_why() -> None:
    slow = RUN._replace(seed=2, outcome="timeout", detail="it took longer than 3 seconds")
    found = refused(RUN, slow, slow._replace(seed=3, outcome="not_run"))
    assert found.kind == "incomplete"
    assert found.reason == (
        "seed 2 neither passed nor failed, and 1 other seed: timeout: it took longer than 3 seconds"
    )


@pytest.mark.parametrize(
    ("outcome", "advice"),
    [
        ("error", "run that test by itself to see why"),
        ("not_run", "name the test as pytest --collect-only -q lists it"),
        ("skipped", "replay it where it is not skipped"),
        ("timeout", "give each seed more time, --timeout SECONDS"),
    ],
)
def test_what_to_do_about_it_depends_on_what_happened(outcome: Outcome, advice: str) -> None:
    assert refused(RUN, RUN._replace(seed=2, outcome=outcome)).fix.startswith(advice)


def test_an_environment_that_changed_meanwhile_is_refused() -> None:
    found = refused(RUN, RUN._replace(seed=2, environment=HERE._replace(versions={"pytest": "9.3.0"})))
    assert (found.kind, found.reason[:35]) == ("refused", "seeds 1 and 2 ran in different envi")
    assert "environments" not in recorded(
        RUN, RUN._replace(seed=2, examples="2" * 64, environment=HERE._replace(hash_seed="2"))
    )


def test_the_same_examples_under_every_seed_are_refused() -> None:
    assert refused(RUN, RUN._replace(seed=2)).reason == (
        "2 seeds drew the very same examples: the seed does not reach the test"
    )
