"""The campaign on faults: every command that writes, killed, refused by the disk and left by its git, at every step.

Invariants:
* A command's share of the SIGKILLs hits each of its steps once, as far as the share goes, spread evenly over them;
  what is left of the share comes at random times, drawn from `--seed`.
* What must hold is judged by the judge of the tests (tests/fault_ground.py); each failure is printed with its fault.
* Full and read-only disks are real ones where we may mount (root): a tmpfs, filled page by page.

Run: python benchmarks/faults.py [--runs 1000] [--seed 0] [--only NAME …] [--quick] [--folder DIR]
"""

from __future__ import annotations

import argparse
import os
import platform
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from conftest import FIXED_ENVIRONMENT
from fault_cases import CASES, Case
from fault_ground import Disk, Ground
from faulted import Fault, Forker

#: what a run of a slow case weighs, in runs of a quick one
_SLOW = 4
_PAGE = 4096
_DISK_PAGES = 4096
#: seconds after which a git is killed: at once, while it reads, while it writes
_DELAYS = (0.0, 0.002, 0.006)
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_ENVIRONMENT = ("GIT_", "GITHUB_", "GITLAB_", "CI", "PYTEST_", "PRE_COMMIT")


class Count(NamedTuple):
    """How often a kind of fault was tried, and what did not hold."""

    runs: int
    wrong: int


class Try(NamedTuple):
    """One run: what is said of its fault, and what does it."""

    about: str
    run: Callable[[], list[str]]


