"""The pinned environment: the variables that a test gets, and whether what it then reported is what the policy says.

Invariants:
* Variables are set, and what came of them is checked: a version, a time zone or a hash seed is never believed.
* Nothing that would select other tests, other plugins, another repository or other seeds is handed down.
* A runner that says nothing of a thing accepts any.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

from flakeledger.evidence.runs import Environment
from flakeledger.model.errors import CannotTell
from flakeledger.model.policy import Runner
from flakeledger.model.wording import shown

#: instants in two winters and two summers, in seconds: a time zone is known by its offsets, not by its name
INSTANTS = (790_171_200, 1_279_195_200, 1_705_320_000, 1_721_044_800)
VARY = "seed"
#: PYTHONHASHSEED is a number of 32 bits
_HASH_SEEDS = 2**32
_DROPPED = frozenset(
    ("PYTEST_ADDOPTS", "PYTEST_CURRENT_TEST", "PYTEST_VERSION", "PYTHONHASHSEED", "PYTHONINSPECT", "PYTHONSTARTUP")
)
_DROPPED_PREFIXES = ("GIT_", "HYPOTHESIS_", "PYTEST_XDIST_")


def default_python(environment: Mapping[str, str]) -> str:
    """The interpreter that runs tests where none was named: that of the active virtual environment, else our own."""
    active = environment.get("VIRTUAL_ENV")
    candidate = os.path.join(active, "bin", "python") if active else ""
    return candidate if candidate and os.access(candidate, os.X_OK) else sys.executable


def hash_seed(runner: Runner, seed: int) -> str:
    """PYTHONHASHSEED for a seed, "" where the runner does not pin it."""
    if runner.hash_seed == VARY:
        return str(seed % _HASH_SEEDS)
    return runner.hash_seed or ""


def variables(
    caller: Mapping[str, str], runner: Runner, seed: int, temporary: str, moved: tuple[str, str]
) -> dict[str, str]:
    """The environment of a process that runs a test under a seed.

    `temporary` is its own folder for temporary files. `moved` is the working tree and the worktree that stands for it:
    entries of PYTHONPATH are moved from one to the other.
    """
    kept = {
        name: value for name, value in caller.items() if name not in _DROPPED and not name.startswith(_DROPPED_PREFIXES)
    }
    pinned = {"TZ": runner.timezone, "PYTHONHASHSEED": hash_seed(runner, seed), "PYTHONPATH": _moved_path(kept, *moved)}
    own = {"LC_ALL": "C.UTF-8", **dict.fromkeys(("TMPDIR", "TEMP", "TMP"), temporary)}
    return kept | own | {name: value for name, value in pinned.items() if value}


def refusal(environment: Environment, runner: Runner, seed: int) -> CannotTell | None:
    """Why this environment is not the one that the runner names; None when it is.

    CannotTell as well when the time zone of the runner is not known here.
    """
    says = f"the runner {shown(runner.name)} says"
    if runner.python is not None and not _is_version(environment.python, runner.python):
        return CannotTell(
            f"{says} Python {runner.python}, and the tests run on {environment.python}",
            f"name an interpreter of Python {runner.python} with --python, or another runner",
        )
    if runner.timezone is not None and environment.offsets != zone_offsets(runner.timezone):
        return CannotTell(
            f"{says} the time zone {runner.timezone}, and the tests run in another one "
            f"({'/'.join(environment.timezone)})",
            "let no conftest or plugin change TZ, and install the system's time zones (tzdata)",
        )
    wanted = hash_seed(runner, seed)
    if wanted and (environment.hash_seed != wanted or environment.randomized != (wanted != "0")):
        return CannotTell(
            f"{says} the hash seed {wanted}, and the tests run under {environment.hash_seed or 'a random one'}",
            "let no wrapper of the interpreter drop PYTHONHASHSEED (python -E, -I and -R do)",
        )
    return None


def zone_offsets(name: str) -> tuple[int, ...]:
    """The offsets of a time zone at INSTANTS, in seconds east of UTC. CannotTell when the zone is not known here."""
    from datetime import UTC, datetime
    from zoneinfo import ZoneInfo

    try:
        zone = ZoneInfo(name)
    except (OSError, ValueError, LookupError) as error:
        raise CannotTell(
            f"the time zone {shown(name)} is not known here",
            "write a name such as Europe/Madrid, or install the system's time zones (tzdata)",
        ) from error
    offsets = [datetime.fromtimestamp(instant, UTC).astimezone(zone).utcoffset() for instant in INSTANTS]
    return tuple(int(offset.total_seconds()) for offset in offsets if offset is not None)


def _is_version(found: str, wanted: str) -> bool:
    """Whether 3.11.7 is a 3.11; 3.1 is none of them."""
    return found.split(".")[: wanted.count(".") + 1] == wanted.split(".")


def _moved_path(caller: Mapping[str, str], root: str, worktree: str) -> str:
    """PYTHONPATH with every entry in the working tree moved to the same place in the worktree."""
    entries = [os.path.abspath(entry) for entry in caller.get("PYTHONPATH", "").split(os.pathsep) if entry]
    return os.pathsep.join(_moved(entry, root, worktree) for entry in entries)


def _moved(entry: str, root: str, worktree: str) -> str:
    real = os.path.realpath(entry)
    return worktree + real[len(root) :] if real == root or real.startswith(f"{root}/") else entry
