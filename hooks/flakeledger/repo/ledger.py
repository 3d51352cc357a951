"""A tree's ledger: all rows, typed and cross-indexed, with what is malformed, and what the tree says of them.

Invariants:
* What cannot be read is a finding, never an absent row in silence: `unreadable` names the files
  whose rows are not all known.
* Nothing here reads a clock; nothing is read, hashed or parsed twice.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, MutableMapping
from functools import cached_property
from typing import Literal, NamedTuple

from flakeledger.model.patterns import PathClasses
from flakeledger.model.records import Fixture, Freeze, Property, Replay, covering
from flakeledger.repo.citations import Citation
from flakeledger.repo.evidence_of_tests import EvidenceOfTests
from flakeledger.repo.files import Files
from flakeledger.repo.owners import CodeOwners, is_role
from flakeledger.repo.reading import Rows
from flakeledger.repo.sources import Sources
from flakeledger.repo.tree import ODD_MODES, REGULAR_MODES, Entries, Tree

#: how many names are compared with misspelt ones, which takes some 30 µs each, and how much of a misspelt one
_MOST_COMPARED, _LONGEST_COMPARED = 20_000, 80
#: findings that mean: some row of this file is not known
UNREADABLE = frozenset({"yaml-syntax", "yaml-forbidden", "conflict-marker", "duplicate-key"})


class LockedFile(NamedTuple):
    """What stands at a fixture's path: its digest, or why it has none."""

    state: Literal["file", "missing", "not-a-file", "no-contract"]
    digest: str | None
    problem: str


