"""The strict reader: what it reads, what it refuses and where; cutting a ledger at its dashes changes nothing."""

from __future__ import annotations

import io
from collections.abc import Callable

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML

from flakeledger.model.rows import Entry, ListNode, MappingNode, Place, Row, ScalarNode
from flakeledger.store.reader import chunks_of, read_plain, read_policy, read_rows

PATH = "ledgers/freezes.yaml"
GOOD = "- ok: yes\n"

#: text -> the rows it holds
STYLES: dict[str, tuple[str, list[dict[str, object]]]] = {
    "plain": ("- test: a.py::t\n  owner: '@finley'\n", [{"test": "a.py::t", "owner": "@finley"}]),
    "blank lines and comments": (
        "# head\n\n- a: b # end\n\n# between\n  # deep\n- c: d\n  # tail\n\n# foot\n",
        [{"a": "b"}, {"c": "d"}],
    ),
    "indented list": ("  - a: b\n    c: d\n  - e: f\n", [{"a": "b", "c": "d"}, {"e": "f"}]),
    "wide dash": ("-   a: b\n    c: d\n-   e: f\n", [{"a": "b", "c": "d"}, {"e": "f"}]),
    "dash on its own line": ("-\n  a: b\n- # why\n  c: d\n", [{"a": "b"}, {"c": "d"}]),
    "CRLF": ("# head\r\n- a: b\r\n  c: d\r\n-\r\n  e: f\r\n", [{"a": "b", "c": "d"}, {"e": "f"}]),
    "no final newline": ("- a: b\n- c: d", [{"a": "b"}, {"c": "d"}]),
    "document start": ("---\n# x\n- a: b\n", [{"a": "b"}]),
    "comment, document start, document end": ("# x\n--- # y\n- a: b\n... # z\n\n# end\n", [{"a": "b"}]),
    "no YAML 1.1 surprises": (
        "- a: no\n  b: 0123\n  c: 12:30\n  d: 1e5\n  e: 2026-11-19\n  f: ~\n  g: 0o10\n",
        [{"a": "no", "b": "0123", "c": "12:30", "d": "1e5", "e": "2026-11-19", "f": "~", "g": "0o10"}],
    ),
    "nothing written": ("- a:\n  b: ''\n  c: # why\n", [{"a": None, "b": "", "c": None}]),
    "quotes": ("- \"a\": 'don''t'\n  'b': \"tab\\t\\u00e9\"\n", [{"a": "don't", "b": "tab\té"}]),
    "other alphabets": ("# Équipe — 日本\n- a: 日本語 😀\n  b: naïve “x”\n", [{"a": "日本語 😀", "b": "naïve “x”"}]),
    "block texts": (
        "- a: |\n    one\n      two\n  b: >-\n    three\n    four\n\n- c: |+\n    keep\n\n# tail\n",
        [{"a": "one\n  two\n", "b": "three four"}, {"c": "keep\n\n"}],
    ),
    "block text with a dash in it": ("- a: |\n    - b\n    - c\n- d: e\n", [{"a": "- b\n- c\n"}, {"d": "e"}]),
    "quoted texts over lines": (
        "- a: \"one\n    two\"\n  b: 'three\n\n    four'\n- c: d\n",
        [{"a": "one two", "b": "three\nfour"}, {"c": "d"}],
    ),
    "lists": (
        "- a: [x, 'y[1]', \"z\"]\n  b: []\n  c: [\n    x,\n    y,  # why\n  ]\n  d:\n    - x\n    - y\n  e:\n  - z\n",
        [{"a": ["x", "y[1]", "z"], "b": [], "c": ["x", "y"], "d": ["x", "y"], "e": ["z"]}],
    ),
    "mappings": (
        "- a: {x: 1, y: '2'}\n  b:\n    z: 3\n    w:\n",
        [{"a": {"x": "1", "y": "2"}, "b": {"z": "3", "w": None}}],
    ),
    "no list": ("# nothing\n\n", []),
    "nothing": ("", []),
    "only a document start": ("---\n", []),
    "an empty list": ("[]  # no freezes\n", []),
    "blanks that end lines": ("- a: b  \n  \n  c: d \n   \n\n", [{"a": "b", "c": "d"}]),
}


