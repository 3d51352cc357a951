from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from flakeledger.model.ledger_paths import POLICY
from flakeledger.model.patterns import (
    MAX_PATTERN,
    TEST_NAMES,
    Classified,
    PathClasses,
    RefusedPattern,
    compile_pattern,
    looks_like_test,
    pattern_problem,
)
from flakeledger.model.policy import PathClass, Policy, Runner
from growing import assert_linear

#: refused here although git gives it a meaning: a slash that is escaped or inside a bracket, `**` behind a name
REFUSED_ALTHOUGH_READ = re.compile(r"\\/|\[[!^]?\]?(?:\\.|[^\]\\])*/|[^/*]\*\*+/")


def git_matches(repository: Path, pattern: str, paths: Iterable[str]) -> set[str]:
    """The paths that a real git finds covered by the pattern."""
    (repository / ".git" / "info" / "exclude").write_bytes(os.fsencode(pattern) + b"\n")
    done = subprocess.run(
        ["git", "check-ignore", "--no-index", "-z", "--stdin"],
        cwd=repository,
        input=b"\0".join(os.fsencode(path) for path in paths) + b"\0",
        capture_output=True,
        check=False,
    )
    assert done.returncode in (0, 1), done.stderr
    return {os.fsdecode(path) for path in done.stdout.split(b"\0") if path}


def our_matches(pattern: str, paths: Iterable[str]) -> set[str]:
    match = compile_pattern(pattern).match
    return {path for path in paths if match(path)}


def same_as_git(repository: Path, pattern: str, paths: list[str]) -> None:
    theirs = git_matches(repository, pattern, paths)
    if pattern_problem(pattern) is None:
        assert our_matches(pattern, paths) == theirs
    elif not REFUSED_ALTHOUGH_READ.search(pattern):
        assert theirs == set(), "refused, but git gives it a meaning"


