"""Where a command meets a fault: a repository with what lies around it, and the judge of what is left.

Invariants:
* Around each repository lie a folder for temporary files and one for what a command writes elsewhere: what is left
  behind is seen wherever it lies.
* What is right is learnt from the command itself, run without a fault: once, and then once more.
* After a fault every file is as it was before or as the command leaves it; where some are and some are not, the checks
  still run; the same command, run again, ends as it does without a fault and leaves nothing else, and no process.
"""

from __future__ import annotations

import os
import re
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import NamedTuple

from fault_cases import NOON, OUT, TEMPORARY, WORLD, Case
from faulted import HUNG, NOTHING, TRACEBACK, Ended, Fault, Forker
from flakeledger.store.temporary import remove_tree
from world import World

_PLACES = (WORLD, TEMPORARY, OUT)
#: what of the git directory a command may leave a trace in
_GIT = re.compile(r"(config|COMMIT_EDITMSG|flakeledger/.*|worktrees/.*|.*\.lock)")
#: files below the git directory that no user reads: the cache, the lock, and git's own, which git itself puts in place
_CACHES = re.compile(r"world/\.git/(flakeledger(/[a-z0-9-]+\.json|/edit\.lock|/replays)?|config)")
#: what an interrupted replay keeps on purpose, until it is run again
_JOURNALS = re.compile(r"world/\.git/flakeledger/replays/[0-9a-f]{64}\.jsonl")
#: how long a git whose caller was killed may take to notice, in seconds
_NOTICES = 60.0
#: from here on exit codes say that a signal ended a command, which may have been cleaning up
_BY_SIGNAL = 128
#: what replays say differently each time
_TIMES = re.compile(rb',? ?"(run_at|id|duration_s|seconds)": ?("[^"]*"|[0-9.e-]+)')
#: which base a check judged against: where that cannot be told, it judges as strictly as without one
_BASE = re.compile("; base: [^;]*")

Files = dict[str, bytes]
#: what a disk is like while a command runs on it
Disk = Callable[[Path], AbstractContextManager[object]]


class Known(NamedTuple):
    """What a command does without a fault: the files before it, after it, and after it was run a second time."""

    old: Files
    new: Files
    again: Files
    first: Ended
    second: Ended


def _as_it_is(_here: Path) -> AbstractContextManager[object]:
    return nullcontext()


class Ground:
    """A folder with the repository of a case, made once and copied for each run."""

    def __init__(self, folder: Path, case: Case, forker: Forker, environment: Mapping[str, str]) -> None:
        """Build the repository, and learn what the command does without a fault."""
        self.case = case
        self._folder = folder
        self._forker = forker
        self._environment = dict(environment)
        template = folder / "template"
        template.mkdir(parents=True)
        for name in (TEMPORARY, OUT):
            (template / name).mkdir()
        world = World.new(template / WORLD, level=case.level)
        case.build(world)
        self.known = self._learn()

    def _learn(self) -> Known:
        here = self.fresh()
        old = self.files(here)
        first = self.command(here)
        new = self.files(here)
        second = self.command(here, NOTHING, self.case.again)
        assert TRACEBACK not in (first.code, second.code), first.err + second.err
        return Known(old, new, self.files(here), first, second)

    def fresh(self) -> Path:
        """A copy of the template, in the place of the last one."""
        here = self._folder / "here"
        if here.exists():
            remove_tree(str(here))
        shutil.copytree(self._folder / "template", here, symlinks=True)
        return here

    def command(self, here: Path, fault: Fault = NOTHING, arguments: tuple[str, ...] = ()) -> Ended:
        """Run the command of the case, or another one, in a copy."""
        environment = self._environment | dict(self.case.environment) | {"TMPDIR": str(here / TEMPORARY)}
        return self._forker.run(here / WORLD, arguments or self.case.arguments, environment, fault)

    def files(self, here: Path) -> Files:
        """What lies in a copy, without what is none of ours."""
        return {name: data for name, data in files(here).items() if not re.fullmatch(self.case.unmade, name)}

    def suffer(self, fault: Fault, disk: Disk = _as_it_is) -> list[str]:
        """Let the command meet a fault, or what `disk` does to the folder meanwhile; what does not hold afterwards."""
        here = self.fresh()
        with disk(here):
            ended = self.command(here, fault)
        left = self.files(here)
        problems = _ending(ended, fault, self.known, left, self.case)
        if not _is_excused(ended, self.known, left, self.case):
            problems += _halves(left, self.known, self.case.marker)
        if 0 <= ended.code < _BY_SIGNAL and not (fault.stays and fault.kind in ("EROFS", "EACCES", "EIO", "disk")):
            kept = filter(_JOURNALS.fullmatch, left)
            problems += [f"{name} is left over" for name in sorted({*strays(left, self.known)} - {*kept})]
        whole = _content(left) in (_content(self.known.old), _content(self.known.new))
        if not (whole or self.case.slow or self.case.name == "init"):
            judged = self.command(here, NOTHING, ("check", *NOON))
            if judged.code not in (0, 1):
                problems.append(f"check afterwards: {judged.code}: {judged.err}")
        problems += self._once_more(here, left)
        return problems + [f"process {number} still runs" for number in _living(here)]

    def _once_more(self, here: Path, left: Files) -> list[str]:
        """What does not hold when the same command is run again, without a fault."""
        known = self.known
        for name in self.case.given:
            shutil.copy(self._folder / "template" / name, here / name)
        ended = self.command(here, NOTHING, self.case.again)
        problems = []
        if ended.code not in (known.first.code, known.second.code):
            problems.append(f"run again: {ended.code}: {ended.out}{ended.err}")
        found = self.files(here)
        problems += [f"run again: {name} is left over" for name in strays(found, known)]
        wanted = (known.again,) if _content(left) == _content(known.new) else (known.new, known.again)
        if _content(found) not in [_content(one) for one in wanted]:
            problems.append(f"run again: other files than without a fault: {_difference(found, known.new)}")
        return problems