@pytest.mark.parametrize(("text", "rows"), STYLES.values(), ids=STYLES)
def test_styles_that_people_write_are_read(text: str, rows: list[dict[str, object]]) -> None:
    read = read_rows(text.encode(), PATH)
    assert [row.values for row in read.rows] == rows
    assert read.findings == []


#: text -> rule, line, column, part of the message, part of the fix
HAZARDS: dict[str, tuple[str, str, int, int, str, str]] = {
    "unquoted at": ("- a: b\n  owner: @finley\n", "yaml-syntax", 2, 10, "begins with `@`", 'owner: "@finley"'),
    "unquoted at with a comment": ("- owner: @a # x\n", "yaml-syntax", 1, 10, "quoted", '- owner: "@a" # x'),
    "bracket in a list": ("- tests: [a.py::t[x-1]]\n", "yaml-syntax", 1, 18, "list of line 1", '["a.py::t[x-1]"]'),
    "colon in a text": ("- reason: flaky: see #12\n", "yaml-syntax", 1, 16, "`: `", 'reason: "flaky: see #12"'),
    "no space, first field": ("- test:a\n", "yaml-forbidden", 1, 3, "the text `test:a`", "- test: a"),
    "no space, later field": ("- a: b\n  owner:c\n  d: e\n", "yaml-syntax", 2, 3, "space after the colon", "owner: c"),
    "no space and an at": ("- a: b\n  owner:@c\n  d: e\n", "yaml-syntax", 2, 3, "space after", 'owner: "@c"'),
    "folded field": ("- a: b\n    c: d\n", "yaml-syntax", 2, 5, "belongs to the value of line 1", "2 spaces before it"),
    "folded text": ("- a: b\n  c: d\n\n    e f\n", "yaml-forbidden", 4, 5, "belongs to the value of line 2", "quote"),
    "under-indented field": ("- a: b\n c: d\n", "yaml-syntax", 2, 2, "fields stand deeper", "2 spaces before it: c: d"),
    "misaligned dash": ("- a: b\n  - c: d\n", "yaml-syntax", 2, 3, "not aligned", "aligned"),
    "dash to the left": ("  - a: b\n- c: d\n", "yaml-syntax", 2, 1, "dash above", "align the dash"),
    "open quote": ('- a: "b\n  c: d\n', "yaml-syntax", 1, 6, "not closed within its row", '- a: "b"'),
    "apostrophe": ("- a: 'don't'\n", "yaml-syntax", 1, 11, "closing quote", '- a: "don\'t"'),
    "text after a list": ("- a: [WIP] flaky\n", "yaml-syntax", 1, 12, "closing quote or bracket", '"[WIP] flaky"'),
    "unknown escape": ('- a: "\\d+"\n', "yaml-syntax", 1, 7, "escape", "- a: '\\d+'"),
    "backtick": ("- a: `b`\n", "yaml-syntax", 1, 6, "quoted", '- a: "`b`"'),
    "percent": ("- a: %b\n", "yaml-syntax", 1, 6, "quoted", '- a: "%b"'),
    "star text": ("- a: *urgent*\n", "yaml-syntax", 1, 6, "begins with `*`", '"*urgent*"'),
    "dash text": ("- a: - b\n", "yaml-syntax", 1, 6, "begins with `- `", '"- b"'),
    "blanks under a pipe": ("- a: |\n  \n    b\n", "yaml-forbidden", 2, 1, "only blanks", "delete the blanks"),
    "pipe text": ("- a: |x\n", "yaml-syntax", 1, 7, "next line", '"|x"'),
    "missing item": ("- a: [b,,c]\n", "yaml-syntax", 1, 9, "missing", "["),
    "list left open": ("- a: [b, c\n  d: e\n", "yaml-syntax", 2, 4, "list of line 1", "- a: [b, c]"),
    "stray word": ("- a: b\n  word\n", "yaml-syntax", 2, 3, "no field", "name: value"),
    "key twice": ("- a: b\n  c: d\n  a: e\n", "duplicate-key", 3, 3, "first on line 1", "one of the two"),
    "entry twice": ("- a: {x: 1, x: 2}\n", "duplicate-key", 1, 13, "`x`", "one of the two"),
    "alias": ("- a: *b\n", "yaml-forbidden", 1, 6, "`*b` is a YAML alias", "quote"),
    "alias in a list": ("- a: [*b]\n", "yaml-forbidden", 1, 7, "alias", "quote"),
    "alias as a row": ("- *b\n", "yaml-forbidden", 1, 3, "alias", "quote"),
    "anchor on a row": ("- &b\n  a: c\n", "yaml-forbidden", 1, 3, "`&b` is a YAML anchor", "delete"),
    "anchor on a value": ("- a: &b c\n", "yaml-forbidden", 1, 6, "anchor", "delete"),
    "anchor on a list": ("- a: &b [c]\n", "yaml-forbidden", 1, 6, "anchor", "delete"),
    "anchor on a mapping": ("- a: &b {c: d}\n", "yaml-forbidden", 1, 6, "anchor", "delete"),
    "tag": ("- a: !!str b\n", "yaml-forbidden", 1, 6, "tag", "quote"),
    "bare tag": ("- a: ! b\n", "yaml-forbidden", 1, 6, "`!` is a YAML tag", "quote"),
    "tag on a key": ("- !x a: b\n", "yaml-forbidden", 1, 3, "tag", "delete"),
    "merge key": ("- <<: *b\n  a: c\n", "yaml-forbidden", 1, 3, "merge key", "write the fields out"),
    "directive": ("%YAML 1.1\n---\n- a: b\n", "yaml-forbidden", 1, 1, "directives", "delete"),
    "second document": ("- a: b\n  c: d\n---\n", "yaml-forbidden", 3, 1, "one YAML document", "delete"),
    "two starts": ("---\n---\n- a: b\n", "yaml-forbidden", 2, 1, "one YAML document", "delete"),
    "text after the end": ("- a: b\n...\nfoo\n", "yaml-forbidden", 2, 1, "one YAML document", "delete"),
    "flow row": ("- {a: b}\n", "yaml-forbidden", 1, 3, "block style", "own line"),
    "flow list of rows": ("[{a: b}]\n", "yaml-forbidden", 1, 1, "block style", "- name: value"),
    "row is a list": ("- - a\n", "yaml-forbidden", 1, 3, "not a list", "- name: value"),
    "row is a text": ("- a\n", "yaml-forbidden", 1, 3, "the text `a`", "- name: value"),
    "row without fields": ("-\n", "yaml-forbidden", 1, 2, "without fields", "delete the dash"),
    "list in a list": ("- a: [[b]]\n", "yaml-forbidden", 1, 7, "nested too deep", "one text"),
    "mapping in a list": ("- a: [b: c]\n", "yaml-forbidden", 1, 7, "nested too deep", "quote"),
    "list in a mapping": ("- a: {b: [c]}\n", "yaml-forbidden", 1, 10, "nested too deep", "one text"),
    "mapping in a mapping": ("- a:\n    b:\n      c: d\n", "yaml-forbidden", 3, 7, "nested too deep", "one text"),
    "explicit key": ("- a: b\n  ? c\n  : d\n", "yaml-forbidden", 2, 5, "`?`", "name: value"),
    "list as a key": ("- ? [a]\n  : b\n", "yaml-forbidden", 1, 5, "plain word", "name: value"),
    "heading": ("version: 1\nfreezes:\n- a: b\n", "yaml-forbidden", 1, 1, "list of rows", "delete"),
    "no dash": ("a: b\n", "yaml-forbidden", 1, 1, "list of rows", "start the row with `- `"),
    "no space after the dash": ("-a: b\n", "yaml-forbidden", 1, 1, "dash and a space", "space after the dash"),
    "tab": ("- a:\tb\n", "yaml-forbidden", 1, 5, "U+0009 is a tab", "spaces"),
    "tab in a comment": ("# a\tb\n", "yaml-forbidden", 1, 4, "tab", "spaces"),
    "no-break space": ("- a: b\u00a0c\n", "yaml-forbidden", 1, 7, "no-break space", "ordinary space"),
    "zero width": ("- a: é\u200bc\n", "yaml-forbidden", 1, 7, "U+200B is an invisible", "delete"),
    "bidirectional": ("- a: b\n  c: \u202ed\n", "yaml-forbidden", 2, 6, "direction", "delete"),
    "line separator": ("- a: b\u2028c\n", "yaml-forbidden", 1, 7, "U+2028 is a line separator", "line feed"),
    "next line": ("- a: b\u0085c\n", "yaml-forbidden", 1, 7, "line separator", "line feed"),
    "control character": ("- a: b\x1b[0m\n", "yaml-forbidden", 1, 7, "U+001B is a control", "delete"),
    "NUL": ("- a: \x00\n", "yaml-forbidden", 1, 6, "U+0000", "delete"),
    "C1 control": ("- a: \x9bm\n", "yaml-forbidden", 1, 6, "U+009B", "delete"),
    "carriage return alone": ("- a: b\r- c: d\n", "yaml-forbidden", 1, 7, "carriage return", "line feed"),
    "conflict": (
        "- a: b\n<<<<<<< HEAD\n- c: d\n||||||| x\n=======\n- e: f\n>>>>>>> x\n",
        "conflict-marker", 2, 1, "unresolved merge conflict (to line 7)", "markers",
    ),
    "conflict in quotes": ('- a: "\n\n=======\n  "\n', "conflict-marker", 3, 1, "marker left over", "markers"),
    "conflict with CRLF": ("- a: b\r\n=======\r\n", "conflict-marker", 2, 1, "marker", "markers"),
}  # fmt: skip


