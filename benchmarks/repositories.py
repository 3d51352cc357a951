"""Builds real git repositories with valid ledgers of any size, for the benchmarks.

Invariants:
* `flakeledger check-ledgers --now NOW` ends with 0 in what is built: every test exists, every pin is right, every
  freeze has its replay.
* The same size gives the same repository: names, rows and random bytes come from one seed.
* Objects go through `git fast-import`, uncompressed: what is measured is reading, not how bytes were packed.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import subprocess
from collections.abc import Iterable, Iterator
from itertools import count, repeat
from pathlib import Path
from typing import IO, NamedTuple

from flakeledger.model.ledger_paths import FIXTURES, FREEZES, POLICY, PROPERTIES, REPLAYS
from flakeledger.repo.base import INDEX
from flakeledger.repo.repository import open_repository

NOW = "2026-11-30T12:00:00Z"
TESTS_A_MODULE = 10
MODULES_A_FOLDER = 50
FILES_A_FOLDER = 100
SEEDS = 20

POLICY_TEXT = """\
version: 1
level: keyed
paths:
  - class: freeze_config
    match: [/ledgers/, "freeze/", "*flaky_allowlist*"]
  - class: generator
    match: [conftest.py, "strategies/", strategies.py, "fixtures/", factories.py, /tests/seeds/]
  - class: runner
    match: [pytest.ini, tox.ini, noxfile.py, /.github/workflows/, "Dockerfile*", "*.lock", "requirements*.txt"]
  - class: review_only
    match: ["auth/", "crypto/", "migrations/"]
  - class: test_body
    match: ["tests/", "test_*.py", "*_test.py"]
limits:
  max_freezes: 1000000
seeds: tests/seeds/gate.json
environment_failures: [TimeoutError, ConnectionError]
runners:
  - name: pinned-py311
  - name: local-fixture
default_runner: local-fixture
"""

TEST = '''\
def test_case_{number:02}(client):
    """One way to place an order and take it back."""
    order = make_order(client, amount={number} + BASE)
    for line in order.lines:
        assert line.amount >= 0, line
    response = client.post("/orders", json=order.as_json())
    assert response.status_code == 201
    assert order.total() == sum(line.amount for line in order.lines)


'''


#: a test of a module without freezes; `mark` is a line above it, or nothing
LIVE_TEST = """\
{mark}def test_case_{number:02}(client):
    order = make_order(client, amount={number})
    for line in order.lines:
        assert line.amount >= 0, line
    assert order.total() == sum(line.amount for line in order.lines)


