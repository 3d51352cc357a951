"""From the bytes of a tree's ledger files to typed rows, so that no row is parsed twice, in this run or the next.

Invariants:
* A typed row is known by the digest of its text: editing one row of ten thousand parses one row.
* Only what had no finding is kept; what is wrong is read again each time, with its place.
* The replay log is append-only: of a log that only grew, only the new lines are read.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any, TypeVar, cast

from flakeledger.model.fields import FIXTURE_FIELDS, FREEZE_FIELDS, PROPERTY_FIELDS, FieldTable, check_row
from flakeledger.model.findings import Finding
from flakeledger.model.ledger_paths import FIXTURES, FREEZES, POLICY, PROPERTIES, REPLAYS
from flakeledger.model.policy import Limits, PathClass, Policy, Runner, build_policy
from flakeledger.model.records import Fixture, Freeze, Property, Replay
from flakeledger.model.rows import Places
from flakeledger.repo.facts import Facts
from flakeledger.repo.ledger import Rows
from flakeledger.repo.tree import REGULAR_MODES, Tree
from flakeledger.store.cache import Cache
from flakeledger.store.reader import READER_VERSION, chunks_of, read_chunks, read_policy, read_replays

Record = TypeVar("Record", Freeze, Fixture, Property)
#: rows that a run did not need and that may come back with the next switch of a branch
_SPARE_ROWS = 1000
_ODD_MODES = {"120000": "a symbolic link", "160000": "a submodule"}


class Reading:
    """Reads ledger files, and remembers."""

    def __init__(self, cache: Cache) -> None:
        """Reads nothing yet."""
        self._rows = {
            path: Facts(cache, f"{name}-rows-{READER_VERSION}", _SPARE_ROWS)
            for path, name in ((FREEZES, "freezes"), (FIXTURES, "fixtures"), (PROPERTIES, "properties"))
        }
        self._policies = Facts(cache, f"policies-{READER_VERSION}", spare=4)
        self._logs = Facts(cache, f"logs-{READER_VERSION}", spare=1)
        self._read: dict[tuple[str, str], Any] = {}

    @property
    def facts(self) -> tuple[Facts, ...]:
        """What is worth keeping."""
        return (*self._rows.values(), self._policies, self._logs)

    def rows(self, tree: Tree) -> Rows:
        """Every row of the tree's ledgers, and what is malformed."""
        policy, findings = self.policy(tree)
        freezes, more = self._ledger(tree, FREEZES, FREEZE_FIELDS, Freeze)
        findings += more
        fixtures, more = self._ledger(tree, FIXTURES, FIXTURE_FIELDS, Fixture)
        findings += more
        properties, more = self._ledger(tree, PROPERTIES, PROPERTY_FIELDS, Property)
        findings += more
        replays, more = self._once(tree, REPLAYS, self._replays)
        findings += more
        return Rows(policy, freezes, fixtures, properties, replays, (*findings, *_conflicts(tree)))

    def policy(self, tree: Tree) -> tuple[Policy | None, tuple[Finding, ...]]:
        """The tree's policy; None where it is missing (a rule says so) or broken."""
        return self._once(tree, POLICY, self.policy_of_blob) or (None, ())

    def policy_of_blob(self, oid: str, read: Callable[[str], bytes]) -> tuple[Policy | None, tuple[Finding, ...]]:
        """The policy that a blob holds, and what is wrong with it."""
        known = self._policies.get(oid)
        if isinstance(known, list):
            return _policy_from_json(known), ()
        node, findings = read_policy(read(oid), POLICY)
        policy = None
        if node is not None and not findings:
            policy, findings = build_policy(node, POLICY)
        if policy is not None:
            self._policies[oid] = list(policy)
        return policy, tuple(findings)

    def _once(self, tree: Tree, path: str, read: Callable[[str, Callable[[str], bytes]], Any]) -> Any:
        """What stands at the path, read once a blob; (nothing, a finding) where no regular file is."""
        entry = tree.entry(path)
        if entry is None:
            return (None, ()) if path == POLICY else ((), ())
        if entry.mode not in REGULAR_MODES:
            what = _ODD_MODES.get(entry.mode, "no regular file")
            fix = f"replace it by a regular file: git rm --cached {path}, then write the file"
            return (None if path == POLICY else ()), (Finding(path, 1, 1, "yaml-forbidden", f"it is {what}", fix),)
        key = (path, entry.oid)
        if key not in self._read:
            self._read[key] = read(entry.oid, tree.blob)
        return self._read[key]

    def _ledger(
        self, tree: Tree, path: str, table: FieldTable, record: type[Record]
    ) -> tuple[tuple[Record, ...], tuple[Finding, ...]]:
        def read(oid: str, blob: Callable[[str], bytes]) -> tuple[tuple[Record, ...], tuple[Finding, ...]]:
            return _typed_rows(blob(oid), path, table, record, self._rows[path])

        return cast("tuple[tuple[Record, ...], tuple[Finding, ...]]", self._once(tree, path, read))

    def _replays(self, oid: str, read: Callable[[str], bytes]) -> tuple[tuple[Replay, ...], tuple[Finding, ...]]:
        known = self._logs.get(oid)
        if isinstance(known, list):
            return tuple(Replay._make(values) for values in known[2]), ()
        data = read(oid)
        above, start = self._known_start(data)
        first_line = data.count(b"\n", 0, start) + 1
        below, findings = read_replays(data[start:], REPLAYS, first_line, above)
        replays = (*above, *below)
        if not findings:
            self._logs[oid] = [len(data), hashlib.sha256(data).hexdigest(), replays]
        return replays, tuple(findings)

    def _known_start(self, data: bytes) -> tuple[list[Replay], int]:
        """The replays of the longest known log that this one starts with, and where that one ended."""
        best: tuple[list[Replay], int] = ([], 0)
        for value in list(self._logs.values()):
            if not isinstance(value, list) or not best[1] < value[0] < len(data):
                continue
            if hashlib.sha256(data[: value[0]]).hexdigest() == value[1]:
                best = ([Replay._make(values) for values in value[2]], value[0])
        return best