@pytest.mark.parametrize("hazard", HAZARDS.values(), ids=HAZARDS)
def test_each_hazard_has_one_finding_and_hides_no_other_row(hazard: tuple[str, str, int, int, str, str]) -> None:
    text, rule, line, column, message, fix = hazard
    (finding,) = read_rows(text.encode(), PATH).findings
    assert finding[:4] == (PATH, line, column, rule)
    assert message in finding.message
    assert fix in finding.fix


@pytest.mark.parametrize("hazard", [name for name, (text, *_) in HAZARDS.items() if text.startswith("- ")])
def test_the_rows_around_a_bad_one_are_read(hazard: str) -> None:
    text, rule, line, column, *_ = HAZARDS[hazard]
    read = read_rows((GOOD + text + GOOD).encode(), PATH)
    assert read.findings[0][:4] == (PATH, line + 1, column, rule)
    assert read.rows[-1].values == {"ok": "yes"}
    assert rule == "conflict-marker" or read.rows[0].values == {"ok": "yes"}


def _findings(data: bytes) -> list[tuple[int, int, str]]:
    return [(found.line, found.column, found.rule) for found in read_rows(data, PATH).findings]


def test_bytes_that_are_no_text_have_a_place() -> None:
    assert _findings(b"- a: \xc3\xa9\xe9\n- c: d\n") == [(1, 7, "yaml-forbidden")]
    assert "0xE9" in read_rows(b"- a: \xe9\n", PATH).findings[0].message
    assert [row.values for row in read_rows(b"- a: \xe9\n- c: d\n", PATH).rows] == [{"c": "d"}]
    assert _findings("- a: b\n".encode("utf-16")) == [(1, 1, "yaml-forbidden")]