PATHS = [
    *("a", "b", "ab", "a/b", "b/a", "a/b/c", "a/x/b", "a/x/y/b", "x/a/b", "a/b/a/b", "aa/b", "a/bb", "A", "A/b"),
    *("conftest.py", "tests/conftest.py", "tests/unit/conftest.py", "conftest.py/x", "conftest.pyc", "xconftest.py"),
    *("ledgers/freezes.yaml", "ledgers/notes/x.json", "x/ledgers/y", "ledgers2/y", "ledgers"),
    *("test_a.py", "tests/test_a.py", "src/a_test.py", "test_.py", ".hidden", "a/.hidden/b", ".py", "x.py"),
    *(
        "#a",
        "!a",
        "a ",
        " a",
        "a b",
        "a  ",
        "a\\b",
        "a*b",
        "a?b",
        "a[b",
        "[a]",
        "a]",
        "-",
        "a-b",
        "^",
        "a^",
        "a\tb",
        "tab\t",
    ),
    *("a\nb", "x/a\nb/c", "\n", "a\x0bb", "a\x0cb", "a\x1b", "a\x7f", "a&b", "a~b", "a|b", "a--b", "a1", "aZ", "a_"),
    *("café", "caf\udce9", "x/café/y", "名前/テスト.py", "a" * 300, "/".join("a" * 60)),
]
PATTERNS = [
    *("a", "/a", "a/", "/a/", "a/b", "/a/b", "a/b/", "**", "**/", "/**", "*", "*/", "/*", "/*/", "*/*", "a/*", "a/*/b"),
    *("**/a", "**/a/", "a/**", "a/**/", "a/**/b", "a/**/b/", "**/a/**", "**/a/**/b", "/**/a", "a/**/**/b", "a/***/b"),
    *("***", "a**", "**a", "a/**b", "x**b/", "**/**", "**/*/b", "*/**/b", "**/b/**/b", "a/b/**/b", "**a/b"),
    *("conftest.py", "/conftest.py", "conftest.*", "*conftest.py", "ledgers/", "/ledgers/", "/ledgers/**", "ledgers/*"),
    *(
        "test_*.py",
        "*_test.py",
        "*.py",
        "*.p?",
        "?",
        "??",
        "?/?",
        "a?b",
        "*?b",
        "?*",
        "a*b",
        "*a*",
        "*a*a*",
        "*b*",
        "a*b*c",
    ),
    *(
        r"\#a",
        r"\!a",
        r"a\ ",
        "a ",
        "a   ",
        r"a\  ",
        r"\a",
        r"a\*b",
        r"a\?b",
        r"a\[b",
        r"\[a]",
        r"a\\b",
        r"a\\ ",
        " a",
        "a b",
    ),
    *(
        "[a]",
        "[ab]",
        "[!a]",
        "[^a]",
        "[a-z]",
        "[!a-z]",
        "[]]",
        "[]-a]",
        "[!]a]",
        "[a-]",
        "[-a]",
        "[--a]",
        "[a-c-e]",
    ),
    *(
        "a[*]b",
        "a[?]b",
        r"a[\\]b",
        r"a[\]]b",
        r"[\a-\z]",
        "a[[]b",
        "[[:alpha:]]",
        "[[:digit:]x]",
        "a[[:space:]]b",
        "a[[:cntrl:]]",
    ),
    *(
        "a[[:punct:]]b",
        "a[[:alnum:]]",
        "a[[:upper:]]",
        "a[[:lower:]]",
        "a[[:blank:]]b",
        "a[[:graph:]]b",
        "a[[:print:]]b",
    ),
    *(
        "a[[:xdigit:]]",
        "a[^[:alpha:]]b",
        "[[:alpha:]-z]",
        "[[:alpha]",
        "[[:]",
        "a[&&b]b",
        "a[~~]b",
        "a[||]b",
        "a[+--]b",
    ),
    *(
        "tab\t",
        "a\tb",
        "a*/",
        "*a/b*",
        "*/b",
        "**/?",
        "A",
        "café",
        "caf*",
        "名前/",
        "**/*.py",
        "a" * 300,
        "a/" * 59 + "a",
    ),
]
REFUSED = [
    ("", "empty"),
    ("   ", "empty"),
    ("/", "empty"),
    ("!a", "order the classes"),
    ("#a", "comment"),
    ("a\\", "backslash"),
    ("a\\/", "backslash"),
    ("a\\/b", "backslash"),
    ("[a", "not closed"),
    ("[]", "not closed"),
    ("[!]", "not closed"),
    ("[a\\]", "not closed"),
    ("a[b/c]d", "not closed"),
    ("a[!/]b", "not closed"),
    ("[[:word:]]", "[:word:] is no class"),
    ("[[::]]", "[::] is no class"),
    ("[z-a]", "runs backwards and holds nothing: write a-z"),
    ("./a", "goes down from the root"),
    ("../a", "goes down from the root"),
    ("a/../b", "goes down from the root"),
    ("a**/b", "in two ways"),
    ("x/a**/**/b", "in two ways"),
    ("a//b", "goes down from the root"),
    ("//", "goes down from the root"),
    ("..", "goes down from the root"),
    ("a\nb", "line break"),
    ("a\rb", "line break"),
    ("a\0b", "NUL"),
    ("a" * (MAX_PATTERN + 1), "more than 512"),
]


def test_patterns_mean_what_git_means_by_them(repository: Path) -> None:
    ascii_paths = [path for path in PATHS if path.isascii()]
    for pattern in PATTERNS:
        assert pattern_problem(pattern) is None, pattern
        # git reads one byte where we read one character: no `?` and no bracket against other letters
        same_as_git(repository, pattern, ascii_paths if re.search(r"[?\[]", pattern) else PATHS)


@pytest.mark.parametrize(("pattern", "reason"), REFUSED)
def test_what_would_match_nothing_is_refused(pattern: str, reason: str, repository: Path) -> None:
    with pytest.raises(RefusedPattern) as caught:
        compile_pattern(pattern)
    assert reason in str(caught.value)
    assert str(pattern_problem(pattern)) == str(caught.value)
    if not re.search(r"[\n\r\0]", pattern) and len(pattern) <= MAX_PATTERN:
        same_as_git(repository, pattern, PATHS)


SMALL_NAMES = st.text("ab", min_size=1, max_size=4) | st.sampled_from(
    ["a b", "a*", "[a]", "a]", "a\nb", "-", "ab.py", "\\"]
)
SMALL_PATHS = st.lists(SMALL_NAMES, min_size=1, max_size=5).map("/".join)
PIECES = st.sampled_from(
    [
        *"aabb**??//",
        "**",
        "/**/",
        "**/",
        "/**",
        "[ab]",
        "[!a]",
        "[^ab]",
        "[a-]",
        "[]a]",
        "[[:alpha:]]",
        "[",
        "]",
        "\\",
        " ",
        "-",
        *("[a-b]", "\\*", "\\ ", "\\a", "!", "#", "."),
    ]
)
SOUP = st.lists(PIECES, min_size=1, max_size=9).map("".join)


