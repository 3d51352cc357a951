"""From the bytes of a tree's ledger files to typed rows, so that no row is parsed twice, in this run or the next.

Invariants:
* A ledger that an earlier run read is known by its blob id: its blob is not even read, unless a finding needs a place.
* A typed row is known by the digest of its text: editing one row of ten thousand parses one row.
* Only what had no finding is kept; what is wrong is read again each time, with its place.
* The replay log is append-only: of a log that only grew, only the new lines are read.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

from flakeledger.model.findings import MOST_TOLD, Finding, unread_below
from flakeledger.model.ledger_paths import FIXTURES, FREEZES, LEDGERS, POLICY, PROPERTIES, REPLAYS
from flakeledger.model.policy import Limits, PathClass, Policy, Runner
from flakeledger.model.records import Fixture, Freeze, Property, Replay
from flakeledger.model.rows import LatePlaces, Places
from flakeledger.repo.columns import columns_of, rows_of
from flakeledger.repo.facts import Facts
from flakeledger.repo.known_rows import KnownRows, Values
from flakeledger.repo.tree import ODD_MODES, REGULAR_MODES, Tree
from flakeledger.store.cache import Cache

if TYPE_CHECKING:
    from flakeledger.store.chunks import RowChunk

Record = TypeVar("Record", Freeze, Fixture, Property)
Blob = Callable[[str], bytes]
#: raise it whenever the reader, a field table or a record gives something else for the same text
VERSION = 9
_FOLDER = LEDGERS.rstrip("/")


class Rows(NamedTuple):
    """What the ledger files of a tree hold, and what is malformed."""

    policy: Policy | None
    freezes: tuple[Freeze, ...]
    fixtures: tuple[Fixture, ...]
    properties: tuple[Property, ...]
    replays: tuple[Replay, ...]
    findings: tuple[Finding, ...]


class Reading:
    """Reads ledger files, and remembers."""

    def __init__(self, cache: Cache) -> None:
        """Reads nothing yet."""
        self.known_rows = {
            path: KnownRows(cache, f"{name}-rows-{VERSION}")
            for path, name in ((FREEZES, "freezes"), (FIXTURES, "fixtures"), (PROPERTIES, "properties"))
        }
        self._policies = Facts(cache, f"policies-{VERSION}", spare=4)
        self._logs = Facts(cache, f"logs-{VERSION}", spare=1)
        self._read: dict[tuple[str, str], Any] = {}

    @property
    def facts(self) -> tuple[KnownRows | Facts, ...]:
        """What is worth keeping."""
        return (*self.known_rows.values(), self._policies, self._logs)

    def rows(self, tree: Tree) -> Rows:
        """Every row of the tree's ledgers, and what is malformed."""
        policy, findings = self.policy(tree)
        freezes, more = self._ledger(tree, FREEZES, Freeze)
        findings += more
        fixtures, more = self._ledger(tree, FIXTURES, Fixture)
        findings += more
        properties, more = self._ledger(tree, PROPERTIES, Property)
        findings += more
        replays, more = self._once(tree, REPLAYS, self._replays)
        findings += more
        return Rows(policy, freezes, fixtures, properties, replays, (*findings, *_conflicts(tree)))

    def protection(self, tree: Tree) -> Rows:
        """The rows that say what is protected and by what: no freezes and no replays, of which there may be many."""
        policy, more = self.policy(tree)
        fixtures, wrong_fixtures = self._ledger(tree, FIXTURES, Fixture)
        properties, wrong_properties = self._ledger(tree, PROPERTIES, Property)
        return Rows(policy, (), fixtures, properties, (), (*more, *wrong_fixtures, *wrong_properties))

    def policy(self, tree: Tree) -> tuple[Policy | None, tuple[Finding, ...]]:
        """The tree's policy; None where it is missing (a rule says so) or broken."""
        return self._once(tree, POLICY, self.policy_of_blob) or (None, ())

    def is_known(self, tree: Tree) -> bool:
        """Whether the tree's policy and freezes were read by an earlier run: then no YAML has to be parsed for them."""
        policy, freezes = tree.entry(POLICY), tree.entry(FREEZES)
        return (policy is None or isinstance(self._policies.get(policy.oid), list)) and (
            freezes is None or self.known_rows[FREEZES].ledger(freezes.oid) is not None
        )

    def policy_of_blob(self, oid: str, read: Blob) -> tuple[Policy | None, tuple[Finding, ...]]:
        """The policy that a blob holds, and what is wrong with it."""
        known = self._policies.get(oid)
        if isinstance(known, list):
            return policy_from_json(known), ()
        from flakeledger.model.policy_reading import build_policy
        from flakeledger.store.reader import read_policy

        node, findings = read_policy(read(oid), POLICY)
        policy = None
        if node is not None and not findings:
            policy, findings = build_policy(node, POLICY)
        if policy is not None:
            self._policies[oid] = list(policy)
        return policy, tuple(findings)

    def freezes_of_blob(self, oid: str, read: Blob) -> tuple[Freeze, ...]:
        """The freezes that can be read in a blob of an old version: it is not worth remembering as a whole."""
        return self._old_rows(oid, read, FREEZES, Freeze)

    def freezes_in(self, data: bytes) -> tuple[tuple[Freeze, ...], tuple[Finding, ...]]:
        """The freezes that can be read in the bytes of an old version, and what is wrong; they are not kept."""
        return _typed_rows(None, data, FREEZES, Freeze, self.known_rows[FREEZES])

    def properties_of_blob(self, oid: str, read: Blob) -> tuple[Property, ...]:
        """The properties that can be read in a blob of an old version."""
        return self._old_rows(oid, read, PROPERTIES, Property)

    def _old_rows(self, oid: str, read: Blob, path: str, record: type[Record]) -> tuple[Record, ...]:
        key = (path, oid)
        if key not in self._read:
            self._read[key] = _typed_rows(None, read(oid), path, record, self.known_rows[path])
        return cast("tuple[Record, ...]", self._read[key][0])

    def _once(self, tree: Tree, path: str, read: Callable[[str, Blob], Any]) -> Any:
        """What stands at the path, read once a blob; (nothing, a finding) where no regular file is."""
        entry = tree.entry(path)
        nothing = None if path == POLICY else ()
        if entry is None:
            folder = tree.entry(_FOLDER)
            return nothing, () if folder is None else (_no_folder(path, folder.mode),)
        if entry.mode not in REGULAR_MODES:
            what = ODD_MODES.get(entry.mode, "no regular file")
            fix = f"replace it by a regular file: git rm --cached {path}, then write the file"
            return nothing, (Finding(path, 1, 1, "yaml-forbidden", f"it is {what}", fix),)
        key = (path, entry.oid)
        if key not in self._read:
            self._read[key] = read(entry.oid, tree.blob)
        return self._read[key]

    def _ledger(self, tree: Tree, path: str, record: type[Record]) -> tuple[tuple[Record, ...], tuple[Finding, ...]]:
        def read(oid: str, blob: Blob) -> tuple[tuple[Record, ...], tuple[Finding, ...]]:
            known = self.known_rows[path]
            rows = known.ledger(oid)
            if rows is None:
                return _typed_rows(oid, blob(oid), path, record, known)
            finder = _Finder(path, lambda: _chunks(blob(oid), path))
            return tuple(_known_records(record, rows, finder)), ()

        return cast("tuple[tuple[Record, ...], tuple[Finding, ...]]", self._once(tree, path, read))

    def _replays(self, oid: str, read: Blob) -> tuple[tuple[Replay, ...], tuple[Finding, ...]]:
        known = self._logs.get(oid)
        if isinstance(known, list):
            return _known_replays(known[2]), ()
        from hashlib import sha256

        from flakeledger.store.replay_log import read_replays

        data = read(oid)
        above, start = self._known_start(data)
        first_line = data.count(b"\n", 0, start) + 1
        read_lines, findings = read_replays(data[start:], REPLAYS, first_line, _identified(above, data[:start]))
        replays = (*above, *(line.replay for line in read_lines))
        if not findings:
            self._logs[oid] = [len(data), sha256(data).hexdigest(), columns_of(replays)]
        return replays, tuple(findings)

    def _known_start(self, data: bytes) -> tuple[Sequence[Replay], int]:
        """The replays of the longest known log that this one starts with, and where that one ended."""
        from hashlib import sha256

        best: tuple[Sequence[Replay], int] = ((), 0)
        for value in list(self._logs.values()):
            if not isinstance(value, list) or not best[1] < value[0] < len(data):
                continue
            if sha256(data[: value[0]]).hexdigest() == value[1]:
                best = (_known_replays(value[2]), value[0])
        return best