def test_a_byte_order_mark_is_one_finding_and_the_rows_are_read() -> None:
    read = read_rows(b"\xef\xbb\xbf- a: b\n", PATH)
    assert [row.values for row in read.rows] == [{"a": "b"}]
    assert [(found.line, found.column, found.rule) for found in read.findings] == [(1, 1, "yaml-forbidden")]


def test_every_mistake_of_a_row_is_told() -> None:
    text = "- owner: @a\n  reason: x: y\n  test: `t\n- a: b\n  c: @d\n"
    assert _findings(text.encode()) == [
        (1, 10, "yaml-syntax"),
        (2, 12, "yaml-syntax"),
        (3, 9, "yaml-syntax"),
        (5, 6, "yaml-syntax"),
    ]


def test_a_duplicate_keeps_the_first_value() -> None:
    read = read_rows(b"- expires: 2026-11-19\n  expires: 2099-01-01\n", PATH)
    assert [row.values for row in read.rows] == [{"expires": "2026-11-19"}]


def test_findings_are_bounded() -> None:
    read = read_rows(b"- a:\tb\n" * 5000, PATH)
    assert read.rows == []
    assert len(read.findings) == 101
    assert "more than 100 lines" in read.findings[-1].message


def test_sizes_are_bounded() -> None:
    assert "32 MiB" in read_rows(b"#" * ((32 << 20) + 1), PATH).findings[0].message
    read = read_rows(b"- a: " + b"x" * (1 << 20) + b"\n" + GOOD.encode(), PATH)
    assert [row.values for row in read.rows] == [{"ok": "yes"}]
    assert [(found.line, found.rule) for found in read.findings] == [(1, "yaml-forbidden")]


