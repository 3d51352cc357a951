"""The entry of this tool's hooks in `.pre-commit-config.yaml`: a new file, or a longer one.

Invariants:
* Every byte that stood there still stands there; text is only put in between or at the end.
* The longer text is read again and must say what the old one said, plus the entry: else it is not used, and the
  user gets the entry to paste.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from flakeledger.cli.tool_source import ToolSource
from flakeledger.model.ledger_paths import GUARD
from flakeledger.repo.guard import GUARDS, hooks
from flakeledger.store.reader import read_plain
from flakeledger.store.scalars import scalar

CHECK_TYPES = ("pre-commit", "pre-merge-commit", "pre-push")
INSTALLED_TYPES = (*CHECK_TYPES, "prepare-commit-msg")
STAGES = (*CHECK_TYPES, "manual")
_TYPES_KEY = "default_install_hook_types"
_ALWAYS = ("pass_filenames: false", "always_run: true", f"stages: [{', '.join(STAGES)}]")
#: the hooks that are written, and how they run, as in the manifest; layout first: checks judge what will be committed
_WHEN = {
    "format-ledgers": (
        "pass_filenames: false",
        r"files: ^ledgers/(?:freezes|fixtures|properties)\.yaml$",
        "stages: [pre-commit, manual]",
    ),
    "check-ledgers": _ALWAYS,
    "check-change": _ALWAYS,
    "record-decisions": ("pass_filenames: true", "always_run: true", "stages: [prepare-commit-msg]"),
}
HOOKS = tuple(_WHEN)
#: the hooks that run when pre-commit.ci runs hooks: it makes no commit of its own that could hold a decision
_RUN_BY_SERVICE = ("format-ledgers", *GUARDS)

Config = dict[object, object]


class HookConfig(NamedTuple):
    """The text to write (None: leave the file as it is), and what the user must do by hand."""

    text: bytes | None
    advice: tuple[str, ...]


def hook_config(before: bytes | None, source: ToolSource) -> HookConfig:
    """The configuration with this tool's hooks; `before` is what stands there, None where nothing does."""
    if before is None:
        return HookConfig(_new_text(source).encode(), ())
    missing = [name for name in GUARDS if name not in hooks(before)]
    if not missing:
        return HookConfig(None, _key_advice(read_plain(before), source, CHECK_TYPES))
    if len(missing) < len(GUARDS):
        return HookConfig(None, (f"{GUARD} has no hook {missing[0]}: add `- id: {missing[0]}` beside the other",))
    longer = _extended(before, source)
    if longer is None:
        paste = f"{GUARD} cannot be extended safely; paste this at the end of its `repos:`\n{_entry(source, '  ')}"
        return HookConfig(None, (paste, *_key_advice(read_plain(before), source, INSTALLED_TYPES)))
    return HookConfig(longer, _key_advice(read_plain(longer), source, INSTALLED_TYPES))


def _new_text(source: ToolSource) -> str:
    return f"{_types_text()}{_service_text(source)}repos:\n{_entry(source, '  ')}"


def _types_text() -> str:
    return f"{_TYPES_KEY}: [{', '.join(INSTALLED_TYPES)}]\n"


def _service_text(source: ToolSource) -> str:
    why = "needs history, which pre-commit.ci does not promise" if source.repo else "pre-commit.ci has no flakeledger"
    return f"ci:\n  skip: [{', '.join(_skipped(source))}]  # {why}; the merge gate runs it\n"


def _skipped(source: ToolSource) -> tuple[str, ...]:
    """The hooks that pre-commit.ci cannot run: those that need history, or all where nothing installs the tool."""
    return ("check-change",) if source.repo else _RUN_BY_SERVICE


def _entry(source: ToolSource, indent: str) -> str:
    """The item of `repos:`, every line with its newline."""
    if source.repo is not None:
        lines = [f"- repo: {scalar(source.repo)}", f"  rev: {scalar(source.rev)}", "  hooks:"]
        lines += [f"    - id: {name}" for name in HOOKS]
    else:
        lines = ["- repo: local", "  hooks:", *(line for name in HOOKS for line in _local_hook(name, source.command))]
    return "".join(f"{indent}{line}\n" for line in lines)