@settings(max_examples=250, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(SOUP, st.lists(SMALL_PATHS, min_size=5, max_size=40))
@example("**/b/**/a/**/b", ["b/a/b", "a/b/b/a/a/b", "b/b", "b/a/b/c"])
@example("[]/[a-b]", ["a"])
@example("[\\]/[a-b]", ["a"])
@example("*ab*ab", ["abab", "aab/abab", "abaab", "ababa", "aabbab"])
def test_random_patterns_mean_what_git_means_by_them(repository: Path, pattern: str, paths: list[str]) -> None:
    same_as_git(repository, pattern, paths)


def test_one_character_is_matched_where_git_matches_one_byte() -> None:
    assert our_matches("caf?", ["café", "caf\udce9", "cafe", "cafés"]) == {"café", "caf\udce9", "cafe"}
    assert our_matches("caf[éè]", ["café", "cafè", "cafe"]) == {"café", "cafè"}


@pytest.mark.parametrize(
    ("pattern", "unit", "foot"),
    [
        ("*a" * 250 + "b", "a", ""),
        ("*a*a*a*a*b", "a", "c"),
        ("**/a/" * 100 + "b", "a/", "c"),
        ("**/*a*a*a/" * 50 + "b", "aaaa/", "c"),
        ("**/*x/*x/*x/*x/*y", "x/", "c"),
        ("**/" + "a/" * 200 + "b", "a/", "c"),
        ("*" + "a" * 500 + "b", "a", ""),
        ("*" + "?" * 500 + "b", "a", ""),
        ("*" + "[ab]" * 120 + "c", "ab", ""),
        ("**/a/**/a*a*a*/**/[!b]*b", "aaaa/", "c"),
    ],
)
def test_a_strangers_pattern_takes_linear_time(pattern: str, unit: str, foot: str) -> None:
    """Trying all ways takes longer than the world is old."""
    match = compile_pattern(pattern).match
    assert match(unit * 20_000 + foot) is None
    assert_linear(lambda number: partial(match, unit * number + foot), 100_000)


def policy_of(*classes: PathClass) -> Policy:
    return Policy(paths=classes, runners=(Runner("local"),))


CLASSES = policy_of(
    PathClass("freeze_config", ("/ledgers/", "freeze/", "*flaky_allowlist*")),
    PathClass("production", ("/src/tests/",)),
    PathClass("generator", ("conftest.py", "strategies/", "/tests/seeds/", "**/data/**/make.py", "factories.py")),
    PathClass("test_body", ("tests/", "test_*.py", "*_test.py")),
    PathClass("generator", ("late.py",)),
)


@pytest.mark.parametrize(
    ("path", "name", "pattern"),
    [
        ("ledgers/freezes.yaml", "freeze_config", "/ledgers/"),
        ("x/ledgers/a", "production", None),
        ("tests/freeze/a.py", "freeze_config", "freeze/"),
        ("ci/flaky_allowlist.txt", "freeze_config", "*flaky_allowlist*"),
        ("src/tests/conftest.py", "production", "/src/tests/"),
        ("tests/conftest.py", "generator", "conftest.py"),
        ("conftest.py", "generator", "conftest.py"),
        ("tests/seeds/gate.json", "generator", "/tests/seeds/"),
        ("tests/strategies/a/b.py", "generator", "strategies/"),
        ("tests/data/x/y/make.py", "generator", "**/data/**/make.py"),
        ("tests/factories.py", "generator", "factories.py"),
        ("tests/helpers.py", "test_body", "tests/"),
        ("src/test_a.py", "test_body", "test_*.py"),
        ("src/a_test.py", "test_body", "*_test.py"),
        ("tests/late.py", "test_body", "tests/"),
        ("src/late.py", "generator", "late.py"),
        ("src/app.py", "production", None),
        ("a\nledgers/x", "production", None),
        ("x\n/tests/caf\udce9.py", "test_body", "tests/"),
    ],
)
def test_the_first_class_that_matches_wins(path: str, name: str, pattern: str | None) -> None:
    classes = PathClasses(CLASSES)
    assert classes.class_of(path) == (name, pattern)
    assert classes.class_of(path) is classes.class_of(path)


@settings(max_examples=200)
@given(st.lists(st.lists(SOUP, max_size=4), max_size=3), st.lists(SMALL_PATHS, min_size=1, max_size=10))
def test_classes_agree_with_single_patterns(soups: list[list[str]], paths: list[str]) -> None:
    names = ("generator", "runner", "test_body")
    accepted = [tuple(pattern for pattern in soup if pattern_problem(pattern) is None) for soup in soups]
    entries = [PathClass(name, match) for name, match in zip(names, accepted, strict=False)]  # type: ignore[arg-type]  # zip widens the names
    classes = PathClasses(policy_of(*entries))
    for path in paths:
        matching = [
            Classified(entry.name, pattern)
            for entry in entries
            for pattern in entry.match
            if compile_pattern(pattern).match(path)
        ]
        found = classes.class_of(path)
        if matching:
            assert found in matching
            assert found.name == matching[0].name
        else:
            assert found == ("production", None)


def very_many_paths() -> list[str]:
    """About a hundred thousand."""
    folders = ["src", "app", "core", "services", "tests/unit", "tests/integration", "billing/orders", "docs/api/v1"]
    return [
        f"{one}/{two}/{three}/module_{n}.py"
        for one in folders
        for two in folders
        for three in folders
        for n in range(195)
    ]


def test_a_hundred_thousand_paths_take_linear_time() -> None:
    """What they may take is a bar of `benchmarks/bounds.py`."""
    paths = very_many_paths()

    def work(number: int) -> Callable[[], object]:
        some = paths[:: len(paths) // number]
        return lambda: [*map(PathClasses(CLASSES).class_of, some)]

    assert_linear(work, len(paths))


@pytest.mark.parametrize(
    ("entries", "uncovered"),
    [
        ((PathClass("freeze_config", ("/ledgers/",)),), None),
        ((PathClass("freeze_config", ("ledgers/**",)),), None),
        ((PathClass("freeze_config", ("ledgers",)),), None),
        ((PathClass("freeze_config", ("/ledgers/*.yaml",)),), ("ledgers/replays.jsonl", ("production", None))),
        (
            (PathClass("generator", ("*.jsonl",)), PathClass("freeze_config", ("/ledgers/",))),
            ("ledgers/replays.jsonl", ("generator", "*.jsonl")),
        ),
        ((PathClass("freeze_config", ("/ledgers/*",)), PathClass("runner", ("*",))), None),
        ((), (POLICY, ("production", None))),
    ],
)
def test_which_place_of_the_ledgers_is_not_guarded(entries: tuple[PathClass, ...], uncovered: object) -> None:
    assert PathClasses(policy_of(*entries)).uncovered_ledger() == uncovered


@pytest.mark.parametrize(
    "path",
    [
        *("test_a.py", "tests/unit/test_a.py", "src/a_test.py", "app/tests.py", "web/a.spec.ts", "web/a.test.js"),
        *("web/a.test.jsx", "web/a.spec.tsx", "web/a.test.mjs", "web/a.test.cts", "pkg/a_test.go", "src/FooTest.java"),
        *("src/FooTests.cs", "src/FooTests.java", "spec/a_spec.rb", "test/test-install.sh", "a.bats", "FooTest.php"),
    ],
)
def test_what_looks_like_a_test(path: str) -> None:
    assert looks_like_test(path)


@pytest.mark.parametrize(
    "path",
    [
        *("src/app.py", "latest.py", "contest.py", "testing.py", "test.txt", "tests/data.json", "attest_a.py"),
        *("test_a.py/readme.md", "web/spec.ts", "web/a.specs.ts", "Latest.java", "protest.go", "tests/"),
    ],
)
def test_what_does_not_look_like_a_test(path: str) -> None:
    assert not looks_like_test(path)


def test_every_test_name_is_a_pattern_of_a_file_name() -> None:
    patterns = [pattern for patterns in TEST_NAMES.values() for pattern in patterns]
    assert len(set(patterns)) == len(patterns)
    for pattern in patterns:
        assert pattern_problem(pattern) is None
        assert "/" not in pattern