"""
OLD_SKIP = '@pytest.mark.skip(reason="waits for the new backend")\n'
CONDITIONAL_SKIP = '@pytest.mark.skipif(sys.platform == "win32", reason="needs a fork")\n'


class Size(NamedTuple):
    """How much a repository holds. `rows` are freezes, each with a replay; `files` are those beside all that.

    At the level `ledger` the freezes pin nothing: their rows have half the size of those of the level `keyed`.
    """

    rows: int
    fixtures: int
    fixture_bytes: int
    files: int
    level: str = "keyed"


def module_path(number: int) -> str:
    """The path of a test module."""
    return f"tests/area_{number // MODULES_A_FOLDER:03}/test_module_{number:04}.py"


def filler_path(number: int) -> str:
    """The path of a file that no ledger is about."""
    folder = number // FILES_A_FOLDER
    return f"src/part_{folder % 30:02}/piece_{folder:04}/module_{number:06}.py"


def live_path(number: int) -> str:
    """The path of a test module that no ledger is about."""
    return f"tests/live_{number // MODULES_A_FOLDER:03}/test_live_{number:04}.py"


def live_module(number: int, edited: bool) -> bytes:
    """A module of ten tests, one of them with an old skip in every fifth module.

    Edited, one test asserts something else, and another one is added; in every tenth module it has a condition.
    """
    marks = {3: OLD_SKIP if number % 5 == 0 else "", 10: CONDITIONAL_SKIP if number % 10 == 5 else ""}
    tests = [LIVE_TEST.format(mark=marks.get(index, ""), number=index) for index in range(11 if edited else 10)]
    if edited:
        tests[6] = tests[6].replace(">= 0", "> 0")
    imports = "import sys\n\nimport pytest\n\nfrom tests.factories import make_order\n\n\n"
    return f'"""Live tests, part {number}."""\n\n{imports}{"".join(tests)}'.encode()


def git(root: Path, *arguments: str, given: bytes | None = None) -> str:
    """What git prints at the root, without its last newline."""
    command = ["git", "-c", "core.compression=0", "-c", "gc.auto=0", "-c", "maintenance.auto=false", *arguments]
    done = subprocess.run(command, cwd=root, input=given, capture_output=True, check=True, env=environment())
    return done.stdout.decode().removesuffix("\n")


def environment() -> dict[str, str]:
    """The environment of a run that depends on nobody's configuration and on no service."""
    # PYTHONDONTWRITEBYTECODE, which images set, would compile the tests and what tests them anew in each run
    others = ("GIT_", "GITHUB_", "GITLAB_", "CI", "PRE_COMMIT", "PYTHON")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(others)}
    names = {f"GIT_{who}_{what}": "bench@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    return kept | names | {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull}


def build(root: Path, size: Size) -> None:
    """A new repository of this size at the root: two commits on main, everything checked out.

    The second commit adds the freezes, whose pins are those that the product computes for the first.
    """
    build_suite(root, size)
    git(root, "read-tree", "HEAD")
    commit(root, "the freezes", _freezes(root, size))
    git(root, "reset", "-q", "--hard")


def build_suite(root: Path, size: Size) -> None:
    """A new repository with all that this size has but the freezes and their replays, and nothing checked out."""
    root.mkdir(parents=True)
    git(root, "init", "-q", "-b", "main", "--template=")
    git(root, "config", "core.fsmonitor", "false")
    digests: list[str] = []
    commit(root, "the suite", _suite(size, digests))


def commit(root: Path, message: str, files: Iterable[tuple[str, bytes]]) -> None:
    """A commit on main that writes these files, through `git fast-import`; the index stays as it is."""
    import_commits(root, [(message, files)])


def import_commits(root: Path, commits: Iterable[tuple[str, Iterable[tuple[str, bytes]]]], apart: int = 1) -> None:
    """Commits on main, one after the other, so many seconds apart."""
    has_parent = subprocess.run(["git", "rev-parse", "-q", "--verify", "main"], cwd=root, capture_output=True)
    command = ["git", "-c", "core.compression=0", "fast-import", "--quiet", "--depth=0", "--force"]
    with subprocess.Popen(command, cwd=root, stdin=subprocess.PIPE, env=environment()) as process:
        assert process.stdin is not None
        parent = "refs/heads/main^0" if has_parent.returncode == 0 else ""
        for number, (message, files) in enumerate(commits):
            _write_commit(process.stdin, message, files, parent, 1_790_000_000 + number * apart)
            parent = ""
    if process.returncode:
        raise SystemExit("git fast-import failed")


def _write_commit(
    stream: IO[bytes], message: str, files: Iterable[tuple[str, bytes]], parent: str, seconds: int
) -> None:
    text = message.encode()
    stream.write(f"commit refs/heads/main\ncommitter bench <bench@example.org> {seconds} +0000\n".encode())
    stream.write(b"data %d\n%s\n" % (len(text), text))
    if parent:
        stream.write(f"from {parent}\n".encode())
    for path, data in files:
        stream.write(f"M 100644 inline {path}\ndata {len(data)}\n".encode())
        stream.write(data)
        stream.write(b"\n")
    stream.write(b"\n")


def _suite(size: Size, digests: list[str]) -> Iterator[tuple[str, bytes]]:
    """Every file but the freezes and their replays. `digests` becomes those of the fixtures."""
    source = random.Random(20261130)
    yield POLICY, POLICY_TEXT.replace("level: keyed", f"level: {size.level}").encode()
    yield "tests/conftest.py", b"import pytest\n\n\n@pytest.fixture\ndef client():\n    return object()\n"
    yield "tests/seeds/gate.json", b"[1, 2, 3]\n"
    yield "tests/factories.py", b"def make_order(client, amount):\n    return client\n"
    for number in range(size.fixtures):
        data = source.randbytes(size.fixture_bytes)
        digests.append(hashlib.sha256(data).hexdigest())
        yield _fixture_path(number), data
    for number in range(_modules(size)):
        yield module_path(number), _module_text(number, size).encode()
    for number in range(size.files):
        yield filler_path(number), f'"""Module {number}."""\n\nVALUE = {number}\n'.encode()
    yield FIXTURES, "".join(_fixture_row(number, digest) for number, digest in enumerate(digests)).encode()
    yield PROPERTIES, "".join(_property_row(number, size) for number in range(_modules(size))).encode()


def _modules(size: Size) -> int:
    return -(-size.rows // TESTS_A_MODULE)


def tests_of(size: Size) -> Iterator[str]:
    """Every frozen test of a repository of this size."""
    return (test for number in range(_modules(size)) for test in _tests(number, size))


def _tests(number: int, size: Size) -> list[str]:
    """The frozen tests of a module."""
    count = min(TESTS_A_MODULE, size.rows - number * TESTS_A_MODULE)
    return [f"{module_path(number)}::test_case_{index:02}" for index in range(count)]


def _fixture_path(number: int) -> str:
    return f"tests/fixtures/data_{number:04}.bin"


def _module_text(number: int, size: Size) -> str:
    head = f'"""Orders, part {number}. property_id: PROP-{number:04}"""\n\nfrom tests.factories import make_order\n\n'
    tests = "".join(TEST.format(number=index) for index in range(len(_tests(number, size))))
    return f"{head}BASE = {number}\n\n\n{tests}def test_live(client):\n    assert make_order(client, BASE) is client\n"


def _fixture_row(number: int, digest: str) -> str:
    return f"- id: FX-{number:04}\n  path: {_fixture_path(number)}\n  sha256: {digest}\n"


def _fixture_names(number: int, size: Size) -> list[str]:
    """The fixtures of a property: one, so that each fixture serves as many as its neighbours do."""
    return [f"FX-{number % size.fixtures:04}"] if size.fixtures else []


def _property_row(number: int, size: Size) -> str:
    tests = "".join(f"    - {test}\n" for test in (*_tests(number, size), f"{module_path(number)}::test_live"))
    return (
        f"- id: PROP-{number:04}\n"
        f'  statement: "order {number} never adds up to less than its lines"\n'
        f"  fixtures: [{', '.join(_fixture_names(number, size))}]\n"
        f"  tests:\n{tests}"
    )


def _freezes(root: Path, size: Size) -> Iterator[tuple[str, bytes]]:
    """The freezes of the tree that the index holds, and a replay for each."""
    pins = _pins(root, size) if size.level == "keyed" else repeat("")
    numbered = ((number, test) for number in range(_modules(size)) for test in _tests(number, size))
    rows = (_freeze_row(test, f"PROP-{number:04}") + pin for (number, test), pin in zip(numbered, pins, strict=False))
    yield FREEZES, "".join(rows).encode()
    yield REPLAYS, "".join(map(_replay, count(), tests_of(size))).encode()


def _pins(root: Path, size: Size) -> Iterator[str]:
    """The pins of each freeze, as lines of its row."""
    with open_repository(str(root), environment()) as repository:
        ledger = repository.ledger(repository.tree(INDEX))
        for number in range(_modules(size)):
            name = f"PROP-{number:04}"
            fixtures, generators = ledger.fixture_pins(name), ledger.generator_digest(name)
            assert fixtures and generators
            lines = "".join(f"    {fixture}: {pin}\n" for fixture, pin in fixtures.items())
            for test in _tests(number, size):
                digest = ledger.sources.test_digest(test)
                assert digest
                yield f"  fixture_hashes:\n{lines}  generator_hash: {generators}\n  test_hash: {digest}\n"


def _freeze_row(test: str, name: str) -> str:
    return (
        f"- test: {test}\n"
        '  owner: "@finley"\n'
        "  frozen_on: 2026-11-20\n"
        "  expires: 2026-12-15\n"
        "  reason: the response depends on the order of two clocks\n"
        f"  property_id: {name}\n"
        "  replay_env: pinned-py311\n"
        "  runner_class: pinned-py311\n"
        "  failure_class: environment\n"
    )


def _replay(number: int, test: str) -> str:
    """A line of the log; no two ran at the same time."""
    line = {
        "test": test,
        "run_at": f"2026-11-{22 + number // 86_400}T{number // 3600 % 24:02}:{number // 60 % 60:02}:{number % 60:02}Z",
        "env": "pinned-py311",
        "seeds": list(range(SEEDS)),
        "passed": SEEDS - 1,
        "total": SEEDS,
        "failures": {"TimeoutError": 1},
    }
    return json.dumps(line) + "\n"


def main() -> None:
    """Build one repository from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", type=Path, help="a folder that does not exist yet")
    parser.add_argument("--rows", type=int, default=300, help="freezes; each has a replay, ten share a property")
    parser.add_argument("--fixtures", type=int, default=30)
    parser.add_argument("--fixture-bytes", type=int, default=2_000)
    parser.add_argument("--files", type=int, default=1_000, help="files that no ledger is about")
    given = parser.parse_args()
    build(given.root, Size(given.rows, given.fixtures, given.fixture_bytes, given.files))


if __name__ == "__main__":
    main()