def spread(share: int, steps: int) -> list[int]:
    """As many steps as the share allows, evenly."""
    return sorted({1 + (number * steps) // share for number in range(min(share, steps * share))}) if share else []


def kills(ground: Ground, share: int, chance: random.Random, _disk: Path) -> list[Try]:
    """SIGKILL at steps, and at random times."""
    first = ground.known.first
    found = [_fault(ground, Fault("kill", at)) for at in spread(share, len(first.steps))]
    late = [chance.uniform(0, 1.2 * first.seconds) for _ in range(share - len(found))]
    return found + [_fault(ground, Fault("signal", delay=delay)) for delay in late]


def errors(name: str, stays: bool) -> Callable[[Ground, int, random.Random, Path], list[Try]]:
    """One step, or every one from there on, fails with this error."""

    def tries(ground: Ground, share: int, _chance: random.Random, _disk: Path) -> list[Try]:
        return [_fault(ground, Fault(name, at, stays)) for at in spread(share, len(ground.known.first.steps))]

    return tries


def gits(ground: Ground, share: int, _chance: random.Random, _disk: Path) -> list[Try]:
    """A program that the command started is killed."""
    programs = sum(step.startswith("subprocess.Popen git") for step in ground.known.first.steps)
    return [
        _fault(ground, Fault("git", at, delay=delay))
        for delay in _DELAYS
        for at in spread(programs if ground.case.slow else max(1, share // len(_DELAYS)), programs)
    ]


def signals(ground: Ground, share: int, chance: random.Random, _disk: Path) -> list[Try]:
    """A signal that asks the process to end, at a random time."""
    seconds = ground.known.first.seconds
    share *= 20 if ground.case.name == "replay" else 1  # it answers them, and has the most to lose
    return [
        _fault(ground, Fault("signal", delay=chance.uniform(0, 1.2 * seconds), number=_SIGNALS[number % 3]))
        for number in range(share)
    ]


def full_disks(ground: Ground, share: int, _chance: random.Random, disk: Path) -> list[Try]:
    """A real disk with so many pages left."""
    return [_on_disk(ground, f"{left} pages left", partial(filled, disk, left)) for left in range(share)]


def read_only_disks(ground: Ground, share: int, _chance: random.Random, disk: Path) -> list[Try]:
    """A real disk that cannot be written to."""
    return [_on_disk(ground, "read-only", partial(read_only, disk)) for _ in range(min(share, 1))]


def _fault(ground: Ground, fault: Fault) -> Try:
    steps = ground.known.first.steps
    step = steps[fault.at - 1] if fault.kind not in ("git", "signal") else ""
    return Try(f"{fault} {step}", partial(ground.suffer, fault))


def _on_disk(ground: Ground, about: str, disk: Disk) -> Try:
    return Try(about, partial(ground.suffer, Fault("disk", stays=True), disk))


@contextmanager
def filled(disk: Path, left: int, _here: Path) -> Iterator[None]:
    """Leave so many pages of the disk."""
    filler = disk / "filler"
    try:
        with open(filler, "wb", buffering=0) as file:
            try:
                while file.write(bytes(_PAGE)) == _PAGE:
                    pass
            except OSError:
                file.truncate(max(0, (os.fstat(file.fileno()).st_size // _PAGE - left)) * _PAGE)
        yield
    finally:
        filler.unlink()


@contextmanager
def read_only(disk: Path, _here: Path) -> Iterator[None]:
    """Let the disk be read only."""
    _mount("-o", "remount,ro", str(disk))
    try:
        yield
    finally:
        _mount("-o", "remount,rw", str(disk))


def _mount(*arguments: str) -> bool:
    return subprocess.run(["mount", *arguments], capture_output=True, check=False).returncode == 0


#: kind -> its runs; how its share of --runs relates to that of SIGKILL; whether it needs a disk of its own
KINDS: tuple[tuple[str, Callable[[Ground, int, random.Random, Path], list[Try]], float, bool], ...] = (
    ("SIGKILL, at steps and at random times", kills, 1.0, False),
    ("SIGINT, SIGTERM and SIGHUP at random times", signals, 0.1, False),
    ("no space left, for one step (ENOSPC)", errors("ENOSPC", stays=False), 0.2, False),
    ("no space left, from a step on (ENOSPC)", errors("ENOSPC", stays=True), 0.1, False),
    ("a disk error, for one step (EIO)", errors("EIO", stays=False), 0.1, False),
    ("rights taken away, from a step on (EACCES)", errors("EACCES", stays=True), 0.1, False),
    ("a disk that becomes read-only, from a step on (EROFS)", errors("EROFS", stays=True), 0.1, False),
    ("no process can be started, from a step on (EAGAIN)", errors("EAGAIN", stays=True), 0.1, False),
    ("a git is killed: at once, after 2 ms, after 6 ms", gits, 0.2, False),
    ("a real disk (tmpfs) that is full but for some pages", full_disks, 0.15, True),
    ("a real disk (tmpfs) that is read-only", read_only_disks, 0.05, True),
)


def campaign(cases: Sequence[Case], runs: int, seed: int, folder: Path) -> dict[str, Count]:
    """Every kind on every case; the counts by kind. A line about each case as it goes, and each failure in full."""
    chance = random.Random(seed)
    weights = sum(1 / (_SLOW if case.slow else 1) for case in cases)
    counts = {kind: Count(0, 0) for kind, *_ in KINDS}
    forker = Forker(folder / "streams")
    for number, case in enumerate(cases):
        share = runs / weights / (_SLOW if case.slow else 1)
        for on_disk in (False, True):
            kinds = [kind for kind in KINDS if kind[3] == on_disk and _fits(case, kind[0])]
            with _place(folder / f"{number}{'disk' * on_disk}", on_disk=on_disk) as place:
                if place is None:
                    continue
                ground = Ground(place / "ground", case, forker, os.environ)
                for kind, tries, weight, _ in kinds:
                    count = _tried(tries(ground, max(2, round(share * weight)), chance, place), case, kind)
                    counts[kind] = Count(*map(sum, zip(counts[kind], count, strict=True)))
    forker.close()
    return counts


def _fits(case: Case, kind: str) -> bool:
    """The tests of a project meet the errors of our steps as their own; signals and kills they share with us."""
    return not case.slow or kind.startswith("SIG") or (case.name == "replay" and "git" in kind)


def _tried(tries: Sequence[Try], case: Case, kind: str) -> Count:
    wrong = 0
    began = time.monotonic()
    for one in tries:
        problems = one.run()
        wrong += bool(problems)
        if problems:
            print(f"{case.name}: {kind}: {one.about}:", *problems, sep="\n    ", flush=True)
    print(f"# {case.name}: {kind}: {len(tries)} runs, {wrong} wrong, {time.monotonic() - began:.0f} s", flush=True)
    return Count(len(tries), wrong)


@contextmanager
def _place(folder: Path, *, on_disk: bool) -> Iterator[Path | None]:
    """A folder, on a small disk of its own if that is wanted; None where we may not mount one."""
    folder.mkdir()
    size = f"size={_DISK_PAGES * _PAGE}"
    if on_disk and not _mount("-t", "tmpfs", "-o", size, "tmpfs", str(folder)):
        yield None
        return
    try:
        yield folder
    finally:
        if on_disk:
            subprocess.run(["umount", str(folder)], check=True)


def table(counts: dict[str, Count]) -> Iterator[str]:
    """The counts as Markdown."""
    yield "| what was tried | runs | something was lost, half written, left behind or wrongly said |"
    yield "|---|---|---|"
    for kind, count in counts.items():
        yield f"| {kind} | {count.runs:,} | {count.wrong} |"
    yield f"| all | {sum(one.runs for one in counts.values()):,} | {sum(one.wrong for one in counts.values())} |"


def main() -> int:
    """Run the campaign and print its table: 0 when everything held."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=1000, help="SIGKILLs over all commands (default: 1000)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", action="append", metavar="NAME", help="only this case; may be repeated")
    parser.add_argument("--quick", action="store_true", help="few runs, no case that takes long")
    parser.add_argument("--folder", type=Path, help="where repositories are made (default: a temporary folder)")
    arguments = parser.parse_args()
    cases = [
        case
        for case in CASES
        if (not arguments.only or case.name in arguments.only) and not (arguments.quick and case.slow)
    ]
    with tempfile.TemporaryDirectory(dir=arguments.folder) as name:
        _isolate(Path(name))
        counts = campaign(cases, 20 if arguments.quick else arguments.runs, arguments.seed, Path(name))
    print(f"\n{len(cases)} commands, seed {arguments.seed}, Python {platform.python_version()}, {platform.system()}\n")
    print("\n".join(table(counts)))
    return 1 if any(one.wrong for one in counts.values()) else 0


def _isolate(folder: Path) -> None:
    """A home and an environment of our own, as the tests have."""
    for name in [name for name in os.environ if name.startswith(_ENVIRONMENT)]:
        del os.environ[name]
    config = folder / "gitconfig"
    config.write_text("[init]\n\tdefaultBranch = main\n")
    os.environ.update(FIXED_ENVIRONMENT, HOME=str(folder), GIT_CONFIG_GLOBAL=str(config), XDG_CONFIG_HOME=str(folder))


if __name__ == "__main__":
    sys.exit(main())