def _typed_rows(
    data: bytes, path: str, table: FieldTable, record: type[Record], known: Facts
) -> tuple[tuple[Record, ...], tuple[Finding, ...]]:
    chunks, findings = chunks_of(data, path)
    found: list[Any] = [known.get(chunk.digest) for chunk in chunks]
    unknown = [chunk for chunk, fact in zip(chunks, found, strict=True) if fact is None]
    parsed = iter(read_chunks(unknown, path))
    rows: list[Record] = []
    wrong = list(findings)
    for chunk, fact in zip(chunks, found, strict=True):
        if fact is not None:
            offset, column, fields, values = fact
            rows.append(_record(record, Places(chunk.line + offset, column, fields), values))
            continue
        row, mistakes = next(parsed)
        wrong += mistakes
        if row is None:
            continue
        typed, complaints = check_row(table, row, path)
        wrong += complaints
        rows.append(_record(record, row.places, typed))
        if not mistakes and not complaints:
            known[chunk.digest] = [row.places.line - chunk.line, row.places.column, row.places.fields, typed]
    return tuple(rows), tuple(wrong)


def _record(record: type[Record], places: Places, values: list[object]) -> Record:
    return record._make((places, *values))


def _policy_from_json(known: list[Any]) -> Policy:
    """The policy from its values as JSON keeps them: every tuple has become a list."""
    values = Policy._make(known)
    return values._replace(
        paths=tuple(PathClass(name, tuple(match)) for name, match in values.paths),
        runners=tuple(_runner_from_json(runner) for runner in values.runners),
        forbid=tuple((one, other) for one, other in values.forbid),
        limits=Limits._make(values.limits),
        environment_failures=tuple(values.environment_failures),
        permanent_skips=tuple(values.permanent_skips),
    )


def _runner_from_json(known: Any) -> Runner:
    runner = Runner._make(known)
    return runner if runner.command is None else runner._replace(command=tuple(runner.command))


def _conflicts(tree: Tree) -> list[Finding]:
    """A ledger that a merge left unmerged in the index has no one text to read."""
    fix = "resolve the conflict, keeping the rows of both sides, and git add the file"
    return [
        Finding(path, 1, 1, "conflict-marker", "this file is unmerged in the index", fix)
        for path in tree.ledger_conflicts()
    ]
