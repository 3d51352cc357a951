"""`flakeledger decide` of one record: every decision, every refusal, and nothing asked but the files that are named."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bounded import MIB, UNWELCOME, Ran, ran, ran_small
from commands import TOOL
from flakeledger.model.canonical import NotCanonical, contract_digest
from flakeledger.verdicts.decision import REMEDIES
from printed_decisions import record_decision

CONTRACT = '{"schema": "order/1", "currency": "EUR", "minor": 1250}\n'
#: the digest that docs/formats.md shows for this contract
DIGEST = "879d1f9a58750656d154bf325165760c3f67ac1958d7b5d5f019adbff6aef583"
RECORD = {
    "property_id": "PROP-014",
    "cited_property_id": "PROP-014",
    "fixture_hash": DIGEST,
    "runner_class": "local-fixture",
    "cited_runner_class": "local-fixture",
    "failure_class": "environment",
    "expires_at": "2026-11-19",
}
NOW = "2026-11-19T23:59:59Z"
FILES = ("--ledger", "record.json", "--contract", "order.json")
DECISIONS = {"allow_cite", *REMEDIES}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder outside of any repository with a record and a contract: this citation may stay."""
    (tmp_path / "order.json").write_text(CONTRACT)
    (tmp_path / "record.json").write_text(json.dumps(RECORD, indent=2))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def decided(record: object, *more: str, now: str = NOW) -> Ran:
    """What is printed for this record, beside the contract of the folder we are in."""
    Path("record.json").write_text(json.dumps(record))
    return ran("decide", *FILES, "--now", now, *more)


def without(*names: str) -> dict[str, str]:
    return {name: value for name, value in RECORD.items() if name not in names}


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("record", "now", "decision"),
    [
        (RECORD, NOW, "allow_cite"),
        (RECORD, "2026-11-20T00:00:00Z", "reject:window"),
        (RECORD, "2026-11-19T23:59:59+14:00", "allow_cite"),
        (RECORD, "2026-11-19T23:59:59-01:00", "reject:window"),
        (RECORD | {"expires_at": "2026-11-19T12:00:00Z"}, "2026-11-19T11:59:59Z", "allow_cite"),
        (RECORD | {"expires_at": "2026-11-19T12:00:00Z"}, "2026-11-19T12:00:00Z", "reject:window"),
        (RECORD | {"expires_at": "2026-11-19T12:00:00+02:00"}, "2026-11-19T11:00:00Z", "reject:window"),
        (without("expires_at"), NOW, "reject:window"),
        (without("runner_class"), NOW, "reject:window"),
        (without("cited_runner_class"), NOW, "reject:window"),
        (without("runner_class", "cited_runner_class"), NOW, "reject:window"),
        (RECORD | {"cited_runner_class": "pinned-py311"}, NOW, "reject:window"),
        (without("property_id"), NOW, "reject:unnamed"),
        (without("property_id", "cited_property_id"), NOW, "reject:unnamed"),
        ({}, NOW, "reject:unnamed"),
        (without("cited_property_id"), NOW, "reject:property_id"),
        (RECORD | {"cited_property_id": "PROP-015"}, NOW, "reject:property_id"),
        (without("fixture_hash"), NOW, "reject:fixture_hash"),
        (RECORD | {"fixture_hash": "0" * 64}, NOW, "reject:fixture_hash"),
        (RECORD | {"fixture_hash": "0" * 64, "expires_at": "2020-01-01"}, NOW, "reject:fixture_hash"),
        (without("failure_class"), NOW, "reject:not_environment"),
        (RECORD | {"failure_class": "invariant"}, NOW, "reject:not_environment"),
        (RECORD | {"failure_class": "invariant", "expires_at": "2020-01-01"}, NOW, "reject:window"),
    ],
)
def test_what_is_decided(record: dict[str, str], now: str, decision: str) -> None:
    done = decided(record, now=now)
    assert done.out == f"{decision}\n"
    assert done.code == (0 if decision == "allow_cite" else 1)
    remedy = "" if decision == "allow_cite" else f"    fix: {REMEDIES[decision]}\n"  # type: ignore[index]  # tested
    assert done.err == remedy
    assert record_decision(record, DIGEST, now) == decision


@pytest.mark.usefixtures("folder")
def test_every_mix_of_good_bad_and_absent_fields_is_decided_as_printed() -> None:
    other = {
        "property_id": ("PROP-014", "PROP-015", None),
        "cited_property_id": ("PROP-014", None),
        "fixture_hash": (DIGEST, "0" * 64, None),
        "runner_class": ("local-fixture", "node", None),
        "cited_runner_class": ("local-fixture", None),
        "failure_class": ("environment", "invariant", None),
        "expires_at": ("2026-11-19", "2026-11-18", None),
    }
    wrong = []
    for values in itertools.product(*other.values()):
        record = {name: value for name, value in zip(other, values, strict=True) if value is not None}
        done = decided(record)
        expected = record_decision(record, DIGEST, NOW)
        if done[:2] != (int(expected != "allow_cite"), f"{expected}\n"):
            wrong.append((record, done))
    assert wrong == []


