"""What the test code of one tree says, asked through its entries and blobs."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flakeledger.repo.ids import split_test_id
from flakeledger.repo.sources import Sources
from flakeledger.store.git import TreeEntry


class Repository:
    """A tree in memory that counts what is read; a blob's id is made from its content."""

    def __init__(self, files: dict[str, str], modes: dict[str, str] | None = None) -> None:
        self.blobs = {f"oid-{hashlib.sha256(text.encode()).hexdigest()}": text.encode() for text in files.values()}
        self.entries = {
            path: TreeEntry((modes or {}).get(path, "100644"), f"oid-{hashlib.sha256(text.encode()).hexdigest()}")
            for path, text in files.items()
        }
        self.reads: list[str] = []

    def read(self, oid: str) -> bytes:
        self.reads.append(oid)
        return self.blobs[oid]

    def sha256_of(self, oid: str) -> str:
        return hashlib.sha256(self.blobs[oid]).hexdigest()

    def sources(self, cache: dict[str, object] | None = None) -> Sources:
        return Sources(self.entries, self.read, self.sha256_of, {} if cache is None else cache)


EXAMPLE = {
    "test_plain.py": """\
import unittest

import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule

from mixins import Common


def test_function(): ...


async def test_async(): ...


@pytest.mark.parametrize("odd", ["a::b", "[", "]", "a b", "é", "", "x[1]::y"])
def test_odd(odd): ...


@settings(max_examples=1)
@given(st.integers())
def test_given(number): ...


class TestOuter:
    def test_in(self): ...

    @pytest.mark.parametrize(("a", "b"), [(1, 2)])
    def test_pair(self, a, b): ...

    class TestInner:
        def test_deep(self): ...


class TestInherits(TestOuter):
    pass


class TestCommon(Common):
    def test_own(self): ...


class OrdersCase(unittest.TestCase):
    def test_method(self): ...


class LoneCase(unittest.TestCase):
    def runTest(self): ...


class Machine(RuleBasedStateMachine):
    @rule()
    def step(self): ...


TestMachine = Machine.TestCase

if True:

    @pytest.fixture(params=[1, 2])
    def number(request):
        return request.param

    def test_fixture(number): ...
""",
    "mixins.py": "from deeper import Deeper\n\n\nclass Common(Deeper):\n    def test_common(self): ...\n",
    "deeper.py": "from hypothesis import given\n\n\nclass Deeper:\n    def test_deeper(self): ...\n",
    "test_star.py": "from shared import *\n",
    "shared.py": "def test_shared(): ...\n\n\nclass TestShared:\n    def test_there(self): ...\n",
}