@pytest.mark.parametrize(
    "text",
    ["- a: " + "[" * 200_000, "- a: " + "{a: " * 50_000, "- " * 100_000, "- a: " + "\n  b: " + "[" * 100_000],
    ids=["lists", "mappings", "dashes", "late"],
)
def test_hostile_nesting_is_one_finding_and_costs_nothing(text: str) -> None:
    assert len(read_rows(text.encode(), PATH).findings) == 1
    node, findings = read_policy(("a: " + text).encode(), PATH)
    assert node is None
    assert len(findings) == 1
    assert read_plain(text.encode()) is None


def test_places_count_characters_and_are_relative_to_the_row() -> None:
    text = "# é\n\n- é: b\n  tests: [x, 日,\n    y]\n  pins:\n    k: v\n  e:\n- z: |\n    1\n\n    2\n\n"
    first, second = read_rows(text.encode(), PATH).rows
    assert first.places[:2] == (3, 3)
    assert first.places.fields == {
        "é": [0, 3, 0, 6, None],
        "tests": [1, 3, 1, 10, [[1, 11], [1, 14], [2, 5]]],
        "pins": [3, 3, 4, 5, {"k": [4, 8]}],
        "e": [5, 3, 5, 5, None],
    }
    assert first.places.of("tests", 2) == Place(5, 5)
    assert first.places.of("pins", "k") == Place(7, 8)
    assert first.places.of_key("tests") == Place(4, 3)
    assert (first.last_line, second.places.line, second.last_line) == (8, 9, 12)


@pytest.mark.parametrize(
    ("row", "last"),
    [
        ("- a: b\n  # why\n", 1),
        ("- a: |+\n    b\n\n", 3),
        ("- a: >\n    b\n\n", 2),
        ("- a: 'b\n    c'\n", 2),
        ("- a: [\n    b\n  ]\n\n", 3),
        ("- a: {\n    b: c\n  }\n", 3),
        ("- a:\n  - |\n    c\n  # d\n", 3),
    ],
)
def test_the_last_line_of_a_row(row: str, last: int) -> None:
    assert [found.last_line for found in read_rows((row + GOOD).encode(), PATH).rows] == [last, row.count("\n") + 1]


# --- the parser in Python, where libyaml was not built