def test_the_spelling_of_a_contract_does_not_matter_its_values_do(folder: Path) -> None:
    (folder / "order.json").write_text('{"minor":1250,"currency":"\\u0045UR",\n\n"schema":"order/1"}')
    assert decided(RECORD).out == "allow_cite\n"
    (folder / "order.json").write_text('{"minor":1251,"currency":"EUR","schema":"order/1"}')
    assert decided(RECORD).out == "reject:fixture_hash\n"


# the test module


@pytest.mark.parametrize(
    ("name", "text", "decision"),
    [
        ("test_a.py", '"""property_id: PROP-014"""\n', "allow_cite"),
        ("test_a.py", "def test_a():\n    # property_id: PROP-014\n    pass\n", "allow_cite"),
        ("test_a.py", 'import pytest\n@pytest.mark.property_id("PROP-014")\ndef test_a(): ...\n', "allow_cite"),
        ("test_a.py", 'WORDS = "property_id: PROP-014"\n', "reject:unnamed"),
        ("test_a.py", '"""property_id: PROP-0145"""\n', "reject:unnamed"),
        ("test_a.py", '"""property_id: PROP-01"""\n', "reject:unnamed"),
        ("test_a.py", "PROP_014 = 1  # PROP-014\n", "reject:unnamed"),
        ("test_a.py", "", "reject:unnamed"),
        ("cart.spec.ts", "// property_id: PROP-014\ntest('a', () => {})\n", "allow_cite"),
        ("cart.spec.ts", "// property_id: PROP-015\n", "reject:unnamed"),
        ("cart_test.go", "\xff// property_id: PROP-014", "allow_cite"),
    ],
)
def test_the_property_must_be_found_in_the_module(folder: Path, name: str, text: str, decision: str) -> None:
    (folder / name).write_bytes(text.encode("latin-1"))
    assert decided(RECORD, "--test", name).out == f"{decision}\n"
    assert record_decision(RECORD, DIGEST, NOW, is_named=decision == "allow_cite") == decision


def test_a_module_that_names_the_property_does_not_help_a_record_that_has_none(folder: Path) -> None:
    (folder / "test_a.py").write_text('"""property_id: PROP-014"""\n')
    assert decided(without("property_id"), "--test", "test_a.py").out == "reject:unnamed\n"


def test_a_module_that_cannot_be_parsed_names_nothing_for_certain(folder: Path) -> None:
    (folder / "test_a.py").write_text('"""property_id: PROP-014"""\ndef test_a(:\n')
    done = decided(RECORD, "--test", "test_a.py")
    assert (done.code, done.out) == (2, "")
    assert "test_a.py cannot be parsed: line 2 is no Python" in done.err


# what cannot be decided


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ((), "the following arguments are required: --now"),
        ((*FILES,), "the following arguments are required: --now"),
        ((*FILES, "--now", "2026-11-19T23:59:59"), "an instant needs its zone: 2026-11-19T23:59:59Z"),
        ((*FILES, "--now", "2026-11-19"), "an instant is written"),
        ((*FILES, "--now", "now"), "an instant is written"),
        ((*FILES, "--now", ""), "an instant is written"),
        (("--ledger", "record.json", "--now", NOW), "a record is decided with its contract"),
        (("--contract", "order.json", "--now", NOW), "a record is decided with its contract"),
        (("--test", "test_a.py", "--now", NOW), "a record is decided with its contract"),
        (("--ledger", "record.json", "--test", "a.py", "--now", NOW), "a record is decided with its contract"),
        (("--ledger", "", "--contract", "order.json", "--now", NOW), "cannot be read"),
        ((*FILES, "--now", NOW, "--rev", "HEAD"), "--rev and --format are for the citations of a repository"),
        ((*FILES, "--now", NOW, "--format", "json"), "--rev and --format are for the citations of a repository"),
        ((*FILES, "--now", NOW, "record.json"), "unrecognized arguments"),
        ((*FILES, "--no", NOW), "the following arguments are required: --now"),
    ],
)
def test_bad_usage_decides_nothing(arguments: tuple[str, ...], reason: str) -> None:
    done = ran("decide", *arguments)
    assert (done.code, done.out) == (2, "")
    assert reason in done.err


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("more", [(), ("--format", "text"), ("--rev", "HEAD")])
def test_without_a_record_it_is_the_repository_that_is_asked(more: tuple[str, ...]) -> None:
    done = ran("decide", "--now", NOW, *more)
    assert (done.code, done.out) == (2, "")
    assert "repository" in done.err


