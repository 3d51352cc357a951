"""Targets that are ledgers and their edits: the reader, the policy, the log, the merge driver, formatter and editor.

Invariants:
* As in `targets.py`: a target ends in silence, or something was found.
"""

from __future__ import annotations

from flakeledger.model.errors import CannotTell
from flakeledger.model.fields import ROW_TABLES, check_row
from flakeledger.model.ledger_paths import POLICY, REPLAYS
from flakeledger.model.policy_reading import build_policy
from flakeledger.repo.guard import weakened
from flakeledger.repo.log_merge import merge_log
from flakeledger.repo.row_merge import merge_rows, resolved
from flakeledger.store.editor import append_row, change_row, remove_row
from flakeledger.store.formatter import format_rows
from flakeledger.store.ledger_text import cut
from flakeledger.store.reader import chunks_of, read_document, read_plain, read_policy, read_replays, read_rows
from fuzz.inputs import chosen, stand_in, texts_of


def rows(data: bytes) -> None:
    """A row ledger: every row is told or refused, and PyYAML reads what is told alike."""
    path, data = chosen(data)
    read, findings = read_rows(data, path)
    stand_in(findings, data)
    for row in read:
        check_row(ROW_TABLES[path], row, path)
    if findings:
        return
    assert len(read) == len(chunks_of(data, path).chunks), "a row is refused in silence"
    plain = read_plain(
        data if data.endswith(b"\n") else data + b"\n"
    )  # whether the last line is ended says nothing to us
    values = [{name: _as_plain(value) for name, value in row.values.items()} for row in read]
    assert values == (plain or []), (values, plain)


def _as_plain(value: object) -> object:
    if isinstance(value, dict):
        return {name: _as_plain(part) for name, part in value.items()}
    return [_as_plain(part) for part in value] if isinstance(value, list) else value or ""


def policy(data: bytes) -> None:
    """A policy: it is understood, or something is said."""
    node, findings = read_policy(data, POLICY)
    stand_in(findings, data)
    if node is None or findings:
        assert findings, "refused in silence"
        return
    found, findings = build_policy(node, POLICY)
    stand_in(findings, data)
    assert found is not None or findings, "refused in silence"


def documents(data: bytes) -> None:
    """The files of other tools: `.pre-commit-config.yaml` before and after."""
    before, after = texts_of(data, 2)
    assert not weakened(before, before), "equal configurations differ"
    weakened(before, after)
    _, findings = read_document(before, "a.yaml")
    stand_in(findings, before)


def _is_plain(data: bytes) -> bool:
    """Whether every line is a text that a log may hold."""
    try:
        lines = data.decode().split("\n")
    except UnicodeDecodeError:
        return False
    return all(
        line.isprintable() and not line.startswith(("<<<<<<<", "=======", ">>>>>>>", "|||||||")) for line in lines
    )


def replays(data: bytes) -> None:
    """The log: each line is told or refused, and its place in the file changes nothing."""
    lines, findings = read_replays(data, REPLAYS)
    stand_in(findings, data)
    if _is_plain(data):  # what is no text, and a conflict, is one finding of many lines
        told = {finding.line for finding in findings}
        assert len(lines) + len(told) >= len(data.removesuffix(b"\n").split(b"\n")) - (not data), "refused in silence"
    head, newline, tail = data.partition(b"\n")
    if newline and not findings:
        above, _ = read_replays(head + newline, REPLAYS)
        below, _ = read_replays(tail, REPLAYS, first_line=2)
        assert lines == [*above, *below], "a log read in two pieces says something else"


def merges(data: bytes) -> None:
    """The merge driver: equal sides are their merge, and either side wins against a side that changed nothing."""
    first, base, theirs = texts_of(data, 3)
    path, ours = chosen(first)
    assert _merged(base, ours, ours, path) in (ours, None), "equal sides are merged to something else"
    merged = _merged(ours, ours, theirs, path)
    if merged is not None:
        mine, yours = cut(merged, path), cut(theirs, path)
        assert sorted(mine.keys) == sorted(yours.keys), "a side that changed nothing wins"
    both = _merged(base, ours, theirs, path)
    if both is not None:
        resolved(both, ours=True)
    _merge_logs(ours, theirs)


def _merged(base: bytes, ours: bytes, theirs: bytes, path: str) -> bytes | None:
    try:
        return merge_rows(base, ours, theirs, path).data
    except CannotTell as error:
        assert error.reason
        return None


def _merge_logs(ours: bytes, theirs: bytes) -> None:
    try:
        merged = merge_log(ours, theirs)
    except CannotTell:
        return
    lines = merged.split(b"\n")
    for side in (ours, theirs):
        assert set(side.removesuffix(b"\n").split(b"\n")) <= {*lines, b""}, "a line is lost"
    assert merge_log(merged, theirs) == merged, "merging again changes more"


def layouts(data: bytes) -> None:
    """The formatter: twice is once, and no value changes."""
    path, data = chosen(data)
    try:
        after = format_rows(data, path)
    except CannotTell as error:
        assert error.reason
        return
    assert format_rows(after, path) == after, "formatting twice changes more"
    old, new = read_rows(data, path).rows, read_rows(after, path).rows
    assert [row.values for row in old] == [row.values for row in new], "formatting changes a value"


def edits(data: bytes) -> None:
    """The editor: what it makes holds the edit, every other row keeps its bytes, and taking it back gives the rows."""
    first, written = texts_of(data, 2)
    path, text = chosen(first)
    try:
        before = cut(text, path)
    except CannotTell as error:
        assert error.reason
        return
    key = written.decode("utf-8", "replace")[:200] or "K"
    names = [field.name for field in before.table.fields if field.kind.shape == "text"]
    row = dict.fromkeys(names[:3], key) | {before.table.key: key}
    try:
        longer = append_row(text, path, row)
        _keeps_rows(text, longer, path)
        shorter = remove_row(longer, path, key)
        assert cut(shorter, path).keys == before.keys, "a row that came and went leaves others"
        for name in before.keys[:2]:
            _keeps_rows(change_row(text, path, name, {names[1]: key}), text, path, but=name)
            _keeps_rows(remove_row(text, path, name), text, path)
    except CannotTell as error:
        assert error.reason


def _keeps_rows(fewer: bytes, more: bytes, path: str, but: str = "") -> None:
    """Every row of a text, but for one, stands in the other with its own bytes."""
    # the end of a last line that has none is made up, in the style of the first line
    held = {piece.own.rstrip("\r\n") for piece in cut(more, path).pieces}
    text = cut(fewer, path)
    for key, piece in zip(text.keys, text.pieces, strict=True):
        assert key == but or piece.own.rstrip("\r\n") in held, f"the bytes of {key!r} changed"
