"""What was seen, as values that travel: to JSON and back, and whether seeds arrived."""

from __future__ import annotations

import json
import pickle

import pytest

from flakeledger.evidence.runs import Environment, SeedRun, identical_streams, run_from_json, to_json, too_long

ENVIRONMENT = Environment("3.11.7", "cpython", ("UTC",), (0, 0), "0", False, {"pytest": "9.2.0"}, ("pytest-x-1",))
RUN = SeedRun(3, "fail", "TimeoutError", "too slow", 0.5, "ab", 100, False, True, ("a.json",), ENVIRONMENT)


@pytest.mark.parametrize("run", [RUN, SeedRun(1, "pass"), SeedRun(2, "not_run", detail="\ud800")])
def test_a_run_comes_back_from_json_and_from_pickle(run: SeedRun) -> None:
    assert run_from_json(json.loads(json.dumps(to_json(run)))) == run
    assert pickle.loads(pickle.dumps(run)) == run


@pytest.mark.parametrize(
    ("name", "value"),
    [("seed", "3"), ("seed", True), ("outcome", "passed"), ("outcome", 1), ("failure", None), ("seconds", "1"),
     ("touched", "a"), ("touched", [1]), ("partial", 1), ("executions", 1.5), ("environment", {}), ("environment", 1)],
)  # fmt: skip
def test_what_is_no_run_is_refused(name: str, value: object) -> None:
    with pytest.raises(ValueError, match=r"."):
        run_from_json({**to_json(RUN), name: value})


SAME = [RUN, RUN._replace(seed=4), RUN._replace(seed=5)]


@pytest.mark.parametrize(
    ("runs", "identical"),
    [
        (SAME, True),
        (SAME[:1], False),
        ([], False),
        ([*SAME, RUN._replace(examples="cd")], False),
        ([run._replace(partial=True) for run in SAME], False),
        ([run._replace(used_up=False) for run in SAME], False),
        ([run._replace(examples="") for run in SAME], False),
        ([*SAME, RUN._replace(used_up=False)], False),
    ],
)
def test_identical_streams(runs: list[SeedRun], identical: bool) -> None:
    assert identical_streams(runs) == identical


@pytest.mark.parametrize(("timeout", "text"), [(0.5, "0.5 seconds"), (1.0, "1 second"), (3.0, "3 seconds")])
def test_a_timeout_is_told_in_words(timeout: float, text: str) -> None:
    assert too_long(timeout) == f"it took longer than {text}"
