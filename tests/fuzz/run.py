"""Fuzzes the readers, target by target: coverage-guided, with atheris, each target in a process of its own.

    PYTHONPATH=tests python -m fuzz.run --seconds 120 --folder /tmp/fuzz     # a campaign; again: it goes on
    PYTHONPATH=tests python -m fuzz.run --smoke                              # about a minute, the same on every machine

Invariants:
* A find does not end a run: it is counted by its kind (the exception, and where it was raised), its first input is
  kept below `found/`, and the run ends with 1.
* A process that dies, takes 20 s for one input or 2 GB of memory is a find as well.
* The modules of the product are instrumented, those that are imported late too: the corpus runs once before.
* A smoke run executes the same inputs on every machine that has the same Python and the same libraries: it ends after a
  number of executions, the mutations and the hashes of Python have one seed, and the corpus is handed over as a list,
  because the order of a folder differs from machine to machine.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

#: `-reload=0`: by default libFuzzer reads its own folder again, at moments that its clock chooses
_LIMITS = (
    *("-timeout=20", "-rss_limit_mb=2048", "-max_len=4096", "-len_control=20", "-print_final_stats=1"),
    *("-reload=0", "-shuffle=0"),
)
#: libFuzzer weighs its corpus by how rare features are, and with that two runs of one seed part after some thousands of
#: executions (measured; not where addresses are fixed, which a container forbids)
_REPEATABLE = "-entropic=0"
_FIGURES = "figures.jsonl"
_STATISTICS = {
    "executions": re.compile(r"stat::number_of_executed_units:\s*(\d+)"),
    "coverage": re.compile(r"cov: (\d+)"),
    "features": re.compile(r"ft: (\d+)"),
}


class Run(NamedTuple):
    """What one run of a target gave: `seconds` of processor time, and in `found` the kinds of what it found."""

    target: str
    seconds: float
    executions: int
    coverage: int
    features: int
    found: tuple[str, ...]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what was asked for: 0, or 1 when something was found."""
    parser = argparse.ArgumentParser(description="Fuzz the readers of flakeledger.", allow_abbrev=False)
    parser.add_argument("--only", action="append", metavar="TARGET", help="these targets (default: all)")
    parser.add_argument("--seconds", type=int, default=60, help="how long each target runs (default: 60)")
    parser.add_argument("--seed", type=int, default=1, help="of the mutations (default: 1)")
    parser.add_argument("--smoke", action="store_true", help="so many executions of each target as the table says")
    parser.add_argument("--folder", type=Path, help="keeps corpus, finds and figures for the next run")
    parser.add_argument("--child", metavar="TARGET", help=argparse.SUPPRESS)
    parser.add_argument("--bound", action="append", help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if given.child:
        _fuzz(given.child, given.bound, given.folder, given.seed)
    executions = _executions()
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.folder or Path(temporary)
        runs = []
        for name in given.only or executions:
            bound = [f"-runs={executions[name]}", _REPEATABLE] if given.smoke else [f"-max_total_time={given.seconds}"]
            runs.append(_run(name, bound, folder, given.seed))
        print(_table(_remembered(folder)))
    return int(any(run.found for run in runs))


def _executions() -> dict[str, int]:
    """How often a smoke run executes each target."""
    from fuzz.targets import TARGETS

    return {target.name: target.smoke for target in TARGETS}


def _run(name: str, bound: Sequence[str], folder: Path, seed: int) -> Run:
    """One target in a process of its own, with the options of libFuzzer that say when it ends."""
    folder.mkdir(parents=True, exist_ok=True)
    command = [
        sys.executable,
        "-m",
        "fuzz.run",
        "--child",
        name,
        *(f"--bound={option}" for option in bound),
        f"--folder={folder}",
    ]
    log_path = folder / f"{name}.log"
    before = _processor_seconds()
    with log_path.open("wb") as log:
        done = subprocess.run(
            [*command, f"--seed={seed}"],
            stdout=log,
            stderr=subprocess.STDOUT,
            env={**os.environ, "PYTHONHASHSEED": str(seed)},  # else the order of a set differs from run to run
            check=False,
        )
    text = log_path.read_text(encoding="utf-8", errors="replace")
    found = re.findall(r"(?m)^FOUND (.+)$", text)
    if done.returncode:
        found.append(f"the process ended with {done.returncode}")
    numbers = {what: int(([*written.findall(text)] or ["0"])[-1]) for what, written in _STATISTICS.items()}
    run = Run(name, _processor_seconds() - before, found=tuple(found), **numbers)
    with (folder / _FIGURES).open("a", encoding="utf-8") as file:  # at once: a campaign may be ended at any time
        file.write(json.dumps(run) + "\n")
    print(f"{name}: {run.executions:,} executions, {len(found)} found", flush=True)
    for kind in found:
        print(f"  {kind}", flush=True)
    return run


def _processor_seconds() -> float:
    """What all processes that ended have used."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _remembered(folder: Path) -> list[Run]:
    """The runs of this folder, the earlier ones too."""
    lines = (folder / _FIGURES).read_text(encoding="utf-8").splitlines()
    return [Run._make([*values[:-1], tuple(values[-1])]) for values in map(json.loads, lines)]


def _table(runs: Sequence[Run]) -> str:
    """The runs, added up by target, as Markdown."""
    lines = ["| target | executions | a second | coverage | features | kinds found |", "|---|---|---|---|---|---|"]
    for name in dict.fromkeys(run.target for run in runs):
        mine = [run for run in runs if run.target == name]
        executions = sum(run.executions for run in mine)
        speed = executions / sum(run.seconds for run in mine)
        kinds = len({kind for run in mine for kind in run.found})
        best = max(run.coverage for run in mine), max(run.features for run in mine)
        lines.append(f"| {name} | {executions:,} | {speed:,.0f} | {best[0]:,} | {best[1]:,} | {kinds} |")
    return "\n".join([*lines, f"| all | {sum(run.executions for run in runs):,} | | | | |"])


# inside the process of one target


def _fuzz(name: str, bound: Sequence[str], folder: Path, seed: int) -> None:
    """Fuzz one target until its bound; the process ends here."""
    import atheris

    with atheris.instrument_imports(include=["flakeledger"]):
        from fuzz.corpus import texts, words
        from fuzz.targets import BY_NAME

        target = BY_NAME[name]
        judge = _Judge(target.run, folder / "found" / name)
        beginnings = texts(target)
        for text in beginnings:
            judge(text)
    kept = folder / "kept" / name
    kept.mkdir(parents=True, exist_ok=True)
    dictionary = folder / "words.txt"
    dictionary.write_text("".join(f'"{word}"\n' for word in words()), encoding="utf-8")
    options = [
        f"-seed={seed}",
        *bound,
        f"-dict={dictionary}",
        f"-seed_inputs=@{_listed(beginnings, folder / 'corpus' / name)}",
        f"-artifact_prefix={folder}/died-{name}-",
    ]
    atheris.Setup([sys.argv[0], *_LIMITS, *options, str(kept)], judge)
    atheris.Fuzz()


def _listed(beginnings: Sequence[bytes], corpus: Path) -> Path:
    """A file that names the beginnings in their order, as libFuzzer reads such a list; they are written out."""
    corpus.mkdir(parents=True, exist_ok=True)
    paths = [corpus / hashlib.sha256(text).hexdigest() for text in beginnings]
    for path, text in zip(paths, beginnings, strict=True):
        path.write_bytes(text)
    listed = corpus.with_suffix(".txt")
    listed.write_text(",".join(map(str, paths)), encoding="utf-8")
    return listed


class _Judge:
    """A target that goes on after what it finds."""

    def __init__(self, run: object, found: Path) -> None:
        """Nothing is found yet."""
        assert callable(run)
        self._run = run
        self._found = found
        self._kinds: set[str] = set()

    def __call__(self, data: bytes) -> None:
        """One input; whatever it raises is a find."""
        try:
            self._run(data)
        except Exception as error:  # noqa: BLE001  # any exception is what is looked for
            self._keep(data, error)

    def _keep(self, data: bytes, error: Exception) -> None:
        frame = traceback.extract_tb(error.__traceback__)[-1]
        kind = f"{type(error).__name__} at {Path(frame.filename).name}:{frame.lineno}"
        if kind in self._kinds:
            return
        self._kinds.add(kind)
        self._found.mkdir(parents=True, exist_ok=True)
        kept = self._found / re.sub(r"\W+", "-", kind)
        kept.write_bytes(data)
        print("".join(traceback.format_exception(error)), flush=True)
        print(f"FOUND {kind} with {kept}: {str(error)[:200]!r}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