@pytest.mark.parametrize("hazard", [name for name in HAZARDS if name != "unknown escape"])
def test_without_libyaml_the_answers_are_the_same(hazard: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text, rule, line, column, *_ = HAZARDS[hazard]
    monkeypatch.delattr(yaml, "CBaseLoader")
    (finding,) = read_rows(text.encode(), PATH).findings
    assert finding[:4] == (PATH, line, column, rule)


@pytest.mark.parametrize("style", STYLES)
def test_without_libyaml_the_rows_are_the_same(style: str, monkeypatch: pytest.MonkeyPatch) -> None:
    read = read_rows(STYLES[style][0].encode(), PATH)
    monkeypatch.delattr(yaml, "CBaseLoader")
    assert read_rows(STYLES[style][0].encode(), PATH) == read


# --- random ledgers and random edits of them

WORDS = st.sampled_from(
    ["a", "b.py::t[x-1]", "@finley", "2026-11-19", "no", "see #1", "x: y", "don't", '"', "\\", "- z", "é", ""]
)
EDITS = st.sampled_from(
    ["\n", "\n- ", "\n  ", "- ", " ", ":", ": ", " #", "'", '"', "[", "]", "{", "}", ",", "|", ">", "&x ", "*x", "!",
     "?",
     "\t", "\r\n", "\n---\n", "\n...\n", "<<: ", "@", "%", "`", "\u00a0", "é", "-", "\n\n", "\n    ", "|+\n",
     "\n=======\n", "\ufeff"]
)  # fmt: skip


@st.composite
def ledgers(draw: st.DrawFn) -> str:
    indent = draw(st.sampled_from(["", "  "]))
    quote: Callable[[str], str] = draw(st.sampled_from([_double, _single]))
    rows = []
    for _ in range(draw(st.integers(1, 4))):
        lines = []
        for name in draw(
            st.lists(st.sampled_from(["test", "owner", "tests", "pins", "text"]), min_size=1, unique=True)
        ):
            words = draw(st.lists(WORDS, min_size=1, max_size=3))
            values = {
                "tests": f"[{', '.join(map(quote, words))}]",
                "pins": "\n" + "\n".join(f"{indent}    k{n}: {quote(word)}" for n, word in enumerate(words)),
                "text": "|\n" + "\n".join(f"{indent}    {word}" for word in words if word.strip()),
            }
            lines.append(f"{name}: {values.get(name, quote(words[0]))}")
        rows.append(
            f"{indent}- " + f"\n{indent}  ".join(lines) + draw(st.sampled_from(["\n", "\n\n", "  # why\n", "\n# x\n"]))
        )
    return "".join(rows)


def _double(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _single(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


@st.composite
def edited_ledgers(draw: st.DrawFn) -> str:
    text = draw(ledgers())
    for _ in range(draw(st.integers(0, 3))):
        start = draw(st.integers(0, len(text)))
        text = text[:start] + draw(EDITS | st.just("")) + text[start + draw(st.integers(0, 3)) :]
    return text


def _whole(text: str) -> list[dict[str, object]]:
    """What PyYAML makes of the whole text in one piece: values, and the line and column of each."""
    root = yaml.compose(text, Loader=yaml.CBaseLoader)
    if root is None or root.value == "":
        return []
    return [
        {key.value: (_value(value), key.start_mark.line + 1, key.start_mark.column + 1) for key, value in row.value}
        for row in root.value
    ]


def _rows_of_whole(text: str) -> int:
    """How many rows PyYAML sees: none if it refuses, fewer than there are dashes if a quoted text swallowed one."""
    try:
        root = yaml.compose(text, Loader=yaml.CBaseLoader)
    except yaml.YAMLError:
        return 0
    assert isinstance(root, yaml.SequenceNode)
    return len(root.value)


def _value(node: yaml.Node) -> object:
    if isinstance(node, yaml.MappingNode):
        return {key.value: _value(value) for key, value in node.value}
    if isinstance(node, yaml.SequenceNode):
        return [_value(item) for item in node.value]
    assert isinstance(node, yaml.ScalarNode)
    return None if node.value == "" and not node.style else node.value


def _placed(row: Row) -> dict[str, object]:
    return {name: (value, *row.places.of_key(name)) for name, value in row.values.items()}


@settings(max_examples=200)
@given(edited_ledgers())
def test_cut_at_its_dashes_a_ledger_reads_like_the_whole_and_like_ruamel(text: str) -> None:
    read = read_rows(text.encode(), PATH)
    if read.findings:
        assert all(found.line >= 1 and found.column >= 1 and found.fix for found in read.findings)
        assert all(found.line <= text.count("\n") + 1 for found in read.findings)
        if {found.rule for found in read.findings} == {"yaml-syntax"}:
            assert _rows_of_whole(text) < len(chunks_of(text.encode(), PATH).chunks)
        return
    text = text if text.endswith("\n") else text + "\n"
    assert [_placed(row) for row in read.rows] == _whole(text)
    assert [_with_empty_texts(row.values) for row in read.rows] == _ruamel(text)


def _ruamel(text: str) -> object:
    """What ruamel reads, every scalar as text; nothing written is the empty text."""
    return YAML(typ="base", pure=True).load(io.StringIO(text)) or []


def _with_empty_texts(value: object) -> object:
    if isinstance(value, dict):
        return {key: _with_empty_texts(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_with_empty_texts(item) for item in value]
    return value or ""


@settings(max_examples=100)
@given(ledgers())
def test_a_good_ledger_has_no_findings(text: str) -> None:
    assert read_rows(text.encode(), PATH).findings == []


@settings(max_examples=150)
@given(st.one_of(st.text(), edited_ledgers()), st.binary(max_size=4))
def test_whatever_the_bytes_nothing_but_rows_and_findings_comes_out(text: str, tail: bytes) -> None:
    data = text.encode("utf-8", "surrogatepass") + tail
    read = read_rows(data, PATH)
    assert read.findings == sorted(read.findings)
    assert read.rows or read.findings or not data.strip() or data.lstrip()[:1] in b"#-["
    node, findings = read_policy(data, PATH)
    assert (node is None) <= bool(findings)
    read_plain(data)


# --- the policy


def test_a_policy_keeps_its_places() -> None:
    text = "version: 1\npaths:\n  - class: generator\n    match: [a, 'b']\nforbid: [[x, y]]\nlimits: {min_seeds: 30}\n"
    node, findings = read_policy(text.encode(), PATH)
    assert findings == []
    assert node == MappingNode(
        (
            Entry("version", 1, 1, ScalarNode("1", 1, 10)),
            Entry("paths", 2, 1, ListNode((_path_class(),), 3, 3)),
            Entry("forbid", 5, 1, ListNode((ListNode((ScalarNode("x", 5, 11), ScalarNode("y", 5, 14)), 5, 10),), 5, 9)),
            Entry("limits", 6, 1, MappingNode((Entry("min_seeds", 6, 10, ScalarNode("30", 6, 21)),), 6, 9)),
        ),
        1,
        1,
    )


def _path_class() -> MappingNode:
    match = ListNode((ScalarNode("a", 4, 13), ScalarNode("b", 4, 16)), 4, 12)
    return MappingNode((Entry("class", 3, 5, ScalarNode("generator", 3, 12)), Entry("match", 4, 5, match)), 3, 5)


@pytest.mark.parametrize(
    ("text", "rule", "line", "column", "message"),
    [
        ("", "yaml-forbidden", 1, 1, "the policy is a mapping"),
        ("# nothing\n", "yaml-forbidden", 2, 1, "the policy is a mapping"),
        ("- a\n", "yaml-forbidden", 1, 1, "the policy is a mapping"),
        ("a: b\na: c\n", "duplicate-key", 2, 1, "first on line 1"),
        ("a: &x b\n", "yaml-forbidden", 1, 4, "anchor"),
        ("a: *x\n", "yaml-forbidden", 1, 4, "alias"),
        ("<<: x\n", "yaml-forbidden", 1, 1, "merge key"),
        ("a: !x b\n", "yaml-forbidden", 1, 4, "tag"),
        ("%YAML 1.1\n---\na: b\n", "yaml-forbidden", 1, 1, "directives"),
        ("a: b\n---\nc: d\n", "yaml-forbidden", 2, 1, "one YAML document"),
        ("a: @b\n", "yaml-syntax", 1, 4, "begins with `@`"),
        ("a: b\n  c\n", "yaml-forbidden", 2, 3, "belongs to the value of line 1"),
        ("a: b\n  c: d\n", "yaml-syntax", 2, 4, "`: ` must be quoted"),
        ("a: \tb\n", "yaml-forbidden", 1, 4, "tab"),
        ("a: b\n=======\n", "conflict-marker", 2, 1, "marker"),
        ("a: [[[[[[[[b]]]]]]]]\n", "yaml-forbidden", 1, 11, "nested more than 8 deep"),
    ],
)
def test_a_policy_is_refused_like_a_ledger(text: str, rule: str, line: int, column: int, message: str) -> None:
    findings = read_policy(text.encode(), PATH)[1]
    assert [found[1:4] for found in findings] == [(line, column, rule)]
    assert message in findings[0].message
    assert findings[0].fix


# --- other tools' files


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (b"a: [b, {c: no}]\n", {"a": ["b", {"c": "no"}]}),
        (b"x: &h {id: q, args: [r]}\ny:\n- *h\n- {<<: *h, id: s}\n", {
            "x": {"id": "q", "args": ["r"]}, "y": [{"id": "q", "args": ["r"]}, {"id": "s", "args": ["r"]}],
        }),
        (b"a: &x {k: 1}\nb: &y {k: 2, l: 3}\nc: {<<: [*x, *y]}\n", {
            "a": {"k": "1"}, "b": {"k": "2", "l": "3"}, "c": {"k": "1", "l": "3"},
        }),
        (b"a: 1\na: 2\n", {"a": "2"}),
        (b"text\n", "text"),
        (b"", None),
        (b"a: [\n", None),
        (b"a: *b\n", None),
        (b"? [a]\n: b\n", None),
        (b"a: b\n---\nc: d\n", None),
        (b"a: \xff\n", None),
    ],
)  # fmt: skip
def test_plain_values_are_what_the_other_tool_sees(text: bytes, value: object) -> None:
    assert read_plain(text) == value


def test_aliases_that_multiply_are_not_followed() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]
    assert read_plain("\n".join(lines).encode()) is None
    assert read_plain("\n".join(lines[:3]).encode()) is not None
