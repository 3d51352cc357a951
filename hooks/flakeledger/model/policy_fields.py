"""The fields of policy.yaml: one table, of which the checks (`policy_reading.py`) and the schema for editors are made.

Invariants:
* Every field of the policy is here, with its kind, its bounds, its default and one line of help.
* A default here is the default of the records in `policy.py`.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from flakeledger.model.policy import CLASSES, LEVELS
from flakeledger.model.records import NAME

PLACEHOLDERS = ("{name}", "{test}", "{path}")
LONGEST_TEXT = 512
_PATH_NAME = r"(?!\.{1,2}(?:/|$))[^/\\]+"
#: a path of the tree: no leading slash, no empty name, no `.` or `..`, no backslash
_PATH = f"{_PATH_NAME}(?:/{_PATH_NAME})*"

Kind = Literal[
    "choice",  # one of the allowed texts
    "number",  # a whole number between floor and ceiling
    "text",  # a text that the pattern allows
    "texts",  # a list of texts that the pattern allows
    "gitignore",  # a list of gitignore patterns, at least one
    "command",  # a list of words with a placeholder
    "pairs",  # a list of pairs of the allowed texts
    "mapping",  # one mapping of the fields
    "rows",  # a list of mappings of the fields, at least one
]


class PolicyField(NamedTuple):
    """One field: what may stand there, and what holds when nothing does."""

    name: str
    kind: Kind
    help: str
    required: bool = False
    default: str | int | tuple[object, ...] | None = None
    allowed: tuple[str, ...] = ()
    #: the whole text must match
    pattern: str = ""
    #: what a text that does not match should have been
    form: str = ""
    floor: int | None = None
    ceiling: int | None = None
    fields: tuple[PolicyField, ...] = ()


def _number(name: str, default: int, floor: int, ceiling: int | None, help_text: str) -> PolicyField:
    return PolicyField(name, "number", help_text, default=default, floor=floor, ceiling=ceiling)


def _choice(name: str, allowed: tuple[str, ...], help_text: str) -> PolicyField:
    """A choice whose first answer is the default."""
    return PolicyField(name, "choice", help_text, default=allowed[0], allowed=allowed)


PATH_FIELDS = (
    PolicyField("class", "choice", "the class of the paths that match", required=True, allowed=CLASSES),
    PolicyField("match", "gitignore", "gitignore patterns, read from the root of the repository", required=True),
)

LIMIT_FIELDS = (
    _number("max_window_days", 30, 1, 90, "the longest window of a freeze, in days"),
    _number("unproven_days", 3, 0, None, "a window this short needs no replay yet"),
    _number("max_replay_age_days", 14, 1, None, "a replay older than this is no evidence"),
    _number("min_seeds", 20, 20, None, "the fewest seeds of a replay that counts"),
    _number("max_freezes", 50, 0, None, "the most rows that freezes.yaml may hold"),
    _number("max_renewals", 1, 0, 3, "how often a freeze may be renewed"),
    _number("warn_days", 7, 0, None, "warn when fewer days than this are left"),
    _number("witness_bytes", 8192, 1, 65536, "the largest witness, in bytes"),
    _number("witness_replays", 5, 3, None, "the fewest replays of a witness"),
    _number("seed_budget", 32, 1, None, "the most seeds that the search for a witness tries"),
)

RUNNER_FIELDS = (
    PolicyField(
        "name",
        "text",
        "the name that freezes and replays give",
        required=True,
        pattern=NAME,
        form="a name of letters, digits, `_`, `.` and `-` that starts with a letter",
    ),
    PolicyField(
        "python",
        "text",
        "the version of Python that a replay must run on",
        pattern=r"[0-9]+(\.[0-9]+)*",
        form='a version such as "3.11"',
    ),
    PolicyField(
        "timezone",
        "text",
        "the time zone that a replay runs in (TZ)",
        pattern="[A-Za-z][A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+)*",
        form="a time zone such as UTC or Europe/Madrid",
    ),
    PolicyField(
        "hash_seed",
        "text",
        "PYTHONHASHSEED of a replay; `seed` varies it with the seed",
        pattern="seed|[0-9]{1,9}",
        form='"seed", or a whole number such as "0"',
    ),
    PolicyField("command", "command", "the command that runs one test: {name}, {test} and {path} are filled in"),
)

POLICY_FIELDS = (
    PolicyField("version", "choice", "the version of this format", required=True, allowed=("1",)),
    PolicyField("level", "choice", "how much a freeze must prove", default="keyed", allowed=LEVELS),
    PolicyField(
        "paths",
        "rows",
        "the class of every path; the first entry that matches wins, the rest is production",
        required=True,
        fields=PATH_FIELDS,
    ),
    PolicyField(
        "forbid",
        "pairs",
        "pairs of classes that one change may not hold together",
        default=(("generator", "freeze_config"),),
        allowed=CLASSES,
    ),
    PolicyField("limits", "mapping", "days, counts and bytes", fields=LIMIT_FIELDS),
    PolicyField(
        "seeds",
        "text",
        "the seed list, a file of class generator",
        pattern=_PATH,
        form="a path from the root of the repository, such as tests/seeds/gate.json",
    ),
    _choice("stale_rows", ("block", "block_touched"), "whether a stale row fails every build, or only what touches it"),
    _choice(
        "witness_match",
        ("exact", "property"),
        "which failures a freeze with a witness excuses: those under its example, or all of a property that flipped",
    ),
    _choice("flaky_witness", ("deny", "accept"), "whether a witness whose shrink was flaky counts"),
    PolicyField(
        "environment_failures",
        "texts",
        "exception classes that blame the environment, subclasses included",
        default=("TimeoutError", "ConnectionError", "socket.gaierror"),
        pattern=r"[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*",
        form="the name of a class, such as TimeoutError or socket.gaierror",
    ),
    PolicyField("permanent_skips", "texts", "patterns of the reasons of skips that are no freezes", default=()),
    _choice("owners", ("any", "codeowners"), "who may own a freeze"),
    PolicyField(
        "runners",
        "rows",
        "the kinds of machine on which freezes hold and replays run",
        required=True,
        fields=RUNNER_FIELDS,
    ),
    PolicyField(
        "default_runner",
        "text",
        "the runner of replays that name none; absent: the first",
        pattern=NAME,
        form="the name of a runner",
    ),
)
