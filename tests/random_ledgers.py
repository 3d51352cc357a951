"""Random ledgers in every style that the strict reader accepts, and random edits of their rows, judged from outside.

Invariants:
* Every decision is one call of `choose`, so that Hypothesis can shrink it and a campaign can draw it.
* Keys are distinct, so that every row can be meant.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from flakeledger.model.fields import FIXTURE_FIELDS, FREEZE_FIELDS, PROPERTY_FIELDS, FieldTable
from flakeledger.model.ledger_paths import FIXTURES, FREEZES, PROPERTIES
from flakeledger.store.editor import append_row, change_row, remove_row
from flakeledger.store.formatter import format_rows
from outside import judge_added, judge_changed, judge_formatted, judge_removed, see

Choose = Callable[[Sequence[Any]], Any]

TABLES: dict[str, FieldTable] = {FREEZES: FREEZE_FIELDS, FIXTURES: FIXTURE_FIELDS, PROPERTIES: PROPERTY_FIELDS}
KEYS = {path: table.key for path, table in TABLES.items()}
DIGESTS = ["4f" * 32, "0123456789" * 6 + "0123", "1e" * 32]
NEW_ROWS: dict[str, dict[str, Any]] = {
    FREEZES: {
        "owner": "@new",
        "frozen_on": "2026-10-20",
        "expires": "2026-11-19",
        "reason": "some: words # here",
        "fixture_hashes": {"FX-1": DIGESTS[0], "FX-2": DIGESTS[1]},
        "renewed": "1",
    },
    FIXTURES: {"path": "tests/data/new.json", "sha256": DIGESTS[0], "hash": "contract"},
    PROPERTIES: {"statement": "it's always so", "fixtures": ["FX-1"], "tests": ["a.py::t", "b.py::t[x-1]"]},
}
TEXTS = ["plain", "two words", "it's", 'say "x"', "a: b", "x # y", "2026-11-19", "007", "no", "é—日本 😀", "[x]", ""]
ITEMS = ["FX-1", "a.py::t", "b.py::t[x-1]", "c.py::t[a,b]", "é"]
COMMENTS = ["# why", "# - test: old", "#", "# 'x' \"y\" [z", "# é"]
MOST_ROWS = 5


def judge_random_edit(choose: Choose) -> str:
    """One random edit of a random ledger, judged from outside; the name of the edit."""
    path = choose([FREEZES, PROPERTIES, FIXTURES])
    before = ledger(path, choose).encode()
    rows, key = see(before).values, KEYS[path]
    number = choose(range(len(rows))) if rows else 0
    what = str(choose(["append", "change", "remove", "format"])) if rows else "append"
    if what == "append":
        row = NEW_ROWS[path] | {key: choose(["AA", "MM", "ZZ"])}
        judge_added(before, append_row(before, path, row), row)
    elif what == "change":
        changes = change_of(path, rows[number], choose)
        judge_changed(before, change_row(before, path, rows[number][key], changes), number, changes)
    elif what == "remove":
        judge_removed(before, remove_row(before, path, rows[number][key]), number)
    else:
        after = format_rows(before, path)
        judge_formatted(before, after)
        assert format_rows(after, path) == after, "formatting twice changes more"
    return what


def ledger(path: str, choose: Choose) -> str:
    """A ledger's text."""
    dash = choose([0, 0, 2])
    column = dash + choose([2, 2, 4])
    newline = choose(["\n", "\n", "\r\n"])
    lines = [*choose([[], [], ["---"], ["# head"], ["# head", "", "# more"]])]
    keys = [f"K{number}.py::t" if path == FREEZES else f"K{number}" for number in range(MOST_ROWS)]
    for key in keys[: choose(range(MOST_ROWS))]:
        lines += row_lines(path, key, dash, column, choose)
        lines += choose([[], [], [""], ["", ""], ["# between"], ["", "# above"], [" " * column + "# deeper"], ["  "]])
    lines += choose([[], [], ["", "# foot"]])
    ends = choose([True, True, False]) and lines
    return str(newline.join(lines) + (newline if ends or not lines or lines[-1] == "" else ""))