def _local_hook(name: str, command: str) -> list[str]:
    return [
        f"    - id: {name}",
        f"      name: {name.replace('-', ' ')}",
        f"      entry: {scalar(f'{command} {name}')}",
        "      language: system",
        "      require_serial: true",
        *(f"      {line}" for line in _WHEN[name]),
    ]


def _key_advice(config: object, source: ToolSource, wanted_types: Sequence[str]) -> tuple[str, ...]:
    """What the top-level keys of the file lack and cannot be given without changing a line of it."""
    if not isinstance(config, dict):
        return ()
    advice = []
    types = config.get(_TYPES_KEY)
    if not isinstance(types, list) or not set(wanted_types) <= set(map(str, types)):
        advice.append(f"{GUARD}: let {_TYPES_KEY} hold {', '.join(wanted_types)}, or pushes and merges go unchecked")
    service = config.get("ci")
    skipped = service.get("skip") if isinstance(service, dict) else None
    wanted = [name for name in _skipped(source) if not isinstance(skipped, list) or name not in skipped]
    if wanted:
        advice.append(f"{GUARD}: if you use pre-commit.ci, add {', '.join(wanted)} to `skip:` below `ci:`")
    return tuple(advice)


def _extended(before: bytes, source: ToolSource) -> bytes | None:
    """The text with the entry after the last item of `repos:`; None where that cannot be done safely."""
    config = read_plain(before)
    try:
        text = before.decode()
    except UnicodeDecodeError:
        return None
    if not isinstance(config, dict) or not isinstance(config.get("repos"), list):
        return None
    end = "\r\n" if "\r\n" in text else "\n"
    longer = _inserted(text, source, end)
    if longer is None:
        return None
    keys = "".join(
        written for key, written in ((_TYPES_KEY, _types_text()), ("ci", _service_text(source))) if key not in config
    )
    if keys:
        longer = f"{_finished(longer, end)}{end}{keys.replace(chr(10), end)}"
    after = longer.encode()
    return after if read_plain(after) == _expected(config, source, keys) else None


def _expected(config: Config, source: ToolSource, keys: str) -> object:
    """What the longer text must say."""
    added = read_plain(f"{keys}repos:\n{_entry(source, '  ')}".encode())
    repos = config["repos"]
    assert isinstance(added, dict)
    assert isinstance(repos, list)
    return config | added | {"repos": [*repos, *added["repos"]]}


_REPOS = re.compile(r"^repos[ ]*:[ ]*(?:#[^\n]*)?\r?$", re.MULTILINE)
_NEXT_KEY = re.compile(r"^(?![ \t#\r\n]|-[ \r\n])", re.MULTILINE)
_DASH = re.compile(r"^([ ]*)-[ \r\n]", re.MULTILINE)


def _inserted(text: str, source: ToolSource, end: str) -> str | None:
    repos = _REPOS.search(text)
    dash = _DASH.search(text, repos.end()) if repos else None
    if repos is None or dash is None:
        return None
    following = _NEXT_KEY.search(text, repos.end() + 1)
    entry = _entry(source, dash[1]).replace("\n", end)
    if following is None or following.start() == len(text):
        return _finished(text, end) + entry
    at = following.start() - sum(map(len, _heading_above(text[: following.start()])))
    return text[:at] + entry + text[at:]


def _heading_above(block: str) -> Iterator[str]:
    """The blank lines, and the comments that start in the first column, at the end of a block, the last first."""
    for line in reversed(block.splitlines(keepends=True)):
        if line.strip() and not line.startswith("#"):
            return
        yield line


def _finished(text: str, end: str) -> str:
    """The text with an end of its last line."""
    return text if text.endswith("\n") else text + end