def _no_folder(path: str, mode: str) -> Finding:
    """What is wrong with a ledger whose folder is none: nothing of it is read, wherever it leads."""
    what = ODD_MODES.get(mode, "a file")
    fix = f"replace it by a folder: git rm --cached {_FOLDER}, then write {path}"
    return Finding(path, 1, 1, "yaml-forbidden", f"{_FOLDER} is {what}, and ledgers lie in a folder of this tree", fix)


def _identified(replays: Sequence[Replay], data: bytes) -> dict[str, tuple[int, str]]:
    """The lines of a good log that have an id: number and text by id."""
    named = [replay for replay in replays if replay.id is not None]
    lines = data.decode().split("\n") if named else []
    return {replay.id: (replay.line, lines[replay.line - 1]) for replay in reversed(named) if replay.id is not None}


class _Finder:
    """Finds the places of known rows again, by parsing the text of the row that is asked for."""

    def __init__(self, path: str, cut: Callable[[], Sequence[RowChunk]]) -> None:
        """`cut` gives the texts of the rows, in the order of their index."""
        self._path = path
        self._cut = cut
        self._found: dict[int, Places] = {}

    @cached_property
    def _chunks(self) -> Sequence[RowChunk]:
        return self._cut()

    def places(self, index: int) -> Places:
        """The places of one row."""
        found = self._found.get(index)
        if found is None:
            from flakeledger.store.reader import read_chunks

            chunk = self._chunks[index]
            ((row, _),) = read_chunks([chunk], self._path)
            found = self._found[index] = row.places if row is not None else Places(chunk.line, 1, {})
        return found