@pytest.mark.parametrize(
    ("record", "said"),
    [
        (
            '{"expires": "2026-11-19"}',
            "record.json:1:2: cannot tell: unknown field `expires`, did you mean `expires_at`?",
        ),
        ('{\n "property_id": null}', "record.json:2:2: cannot tell: `property_id` is null"),
        (
            '{"property_id": "A", "property_id": "A"}',
            "record.json:1:22: cannot tell: the key `property_id` stands twice",
        ),
        ("not JSON", "record.json:1:1: cannot tell: not JSON"),
        ('{"\x1b[31m": "\\u202e"}', "record.json:1:3: cannot tell: not JSON"),
        ('{"\\u001b[31m": ""}', "unknown field `\\x1b[31m`"),
    ],
)
def test_a_record_that_is_none_is_not_decided(folder: Path, record: str, said: str) -> None:
    (folder / "record.json").write_text(record)
    done = ran("decide", *FILES, "--now", NOW)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(said) or said in done.err
    assert "\n    fix: " in done.err
    assert "\x1b" not in done.err


@pytest.mark.parametrize(
    ("contract", "said"),
    [
        ("{}", "order.json:1:1: cannot tell: a contract says which rules it follows: it needs the key `schema`"),
        ('{"schema": 1,\n "created_at": 1}', "order.json:2:2: cannot tell: `created_at` names a run"),
        ('{"schema": 1, "price": 12.5}', "order.json:1:24: cannot tell: `12.5` is a float"),
        ("[]", "order.json:1:1: cannot tell: the top level is no object"),
        ("", "order.json:1:1: cannot tell: not JSON"),
    ],
)
def test_a_contract_that_is_none_decides_nothing(folder: Path, contract: str, said: str) -> None:
    (folder / "order.json").write_text(contract)
    done = ran("decide", *FILES, "--now", NOW)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(said)
    assert "\n    fix: a contract is one JSON object with `schema`" in done.err


@pytest.mark.parametrize("file", ["record.json", "order.json", "test_a.py"])
@pytest.mark.parametrize("name", UNWELCOME)
def test_what_is_no_readable_file_decides_nothing(folder: Path, file: str, name: str) -> None:
    make, reason = UNWELCOME[name]
    (folder / "test_a.py").write_text("# property_id: PROP-014\n")
    (folder / file).unlink()
    make(folder / file)
    done = ran("decide", *FILES, "--test", "test_a.py", "--now", NOW)
    assert (done.code, done.out) == (2, "")
    assert f"{file} {reason}" in done.err


def test_a_record_has_a_limit(folder: Path) -> None:
    text = json.dumps(RECORD)
    (folder / "record.json").write_text(text + " " * (64 * 1024 - len(text)))
    assert ran("decide", *FILES, "--now", NOW).out == "allow_cite\n"
    (folder / "record.json").write_text(text + " " * (64 * 1024 - len(text) + 1))
    done = ran("decide", *FILES, "--now", NOW)
    assert (done.code, done.out) == (2, "")
    assert "record.json is larger than 64 KiB" in done.err


def test_a_small_process_refuses_large_files(folder: Path) -> None:
    with (folder / "large.json").open("wb") as file:
        file.truncate(1024 * MIB)
    for arguments in (
        ("--ledger", "large.json", "--contract", "order.json"),
        ("--ledger", "record.json", "--contract", "large.json"),
    ):
        done = ran_small(folder, "decide", *arguments, "--now", NOW, memory=200 * MIB)
        assert (done.code, done.out) == (2, "")
        assert "large.json is larger than" in done.err


# alone


@pytest.fixture
def lonely(folder: Path) -> Path:
    """The folder with what a repository would have, none of which may be looked at."""
    (folder / "test_a.py").write_text("# property_id: PROP-014\n")
    for path in (".git/HEAD", "ledgers/policy.yaml", "ledgers/freezes.yaml", "yaml.py", "json.py", "conftest.py"):
        (folder / path).parent.mkdir(exist_ok=True)
        (folder / path).write_text("raise SystemExit(77)\n")
    return folder


