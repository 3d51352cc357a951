"""Merges two versions of the replay log by their lines.

Invariants:
* No line of either side is lost, and none stands twice.
* Both sides keep their order. Where no order suits both sides there is no merge, but CannotTell.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from flakeledger.model.errors import CannotTell
from flakeledger.model.ledger_paths import REPLAYS


def merge_log(ours: bytes, theirs: bytes) -> bytes:
    """Our lines and then theirs that are new; a new one goes above a line that both sides have only if it must.

    CannotTell when the sides hold the same lines in different orders.
    """
    our_lines, their_lines = _lines(ours), _lines(theirs)
    place = {line: number for number, line in enumerate(our_lines)}
    above: dict[int, list[bytes]] = {}
    waiting: list[bytes] = []
    reached = -1
    for line in their_lines:
        if line not in place:
            waiting.append(line)
        elif place[line] > reached:
            reached = place[line]
            above[reached] = waiting
            waiting = []
    merged = [each for number, line in enumerate(our_lines) for each in (*above.get(number, ()), line)]
    merged += waiting
    if not (_is_in_order(our_lines, merged) and _is_in_order(their_lines, merged)):
        reason = f"both sides of {REPLAYS} hold the same lines in different orders"
        raise CannotTell(reason, "keep every line of both sides once, in an order of your choice")
    return b"".join(line + b"\n" for line in merged)


def _lines(data: bytes) -> list[bytes]:
    """The lines, each once, without their ends."""
    lines = data.split(b"\n")
    return list(dict.fromkeys(lines if lines[-1] else lines[:-1]))


def _is_in_order(lines: Sequence[bytes], merged: Iterable[bytes]) -> bool:
    left = iter(merged)
    return all(any(line == other for other in left) for line in lines)