def _chunks(data: bytes, path: str) -> Sequence[RowChunk]:
    from flakeledger.store.reader import chunks_of

    return chunks_of(data, path).chunks


def _known_replays(columns: Sequence[Any]) -> tuple[Replay, ...]:
    """The replays of a known log. (`_make` is Python, and takes as long as to load ten thousand of them.)"""
    return tuple(map(partial(tuple.__new__, Replay), rows_of(columns)))


def _known_records(record: type[Record], rows: Sequence[Values], finder: _Finder) -> list[Record]:
    places = finder.places
    return [_record(record, LatePlaces(places, index), values) for index, values in enumerate(rows)]


def _record(record: type[Record], places: Places | LatePlaces, values: Values) -> Record:
    return tuple.__new__(record, (places, *values))  # as in `_known_replays`


def _typed_rows(
    oid: str | None, data: bytes, path: str, record: type[Record], known: KnownRows
) -> tuple[tuple[Record, ...], tuple[Finding, ...]]:
    from flakeledger.model.fields import ROW_TABLES, check_row
    from flakeledger.store.reader import chunks_of, read_chunks

    chunks, findings = chunks_of(data, path)
    finder = _Finder(path, lambda: chunks)
    found = [known.row(chunk.digest) for chunk in chunks]
    parsed = read_chunks([chunk for chunk, values in zip(chunks, found, strict=True) if values is None], path)
    rows: list[Record] = []
    new: dict[str, Values] = {}
    wrong = list(findings)
    for index, (chunk, values) in enumerate(zip(chunks, found, strict=True)):
        if values is not None:
            rows.append(_record(record, LatePlaces(finder.places, index), values))
            continue
        if len(wrong) > MOST_TOLD:
            wrong.append(unread_below(path, chunk.line, "yaml-forbidden"))
            break
        row, mistakes = next(parsed)
        wrong += mistakes
        if row is None:
            continue
        typed, complaints = check_row(ROW_TABLES[path], row, path)
        wrong += complaints
        rows.append(_record(record, row.places, typed))
        if not mistakes and not complaints:
            new[chunk.digest] = typed
    known.learn(None if wrong else oid, [chunk.digest for chunk in chunks], new)
    return tuple(rows), tuple(wrong)


def policy_from_json(known: list[Any]) -> Policy:
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
