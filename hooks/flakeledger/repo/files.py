"""Digests of blobs: the raw bytes, the content behind a Git LFS pointer, the canonical contract.

Invariants:
* A digest is of what git stores (the blob), so line-end conversion cannot move it.
* A blob is read and hashed once; what is known by blob id is cached, for a blob never changes.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, MutableMapping
from typing import NamedTuple

from flakeledger.model.canonical import NotCanonical, contract_digest

#: https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md: a pointer is under 1024 bytes
_LFS_LIMIT = 1024
_LFS = rb"version https://git-lfs\.github\.com/spec/v1\n(?:ext-[^\n]*\n)*oid sha256:([0-9a-f]{64})\nsize [0-9]+\n?"


class ContractDigest(NamedTuple):
    """A contract's digest, or why it cannot be one."""

    digest: str | None
    problem: str


def pointed_digest(data: bytes) -> str | None:
    """The sha256 that a Git LFS pointer carries; None when the blob is no pointer."""
    if len(data) >= _LFS_LIMIT:
        return None
    found = re.fullmatch(_LFS, data)
    return found[1].decode() if found else None


class Files:
    """Digests by blob id. `known` maps `kind:oid` to what was found before, and grows."""

    def __init__(self, read: Callable[[str], bytes], known: MutableMapping[str, object]) -> None:
        """Reads nothing yet."""
        self._read = read
        self._known = known

    def knows(self, oid: str) -> bool:
        """Whether the digest of the blob's bytes is known without reading it."""
        return f"bytes:{oid}" in self._known

    def learn(self, blobs: Iterable[tuple[str, bytes]]) -> None:
        """Hash many blobs, one at a time."""
        for oid, data in blobs:
            self._known[f"bytes:{oid}"] = _bytes_digests(data)

    def _pair(self, kind: str, oid: str, find: Callable[[bytes], list[str | None]]) -> list[str | None]:
        key = f"{kind}:{oid}"
        found = self._known.get(key)
        if not isinstance(found, list):
            found = self._known[key] = find(self._read(oid))
        return found

    def sha256(self, oid: str) -> str:
        """SHA-256 of the blob's bytes, hexadecimal."""
        raw = self._pair("bytes", oid, _bytes_digests)[0]
        assert raw is not None
        return raw

    def content(self, oid: str) -> str:
        """SHA-256 of the content: of the file behind a Git LFS pointer, else of the blob's bytes."""
        pointed = self._pair("bytes", oid, _bytes_digests)[1]
        return pointed or self.sha256(oid)

    def contract(self, oid: str) -> ContractDigest:
        """The digest of the blob's canonical form, or why it cannot be a contract."""
        found, problem = self._pair("contract", oid, _contract_digest)
        return ContractDigest(found, problem or "")


def _bytes_digests(data: bytes) -> list[str | None]:
    return [hashlib.sha256(data).hexdigest(), pointed_digest(data)]


def _contract_digest(data: bytes) -> list[str | None]:
    if pointed_digest(data) is not None:
        return [None, "it is a Git LFS pointer, and its content is not in the repository; lock it with hash: bytes"]
    try:
        return [contract_digest(data), None]
    except NotCanonical as problem:
        whole = (problem.line, problem.column) == (1, 1)
        where = "" if whole else f"line {problem.line}, column {problem.column}: "
        return [None, f"{where}{problem.message}"]