class Ledger:
    """The rows of one tree and the facts that rules ask of the tree."""

    def __init__(
        self,
        tree: Tree,
        rows: Rows,
        files: Files,
        modules: MutableMapping[str, object],
        citing: Callable[[Entries], Collection[str]],
    ) -> None:
        """`modules` holds what is known of test code, by blob id, and grows; `citing` finds files that may cite."""
        self.tree = tree
        self.rows = rows
        self.policy, self.freezes, self.fixtures, self.properties, self.replays, self.findings = rows
        self.files = files
        self.modules = modules
        self.citing = citing
        self._fixture_digests: dict[str, tuple[str | None, str | None]] = {}
        self._generator_sets: dict[str, list[str]] = {}
        self._generator_digests: dict[str | None, str] = {}
        self._fixture_pins: dict[str | None, dict[str, str]] = {}
        self._listed_tests: dict[str, frozenset[str]] = {}
        self._generator_paths: dict[str | None, frozenset[str]] = {}
        self._locks: dict[str | None, bool] = {}
        #: by the identity of the pins, kept with the answer: rows that name none share those of their property
        self._contradicted: dict[int, tuple[Mapping[str, str], bool]] = {}
        self._compared = 0

    @cached_property
    def unreadable(self) -> frozenset[str]:
        """The ledger files of which some row could not be read."""
        return frozenset(finding.path for finding in self.findings if finding.rule in UNREADABLE)

    @cached_property
    def freeze_by_test(self) -> dict[str, Freeze]:
        """The first row of each frozen test."""
        return {freeze.test: freeze for freeze in reversed(self.freezes) if freeze.test is not None}

    def is_first(self, freeze: Freeze) -> bool:
        """Whether no row of this ledger that is about the same test stands above this one."""
        return self.freeze_by_test.get(freeze.test or "") is freeze

    @cached_property
    def freezes_by_path(self) -> dict[str, list[Freeze]]:
        """The rows by the file of their test, in the order of the ledger."""
        return self._freezes_by("::")

    @cached_property
    def freezes_by_function(self) -> dict[str, list[Freeze]]:
        """The rows by the id of their test without its parameters, in the order of the ledger."""
        return self._freezes_by("[")

    def _freezes_by(self, end: str) -> dict[str, list[Freeze]]:
        """The rows by the part of their test's id that stands before a mark."""
        grouped: dict[str, list[Freeze]] = {}
        for freeze in self.freezes:
            if freeze.test is not None:
                grouped.setdefault(freeze.test.partition(end)[0], []).append(freeze)
        return grouped

    @cached_property
    def fixture_by_id(self) -> dict[str, Fixture]:
        """The first row of each fixture id."""
        return {fixture.id: fixture for fixture in reversed(self.fixtures) if fixture.id is not None}

    @cached_property
    def property_by_id(self) -> dict[str, Property]:
        """The first row of each property id."""
        return {found.id: found for found in reversed(self.properties) if found.id is not None}

    def lists(self, found: Property, test: str) -> bool:
        """Whether a property with an id lists the test, or its function without the parameters."""
        assert found.id is not None
        tests = self._listed_tests.get(found.id)
        if tests is None:
            tests = self._listed_tests[found.id] = frozenset(found.tests or ())
        return not tests.isdisjoint(covering(test))

    @cached_property
    def _listing(self) -> dict[str, dict[int, Property]]:
        """The properties that list each id, by the number of their row."""
        grouped: dict[str, dict[int, Property]] = {}
        for number, found in enumerate(self.properties):
            for test in found.tests or ():
                grouped.setdefault(test, {})[number] = found
        return grouped

    def listing(self, listed: str) -> Iterable[Property]:
        """The properties that list exactly this id, in the order of their rows."""
        return self._listing.get(listed, {}).values()

    def properties_of(self, test: str) -> list[Property]:
        """The properties that list the test, or its function without the parameters, in the order of their rows."""
        found: dict[int, Property] = {}
        for listed in covering(test):
            found |= self._listing.get(listed, {})
        return [found[number] for number in sorted(found)]

    @cached_property
    def frozen_by_property(self) -> dict[str | None, str]:
        """The first frozen test of each property id that a row names."""
        return {freeze.property_id: freeze.test for freeze in reversed(self.freezes) if freeze.test is not None}

    @cached_property
    def replays_by_test(self) -> dict[str, list[Replay]]:
        """The replays of each test, in the order of the log."""
        grouped: dict[str, list[Replay]] = {}
        for replay in self.replays:
            grouped.setdefault(replay.test, []).append(replay)
        return grouped

    @cached_property
    def evidence(self) -> EvidenceOfTests:
        """The replays of each test by where they ran, and the newest of them that are evidence."""
        return EvidenceOfTests(self.replays_by_test, self.is_evidence)

    @cached_property
    def newest_replays(self) -> tuple[Replay | None, ...]:
        """For each freeze the newest replay from its `replay_env` that is evidence, which judges it."""
        return tuple(map(self.newest_replay, self.freezes))

    def newest_replay(self, freeze: Freeze) -> Replay | None:
        """The newest replay here from the `replay_env` of a row, of this or another ledger, that is evidence."""
        return None if freeze.replay_env is None else self.evidence.newest(freeze.test or "", freeze.replay_env)

    def is_evidence(self, replay: Replay) -> bool:
        """Whether a replay counts; `seeded: false` of a `@given` test ran on other inputs than its seeds say."""
        return replay.seeded is not False or not self.sources.is_given(replay.test)

    @cached_property
    def classes(self) -> PathClasses | None:
        """The path classes of this tree's own policy."""
        return None if self.policy is None else PathClasses(self.policy)

    @cached_property
    def sources(self) -> Sources:
        """What the tree's test code says."""
        return Sources(self.tree.entries, self.tree.blob, self.files.sha256, self.modules)

    @cached_property
    def citing_files(self) -> list[str]:
        """The files that may cite a freeze, sorted. A locked file is data that a test reads, and cites nothing."""
        return sorted(path for path in self.citing(self.tree.entries) if path not in self.locked_paths)

    @cached_property
    def citations(self) -> tuple[Citation, ...]:
        """Every citation of the tree, sorted by path and place. CannotTell where a file cannot be read."""
        return tuple(Citation(path, *found) for path in self.citing_files for found in self.sources.citations(path))

    @cached_property
    def owners(self) -> CodeOwners:
        """What CODEOWNERS says. CannotTell when it cannot be read."""
        return CodeOwners.read(self.tree)

    def code_owners(self, path: str) -> tuple[str, ...]:
        """The people and teams that CODEOWNERS gives the path; a role is nobody who could own a freeze."""
        return tuple(owner for owner in self.owners.of(path) if not is_role(owner))

    def nearest_property(self, name: str) -> str | None:
        """The property id that looks most like a misspelt one; of very many misspelt ones only the first get one."""
        import difflib  # only a name that is wrong pays for it

        if self._compared > _MOST_COMPARED:
            return None
        self._compared += len(self.property_by_id)
        return next(iter(difflib.get_close_matches(name[:_LONGEST_COMPARED], self.property_by_id, n=1)), None)

    def locked_file(self, fixture: Fixture) -> LockedFile:
        """What stands at the fixture's path."""
        assert fixture.path is not None
        found = self.tree.entry(fixture.path)
        if found is None:
            if self.tree.is_folder(fixture.path):
                return LockedFile("not-a-file", None, "a folder")
            return LockedFile("missing", None, "")
        if found.mode not in REGULAR_MODES:
            return LockedFile("not-a-file", None, ODD_MODES.get(found.mode, f"an entry of mode {found.mode}"))
        if fixture.hash == "contract":
            contract = self.files.contract(found.oid)
            return LockedFile("file" if contract.digest else "no-contract", contract.digest, contract.problem)
        return LockedFile("file", self.files.content(found.oid), "")

    def fixture_digest(self, name: str) -> tuple[str | None, str | None]:
        """The path of a fixture row and the digest that the tree gives it; None where there is none."""
        known = self._fixture_digests.get(name)
        if known is None:
            fixture = self.fixture_by_id.get(name)
            path = None if fixture is None else fixture.path
            digest = None if fixture is None or path is None else self.locked_file(fixture).digest
            known = self._fixture_digests[name] = (path, digest)
        return known

    def fixture_pins(self, property_id: str | None) -> dict[str, str]:
        """The digests of a property's fixtures, by fixture id: what a new freeze pins."""
        known = self._fixture_pins.get(property_id)
        if known is None:
            found = self.property_by_id.get(property_id or "")
            names = (found.fixtures or ()) if found is not None else ()
            pins = ((name, self.fixture_digest(name)[1]) for name in names)
            known = self._fixture_pins[property_id] = {name: digest for name, digest in pins if digest is not None}
        return known

    @cached_property
    def locked_paths(self) -> frozenset[str]:
        """The paths that fixture rows lock."""
        return frozenset(fixture.path for fixture in self.fixtures if fixture.path is not None)

    def generator_set(self, property_id: str | None) -> list[str]:
        """The sorted paths of the property's generator set (LEDGERS.md); empty for an unknown property."""
        found = self.property_by_id.get(property_id or "")
        if found is None or found.id is None or self.classes is None or self.policy is None:
            return []
        known = self._generator_sets.get(found.id)
        if known is None:
            classes = self.classes
            known = self._generator_sets[found.id] = self.sources.generator_set(
                found.tests or (),
                found.generators,
                self.policy.seeds,
                self.locked_paths,
                lambda path: classes.class_of(path).name == "generator",
            )
        return known

    def is_generator(self, property_id: str | None, path: str) -> bool:
        """Whether a path is in the property's generator set."""
        known = self._generator_paths.get(property_id)
        if known is None:
            known = self._generator_paths[property_id] = frozenset(self.generator_set(property_id))
        return path in known

    def generator_digest(self, property_id: str | None) -> str | None:
        """The digest of the property's generator set; None for an unknown property."""
        if property_id not in self.property_by_id or self.policy is None:
            return None
        known = self._generator_digests.get(property_id)
        if known is None:
            known = self.sources.generator_digest(self.generator_set(property_id))
            self._generator_digests[property_id] = known
        return known

    def generator_hashes(self, property_id: str | None) -> dict[str, str]:
        """Path -> digest of each file of the property's generator set: what a witness of it names."""
        return self.sources.generator_hashes(self.generator_set(property_id))

    def void_pins(self, freeze: Freeze) -> list[str]:
        """The pins of the row that this tree contradicts, by field name."""
        void = []
        if freeze.fixture_hashes and self._contradicts(freeze.fixture_hashes):
            void.append("fixture_hashes")
        if freeze.generator_hash is not None and self.generator_digest(freeze.property_id) != freeze.generator_hash:
            void.append("generator_hash")
        if freeze.test_hash is not None and freeze.test is not None:
            text_digest = self.sources.test_digest(freeze.test)
            if text_digest is not None and text_digest != freeze.test_hash:
                void.append("test_hash")
        return void

    def _contradicts(self, pins: Mapping[str, str]) -> bool:
        """Whether the tree gives one of the pinned fixtures another digest, or none."""
        known = self._contradicted.get(id(pins))
        if known is None:
            differs = any(self.fixture_digest(name)[1] != digest for name, digest in pins.items())
            known = self._contradicted[id(pins)] = pins, differs
        return known[1]

    def locks_hold(self, property_id: str | None) -> bool:
        """Whether the lock of each fixture of a property is the tree's digest; so it is of an unknown property."""
        known = self._locks.get(property_id)
        if known is None:
            found = self.property_by_id.get(property_id or "")
            names = (found.fixtures or ()) if found is not None else ()
            known = self._locks[property_id] = all(map(self._is_locked, names))
        return known

    def _is_locked(self, name: str) -> bool:
        fixture, digest = self.fixture_by_id.get(name), self.fixture_digest(name)[1]
        return fixture is not None and digest is not None and fixture.sha256 == digest

    def pinned(self, freeze: Freeze) -> Freeze:
        """The row with every absent pin filled in from this tree."""
        return freeze._replace(
            fixture_hashes=freeze.fixture_hashes or self.fixture_pins(freeze.property_id),
            generator_hash=freeze.generator_hash or self.generator_digest(freeze.property_id),
            test_hash=freeze.test_hash or (self.sources.test_digest(freeze.test) if freeze.test else None),
        )

    def has_test(self, test: str) -> bool:
        """Whether the tree has the test (or several that the id names)."""
        return self.sources.test(test).state != "absent"

    def counts(self) -> dict[str, int]:
        """How many rows of each kind there are, for the summary."""
        return {
            "freezes": len(self.freezes),
            "fixtures": len(self.fixtures),
            "properties": len(self.properties),
            "replays": len(self.replays),
        }
