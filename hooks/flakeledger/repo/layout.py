"""What a repository looks like, from its paths: where tests lie, what draws their inputs, what runs them.

Invariants:
* Paths decide; a file is read only where its name alone proves nothing, and only its first 64 KiB.
* Outside a test root nothing draws inputs by its name: `src/shop/fixtures/` and `src/shop/strategies.py` are
  production until their text says otherwise.
* A folder that holds test files is no folder of inputs, whatever its name.
* Work is linear in the paths; a folder deeper than `DEEPEST` is not looked into.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import cached_property
from typing import NamedTuple

from flakeledger.model.patterns import TEST_NAMES, compile_pattern, looks_like_test

DEEPEST = 16
LARGEST_READ = 65_536
#: a folder where fewer files than this are tests is no test root by proportion
FEWEST_TESTS = 3

Read = Callable[[str], bytes | None]

_ALWAYS_TESTS = re.compile(
    "tests|__tests__|(?:acceptance|contract|e2e|end_to_end|functional|integration|perf|performance|property|regression"
    "|smoke|system|type|typing|unit)[_-]tests?",
    re.ASCII,
)
_TESTS_IF_PROVEN = frozenset({"test", "spec", "specs", "e2e", "cypress", "androidTest"})
_VENDORED = frozenset({"vendor", "third_party", "node_modules", "site-packages"})
_INPUT_FOLDERS = frozenset(
    {
        *("strategies", "factories", "fixtures", "__fixtures__", "generators", "arbitraries", "seeds"),
        *("data", "testdata", "test_data", "test-data", "corpus", "resources"),
    }
)
#: folders whose name says test data wherever they lie
_ANYWHERE_FOLDERS = frozenset({"testdata", "test_data", "test-data", "__fixtures__"})
_INPUT_MODULES = re.compile(
    r"(?:strategies|strategy|factories|generators|fixtures)\.py|(?:arbitraries|factories|generators)\.[cm]?[jt]sx?"
    r"|factories\.rb",
    re.ASCII,
)
#: files that every test of their folder runs through, wherever they lie
SET_UP_NAMES = ("conftest.py", "spec_helper.rb", "rails_helper.rb", "setupTests.[jt]s", "jest.setup.[jt]s")
_SET_UP = re.compile(r"conftest\.py|(?:spec|rails)_helper\.rb|(?:setupTests|jest\.setup)\.[jt]s", re.ASCII)
_DRAWS = re.compile(rb"^[ \t]*(?:from|import)[ \t]+(hypothesis|factory)\b", re.MULTILINE)
_REVIEWED = frozenset(
    {"auth", "authentication", "authorization", "authn", "authz", "oauth", "crypto", "cryptography", "migrations"}
)
_OLDER_STORE = re.compile(r"[^/]*(?:quarantine|flaky|muted[-_]?tests)[^/]*\.(?:txt|ya?ml|json|toml)", re.IGNORECASE)
_SEED_NAME = re.compile("seed", re.IGNORECASE)
_EXTENSIONS = tuple(
    compile_pattern(f"*.{extension}")
    for extension in sorted({name.rpartition(".")[2] for names in TEST_NAMES.values() for name in names})
)


class Root(NamedTuple):
    """A folder whose files are tests or help them: how many there are, and how many are named as tests."""

    path: str
    files: int
    tests: int


class SeedList(NamedTuple):
    """A JSON array of whole numbers, and how many of them differ."""

    path: str
    seeds: int


class Layout:
    """The paths of a repository and what they say. `read` gives a file's bytes, None where it cannot."""

    def __init__(self, paths: tuple[str, ...], read: Read) -> None:
        """Reads nothing yet."""
        self.paths = paths
        self.read = read

    @cached_property
    def extensions(self) -> frozenset[str]:
        """The extensions of all files."""
        return frozenset(name.rpartition(".")[2] for path in self.paths if "." in (name := _name(path)))

    @cached_property
    def test_files(self) -> tuple[str, ...]:
        """The files that are named as tests."""
        return tuple(filter(looks_like_test, self.paths))

    @cached_property
    def test_roots(self) -> tuple[Root, ...]:
        """The outermost folders of tests, by path."""
        named = _named_roots(self.paths, self.test_files)
        rest = [path for path in self.paths if not _below(path, named)]
        found = sorted({*named, *_roots_by_proportion(rest)})
        files, tests = _counts(self.paths, found), _counts(self.test_files, found)
        return tuple(Root(root, files[root], tests[root]) for root in found)

    @cached_property
    def _root_paths(self) -> frozenset[str]:
        return frozenset(root.path for root in self.test_roots)

    def in_tests(self, path: str) -> bool:
        """Whether the path lies in a test root."""
        return _below(path, self._root_paths)

    @cached_property
    def main_root(self) -> Root | None:
        """The test root with most tests; None where there is none."""
        return max(self.test_roots, key=lambda root: (root.tests, root.files), default=None)

    @cached_property
    def input_folders(self) -> tuple[str, ...]:
        """The outermost folders that hold what tests draw from, by path."""
        found = {folder for path in self.paths for folder in self._input_folder(path)}
        holding_tests = {folder for path in self.test_files for folder in _folders(path)}
        return tuple(sorted(found - holding_tests))

    def _input_folder(self, path: str) -> Iterator[str]:
        for folder in _folders(path):
            name = _name(folder)
            if name in _ANYWHERE_FOLDERS or (name in _INPUT_FOLDERS and self.in_tests(folder)):
                yield folder
                return

    @cached_property
    def generators(self) -> frozenset[str]:
        """The files that draw test inputs: set-up files, input folders, modules by name in tests, by text elsewhere."""
        folders = frozenset(self.input_folders)
        return frozenset(path for path in self.paths if _below(path, folders) or self._is_generator(path))

    def _is_generator(self, path: str) -> bool:
        name = _name(path)
        if _SET_UP.fullmatch(name):
            return True
        return _INPUT_MODULES.fullmatch(name) is not None and (self.in_tests(path) or self._draws(path))

    def _draws(self, path: str) -> bool:
        """Whether a Python file outside the tests imports a library that draws inputs and is no part of it."""
        text = self.read(path) if path.endswith(".py") else None
        libraries = {found.decode() for found in _DRAWS.findall((text or b"")[:LARGEST_READ])}
        return any(not self._ships(library) for library in libraries)

    def _ships(self, library: str) -> bool:
        return any(f"/{path}".endswith(f"/{library}/__init__.py") for path in self.paths)

    @cached_property
    def reviewed(self) -> tuple[str, ...]:
        """Folders (with a slash at the end) and files that look like authentication, cryptography or migrations."""
        found = set()
        for path in self.paths:
            if not self.in_tests(path) and not _below(path, frozenset({"doc", "docs"})):
                folder = next((folder for folder in _folders(path) if _name(folder) in _REVIEWED), None)
                if folder is not None:
                    found.add(f"{folder}/")
                elif _name(path).partition(".")[0] in _REVIEWED and is_code(path):
                    found.add(path)
        return tuple(sorted(found))

    @cached_property
    def older_stores(self) -> tuple[str, ...]:
        """Files that look like the quarantine list of another tool."""
        return tuple(path for path in self.paths if _OLDER_STORE.fullmatch(_name(path)) and path not in self.generators)

    @cached_property
    def seed_lists(self) -> tuple[SeedList, ...]:
        """The JSON arrays of whole numbers whose path has `seed` in it; those with most seeds first."""
        named = [path for path in self.paths if path.endswith(".json") and _SEED_NAME.search(path)]
        found = (SeedList(path, _distinct_seeds(self.read(path))) for path in named)
        return tuple(sorted((one for one in found if one.seeds), key=lambda one: (-one.seeds, one.path)))


