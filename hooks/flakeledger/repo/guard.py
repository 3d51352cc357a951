"""What `.pre-commit-config.yaml` says about this tool's own hooks.

Invariants:
* The file is read as pre-commit reads it (YAML with plain values); only hook entries with this
  tool's ids are looked at, whatever repository they come from.
* A file that cannot be read guards nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from flakeledger.store.reader import read_plain

#: the two checks; the formatter and the hook that records decisions refuse nothing, and losing them loosens nothing
GUARDS = ("check-ledgers", "check-change")
#: arguments that take something out of a check
WEAK_ARGUMENTS = ("--now", "--only", "--no-base")
_FILTERS = ("exclude", "files", "types", "types_or", "exclude_types")


class Hook(NamedTuple):
    """One of this tool's hooks as the configuration sets it up. `stages` None means: those of the manifest."""

    stages: frozenset[str] | None
    arguments: tuple[str, ...]
    filters: tuple[tuple[str, str], ...]
    skipped_in_ci: bool


def hooks(data: bytes | None) -> dict[str, Hook]:
    """This tool's checks in the file, by id; empty when there is no file or it cannot be read."""
    config = read_plain(data) if data is not None else None
    if not isinstance(config, dict):
        return {}
    service = config.get("ci")
    skipped = _texts(service.get("skip")) if isinstance(service, dict) else ()
    shared = config.get("exclude")
    found: dict[str, Hook] = {}
    for hook in _entries(config):
        name = str(hook.get("id"))
        if name in GUARDS:
            filters = tuple((key, str(hook[key])) for key in _FILTERS if key in hook)
            if shared is not None:
                filters += (("exclude", str(shared)),)
            stages = frozenset(_texts(hook["stages"])) if "stages" in hook else None
            found.setdefault(name, Hook(stages, _texts(hook.get("args")), filters, name in skipped))
    return found


def _entries(config: dict[object, object]) -> Iterator[dict[object, object]]:
    repos = config.get("repos")
    for repo in repos if isinstance(repos, list) else ():
        listed = repo.get("hooks") if isinstance(repo, dict) else None
        yield from (hook for hook in (listed if isinstance(listed, list) else ()) if isinstance(hook, dict))


def _texts(value: object) -> tuple[str, ...]:
    return tuple(str(item) for item in value) if isinstance(value, list) else ()


def weakened(before: bytes | None, after: bytes | None) -> tuple[str, ...]:
    """How the hooks lost hold between two versions of the file, one sentence each; empty when they did not."""
    old, new = hooks(before), hooks(after)
    return tuple(sentence for name in GUARDS if name in old for sentence in _losses(name, old[name], new.get(name)))


def _losses(name: str, old: Hook, new: Hook | None) -> Iterator[str]:
    if new is None:
        yield f"the hook {name} is gone"
        return
    if new.skipped_in_ci and not old.skipped_in_ci:
        yield f"the hook {name} is skipped in `ci: skip`"
    gained = [key for key, value in new.filters if (key, value) not in old.filters]
    if gained:
        yield f"the hook {name} got `{'`, `'.join(gained)}`"
    if new.stages is not None and (old.stages is None or old.stages - new.stages):
        lost = "some" if old.stages is None else ", ".join(sorted(old.stages - new.stages))
        yield f"the hook {name} lost stages ({lost})"
    for argument in WEAK_ARGUMENTS:
        if _has(new.arguments, argument) and not _has(old.arguments, argument):
            yield f"the hook {name} got {argument}"


def _has(arguments: tuple[str, ...], option: str) -> bool:
    return any(argument == option or argument.startswith(option + "=") for argument in arguments)
