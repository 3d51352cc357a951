"""`flakeledger bound`: the numbers that replays and wanted rates give."""

from __future__ import annotations

import contextlib
import io
import json

import pytest

from flakeledger.cli.main import main


def bound(*arguments: str) -> tuple[int, str]:
    """Exit code and output; bad usage is 2."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        try:
            code = main(["bound", *arguments])
        except SystemExit as left:
            code = int(left.code or 0)
    return code, out.getvalue()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--passed", "20"], "0 of 20 runs failed: the rate of failure is at most 13.9 % (95 %, one-sided)"),
        (["--passed", "18", "--failed", "2"], "2 of 20 runs failed: the rate of failure is at most 28.3 %"),
        (["--passed", "0", "--failed", "3"], "3 of 3 runs failed: the rate of failure is at most 100.0 %"),
        (["--passed", "1000000000"], "0 of 1000000000 runs failed: the rate of failure is at most 0.0 %"),
        (["--rate", "10%"], "29 runs without a failure leave a rate of at most 10 % (95 %, one-sided)"),
        (["--rate", "5 %"], "59 runs without a failure leave a rate of at most 5 %"),
        (["--rate", "0.02"], "149 runs without a failure leave a rate of at most 2 %"),
        (["--rate", "1%"], "299 runs without a failure leave a rate of at most 1 %"),
        (["--rate", "0.5%"], "598 runs without a failure leave a rate of at most 0.5 %"),
    ],
)
def test_what_is_told(arguments: list[str], told: str) -> None:
    code, out = bound(*arguments)
    assert code == 0
    assert out.startswith(told)


@pytest.mark.parametrize(
    ("arguments", "value"),
    [
        (["--passed", "1"], {"passed": 1, "failed": 0, "runs": 1, "bound": 0.95}),
        (["--rate", "0.05"], {"rate": 0.05, "runs": 59}),
    ],
)
def test_the_same_for_programs(arguments: list[str], value: dict[str, object]) -> None:
    code, out = bound(*arguments, "--format", "json")
    assert (code, json.loads(out)) == (0, {"version": 1, "confidence": 0.95, **value})


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--failed", "2"],
        ["--passed", "20", "--rate", "5%"],
        ["--rate", "5%", "--failed", "1"],
        ["--passed", "0"],
        ["--passed", "-1"],
        ["--passed", "1_000"],
        ["--passed", "²"],
        ["--passed", "1000000001"],
        ["--passed", "9" * 5000],
        ["--rate", "5"],
        ["--rate", "1"],
        ["--rate", "100%"],
        ["--rate", "0"],
        ["--rate", "0.0000001"],
        ["--rate", "nan"],
        ["--rate", "1e-3"],
    ],
)
def test_what_says_nothing_is_refused(arguments: list[str]) -> None:
    code, out = bound(*arguments)
    assert code == 2
    assert out
