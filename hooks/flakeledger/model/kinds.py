"""The kinds of values that fields hold: what a text must look like, what to say when it does not, and its JSON Schema.

Invariants:
* A complaint is one clause without the field's name; no complaint is the empty text.
* Every test of a text is linear in its length.
* A kind says what a value looks like. Whether what it names exists is a rule's question.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from typing import Literal, NamedTuple

from flakeledger.model import records
from flakeledger.model.clock import parse_date, parse_instant
from flakeledger.model.wording import listed

#: how a value is written: the first four in YAML, where every scalar is text; all in JSON lines
Shape = Literal["text", "number", "list", "mapping", "flag", "count", "seconds", "integers", "counts"]

MOST_RENEWALS_DIGITS = 6
FEWEST_WORDS, FEWEST_CHARACTERS = 3, 12


class Kind(NamedTuple):
    """What values of a field are: their shape, the complaint about one text of it, the JSON Schema of one text."""

    shape: Shape
    complaint: Callable[[str], str]
    schema: Mapping[str, object]

    def listed(self) -> Kind:
        """The kind of a list of such texts."""
        return self._replace(shape="list")


def _fine(_text: str) -> str:
    return ""


def _matching(pattern: str, complaint: str) -> Kind:
    @cache  # a run that parses no row compiles nothing
    def compiled() -> re.Pattern[str]:
        return re.compile(pattern, re.ASCII)

    def complaint_of(text: str) -> str:
        return "" if compiled().fullmatch(text) else complaint

    return Kind("text", complaint_of, {"type": "string", "pattern": f"^{pattern}$"})


def one_of(*allowed: str) -> Kind:
    """The kind of an enumeration."""
    complaint = f"it is one of {listed(allowed)}"
    return Kind("text", lambda text: "" if text in allowed else complaint, {"type": "string", "enum": list(allowed)})


def _timed(parse: Callable[[str], int], pattern: str) -> Kind:
    @lru_cache(maxsize=1024)  # the rows of a ledger share a handful of days
    def complaint(text: str) -> str:
        try:
            parse(text)
        except ValueError as error:
            return str(error)
        return ""

    return Kind("text", complaint, {"type": "string", "pattern": f"^{pattern}$"})


def _parse_window(text: str) -> int:
    """A date, or an instant if the text has a time."""
    return parse_instant(text) if "T" in text or ":" in text else parse_date(text)


def _reason(text: str) -> str:
    if len(text.strip()) >= FEWEST_CHARACTERS or len(text.split(None, FEWEST_WORDS)) >= FEWEST_WORDS:
        return ""
    return f"it needs {FEWEST_WORDS} words or {FEWEST_CHARACTERS} characters: say why this test is not trusted"


_CONTROL = r"[\x00-\x1f\x7f-\x9f\u2028\u2029]"
#: a path that needs no closer look: no empty, `.`, `..` or `.git` part, nothing but portable characters
_PLAIN_PATH = r"(?:(?!\.{1,2}/|\.git/)[A-Za-z0-9_.-]++/)*+(?!\.{1,2}(?:\Z|::)|\.git(?:\Z|::))[A-Za-z0-9_.-]++"
_PLAIN_TEST = _PLAIN_PATH + r"::[A-Za-z0-9_:.]++"


@cache
def _plain(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.ASCII | re.IGNORECASE)


def _path(text: str) -> str:
    if _plain(_PLAIN_PATH).fullmatch(text):
        return ""
    if re.search(_CONTROL, text):
        return "it holds a control character, which no path of a ledger may"
    if "\\" in text:
        return "folders are separated with `/`, never with a backslash"
    if text.startswith("/"):
        return "it is relative to the root of the repository, without a leading `/`"
    parts = text.split("/")
    if ".." in parts:
        return "it may not leave the repository: it holds `..`"
    if "" in parts or "." in parts:
        return "it is written without empty or `.` parts, such as tests/data/orders.json"
    if any(part.lower() == ".git" for part in parts):
        return "it may not lead into `.git`"
    return ""


def _folder_or_path(text: str) -> str:
    return _path(text.removesuffix("/"))


def _test(text: str) -> str:
    """What is unsafe or cut off. Whether it names exactly one test is for the rules that look into the tree."""
    if _plain(_PLAIN_TEST).fullmatch(text):
        return ""
    path, _, name = text.partition("::")
    if re.search(_CONTROL, name):
        return "it holds a control character, which no test id may"
    if not _is_closed(name):
        return "it has a bracket without its partner: YAML cuts a text before ` #`, so quote the whole id"
    return _folder_or_path(path)


def _is_closed(name: str) -> bool:
    """Whether the brackets of an id are in pairs. Parameters may hold any text, so a closed outer pair is enough."""
    return name.count("[") == name.count("]") or ("[" in name and name.endswith("]"))


TEXT = Kind("text", _fine, {"type": "string", "minLength": 1})
NUMBER = _matching(
    f"[0-9]{{1,{MOST_RENEWALS_DIGITS}}}", f"it is a number from 0, of at most {MOST_RENEWALS_DIGITS} digits"
)._replace(shape="number", schema={"type": "integer", "minimum": 0})
NAME = _matching(records.NAME, "a name is a letter, then letters, digits, `_`, `.` and `-`; a path is no name")
DIGEST = _matching(r"[0-9a-f]{64}", "it is a SHA-256: 64 characters of 0-9 and a-f")
COMMIT = _matching(r"[0-9a-f]{40}(?:[0-9a-f]{24})?", "it is a full commit id: 40 or 64 characters of 0-9 and a-f")
DATE = _timed(parse_date, "[0-9]{4}-[0-9]{2}-[0-9]{2}")
_INSTANT = r"T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?(Z|[+-][0-9]{2}:[0-9]{2})"
INSTANT = _timed(parse_instant, "[0-9]{4}-[0-9]{2}-[0-9]{2}" + _INSTANT)
WINDOW_END = _timed(_parse_window, f"[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}({_INSTANT})?")
REASON = Kind("text", _reason, {"type": "string", "pattern": r"^\s*\S+\s+\S+\s+\S|^[\s\S]{12}"})
PATH = Kind("text", _path, {"type": "string", "pattern": r"^[^/\\][^\\]*$"})
FOLDER_OR_PATH = PATH._replace(complaint=_folder_or_path)
TEST = Kind("text", _test, {"type": "string", "pattern": r"^[^/\\][^\\]*::.+"})
PINS = DIGEST._replace(shape="mapping")

FLAG = TEXT._replace(shape="flag")
COUNT = TEXT._replace(shape="count")
SECONDS = TEXT._replace(shape="seconds")
INTEGERS = TEXT._replace(shape="integers")
COUNTS = TEXT._replace(shape="counts")
TEXTS = TEXT._replace(shape="list")
TEXTS_BY_NAME = TEXT._replace(shape="mapping")