def row_lines(path: str, key: str, dash: int, column: int, choose: Choose) -> list[str]:
    """The lines of one row."""
    table = TABLES[path]
    names = [table.key, *(field.name for field in table.fields if field.name != table.key and choose([True, False]))]
    if choose([False, False, True]):
        names = [*names[1:], names[0]]
    body: list[str] = []
    for name in names:
        above = choose([[], [], [], [choose(COMMENTS)], [""]])
        body += [*(above if body else []), *field_lines(table, name, key, choose)]
    indent = " " * column
    if choose([False, False, False, True]):
        return [" " * dash + "-" + choose(["", " # dash"]), *(indent + line if line else "" for line in body)]
    first = " " * dash + "-" + " " * (column - dash - 1) + body[0]
    return [first, *(indent + line if line else "" for line in body[1:])]


def field_lines(table: FieldTable, name: str, key: str, choose: Choose) -> list[str]:
    """The lines of one field without the indentation of its row."""
    shape = table.by_name[name].kind.shape
    head = choose([name, name, name, f'"{name}"']) + ":"
    if name == table.key:
        return [f"{head} {written(key, choose)}{behind(choose)}"]
    if shape in ("list", "mapping"):
        return collection_lines(head, shape == "mapping", choose)
    kind = choose(["line", "line", "line", "empty", "literal", "folded"])
    if kind == "empty":
        return [f"{head}{behind(choose)}"]
    if kind == "line":
        return [f"{head}{choose([' ', ' ', '   '])}{written(choose(TEXTS), choose)}{behind(choose)}"]
    sign = ("|" if kind == "literal" else ">") + choose(["", "-", "-", "2"])
    return [f"{head} {sign}{behind(choose)}", "  first # no comment", "   deeper", *choose([[], ["", "  last"]])]


def collection_lines(head: str, is_mapping: bool, choose: Choose) -> list[str]:
    """The lines of a list or mapping."""
    number = choose([1, 2, 3, 0])
    texts = [f"FX-{place}: {choose(DIGESTS)}" for place in range(number)]
    if not is_mapping:
        texts = [written(choose(ITEMS), choose, flow=True) for _ in range(number)]
    opening, closing = "{}" if is_mapping else "[]"
    if not number or choose([True, False]):
        return [f"{head} {opening}{', '.join(texts)}{closing}{behind(choose)}"]
    if choose([False, False, True]):
        return [
            f"{head} {opening}",
            *(f"    {text},{behind(choose)}" for text in texts),
            f"  {closing}{behind(choose)}",
        ]
    lead = "  " if is_mapping else choose(["- ", "  - ", "  -   "])
    lines = [f"{head}{behind(choose)}"]
    for text in texts:
        lines += [*choose([[], [], [], [lead.replace("-", " ") + "# item"]]), f"{lead}{text}{behind(choose)}"]
    return lines


def written(text: str, choose: Choose, flow: bool = False) -> str:
    """A text as a scalar: plain where that is the same text in every YAML, else in either quotes."""
    single, double = "'" + text.replace("'", "''") + "'", '"' + text.replace('"', '\\"') + '"'
    plain = text.replace(" ", "").isalnum() or text.endswith(".py::t") or text in ("2026-11-19", "é—日本 😀")
    return str(choose([single, double, *([text] if plain and text and not (flow and " " in text) else [])]))


def behind(choose: Choose) -> str:
    """What stands behind a value."""
    return str(choose(["", "", "", "  # why", " # é", "   "]))


def change_of(path: str, row: dict[str, Any], choose: Choose) -> dict[str, Any]:
    """A change of one or two fields of a row: other values, new fields, fields that go."""
    table = TABLES[path]
    changes: dict[str, Any] = {}
    for _ in range(choose([1, 1, 2])):
        field = choose([field for field in table.fields if field.name != table.key])
        held = row.get(field.name)
        if field.name in row and choose([False, False, True]):
            changes[field.name] = None
        elif field.kind.shape == "list":
            kept = [item for item in held or [] if choose([True, True, False])]
            place = choose(range(len(kept) + 1))
            changes[field.name] = [*kept[:place], *choose([[], ["new"], ["n.py::t[1]", "m"]]), *kept[place:]]
        elif field.kind.shape == "mapping":
            kept_entries = {name: text for name, text in (held or {}).items() if choose([True, True, False])}
            changes[field.name] = kept_entries | choose([{}, {"FX-0": DIGESTS[2]}, {"NEW": DIGESTS[0]}])
        else:
            changes[field.name] = choose(TEXTS)
    return changes
