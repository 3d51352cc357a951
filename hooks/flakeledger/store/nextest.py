"""The tests that nextest's configuration does not trust: those it retries, and those its default filter leaves out.

Invariants:
* Only names that a filter gives exactly become tests: `test(=name)` and `test(/^name$/)`. What else it selects is
  an entry with the reason why it names no single test.
* TOML is bounded in size and in the length of a line, so that no key can make its parser quadratic.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator

from flakeledger.model.errors import CannotTell
from flakeledger.model.rows import Place
from flakeledger.model.wording import shown
from flakeledger.store.quarantine_entries import Entry, Selector

LARGEST_TOML = 128 << 10
LONGEST_LINE = 2000
_OR = re.compile(r"[()]|(?<=[\s)])or(?=[\s(])|[|+]")
_AND = re.compile(r"[()]|(?<=[\s)])and(?=[\s(])|&")
_EXACT = re.compile(r"test\(\s*+(?:=(?P<name>[\w:]++)|/\^(?P<pattern>[\w:]++)\$/)\s*+\)")
_NARROWER = re.compile(r"(?:package|binary|binary_id|kind|deps|rdeps)\(\s*+=?(?P<name>[\w:./-]++)\s*+\)")
#: what a default filter leaves out: `not test(=a)`, `- test(=a)`, `!test(=a)`, `not (test(=a) or test(=b))`
_LEFT_OUT = re.compile(
    r"(?:\bnot\b|[!-])\s*+(?:\((?P<group>[^()]*+(?:\([^()]*+\)[^()]*+)*+)\)|(?P<one>\w++\([^()]*+\)))"
)
_TOML_PLACE = re.compile(r"(?P<message>.*) \(at (?:line (?P<line>\d+), column (?P<column>\d+)|end of document)\)")


def read_nextest(text: str, path: str) -> Iterator[Entry]:
    """The entries of a nextest configuration. CannotTell, with its place, when it is no TOML or too large."""
    profiles = _parsed(text, path).get("profile")
    position = 0
    for name, profile in profiles.items() if isinstance(profiles, dict) else ():
        for settings, why in _selecting(profile):
            found_at = text.find(settings, position)
            offset = max(found_at if found_at >= 0 else text.find(settings), 0)
            position = max(position, offset)
            place = Place(text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset))
            left_out = [found["group"] or found["one"] or "" for found in _LEFT_OUT.finditer(settings)]
            for selected in [settings] if why == "retried" else left_out:
                for one in _split(selected, _OR):
                    yield _entry(one, path, place, f"{why} by the profile {name} of nextest")


def _split(text: str, separator: re.Pattern[str]) -> list[str]:
    """The parts of a filter between separators that stand outside of its brackets."""
    parts, depth, begin = [], 0, 0
    for found in separator.finditer(text):
        if found[0] in "()":
            depth += 1 if found[0] == "(" else -1
        elif depth == 0:
            parts.append(text[begin : found.start()].strip())
            begin = found.end()
    return [*parts, text[begin:].strip()]


def _selecting(profile: object) -> Iterator[tuple[str, str]]:
    """The filters of a profile with what they do to their tests."""
    if not isinstance(profile, dict):
        return
    if isinstance(profile.get("default-filter"), str):
        yield profile["default-filter"], "left out"
    overrides = profile.get("overrides")
    for override in overrides if isinstance(overrides, list) else ():
        if not isinstance(override, dict):
            continue
        if isinstance(override.get("filter"), str) and _retries(override.get("retries")):
            yield override["filter"], "retried"
        if isinstance(override.get("default-filter"), str):
            yield override["default-filter"], "left out"


def _retries(value: object) -> bool:
    count = value.get("count") if isinstance(value, dict) else value
    return isinstance(count, int) and count > 0


def _entry(written: str, path: str, place: Place, reason: str) -> Entry:
    exact: list[str] = []
    hints: list[str] = []
    for part in _split(written, _AND):
        test, narrower = _EXACT.fullmatch(part), _NARROWER.fullmatch(part)
        if test is not None:
            exact.append(test["name"] or test["pattern"])
        elif narrower is not None:
            hints.append(narrower["name"])
        else:
            exact.append("")
    if len(exact) != 1 or not exact[0]:
        problem = f"{shown(written)} names no single test: write `test(=name)`"
        return Entry(path, place, Selector(written, "none"), reason=reason, problem=problem)
    return Entry(path, place, Selector(written, "function", exact[0], tuple(hints)), reason=reason)


def _parsed(text: str, path: str) -> dict[str, object]:
    if len(text) > LARGEST_TOML:
        raise CannotTell(f"{path} is larger than {LARGEST_TOML >> 10} KiB", "split it", f"{path}:1:1")
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) > LONGEST_LINE:
            reason = f"a line of more than {LONGEST_LINE} characters"
            raise CannotTell(reason, "break the filter into the lines of a ''' text", f"{path}:{number}:1")
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = _TOML_PLACE.fullmatch(str(error))
        message = found["message"] if found is not None else str(error)
        line, column = (found["line"], found["column"]) if found is not None and found["line"] else _end(text)
        raise CannotTell(f"this is no TOML: {message}", "repair the file", f"{path}:{line}:{column}") from None
    except (RecursionError, ValueError) as error:
        reason = "it is nested too deep" if isinstance(error, RecursionError) else str(error)
        raise CannotTell(f"this is no TOML that can be read: {reason}", "repair the file", f"{path}:1:1") from None


def _end(text: str) -> tuple[str, str]:
    return str(text.count("\n") + 1), str(len(text) - text.rfind("\n"))
