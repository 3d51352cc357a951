"""The path classes that `init` proposes for a layout, each pattern with its reason.

Invariants:
* What exists is named from the root; what may come later is named by patterns that hold anywhere, and such a
  pattern is proposed only if it covers nothing of another kind today.
* No class swallows production: a generator pattern covers only files that the layout calls generators.
* Every file that is named as a test gets a class other than production.
* A name that no ledger may hold, or that means something in a pattern, is written so that it matches itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from flakeledger.model.ledger_paths import LEDGERS
from flakeledger.model.patterns import TEST_NAMES, compile_pattern, pattern_problem
from flakeledger.model.policy import ClassName
from flakeledger.repo.layout import SET_UP_NAMES, Layout

#: the order of the classes in the policy: the first that matches wins, so that a test of `auth/` stays a test
ORDER: tuple[ClassName, ...] = ("freeze_config", "generator", "runner", "test_body", "review_only")

_PYTHON, _SCRIPTS = "Python", "JavaScript and TypeScript, unit"
#: pattern -> the language whose repositories have it; None: any
_TO_COME: tuple[tuple[str, str | None], ...] = (
    ("strategies.py", _PYTHON),
    ("**/tests/**/strategies/", None),
    ("**/tests/**/factories.py", _PYTHON),
    ("**/tests/**/factories/", None),
    ("**/tests/**/fixtures/", None),
    ("**/__tests__/**/factories/", _SCRIPTS),
    ("**/__tests__/**/fixtures/", _SCRIPTS),
)
#: what a pattern of `_TO_COME` that would swallow production becomes
_NARROWED = {"strategies.py": "**/tests/**/strategies.py"}
_PYTHON_RUNNERS = ("pytest.ini", "tox.ini", "noxfile.py", "requirements*.txt")
_ANY_RUNNERS = ("/.github/workflows/", "Dockerfile*", "*.lock")
#: proposed where such a file exists
_FOUND_RUNNERS = (
    *("/.gitlab-ci.yml", "/.circleci/", "/azure-pipelines.yml", "/.travis.yml", "Jenkinsfile"),
    *("package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "go.sum", "pixi.toml"),
    *("/requirements/", "/ci/requirements/", "constraints*.txt", "environment*.yml"),
    *("docker-compose*.yml", "compose.yaml"),
    *("jest.config.*", "vitest.config.*", "playwright.config.*", "cypress.config.*", ".mocharc*", "phpunit.xml*"),
)
_REVIEWED_TO_COME = ("auth/", "crypto/", "migrations/")
_SPECIAL = re.compile(r"[\\*?\[]")
#: what a ledger may not hold, or an editor would not show: such a character is matched by `?`
_ODD = re.compile(r"[^ -~\u00a1-\u00ac\u00ae-\u02ff\u0370-\u052f\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7a3]")


class Proposed(NamedTuple):
    """One pattern of one class, why, and how many files it covers today."""

    name: ClassName
    pattern: str
    why: str
    files: int


def propose(layout: Layout, seeds: str | None) -> list[Proposed]:
    """The patterns for a layout in the order of the policy; `seeds` is the path of the seed list."""
    found = (
        *_freeze_config(layout),
        *_generators(layout, seeds),
        *_runners(layout),
        *_test_bodies(layout),
        *_review_only(layout),
    )
    return list({(one.name, one.pattern): one for one in found if pattern_problem(one.pattern) is None}.values())


def literal(path: str) -> str:
    """The pattern that matches just this path; a slash at its end asks for a folder."""
    text = _ODD.sub("?", _SPECIAL.sub(r"\\\g<0>", path))
    return "/" + (text[:-1] + "\\ " if text.endswith(" ") else text)


def _freeze_config(layout: Layout) -> Iterator[Proposed]:
    yield _general(layout, "freeze_config", f"/{LEDGERS}", "the ledgers themselves")
    for path in layout.older_stores:
        yield Proposed("freeze_config", literal(path), "looks like an older quarantine list", 1)


def _generators(layout: Layout, seeds: str | None) -> Iterator[Proposed]:
    for folder in layout.input_folders:
        files = [path for path in layout.paths if path.startswith(f"{folder}/")]
        yield Proposed("generator", literal(f"{folder}/"), "holds what tests draw from", len(files))
    if seeds is not None:
        where = f"{seeds.rpartition('/')[0]}/" if layout.in_tests(seeds) else seeds
        if not any(seeds.startswith(f"{folder}/") for folder in layout.input_folders):
            yield Proposed("generator", literal(where), "the seed list", 1)
    general = [pattern for pattern in _general_generators(layout) if _harmless(layout, pattern)]
    for pattern in general:
        yield _general(layout, "generator", pattern, "draws test inputs")
    known = {path for pattern in general for path in _covered(layout, pattern)}
    for path in sorted(layout.generators - known):
        if not any(path.startswith(f"{folder}/") for folder in layout.input_folders):
            yield Proposed("generator", literal(path), "draws test inputs", 1)


def _general_generators(layout: Layout) -> Iterator[str]:
    for name in SET_UP_NAMES:
        if _covered(layout, name) or (name.endswith(".py") and _speaks(layout, _PYTHON)):
            yield name
    for pattern, language in _TO_COME:
        if language is None or _speaks(layout, language):
            yield pattern if _harmless(layout, pattern) else _NARROWED.get(pattern, pattern)


def _harmless(layout: Layout, pattern: str) -> bool:
    """Whether the pattern covers nothing but generators."""
    return layout.generators.issuperset(_covered(layout, pattern))


def _runners(layout: Layout) -> Iterator[Proposed]:
    python = _PYTHON_RUNNERS if _speaks(layout, _PYTHON) else ()
    for pattern in (*python, *_ANY_RUNNERS, *_FOUND_RUNNERS):
        found = _general(layout, "runner", pattern, "decides how tests run")
        if found.files or pattern not in _FOUND_RUNNERS:
            yield found


def _test_bodies(layout: Layout) -> Iterator[Proposed]:
    for root in layout.test_roots:
        yield Proposed("test_body", literal(f"{root.path}/"), "tests and what helps them", root.files)
    for pattern in _test_names(layout):
        yield _general(layout, "test_body", pattern, "named as a test")
    yield _general(layout, "test_body", "tests/", "the usual folder of tests")


def _test_names(layout: Layout) -> list[str]:
    """The names of test files in the languages of the repository; Python's where there is no code yet."""
    spoken = [
        name
        for names in TEST_NAMES.values()
        for name in names
        if any(compile_pattern(name.rpartition(".")[2]).match(extension) for extension in layout.extensions)
    ]
    return spoken or list(TEST_NAMES[_PYTHON])


def _speaks(layout: Layout, language: str) -> bool:
    """Whether the repository has files of a language of `TEST_NAMES`."""
    return not set(TEST_NAMES[language]).isdisjoint(_test_names(layout))


def _review_only(layout: Layout) -> Iterator[Proposed]:
    for path in layout.reviewed:
        if not path.endswith(tuple(f"/{name}" for name in _REVIEWED_TO_COME)) and path not in _REVIEWED_TO_COME:
            files = [each for each in layout.paths if each == path or (path.endswith("/") and each.startswith(path))]
            yield Proposed("review_only", literal(path), "looks security-relevant by its name", len(files))
    for pattern in _REVIEWED_TO_COME:
        yield _general(layout, "review_only", pattern, "never excused by a freeze")


def _covered(layout: Layout, pattern: str) -> list[str]:
    match = compile_pattern(pattern).match
    return [path for path in layout.paths if match(path)]


def _general(layout: Layout, name: ClassName, pattern: str, why: str) -> Proposed:
    return Proposed(name, pattern, why, len(_covered(layout, pattern)))