@pytest.mark.parametrize(
    ("now", "answer"), [(NOW, (0, b"allow_cite\n")), ("2026-11-20T00:00:00Z", (1, b"reject:window\n"))]
)
def test_zone_locale_and_environment_change_nothing(lonely: Path, now: str, answer: tuple[int, bytes]) -> None:
    environments: tuple[dict[str, str], ...] = (
        {"TZ": "Pacific/Kiritimati", "LC_ALL": "C"},
        {"TZ": "Etc/GMT+12", "LC_ALL": "tr_TR.UTF-8", "HOME": "/nonexistent", "PYTHONUTF8": "0"},
        {"TZ": "", "GIT_DIR": "/nonexistent", "GIT_WORK_TREE": "/", "CI": "true", "PYTHONHASHSEED": "7"},
    )
    for environment in environments:
        done = subprocess.run(
            [str(TOOL), "decide", *FILES, "--test", "test_a.py", "--now", now],
            cwd=lonely,
            env={"PATH": str(lonely), **environment},  # no git anywhere
            capture_output=True,
            check=False,
        )
        assert (done.returncode, done.stdout) == answer, done.stderr


_WATCHED = """\
import os, sys, time

def refuse(*arguments):
    os._exit(99)

def watch(event, arguments):
    if event.startswith("socket.") or event in STARTS:
        refuse()
    if event in ("open", "os.listdir", "os.scandir") and str(arguments[0]).startswith(HERE):
        opened.append(os.path.relpath(arguments[0], HERE))

STARTS = ("subprocess.Popen", "os.posix_spawn", "os.fork", "os.exec", "os.system")
HERE, opened = os.getcwd(), []
from flakeledger.cli.main import main
sys.addaudithook(watch)
time.time = time.time_ns = time.localtime = time.gmtime = refuse
code = main(sys.argv[1:])
print(code, *sorted(opened), file=sys.stderr)
"""


def test_no_clock_no_network_no_process_and_no_other_file(lonely: Path) -> None:
    files = [str(lonely / name) for name in ("record.json", "order.json", "test_a.py")]
    arguments = ["decide", "--ledger", files[0], "--contract", files[1], "--test", files[2], "--now", NOW]
    done = subprocess.run(
        [sys.executable, "-I", "-c", _WATCHED, *arguments], cwd=lonely, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "allow_cite\n"), done.stderr
    assert done.stderr == "0 order.json record.json test_a.py\n"


# whatever comes


IDS = st.sampled_from(["PROP-014", "PROP-015", "A", "", "tests/a.py", "9"])
TEXTS = {
    "property_id": IDS,
    "cited_property_id": IDS,
    "fixture_hash": st.sampled_from([DIGEST, DIGEST.upper(), "0" * 64, ""]),
    "runner_class": IDS,
    "cited_runner_class": IDS,
    "failure_class": st.sampled_from(["environment", "invariant", "Environment", "other"]),
    "expires_at": st.sampled_from(["2026-11-19", "2026-11-18", "2026-11-19T23:59:59Z", "9999-12-30", "2026-11-31", ""]),
}
JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)
NEAR_RECORDS = st.tuples(
    st.fixed_dictionaries({}, optional=TEXTS),
    st.dictionaries(st.sampled_from([*RECORD, "zone"]), JSON_VALUES, max_size=1),
).map(lambda parts: json.dumps(dict(RECORD) | parts[0] | parts[1]))
TEXT_OR_JSON = st.one_of(
    NEAR_RECORDS, JSON_VALUES.map(json.dumps), st.text(), st.text('{}[]":,\\ud8e0.+-1nalNtrfs \n'), st.just(CONTRACT)
)


def oracle(record: bytes, contract: bytes) -> str | None:
    """The decision by the printed table where the record is one of texts of its own fields; None: there may be none."""
    try:
        read = json.loads(record)
        return record_decision(read, contract_digest(contract), NOW) if read.keys() <= RECORD.keys() else None
    except (ValueError, AttributeError, TypeError, NotCanonical):
        return None


@settings(max_examples=150)
@given(TEXT_OR_JSON, st.one_of(st.just(CONTRACT), TEXT_OR_JSON))
def test_no_input_gives_a_traceback_or_an_answer_of_its_own(record: str, contract: str) -> None:
    with tempfile.TemporaryDirectory() as where:
        ledger, other = os.path.join(where, "record.json"), os.path.join(where, "order.json")
        Path(ledger).write_bytes(record.encode(errors="surrogatepass"))
        Path(other).write_bytes(contract.encode(errors="surrogatepass"))
        done = ran("decide", "--ledger", ledger, "--contract", other, "--now", NOW)
        expected = oracle(Path(ledger).read_bytes(), Path(other).read_bytes())
    if done.code == 2:
        assert done.out == ""
        assert "cannot tell: " in done.err
        assert "\n    fix: " in done.err
    else:
        assert done.out == f"{expected}\n"
        assert done.out.removesuffix("\n") in DECISIONS
        assert done.code == int(expected != "allow_cite")
