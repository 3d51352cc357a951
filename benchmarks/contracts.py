"""How long the digest of a contract takes, against the plain way: `json.load`, `json.dumps`, SHA-256.

Invariants:
* The plain way refuses nothing: no key that stands twice, no float, no depth that another program could not follow.
* Both ways give the same digest. They run in this process; `flakeledger digest`, which has the bar, as a process.
"""

from __future__ import annotations

import hashlib
import json
import random
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from bars import Row, main
from flakeledger.model.canonical import digest
from timing import PRODUCT, QUICK_RUNS, RUNS, Work, in_seconds, medians, process

BYTES, FEWER_BYTES = 10_000_000, 1_000_000
BAR_SECONDS = 1.0


def contract(size: int) -> bytes:
    """A contract of about so many bytes: orders with numbers, texts, escapes and letters beyond ASCII."""
    seeded = random.Random(20261011)
    orders: list[object] = []
    while len(orders) * 106 < size:
        orders.append(
            {
                "id": len(orders),
                "minor": seeded.randrange(10**6),
                "article": f"article {seeded.randrange(10**4)}",
                "tags": ["new", 'with a "quote"', "naïve"],
            }
        )
    return json.dumps({"schema": "orders/1", "orders": orders}, ensure_ascii=False).encode()


def plain(data: bytes) -> str:
    """The digest without any refusal."""
    text = json.dumps(json.loads(data), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def rows(folder: Path, quick: bool) -> Iterator[Row]:
    """The bar, and the distance to the plain way."""
    size, runs = (FEWER_BYTES, QUICK_RUNS) if quick else (BYTES, RUNS)
    data = contract(size)
    assert digest(data) == plain(data)
    path = folder / f"orders-{size}.json"
    path.write_bytes(data)
    what = f"a contract of {len(data) / 1e6:.0f} MB"
    yield in_seconds(f"`digest`, {what}", BAR_SECONDS, runs, process(folder, PRODUCT, "digest", str(path)))
    strict, loose = (took.clock for took in medians(runs, *(Work(partial(way, data)) for way in (digest, plain))))
    measured = f"{strict / loose:.2f} x ({strict:.2f} s against {loose:.2f} s)"
    yield Row(f"the canonical form of {what} and its digest, against the plain way", "none", measured, None)


if __name__ == "__main__":
    sys.exit(main(__doc__, rows))
