"""What is to be replayed, and what each seed showed: plain values that travel between processes and hosts.

Invariants:
* Every record is made of text, numbers, flags and tuples of them: it can be pickled, and `to_json` makes JSON of it.
* Only the outcomes `pass` and `fail` count; whatever else happened says what in `detail`.
* A seed belongs to one job once; joining the runs of several hosts is somebody else's work.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from flakeledger.model.policy import Runner

Outcome = Literal["pass", "fail", "error", "rejected", "skipped", "not_run", "timeout"]
OUTCOMES: tuple[Outcome, ...] = ("pass", "fail", "error", "rejected", "skipped", "not_run", "timeout")
Mode = Literal["process", "fork"]


class Job(NamedTuple):
    """One test to be run under some seeds.

    `python` is the interpreter that runs it, "" for the default of whichever host does; a runner with a command needs
    none. `suite` is the module, file or folder that runs around the test, None for the test alone. `timeout` is in
    seconds, for one seed.
    """

    test: str
    runner: Runner
    seeds: tuple[int, ...]
    mode: Mode
    suite: str | None
    timeout: float
    environment_failures: tuple[str, ...]
    python: str


class Environment(NamedTuple):
    """What a process that ran a test said about itself.

    `offsets` are seconds east of UTC at the instants of `environment.INSTANTS`; `timezone` are the names of standard
    and summer time. `hash_seed` is PYTHONHASHSEED as it started, "" where hashes are random. `versions` has the
    packages that drew, `plugins` the distributions of pytest's plugins with their versions: `name-version`.
    """

    python: str
    implementation: str
    timezone: tuple[str, ...]
    offsets: tuple[int, ...]
    hash_seed: str
    randomized: bool
    versions: dict[str, str]
    plugins: tuple[str, ...]


class SeedRun(NamedTuple):
    """One run of the test under one seed.

    `failure` names the type of what failed, "" unless the outcome is `fail` or `error`. `detail` is one sentence for
    people, not escaped. `examples` is the digest of every example that was drawn, "" where none could be; `partial`
    says that some of them have no faithful form; `used_up` that the test ran as many as its settings allow. `touched`
    are the tracked data files that were opened, as paths of the repository. `environment` is None where no Python
    of ours reported one.
    """

    seed: int
    outcome: Outcome
    failure: str = ""
    detail: str = ""
    seconds: float = 0.0
    examples: str = ""
    executions: int = 0
    partial: bool = False
    used_up: bool = False
    touched: tuple[str, ...] = ()
    environment: Environment | None = None


def identical_streams(runs: Sequence[SeedRun]) -> bool:
    """Whether several seeds drew the very same examples although there was more to draw: the seed did not arrive.

    A test whose strategies have fewer values than it may draw sees the same ones under every seed, rightly.
    """
    telling = [run for run in runs if run.examples and not run.partial and run.used_up]
    return len(telling) == len(runs) > 1 and len({run.examples for run in runs}) == 1


def comparable(environment: Environment | None) -> dict[str, Any] | None:
    """What has to be the same for every seed of a replay: all but the hash seed, which a runner may vary."""
    return None if environment is None else environment._replace(hash_seed="", randomized=False)._asdict()


def to_json(run: SeedRun) -> dict[str, Any]:
    """The run as JSON."""
    environment = None if run.environment is None else run.environment._asdict()
    return {**run._asdict(), "environment": environment}


def run_from_json(values: Mapping[str, Any]) -> SeedRun:
    """The run that `to_json` wrote. ValueError says which value is none of a run."""
    environment = values.get("environment")
    fields = _checked(values, _RUN_KINDS)
    if fields["outcome"] not in OUTCOMES:
        raise ValueError("outcome")
    known = None if environment is None else environment_from_json(environment)
    return SeedRun(**fields, environment=known)


def environment_from_json(values: Mapping[str, Any]) -> Environment:
    """The environment of a JSON object with its fields. ValueError says which value is none of an environment."""
    return Environment(**_checked(values, _ENVIRONMENT_KINDS))


def _checked(values: object, kinds: Mapping[str, Callable[[object], bool]]) -> dict[str, Any]:
    """The values of these names, lists as tuples."""
    if not isinstance(values, Mapping):
        raise ValueError("no object")
    for name, is_right in kinds.items():
        if not is_right(values.get(name)):
            raise ValueError(name)
    return {name: tuple(values[name]) if isinstance(values[name], list) else values[name] for name in kinds}


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_flag(value: object) -> bool:
    return isinstance(value, bool)


def _is_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_amount(value: object) -> bool:
    return _is_number(value) or isinstance(value, float)


def _are_texts(value: object) -> bool:
    return isinstance(value, list | tuple) and all(map(_is_text, value))


def _are_numbers(value: object) -> bool:
    return isinstance(value, list | tuple) and all(map(_is_number, value))


def _is_named_texts(value: object) -> bool:
    return isinstance(value, dict) and all(map(_is_text, (*value, *value.values())))


_RUN_KINDS: dict[str, Callable[[object], bool]] = {
    "seed": _is_number,
    "outcome": _is_text,
    "failure": _is_text,
    "detail": _is_text,
    "seconds": _is_amount,
    "examples": _is_text,
    "executions": _is_number,
    "partial": _is_flag,
    "used_up": _is_flag,
    "touched": _are_texts,
}
_ENVIRONMENT_KINDS: dict[str, Callable[[object], bool]] = {
    "python": _is_text,
    "implementation": _is_text,
    "timezone": _are_texts,
    "offsets": _are_numbers,
    "hash_seed": _is_text,
    "randomized": _is_flag,
    "versions": _is_named_texts,
    "plugins": _are_texts,
}


def too_long(timeout: float) -> str:
    """What is said of a seed that took longer than it may, in seconds."""
    return f"it took longer than {timeout:g} second{'' if timeout == 1 else 's'}"
