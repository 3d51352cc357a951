"""Digests of blobs: bytes, what a Git LFS pointer stands for, contracts."""

from __future__ import annotations

import hashlib

import pytest

from flakeledger.repo.files import Files, pointed_digest

SHA = "4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393"
POINTER = f"version https://git-lfs.github.com/spec/v1\noid sha256:{SHA}\nsize 12345\n".encode()


@pytest.mark.parametrize(
    ("data", "digest"),
    [
        (POINTER, SHA),
        (POINTER.removesuffix(b"\n"), SHA),
        (POINTER.replace(b"\noid", b"\next-0-foo sha256:" + b"a" * 64 + b"\noid"), SHA),
        (POINTER.replace(b"v1", b"v2"), None),
        (POINTER.replace(SHA.encode(), SHA.upper().encode()), None),
        (POINTER + b"more", None),
        (POINTER + b"\n" * 1024, None),
        (b"", None),
    ],
)
def test_a_pointer_carries_the_digest_of_its_content(data: bytes, digest: str | None) -> None:
    assert pointed_digest(data) == digest


class Blobs:
    """Blobs by id, counting how often each is read."""

    def __init__(self, blobs: dict[str, bytes]) -> None:
        self.blobs = blobs
        self.reads: list[str] = []

    def read(self, oid: str) -> bytes:
        self.reads.append(oid)
        return self.blobs[oid]


def test_a_blob_is_read_and_hashed_once() -> None:
    blobs = Blobs({"a": b"hello", "p": POINTER})
    known: dict[str, object] = {}
    files = Files(blobs.read, known)
    assert files.sha256("a") == files.content("a") == hashlib.sha256(b"hello").hexdigest()
    assert files.content("p") == SHA
    assert files.sha256("p") == hashlib.sha256(POINTER).hexdigest()
    assert blobs.reads == ["a", "p"]
    again = Files(blobs.read, known)
    assert again.content("p") == SHA
    assert blobs.reads == ["a", "p"]


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b'{"schema": 1, "b": 2, "a": 1}', ""),
        (b'{"schema": 1, "price": 1.5}', "line 1, column 24"),
        (b'{"a": 1}', "schema"),
        (b'{"schema": 1,\n "hostname": "box"}', "line 2, column 2"),
        (POINTER, "Git LFS pointer"),
    ],
)
def test_what_can_be_a_contract(data: bytes, problem: str) -> None:
    answer = Files({"a": data}.__getitem__, {}).contract("a")
    assert (answer.digest is None) == bool(problem)
    assert problem in answer.problem


def test_a_contract_does_not_depend_on_layout() -> None:
    files = Files({"a": b'{"schema":1,"n":2}', "b": b'{ "n": 2,\n  "schema": 1 }\n'}.__getitem__, {})
    assert files.contract("a").digest == files.contract("b").digest
    assert files.content("a") != files.content("b")
