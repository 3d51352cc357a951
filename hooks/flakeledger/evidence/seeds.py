"""The seeds of a replay: the first ones of the list that the policy names, as a tree has it.

Invariants:
* A seed is a whole number of at most 64 bits, as the log of replays holds it, and stands once in the list.
* Whatever else stands there is refused with its place; a list that is too short is never filled up.
* Two replays under the same number of seeds on the same tree run under the same seeds.
"""

from __future__ import annotations

import json
import re

from flakeledger.model.errors import CannotTell
from flakeledger.model.ledger_paths import POLICY
from flakeledger.model.policy import Policy
from flakeledger.repo.tree import Tree
from flakeledger.store.replay_log import LARGEST_NUMBER

#: a list of a million bytes holds more seeds than anybody waits for
LARGEST_LIST = 1 << 20
#: where a list is made when the policy names none; `init` writes the same path (cli/adoption.py)
USUAL_PATH = "tests/seeds/gate.json"
_BLANKS = re.compile(r"[ \t\n\r]*+")
_DECODER = json.JSONDecoder()


def seeds_of(tree: Tree, policy: Policy, count: int | None) -> tuple[int, ...]:
    """The first `count` seeds of the tree's list; None: as many as the policy asks for.

    CannotTell when the policy names no list, the list is none, or it has fewer seeds than that.
    """
    if policy.seeds is None:
        raise CannotTell(
            f"{POLICY} names no list of seeds, and nobody could run the same ones again",
            f"{_writing(USUAL_PATH, policy.limits.min_seeds)}, add `seeds: {USUAL_PATH}` to {POLICY}, and commit both",
        )
    data = tree.read(policy.seeds)
    if data is None:
        raise CannotTell(
            f"{tree.label} has no file {policy.seeds}, the list of seeds that {POLICY} names",
            f"{_writing(policy.seeds, policy.limits.min_seeds)}, and commit it",
        )
    return first_seeds(read_seeds(data, policy.seeds), policy, count)


def first_seeds(seeds: tuple[int, ...], policy: Policy, count: int | None) -> tuple[int, ...]:
    """The first `count` of the seeds of the policy's list. CannotTell when there are fewer, or `count` is below 1."""
    wanted = policy.limits.min_seeds if count is None else count
    place = f"{policy.seeds}:1:1"
    if wanted < 1:
        raise CannotTell(
            f"--seeds {wanted}: a replay needs a seed", f"--seeds N   # with a number from 1 to {len(seeds)}"
        )
    if wanted > len(seeds):
        asked = "the policy asks for" if count is None else "--seeds asks for"
        raise CannotTell(
            f"the list has {len(seeds)} seeds, and {asked} {wanted}", f"append seeds to {policy.seeds}", place
        )
    return seeds[:wanted]


def read_seeds(data: bytes, path: str) -> tuple[int, ...]:
    """The seeds of a list. CannotTell, with the place, for what is no JSON array of whole numbers, each once."""
    text = _decoded(data, path)
    values = _parsed(text, path)
    if not isinstance(values, list):
        raise _refusal(path, text, _skipped(text, 0), "a list of seeds is a JSON array", "write [1, 2, 3]")
    seen: set[object] = set()
    for index, value in enumerate(values):
        if type(value) is not int or not -LARGEST_NUMBER < value < LARGEST_NUMBER:
            message, fix = "a seed is a whole number of at most 64 bits", "write a whole number, or take it out"
        elif value in seen:
            message, fix = f"the seed {value} stands twice", "take it out, or write another seed"
        else:
            seen.add(value)
            continue
        raise _refusal(path, text, _offset(text, index), message, fix)
    return tuple(values)


def _writing(path: str, least: int) -> str:
    return f"write at least {least} different whole numbers as a JSON array, such as [1, 2, 3], to {path}"


def _decoded(data: bytes, path: str) -> str:
    if len(data) > LARGEST_LIST:
        raise CannotTell(f"{path} is larger than {LARGEST_LIST >> 20} MiB", "keep fewer seeds", f"{path}:1:1")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as wrong:
        before = data[: wrong.start].decode("utf-8")
        raise _refusal(path, before, len(before), "this is not UTF-8", "save the file as UTF-8") from None


def _parsed(text: str, path: str) -> object:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise _refusal(path, text, error.pos, f"this is no JSON: {error.msg}", "write [1, 2, 3]") from None
    except RecursionError:
        raise _refusal(path, text, 0, "it is nested too deep", "write [1, 2, 3]") from None
    except ValueError:  # Python turns no number of more than 4,300 digits into an int
        raise _refusal(path, text, 0, "a number with thousands of digits", "write smaller numbers") from None


def _offset(text: str, index: int) -> int:
    """Where an item of a JSON array starts in its text."""
    offset = _skipped(text, text.index("[") + 1)
    for _ in range(index):
        _, end = _DECODER.raw_decode(text, offset)
        offset = _skipped(text, _skipped(text, end) + 1)
    return offset


def _skipped(text: str, offset: int) -> int:
    found = _BLANKS.match(text, offset)
    return found.end() if found is not None else offset


def _refusal(path: str, text: str, offset: int, message: str, fix: str) -> CannotTell:
    line = text.count("\n", 0, offset) + 1
    return CannotTell(message, fix, f"{path}:{line}:{offset - text.rfind(chr(10), 0, offset)}")