def is_code(path: str) -> bool:
    """Whether the file is written in a language that `TEST_NAMES` knows."""
    name = _name(path)
    return any(extension.match(name) for extension in _EXTENSIONS)


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _folders(path: str) -> Iterator[str]:
    """The folders above a path, the outermost first, down to `DEEPEST`."""
    at = path.find("/")
    for _ in range(DEEPEST):
        if at < 0:
            return
        yield path[:at]
        at = path.find("/", at + 1)


def _below(path: str, folders: Collection[str]) -> bool:
    return any(folder in folders for folder in _folders(path))


def _named_roots(paths: Iterable[str], tests: Iterable[str]) -> frozenset[str]:
    proven = {folder for path in tests for folder in _folders(path) if _name(folder) in _TESTS_IF_PROVEN}
    roots = set()
    for path in paths:
        for folder in _folders(path):
            if _name(folder) in _VENDORED:
                break
            if _ALWAYS_TESTS.fullmatch(_name(folder)) or folder in proven:
                roots.add(folder)
                break
    return frozenset(roots)


def _roots_by_proportion(paths: Iterable[str]) -> Iterator[str]:
    """The outermost folders of whose code more than three quarters is named as tests."""
    code = [path for path in paths if is_code(path) and _name(path) != "__init__.py"]
    files: Counter[str] = Counter(folder for path in code for folder in _folders(path))
    tests: Counter[str] = Counter(folder for path in code if looks_like_test(path) for folder in _folders(path))
    for path in code:
        for folder in _folders(path):
            if _name(folder) in _VENDORED:
                break
            if tests[folder] >= FEWEST_TESTS and 4 * tests[folder] > 3 * files[folder]:
                yield folder
                break


def _counts(paths: Iterable[str], roots: Collection[str]) -> Counter[str]:
    known = frozenset(roots)
    return Counter(folder for path in paths for folder in _folders(path) if folder in known)


def _distinct_seeds(data: bytes | None) -> int:
    """How many seeds a JSON array of whole numbers holds; 0 where it is no such array."""
    if data is None or len(data) > LARGEST_READ or not data.lstrip().startswith(b"["):
        return 0
    try:
        seeds = json.loads(data)
    except (ValueError, RecursionError):
        return 0
    whole = isinstance(seeds, list) and all(type(seed) is int for seed in seeds)
    return len(set(seeds)) if whole else 0
