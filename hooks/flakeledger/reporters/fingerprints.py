"""Fingerprints: how a service knows a finding again in a later run.

Invariants:
* A fingerprint is made of the rule, the path, the key of the row and a count, never of a line, a date or a message: a
  finding whose line moved, or whose days ran down, is the same finding.
* No two findings of a report share a fingerprint: the count tells those apart that share the rest, in their order.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence

from flakeledger.model.findings import Finding


def fingerprints(findings: Sequence[Finding]) -> Iterator[str]:
    """A fingerprint for each finding, in their order: SHA-256 in hexadecimal."""
    seen: dict[tuple[str, str, str], int] = {}
    for finding in findings:
        key = finding.rule, finding.path, finding.subject
        seen[key] = seen.get(key, 0) + 1
        # as JSON no two keys are one text, and half characters are ASCII
        yield hashlib.sha256(json.dumps([*key, seen[key]]).encode()).hexdigest()
