"""Measures what the pytest plugin adds to a suite of 5,000 passing tests, and prints it as a Markdown row.

Invariants:
* With and without the plugin the same suite runs, alternately in one loop, each run a process with its start and end;
  which of the two goes first changes each time. A number is the median of its runs, the ratio that of the medians.
* Processor time is counted: the bar is smaller than what other programs do to a run's time by the clock.
* The repository has 300 freezes, all of them right, and no failure: the plugin reads them and has nothing to judge.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from repositories import NOW, Size, build, environment

#: 50 modules of 100 tests beside the repository's own
MODULES, TESTS = 50, 100
FREEZES = 300
#: the bar: at most so much more (issue 5)
BAR = 1.03
ONLY_THEIRS = ("-p", "no:cacheprovider", "-p", "no:asyncio", "-p", "no:randomly", "-p", "no:rerunfailures")
WAYS = {"with": (f"--flakeledger-now={NOW}",), "without": ("-p", "no:flakeledger")}


def write_suite(root: Path) -> None:
    """Five thousand tests that pass."""
    body = "".join(f"def test_{number}():\n    assert sum(range({number})) >= 0\n\n" for number in range(TESTS))
    folder = root / "plain"
    folder.mkdir(exist_ok=True)
    for number in range(MODULES):
        (folder / f"test_plain_{number:02}.py").write_text(body, encoding="utf-8")


def seconds(root: Path, way: str, variables: dict[str, str]) -> float:
    """The processor time of one run and of all that it starts; it must pass."""
    command = [sys.executable, "-m", "pytest", "-q", *ONLY_THEIRS, *WAYS[way], "plain"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, cwd=root, env=variables, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def main() -> int:
    """Build, run, print; 1 when the bar does not hold."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=11, help="runs of each way (default: 11)")
    runs = parser.parse_args().runs
    with tempfile.TemporaryDirectory(prefix="flakeledger-") as folder:
        root = Path(folder) / "repository"
        build(root, Size(FREEZES, 30, 2_000, 1_000))
        write_suite(root)
        variables = environment()
        times: dict[str, list[float]] = {way: [] for way in WAYS}
        for number in range(runs + 1):
            for way in sorted(WAYS, reverse=number % 2 == 1):
                took = seconds(root, way, variables)
                if number:  # the first run of each writes bytecode
                    times[way].append(took)
    medians = {way: statistics.median(found) for way, found in times.items()}
    ratio = medians["with"] / medians["without"]
    print("| work | bar | measured | holds |\n|---|---|---|---|")
    seconds_of_each = f"{medians['with']:.2f} s against {medians['without']:.2f} s of processor time"
    measured = f"{ratio:.3f} x ({seconds_of_each}, {runs} runs of each)"
    holds = "yes" if ratio <= BAR else "**no**"
    print(f"| pytest, {MODULES * TESTS} passing tests | at most {BAR} x | {measured} | {holds} |")
    return 0 if ratio <= BAR else 1


if __name__ == "__main__":
    raise SystemExit(main())
