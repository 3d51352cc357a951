"""`flakeledger digest`: the digest of each file or the reason why it has none, in bounded memory."""

from __future__ import annotations

import hashlib
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from bounded import MIB, UNWELCOME, ran, ran_small
from commands import TOOL

VECTORS: dict[str, list[dict[str, Any]]] = json.loads(
    (Path(__file__).parent / "data" / "canonical_vectors.json").read_text(encoding="utf-8")
)

#: of {"schema":1}
SCHEMA_ONLY = "67d6291b301412df4a6ca7808aeafac9d0587b06ece3c68e72bab0157cd9d52c"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, outside of any repository."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("vector", VECTORS["accept"], ids=lambda vector: vector["name"])
def test_the_digest_and_the_text_of_what_has_a_canonical_form(vector: dict[str, Any]) -> None:
    Path("a.json").write_text(vector["text"], newline="")
    assert ran("digest", "a.json") == (0, f"{vector['sha256']}  a.json\n", "")
    assert ran("digest", "--canonical", "a.json") == (0, vector["canonical"], "")


@pytest.mark.parametrize("vector", VECTORS["refuse"], ids=lambda vector: vector["name"])
def test_the_refusal_of_what_has_none(vector: dict[str, Any]) -> None:
    Path("a.json").write_text(vector["text"], newline="")
    for option in ((), ("--canonical",)):
        done = ran("digest", *option, "a.json")
        assert (done.code, done.out) == (2, "")
        place, said = done.err.splitlines()[0].split(": cannot tell: ", 1)
        assert place.startswith(f"a.json:{vector['line']}:")
        assert vector["column"] in (None, int(place.split(":")[2]))
        assert vector["message"] in said
        assert "\n    fix: mend this place, or lock the file by its bytes: `hash: bytes`\n" in done.err


def test_every_file_is_looked_at() -> None:
    Path("good.json").write_text('{"a": 1}')
    Path("bad.json").write_text('{"a": 1.0}')
    Path("last.json").write_text('{ "a":1 }')
    done = ran("digest", "good.json", "bad.json", "missing.json", "last.json")
    expected = hashlib.sha256(b'{"a":1}').hexdigest()
    assert done.code == 2
    assert done.out == f"{expected}  good.json\n{expected}  last.json\n"
    assert [line for line in done.err.splitlines() if not line.startswith("    fix: ")] == [
        "bad.json:1:7: cannot tell: `1.0` is a float: store whole minor units, or text",
        "flakeledger digest: cannot tell: missing.json cannot be read: No such file or directory",
    ]


def test_the_canonical_text_is_the_bytes_that_are_hashed() -> None:
    Path("a.json").write_text('{"é": "\\n", "a": [1, 2]}\n')
    done = subprocess.run([str(TOOL), "digest", "--canonical", "a.json"], capture_output=True, check=True)
    assert done.stdout == b'{"a":[1,2],"\\u00e9":"\\n"}'
    assert ran("digest", "a.json").out == f"{hashlib.sha256(done.stdout).hexdigest()}  a.json\n"


def test_bad_usage() -> None:
    Path("a.json").write_text("{}")
    assert ran("digest").code == 2
    done = ran("digest", "--canonical", "a.json", "a.json")
    assert (done.code, done.out) == (2, "")
    assert "--canonical prints one text" in done.err


def test_a_path_cannot_drive_the_terminal() -> None:
    for name, shown in {"a\x1b[31m.json": "a\\x1b[31m.json", "a\nb.json": "a\\nb.json"}.items():
        Path(name).write_text("{}")
        assert ran("digest", name).out.endswith(f"  {shown}\n")
        Path(name).write_text("[]")
        assert ran("digest", name).err.startswith(f"{shown}:1:1: cannot tell")


@pytest.mark.parametrize("name", UNWELCOME)
def test_what_is_no_readable_file(name: str, tmp_path: Path) -> None:
    make, reason = UNWELCOME[name]
    make(tmp_path / "a.json")
    done = ran("digest", "a.json")
    assert (done.code, done.out) == (2, "")
    assert f"a.json {reason}" in done.err


@pytest.mark.parametrize(
    ("unit", "times", "said"),
    [
        (b"[", 20 * MIB, "large.json:1:205: cannot tell: nested deeper than 200 levels"),
        (b"9", 20 * MIB, "large.json:1:6: cannot tell: an integer of more than 640 digits"),
        (b"[],", 5 * MIB, "cannot tell: large.json needs more memory than there is"),
    ],
    ids=["nested", "long integer", "many values"],
)
def test_what_would_need_much_memory_is_refused_with_little(unit: bytes, times: int, said: str, tmp_path: Path) -> None:
    (tmp_path / "large.json").write_bytes(b'{"a":' + (b"[" if unit == b"[]," else b"") + unit * times)
    done = ran_small(tmp_path, "digest", "large.json", memory=250 * MIB)
    assert (done.code, done.out) == (2, "")
    assert said in done.err


def test_a_gigabyte_is_refused_unread(tmp_path: Path) -> None:
    with (tmp_path / "large.json").open("wb") as file:
        file.truncate(1024 * MIB)
    done = ran_small(tmp_path, "digest", "large.json", memory=150 * MIB)
    assert (done.code, done.out) == (2, "")
    assert "large.json is larger than 64 MiB" in done.err


def test_the_largest_contract_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(b'{"schema":1}' + b" " * (64 * MIB - 12))
    assert ran("digest", "a.json").out == f"{SCHEMA_ONLY}  a.json\n"
