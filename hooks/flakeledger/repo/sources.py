"""What test code says about the ids in the ledgers: does the test exist, what is its text, which properties it names.

Invariants:
* Everything is a function of the texts of one tree. No clock, no git, no import of the checked code;
  a symbolic link or a submodule is never read.
* Facts are kept by blob id in the cache that the caller gives, and grow it: `OID` holds the facts of a Python
  module, `words:OID` which words a file holds, `ids:OID` which properties a file that is no Python names,
  `cites:LANGUAGE:OID` what is cited in a file that is not parsed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, MutableMapping, Sequence
from functools import cached_property

from flakeledger.repo.citations import Cited, from_json, text_citations, to_json
from flakeledger.repo.ids import Found, TestId, find_test, is_python, nameless_digest, split_test_id, with_word, word_in
from flakeledger.repo.imports import (
    Import,
    conftests,
    imported_generators,
    imported_paths,
    listed_paths,
)
from flakeledger.repo.modules import (
    ModuleFacts,
    TestFacts,
    facts_from_json,
    module_facts,
    named_properties,
    test_texts,
)
from flakeledger.repo.tree import REGULAR_MODES
from flakeledger.store.git import TreeEntry

#: for how many tests that are absent the nearest name is looked for, which takes up to 10 ms each
_MOST_SUGGESTED = 100
#: how many modules are looked through for a test that is written elsewhere
_MOST_MODULES = 64


class Sources:
    """What the test code of one tree says; every question is answered once.

    `entries` are the paths of the tree, `read` gives a blob and `sha256_of` its digest by blob id;
    `cache` holds what is known of blobs, as JSON.
    """

    def __init__(
        self,
        entries: Mapping[str, TreeEntry],
        read: Callable[[str], bytes],
        sha256_of: Callable[[str], str],
        cache: MutableMapping[str, object],
    ) -> None:
        """Reads nothing yet."""
        self._entries = entries
        self._read = read
        self._sha256_of = sha256_of
        self._cache = cache
        self._found: dict[str, Found] = {}
        self._absent = 0
        self._modules: dict[str, ModuleFacts] = {}
        self._by_path: dict[str, ModuleFacts | None] = {}
        self._imported: dict[str, list[str]] = {}
        self._known_conftests: dict[str, list[str]] = {}
        self._resolved: dict[tuple[Import, str], list[str]] = {}
        self._digests: dict[tuple[str, ...], str] = {}
        self._nameless: dict[str, dict[str, str]] = {}
        self._last: tuple[str, bytes] = ("", b"")

    def _oid(self, path: str) -> str | None:
        """The blob of the regular file at the path; None where there is none."""
        entry = self._entries.get(path)
        return entry.oid if entry is not None and entry.mode in REGULAR_MODES else None

    def _is_file(self, path: str) -> bool:
        return self._oid(path) is not None

    def _blob(self, oid: str) -> bytes:
        """The content of a blob. The last one is kept: several questions in a row are about one file."""
        if self._last[0] != oid:
            self._last = (oid, self._read(oid))
        return self._last[1]

    def _facts(self, oid: str) -> ModuleFacts:
        found = self._modules.get(oid)
        if found is None:
            found = facts_from_json(self._cache.get(oid))
            if found is None:
                found = module_facts(self._blob(oid))
                self._cache[oid] = found.to_json()
            self._modules[oid] = found
        return found

    def problem(self, path: str) -> str | None:
        """Why the Python module at the path cannot be parsed; None when it can, or when there is none."""
        oid = self._oid(path)
        return self._facts(oid).problem if oid is not None and is_python(path) else None

    def test(self, test_id: str) -> Found:
        """Whether the tree has the test; an id that is none is absent, with the reason."""
        found = self._found.get(test_id)
        if found is None:
            found = self._found[test_id] = self._written_in_module(test_id) or self._find(test_id)
        return found

    def _written_in_module(self, test_id: str) -> Found | None:
        """The test if its module has it under exactly this id, as almost every test is; None: look closer."""
        path, _, name = test_id.partition("::")
        if path not in self._by_path:
            oid = self._oid(path) if is_python(path) else None
            self._by_path[path] = None if oid is None else self._facts(oid)
        facts = self._by_path[path]
        test = None if facts is None else facts.tests.get(name)
        return None if test is None or test.parametrised else Found._make(("found", "", "", test))

    def _find(self, test_id: str) -> Found:
        try:
            test = split_test_id(test_id)
        except ValueError as problem:
            return Found("absent", str(problem), "write the id as pytest prints it: path::name")
        oid = self._oid(test.path)
        if oid is None:
            return self._no_file(test)
        if is_python(test.path):
            suggests = self._absent < _MOST_SUGGESTED
            found = find_test(
                test, self._facts(oid), lambda word: any(self._holding(test.path, word)), suggests=suggests
            )
            self._absent += found.state == "absent"
            return found
        if self._has_word(oid, test.name):
            return Found("found")
        word = test.name.rpartition("::")[2]
        return Found("absent", f"{test.path} does not hold the words {word!r}", f"write the name as {test.path} has it")

    def _no_file(self, test: TestId) -> Found:
        if test.path in self._entries:
            reason = f"{test.path} is no regular file, and links are not followed"
            return Found("absent", reason, "name the file itself")
        same = self._by_name.get(test.path.rpartition("/")[2], ())
        known = next((path for path in sorted(same) if self._is_file(path)), None)
        fix = f"did you mean {known}::{test.name}?" if known else "name a test that exists, or take the id out"
        return Found("absent", f"the tree has no file {test.path}", fix)

    @cached_property
    def _by_name(self) -> dict[str, list[str]]:
        """The paths by the name of their file, for suggestions."""
        found: dict[str, list[str]] = {}
        for path in self._entries:
            found.setdefault(path.rpartition("/")[2], []).append(path)
        return found

    def _has_word(self, oid: str, name: str) -> bool:
        known = self._cache.setdefault(f"words:{oid}", {})
        assert isinstance(known, dict)
        if name not in known:
            known[name] = word_in(name, self._blob(oid))
        return known[name] is True

    def _holding(self, path: str, word: str) -> Iterator[str]:
        """The modules that hold the word, among this one and those of the tree that it imports, nearest first."""
        pending = [path]
        seen = {path}
        for module in pending:
            oid = self._oid(module)
            if oid is not None and self._has_word(oid, word):
                yield module
            for imported in self._imports(module):
                if imported not in seen and len(seen) < _MOST_MODULES:
                    seen.add(imported)
                    pending.append(imported)

    def _imports(self, path: str) -> list[str]:
        """The paths of the tree that a Python module imports; nothing for any other file."""
        found = self._imported.get(path)
        if found is None:
            oid = self._oid(path)
            imports = self._facts(oid).imports if oid is not None and is_python(path) else []
            hits = (hit for one in imports for hit in self._imported_paths(one, path))
            found = self._imported[path] = list(dict.fromkeys(hits))
        return found

    def _imported_paths(self, one: Import, path: str) -> list[str]:
        """What an import means depends on the folder alone, and the modules of a folder import the same things."""
        key = (one, path.rpartition("/")[0])
        found = self._resolved.get(key)
        if found is None:
            found = self._resolved[key] = imported_paths(one, path, self._is_file)
        return found

    def test_digest(self, test_id: str) -> str | None:
        """The test_hash of a test; None when it is absent, or when the id names a class.

        The digest of its file where the text of the test cannot be told apart: no Python, a module that cannot
        be parsed, a test that is written elsewhere.
        """
        found = self.test(test_id)
        if found.facts is not None:
            return found.facts.digest
        oid = self._oid(test_id.partition("::")[0])
        if oid is None or found.state not in ("found", "unreadable"):
            return None
        return self._sha256_of(oid)

    def digest_as(self, test_id: str, name: str) -> str | None:
        """The test_hash that a test would have if its function had another name; None when there is no such test.

        Whatever else bears the old name in the file bears the new one then.
        """
        try:
            test = split_test_id(test_id)
        except ValueError:
            return None
        oid = self._oid(test.path)
        if oid is None:
            return None
        renamed = with_word(self._blob(oid), test.parts[-1], name)
        if not is_python(test.path):
            return hashlib.sha256(renamed).hexdigest()
        facts = module_facts(renamed).tests.get("::".join((*test.parts[:-1], name)))
        return None if facts is None else facts.digest

    def nameless_digest(self, test_id: str) -> str | None:
        """The digest of a test's text without the name of its function; None when there is no such text.

        Two tests that have it in common are one under two names, unless the file of one holds the name of the other.
        """
        try:
            test = split_test_id(test_id)
        except ValueError:
            return None
        oid = self._oid(test.path)
        if oid is None:
            return None
        if not is_python(test.path):
            return nameless_digest(self._blob(oid), test.parts[-1])
        if oid not in self._nameless:
            self._nameless[oid] = {
                name: nameless_digest(text.encode(), name.rpartition("::")[2])
                for name, text in test_texts(self._blob(oid)).items()
            }
        return self._nameless[oid].get(test.name)

    def mentions(self, path: str, name: str) -> bool:
        """Whether a file holds a name as a whole word; False where there is no file."""
        oid = self._oid(path)
        return oid is not None and self._has_word(oid, name)

    def is_given(self, test_id: str) -> bool:
        """Whether Hypothesis draws the test's arguments (`@given`); False for a test that is not found."""
        found = self.test(test_id)
        if found.facts is not None:
            return found.facts.given
        path = test_id.partition("::")[0]
        if found.state != "found" or not is_python(path):
            return False
        name = split_test_id(test_id).parts[-1]
        return any(
            facts.given
            for module in self._holding(path, name)
            for known, facts in self.tests_of(module).items()
            if known.rpartition("::")[2] == name
        )

    def tests_of(self, path: str) -> Mapping[str, TestFacts]:
        """The tests that a Python module has, by their names inside it; none of any other file."""
        oid = self._oid(path)
        return self._facts(oid).tests if oid is not None and is_python(path) else {}

    def property_ids(self, path: str) -> frozenset[str]:
        """The properties that a file names: a module in docstrings, comments and marks, any other file anywhere."""
        oid = self._oid(path)
        if oid is None:
            return frozenset()
        if is_python(path):
            if oid not in self._modules and oid not in self._cache and b"property_id" not in self._blob(oid):
                return frozenset()
            return self._facts(oid).property_ids
        known = self._cache.get(f"ids:{oid}")
        if not isinstance(known, list):
            known = sorted(set(named_properties(self._blob(oid).decode(errors="replace"))))
            self._cache[f"ids:{oid}"] = known
        return frozenset(known)

    def citations(self, path: str) -> tuple[Cited, ...]:
        """What a file cites, in its order: a Python module by marks and comments, any other code by comments."""
        oid = self._oid(path)
        if oid is None:
            return ()
        facts = self._facts(oid) if is_python(path) else None
        return facts.citations if facts is not None and facts.problem is None else self._unparsed(path, oid)

    def _unparsed(self, path: str, oid: str) -> tuple[Cited, ...]:
        """The citations of a file that is no Python, or no Python that can be parsed."""
        from flakeledger.repo.languages import language_of  # few files cite, and most of them are parsed

        language = language_of(path)
        if language is None:
            return ()
        key = f"cites:{language.name}:{oid}"
        known = self._cache.get(key)
        if not isinstance(known, list):
            problem = self._facts(oid).problem if is_python(path) else None
            known = to_json(text_citations(self._blob(oid).decode(errors="replace"), language, problem))
            self._cache[key] = known
        return from_json(known)

    def generator_set(
        self,
        property_tests: Sequence[str],
        generators: Sequence[str] | None,
        seeds: str | None,
        locked: Collection[str],
        is_generator: Callable[[str], bool],
    ) -> list[str]:
        """The sorted paths of a property's generator set.

        What `generators` lists (a folder: everything below); else every conftest.py from the root to its tests,
        the seed list, and the generator modules that its test modules import. Locked paths are never in it.
        """
        if generators:
            found: Iterable[str] = listed_paths(generators, self._sorted)
        else:
            modules = dict.fromkeys(test.partition("::")[0] for test in property_tests)
            found = {path for module in modules for path in self._conftests(module)}
            found |= {seeds} if seeds is not None else set()
            found |= imported_generators(modules, self._imports, is_generator)
        return sorted(path for path in found if path not in locked and self._is_file(path))

    def _conftests(self, path: str) -> list[str]:
        """The conftest.py files that pytest reads for a test file."""
        folder = path.rpartition("/")[0]
        found = self._known_conftests.get(folder)
        if found is None:
            found = self._known_conftests[folder] = [above for above in conftests(path) if self._is_file(above)]
        return found

    @cached_property
    def _sorted(self) -> list[str]:
        return sorted(self._entries)

    def generator_digest(self, paths: Sequence[str]) -> str:
        """The digest of a generator set: canonical JSON of {path: sha256 of its blob}."""
        key = tuple(paths)
        digest = self._digests.get(key)
        if digest is None:
            text = json.dumps(self.generator_hashes(key), sort_keys=True, separators=(",", ":"))
            digest = self._digests[key] = hashlib.sha256(text.encode()).hexdigest()
        return digest

    def generator_hashes(self, paths: Sequence[str]) -> dict[str, str]:
        """Path -> sha256 of its blob, for each path of a generator set."""
        blobs = ((path, self._oid(path)) for path in paths)
        return {path: self._sha256_of(oid) for path, oid in blobs if oid is not None}