@pytest.fixture(scope="module")
def collected(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The ids that a real pytest collects from the example."""
    where = tmp_path_factory.mktemp("example")
    for path, text in EXAMPLE.items():
        (where / path).write_text(text, encoding="utf-8")
    (where / "pytest.ini").write_text(
        "[pytest]\ndisable_test_id_escaping_and_forfeit_all_rights_to_community_support = true\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider"],
        cwd=where,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return [line for line in done.stdout.splitlines() if "::" in line]


def test_every_id_that_pytest_collects_is_found(collected: list[str]) -> None:
    sources = Repository(EXAMPLE).sources()
    assert len(collected) == 26
    assert {test: sources.test(test) for test in collected if sources.test(test).state != "found"} == {}


def test_ids_that_pytest_does_not_collect_are_not_found(collected: list[str]) -> None:
    sources = Repository(EXAMPLE).sources()
    invented = [re.sub(r"(::)(\w+)(?=$|\[)", r"\1\2_gone", test) for test in collected]
    elsewhere = [
        test.replace("test_plain.py", "test_missing.py").replace("test_star.py", "shared") for test in collected
    ]
    for test in (*invented, *elsewhere):
        assert test not in collected
        assert sources.test(test).state == "absent", test


def test_an_id_without_its_brackets_names_several(collected: list[str]) -> None:
    sources = Repository(EXAMPLE).sources()
    marked = {test.partition("[")[0] for test in collected if "test_odd[" in test or "test_pair[" in test}
    assert len(marked) == 3
    assert {sources.test(test).state for test in marked} == {"several"}
    assert sources.test("test_plain.py::TestOuter").state == "several"
    assert sources.test("test_plain.py").state == "absent"


@pytest.mark.parametrize(
    ("test", "reason", "fix"),
    [
        ("tests/test_a.py", "a test id is written path::name", "write the id as pytest prints it"),
        ("other/test_a.py::test_b", "the tree has no file other/test_a.py", "did you mean tests/test_a.py::test_b?"),
        ("nowhere.py::test_b", "the tree has no file nowhere.py", "take the id out"),
        ("tests/test_link.py::test_b", "is no regular file", "name the file itself"),
        ("tests/module/::test_b", "the tree has no file tests/module/", "take the id out"),
        ("../tests/test_a.py::test_b", "the tree has no file", "did you mean tests/test_a.py::test_b?"),
        ("tests/test_a.py::test_c", "tests/test_a.py has no test test_c", "did you mean tests/test_a.py::test_b?"),
        ("a.spec.ts::adds three", "does not hold the words 'adds three'", "write the name as a.spec.ts has it"),
    ],
)
def test_why_a_test_is_absent(test: str, reason: str, fix: str) -> None:
    files = {"tests/test_a.py": "def test_b(): ...\n", "tests/test_link.py": "test_a.py", "a.spec.ts": "it('adds two')"}
    sources = Repository(files, {"tests/test_link.py": "120000"}).sources()
    found = sources.test(test)
    assert found.state == "absent"
    assert reason in found.reason
    assert fix in found.fix
    assert sources.test_digest(test) is None
    assert not sources.is_given(test)


TREE = {
    "tests/test_a.py": '"""property_id: A."""\nfrom hypothesis import given\nfrom mixins import Mixin\n'
    "@given(x)\ndef test_given(x): ...\ndef test_plain(): ...\n"
    "class TestM(Mixin): ...\nimport pytest\n@pytest.mark.parametrize('a', [1])\ndef test_many(a): ...\n",
    "tests/mixins.py": "from hypothesis import given\nclass Mixin:\n    @given(x)\n    def test_drawn(self, x): ...\n"
    "    def test_fixed(self): ...\n",
    "tests/test_broken.py": "# property_id: A\ndef test_a(:\n",
    "tests/a.spec.ts": "// property_id: B-2.\nit('adds two', f)\n",
}


def test_digests() -> None:
    repository = Repository(TREE)
    sources = repository.sources()
    blob = {path: repository.sha256_of(entry.oid) for path, entry in repository.entries.items()}
    plain = hashlib.sha256(b"def test_plain(): ...").hexdigest()
    assert sources.test_digest("tests/test_a.py::test_plain") == plain
    assert sources.test_digest("tests/test_a.py::test_plain[1]") == plain
    assert sources.test_digest("tests/test_a.py::test_many") == sources.test_digest("tests/test_a.py::test_many[1]")
    assert sources.test_digest("tests/test_a.py::TestM") is None
    assert sources.test_digest("tests/test_a.py::TestM::test_drawn") == blob["tests/test_a.py"]
    assert sources.test_digest("tests/test_broken.py::test_a") == blob["tests/test_broken.py"]
    assert sources.test_digest("tests/a.spec.ts::adds two") == blob["tests/a.spec.ts"]


@pytest.mark.parametrize(
    ("test", "expected"),
    [
        ("tests/test_a.py::test_given", True),
        ("tests/test_a.py::test_plain", False),
        ("tests/test_a.py::TestM::test_drawn", True),
        ("tests/test_a.py::TestM::test_fixed", False),
        ("tests/test_broken.py::test_a", False),
        ("tests/a.spec.ts::adds two", False),
        ("no id", False),
    ],
)
def test_is_given(test: str, expected: bool) -> None:
    assert Repository(TREE).sources().is_given(test) is expected


@pytest.mark.parametrize(
    ("path", "ids"),
    [
        ("tests/test_a.py", {"A"}),
        ("tests/mixins.py", set()),
        ("tests/test_broken.py", set()),
        ("tests/a.spec.ts", {"B-2"}),
        ("tests/missing.py", set()),
    ],
)
def test_property_ids(path: str, ids: set[str]) -> None:
    assert Repository(TREE).sources().property_ids(path) == ids


def test_problems() -> None:
    sources = Repository(TREE).sources()
    assert "line 2" in (sources.problem("tests/test_broken.py") or "")
    assert sources.problem("tests/test_a.py") is None
    assert sources.problem("tests/a.spec.ts") is None
    assert sources.problem("missing.py") is None


def ask_everything(sources: Sources) -> list[object]:
    tests = ["test_given", "test_plain", "test_gone", "TestM::test_drawn", "TestM::test_fixed", "TestM::test_gone"]
    every = [f"tests/test_a.py::{name}" for name in tests]
    every += ["tests/test_broken.py::test_a", "tests/a.spec.ts::adds two", "tests/a.spec.ts::gone"]
    answers: list[object] = [(sources.test(test), sources.test_digest(test), sources.is_given(test)) for test in every]
    answers += [sources.property_ids(path) for path in ("tests/test_a.py", "tests/a.spec.ts")]
    return [*answers, sources.generator_set(every, None, None, (), lambda _: True)]


def test_a_warm_run_gives_the_same_answers_and_reads_nothing() -> None:
    cold, warm = Repository(TREE), Repository(TREE)
    cache: dict[str, object] = {}
    answers = ask_everything(cold.sources(cache))
    saved = json.loads(json.dumps(cache))
    assert ask_everything(warm.sources(saved)) == answers
    assert warm.reads == []
    assert ask_everything(Repository(TREE).sources({oid: "rubbish" for oid in cache if ":" not in oid})) == answers


def test_a_file_is_read_once_for_several_questions_in_a_row() -> None:
    repository = Repository({"a.spec.ts": "it('adds two')\nit('adds three')\n// property_id: A"})
    sources = repository.sources()
    assert [sources.test(f"a.spec.ts::adds {count}").state for count in ("two", "three", "ten")] == [
        *("found", "found"),
        "absent",
    ]
    assert sources.property_ids("a.spec.ts") == {"A"}
    assert len(repository.reads) == 1


def test_a_module_that_names_no_property_is_not_parsed() -> None:
    cache: dict[str, object] = {}
    assert Repository({"a.py": "def test_a(): ...\n"}).sources(cache).property_ids("a.py") == frozenset()
    assert cache == {}


GENERATED = {
    "conftest.py": "import unimported\n",
    "tests/conftest.py": "",
    "tests/unit/conftest.py": "",
    "other/conftest.py": "",
    "tests/unit/test_a.py": "def test_a():\n    from strategies.orders import order\nimport product\n",
    "tests/strategies/__init__.py": "",
    "tests/strategies/orders.py": "from . import money\nfrom .orders import x\n",
    "tests/strategies/money.py": "def (\n",
    "tests/strategies/unused.py": "",
    "tests/strategies/linked.py": "money.py",
    "unimported.py": "",
    "product.py": "import strategies.unused",
    "tests/seeds/gate.json": "[1]",
    "data/a.json": "1",
    "data/b.json": "2",
    "data/link.json": "a.json",
}
MODES = {"tests/strategies/linked.py": "120000", "data/link.json": "120000"}
CONFTESTS = ["conftest.py", "tests/conftest.py", "tests/unit/conftest.py"]
STRATEGIES = ["tests/strategies/__init__.py", "tests/strategies/money.py", "tests/strategies/orders.py"]


@pytest.mark.parametrize(
    ("generators", "seeds", "locked", "expected"),
    [
        (None, None, (), [*CONFTESTS, *STRATEGIES]),
        ([], "tests/seeds/gate.json", (), [*CONFTESTS, *STRATEGIES, "tests/seeds/gate.json"]),
        (None, "tests/seeds/none.json", ("conftest.py", "tests/strategies/money.py"), None),
        (["data/", "missing.py"], "tests/seeds/gate.json", (), ["data/a.json", "data/b.json"]),
        (["data", "product.py"], None, ("data/a.json",), ["data/b.json", "product.py"]),
    ],
)
def test_generator_set(
    generators: list[str] | None, seeds: str | None, locked: tuple[str, ...], expected: list[str] | None
) -> None:
    sources = Repository(GENERATED, MODES).sources()
    tests = ["tests/unit/test_a.py::test_a", "tests/unit/test_a.py::test_gone"]
    if expected is None:
        expected = [path for path in (*CONFTESTS, *STRATEGIES) if path not in locked]
    found = sources.generator_set(tests, generators, seeds, locked, lambda path: "strategies/" in path)
    assert found == sorted(expected)


def test_generator_digest_is_that_of_the_canonical_json() -> None:
    repository = Repository(GENERATED)
    one = hashlib.sha256(b"1").hexdigest()
    text = f'{{"data/a.json":"{one}","data/b.json":"{hashlib.sha256(b"2").hexdigest()}"}}'
    expected = hashlib.sha256(text.encode()).hexdigest()
    assert repository.sources().generator_digest(["data/b.json", "data/a.json"]) == expected
    assert repository.sources().generator_digest([]) == hashlib.sha256(b"{}").hexdigest()


def test_facts_of_the_cache_need_no_parser() -> None:
    """A warm run must not pay for importing ast."""
    script = (
        "import sys; from flakeledger.repo.sources import Sources; "
        "assert not {'ast', 'tokenize', 'difflib', 'inspect', 'pygit2', 'yaml'} & set(sys.modules), sorted(sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", script], capture_output=True, text=True, check=False, env=_paths()
    )
    assert done.returncode == 0, done.stderr


def _paths() -> dict[str, str]:
    import flakeledger

    return {"PYTHONPATH": str(Path(flakeledger.__file__).parent.parent)}


def test_parameters_do_not_change_what_is_looked_for() -> None:
    sources = Repository(EXAMPLE).sources()
    for test in ("test_plain.py::test_function", "test_plain.py::TestOuter::test_in"):
        assert split_test_id(f"{test}[a::b]").parts == split_test_id(test).parts
        assert sources.test(f"{test}[a::b]") == sources.test(test)


RENAMED = {
    "test_a.py": "def test_one(x):\n    assert help_one(x) and x\n\n\ndef help_one(x):\n    return x\n",
    "test_b.py": "def test_two(x):\n    assert help_one(x) and x\n\n\ndef help_one(x):\n    return x\n",
    "test_c.py": "def test_two(x):\n    assert help_one(x)\n\n\ndef help_one(x):\n    return x\n",
    "test_d.py": "class TestD:\n    def test_one(self):\n        assert 1\n",
    "test_e.py": "class TestD:\n    def test_two(self):\n        assert 1\n",
    "a.spec.ts": 'test("one (quickly)", () => 1)\n',
    "b.spec.ts": 'test("two", () => 1)\n',
}


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        ("test_a.py::test_one", "test_b.py::test_two", True),
        ("test_a.py::test_one", "test_c.py::test_two", False),
        ("test_a.py::test_one[1]", "test_b.py::test_two[2]", True),
        ("test_d.py::TestD::test_one", "test_e.py::TestD::test_two", True),
        ("a.spec.ts::one (quickly)", "b.spec.ts::two", True),
        ("test_a.py::test_none", "test_b.py::test_two", False),
        ("gone.py::test_one", "test_b.py::test_two", False),
        ("no id", "test_b.py::test_two", False),
    ],
)
def test_a_renamed_test_has_the_digest_of_its_new_name(old: str, new: str, same: bool) -> None:
    sources = Repository(RENAMED).sources()
    wanted = sources.test_digest(new)
    assert wanted is not None
    assert (sources.digest_as(old, split_test_id(new).parts[-1]) == wanted) is same
    assert (sources.nameless_digest(old) == sources.nameless_digest(new) is not None) is same


def test_a_file_mentions_whole_words() -> None:
    sources = Repository(RENAMED).sources()
    asked = (("test_a.py", "help_one"), ("test_a.py", "help"), ("test_a.py", "test_two"), ("gone.py", "help_one"))
    assert [sources.mentions(*one) for one in asked] == [True, False, False, False]


#: what bodies of tests are made of: the name of the test, a helper, and what is no name
WORDS = st.lists(st.sampled_from(["test_one", "helper", "x", "1", "# test_one", "# helper"]), max_size=4)


def module_of(body: list[str], name: str) -> str:
    lines = "".join(f"    {word}\n" for word in [*body, "pass"])
    return f"def test_one(x):\n{lines}def helper():\n    return test_one\n".replace("test_one", name)


@given(WORDS, WORDS | st.none())
def test_texts_are_the_same_but_for_the_name_where_the_digest_under_the_new_name_says_so(
    old: list[str], other: list[str] | None
) -> None:
    files = {"test_a.py": module_of(old, "test_one"), "test_b.py": module_of(other or old, "test_two")}
    sources = Repository(files).sources()
    renamed = sources.digest_as("test_a.py::test_one", "test_two")
    same = renamed == sources.test_digest("test_b.py::test_two") is not None
    assert same or other is not None
    assert (sources.nameless_digest("test_a.py::test_one") == sources.nameless_digest("test_b.py::test_two")) is same
