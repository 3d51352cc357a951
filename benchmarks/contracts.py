"""How long the digest of a contract takes, against the plain way: `json.load`, `json.dumps`, SHA-256.

The plain way refuses nothing: no key that stands twice, no float, no depth that another program could not follow.
`python benchmarks/contracts.py` makes a contract of 10 MB and prints the medians of both and their ratio, measured
alternately in one process; then the time of `flakeledger digest` as a process, which has a bar of one second.
"""

from __future__ import annotations

import hashlib
import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from flakeledger.model.canonical import digest

BYTES = 10_000_000
RUNS = 9
BAR_SECONDS = 1.0
TOOL = Path(sys.executable).with_name("flakeledger")


def contract(size: int) -> bytes:
    """A contract of about so many bytes: orders with numbers, texts, escapes and letters beyond ASCII."""
    seeded = random.Random(20261011)
    rows: list[object] = []
    while len(rows) * 106 < size:
        rows.append(
            {
                "id": len(rows),
                "minor": seeded.randrange(10**6),
                "article": f"article {seeded.randrange(10**4)}",
                "tags": ["new", 'with a "quote"', "naïve"],
            }
        )
    return json.dumps({"schema": "orders/1", "orders": rows}, ensure_ascii=False).encode()


def plain(data: bytes) -> str:
    """The digest without any refusal."""
    text = json.dumps(json.loads(data), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def seconds(work: Callable[[], object]) -> float:
    """How long one run of the work takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def main() -> int:
    """Measure: 0 when the process stays within its bar, else 1."""
    data = contract(BYTES)
    assert digest(data) == plain(data)
    with tempfile.TemporaryDirectory() as where:
        path = Path(where) / "orders.json"
        path.write_bytes(data)
        command = [str(TOOL), "digest", str(path)]
        ours, theirs, process = [], [], []
        for _ in range(RUNS):
            ours.append(seconds(lambda: digest(data)))
            theirs.append(seconds(lambda: plain(data)))
            process.append(seconds(lambda: subprocess.run(command, capture_output=True, check=True)))
    strict, loose, whole = map(statistics.median, (ours, theirs, process))
    print(f"contract: {len(data) / 1e6:.1f} MB, medians of {RUNS} alternating runs")
    print(f"digest: {strict:.2f} s; the plain way: {loose:.2f} s; ratio {strict / loose:.2f}")
    print(f"`flakeledger digest` as a process: {whole:.2f} s (bar: {BAR_SECONDS:.0f} s)")
    return int(whole > BAR_SECONDS)


if __name__ == "__main__":
    sys.exit(main())
