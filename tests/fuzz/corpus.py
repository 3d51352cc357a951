"""What fuzzing begins with: the texts that this project's tests are made of, and the words of its formats.

Invariants:
* Nothing is kept in the repository beside the tests: a corpus is written out when a run begins, in the same order.
* A text of a test is a constant of its module; a file of data, of styled ledgers or of trees is a text as it is.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from flakeledger.evidence.faithful import KINDS, encode
from flakeledger.model.fields import FIXTURE_FIELDS, FREEZE_FIELDS, PROPERTY_FIELDS, REPLAY_FIELDS
from flakeledger.model.note import Note, note_file
from flakeledger.model.policy_schema import policy_schema
from flakeledger.model.witness import Witness, example_digest, example_of, witness_file
from fuzz.inputs import BETWEEN, PATHS
from fuzz.targets import Target

TESTS = Path(__file__).parent.parent
LONGEST = 8192
_TEST = "tests/test_a.py::test_a"
#: targets whose first byte chooses a path, or a ledger
_CHOOSING = {"citations": len(PATHS), "skips": len(PATHS), "compared-skips": 1 + len(PATHS)}
_SEVERAL = frozenset({"documents", "compared-skips", "patterns", "merges", "edits"})
_SIGNS = (
    *("- ", ": ", "#", "|\\x0a", ">-\\x0a", "'", "\\x22", "[", "]", "{", "}", ",", "&a ", "*a", "!!str ", "---\\x0a"),
    *("...\\x0a", "<<: ", "\\x0d\\x0a", "\\xef\\xbb\\xbf", "\\xe2\\x80\\xa8", "\\\\u0000", "\\\\ud800", "1e5", "-0"),
    *(
        "\\x0a====\\x0a",
        "<<<<<<< ",
        "=======\\x0a",
        ">>>>>>> ",
        "null",
        "true",
        "flakeledger: cite ",
        "**/",
        "[[:alpha:]]",
    ),
    *("pytest.mark.skip", "@pytest.mark.frozen(", "it.skip(", "xfail", "--deselect ", "t.Skip()", "<testcase", "::"),
)


def texts(target: Target) -> list[bytes]:
    """The beginnings of a target, each once, shortest first."""
    found = {text for part in target.corpus for text in _texts_of(part) if len(text) <= LONGEST}
    made = {text for text in found if text}
    if target.name in _CHOOSING:
        made = {bytes([len(text) % _CHOOSING[target.name]]) + text for text in made}
    ordered = sorted(made, key=lambda text: (len(text), text))
    if target.name in _SEVERAL:
        ordered += [BETWEEN.join(ordered[at : at + 3]) for at in range(0, len(ordered) - 3, 2)]
    return [b"", *ordered]


def words() -> list[str]:
    """What formats are made of, as libFuzzer's dictionary writes it."""
    tables = (FREEZE_FIELDS, FIXTURE_FIELDS, PROPERTY_FIELDS, REPLAY_FIELDS)
    names = [field.name for table in tables for field in table.fields]
    return [*dict.fromkeys([*names, *KINDS, *Note._fields, *Witness._fields, *_policy_names(), *_SIGNS])]


def _policy_names() -> list[str]:
    properties = policy_schema()["properties"]
    return list(properties) if isinstance(properties, dict) else []


def _texts_of(part: str) -> Iterator[bytes]:
    if part == "made":
        yield from _made()
        return
    place = TESTS / part
    if place.suffix == ".py":
        yield from _constants(place)
    elif place.is_dir():
        files = sorted(path for path in place.rglob("*") if path.is_file())
        for file in files:
            yield from _pieces(file)
    else:
        yield from _pieces(place)


def _constants(module: Path) -> Iterator[bytes]:
    """The texts that stand in a module of tests."""
    for node in ast.walk(ast.parse(module.read_bytes())):
        if isinstance(node, ast.Constant) and isinstance(node.value, str | bytes):
            value = node.value
            yield value if isinstance(value, bytes) else value.encode("utf-8", "surrogatepass")


def _pieces(file: Path) -> Iterator[bytes]:
    """A file; of trees, each file that one writes."""
    data = file.read_bytes()
    if file.parts[-2] not in ("trees", "changes"):
        yield data
        return
    for piece in re.split(rb"(?m)^=== .*\n", data):
        yield re.sub(rb"(?m)^\+", b"", piece)


def _made() -> Iterator[bytes]:
    """A witness, a note and arguments: they are named by digests, so that no text of a test holds a right one."""
    values = [None, True, "a", -1, 2**70, 1.5, float("nan"), b"\0", (1, [2]), {3}, frozenset({"x"}), {"k": (None,)}]
    for value in [*values, values]:
        node = encode(value) if not isinstance(value, list) else [encode(one) for one in value]
        example = example_of({"x": node}, _TEST)
        digest = example_digest(example)
        yield witness_file(Witness("P-1", _TEST, 3, example, digest, {"conftest.py": digest}, "complete")).data
        yield _json(node)
        yield _json({"x": node})
        verdict = "eligible_short" if value is None else "deny:stable_pass"
        yield note_file(
            Note("production", "P-1", digest, True, ("pass", "fail"), None, verdict, "0" * 40, "1" * 40)
        ).data


def _json(node: object) -> bytes:
    import json

    return json.dumps(node).encode()