def _ending(ended: Ended, fault: Fault, known: Known, left: Files, case: Case) -> list[str]:
    """What is wrong with the end of a command that met a fault."""
    killed = fault.kind in ("kill", "signal")
    if ended.code == HUNG:
        return ["it hangs"]
    if ended.code == TRACEBACK or "Traceback" in ended.err:
        return [ended.err[-1500:]]
    if ended.code < 0 or (killed and ended.code >= _BY_SIGNAL):
        return [] if killed else [f"it died of signal {-ended.code}"]
    if ended.code == known.first.code:
        return [] if _is_excused(ended, known, left, case) else list(_unsaid(ended, known, left, case))
    conflict = ended.code == 1 and any(left.get(name, b"").startswith(case.marker) for name in case.given)
    if not (conflict and ended.err) and not (ended.code == 2 and "cannot" in ended.out + ended.err):
        return [f"exit code {ended.code}: {ended.out}{ended.err}"]
    return []


def _is_excused(ended: Ended, known: Known, left: Files, case: Case) -> bool:
    """Whether the command did nothing, and says so."""
    said = re.search(case.excuse, ended.err) is not None and _content(left) == _content(known.old)
    differing = _difference(left, known.new)
    written = [re.search(case.excuse.encode(), left.get(name, b"")) is not None for name in differing]
    return said or (bool(written) and all(written))


def _unsaid(ended: Ended, known: Known, left: Files, case: Case) -> Iterator[str]:
    """How the work and the words differ of a command that ends as if nothing had happened to it."""
    if _content(left) != _content(known.new):
        yield f"it says that it is done: {_difference(left, known.new)}"
    if not case.slow and _BASE.sub("", ended.out) != _BASE.sub("", known.first.out):
        yield f"it ends as it should, and says other words: {ended.out}"


def _halves(left: Files, known: Known, marker: bytes) -> list[str]:
    """The files that are neither as before nor as the command leaves them."""
    return [
        f"{name} is half written"
        for name in sorted(known.old.keys() | known.new.keys())
        if left.get(name) not in (known.old.get(name), known.new.get(name))
        and not (_CACHES.fullmatch(name) or left.get(name, b"").startswith(marker))
    ]


def strays(found: Files, known: Known) -> list[str]:
    """The names that no run without a fault leaves."""
    new = found.keys() - known.old.keys() - known.new.keys() - known.again.keys()
    return sorted(name for name in new if not _CACHES.fullmatch(name))


def files(here: Path) -> Files:
    """What lies in a copy, by path: files and folders."""
    found = {}
    for place in _PLACES:
        for folder, folders, names in os.walk(here / place):
            for name in (*folders, *names):
                path = Path(folder, name)
                known_as = path.relative_to(here).as_posix()
                if _matters(known_as):
                    found[known_as] = path.read_bytes() if name in names else b""
    return {name: _TIMES.sub(b"", data) if name.endswith(".jsonl") else data for name, data in found.items()}


def _living(here: Path) -> list[int]:
    """The processes that were started by a command in a copy and do not end, where the system shows that (/proc)."""
    until = time.monotonic() + _NOTICES
    marker = f"TMPDIR={here}/".encode()
    while (found := [number for number in _numbers() if _has(number, marker)]) and time.monotonic() < until:
        time.sleep(0.02)
    return found


def _numbers() -> list[int]:
    return [int(name) for name in os.listdir("/proc") if name.isdigit()] if os.path.isdir("/proc") else []


def _has(number: int, marker: bytes) -> bool:
    try:
        return marker in Path(f"/proc/{number}/environ").read_bytes()
    except OSError:
        return False


def _matters(name: str) -> bool:
    within = name.removeprefix("world/.git/")
    return within == name or bool(_GIT.fullmatch(within))


def _content(found: Files) -> Files:
    """What people see: files that are no cache and no unfinished ones."""
    return {
        name: data
        for name, data in found.items()
        if not _CACHES.fullmatch(name) and not name.startswith(TEMPORARY) and ".unfinished" not in name
    }


def _difference(found: Files, wanted: Files) -> list[str]:
    one, other = _content(found), _content(wanted)
    return sorted(name for name in one.keys() | other.keys() if one.get(name) != other.get(name))
