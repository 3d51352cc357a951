"""What an edit does to the oracle of a test module."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flakeledger.repo.oracles import oracle_changes


def module(*lines: str) -> bytes:
    return ("def test_a():\n" + "".join(f"    {line}\n" for line in (*lines, "pass"))).encode()


def told(base: bytes | None, head: bytes | None) -> list[str]:
    found = oracle_changes(base, head)
    assert not isinstance(found, str)
    return [change.text for change in found]


@pytest.mark.parametrize(
    ("base", "head", "expected"),
    [
        (module("assert a"), module("assert  a  # why"), []),
        (module("assert a", "assert b"), module("assert b", "assert a"), []),
        (module("assert a"), module(), ["removed assertion in test_a: assert a"]),
        (module(), module("assert a"), ["added assertion in test_a: assert a"]),
        (module("assert a == 1"), module("assert a"), ["changed assertion in test_a: assert a == 1 -> assert a"]),
        (module("assert a", "assert a"), module("assert a"), ["removed assertion in test_a: assert a"]),
        (
            module("assert a", "assert b"),
            module("assert c"),
            ["changed assertion in test_a: assert a -> assert c", "removed assertion in test_a: assert b"],
        ),
        (
            module("assert a", "pytest.raises(E)"),
            module("pytest.raises(Exception)"),
            [
                "removed assertion in test_a: assert a",
                "changed raises in test_a: pytest.raises(E) -> pytest.raises(Exception)",
            ],
        ),
        (None, b"pytestmark = a\n", ["added marker: pytestmark = a"]),
        (b"pytestmark = a\n", None, ["removed marker: pytestmark = a"]),
        (
            b"def test_a():\n    assert a\n",
            b"def test_b():\n    assert a\n",
            ["removed assertion in test_a: assert a", "added assertion in test_b: assert a"],
        ),
        (None, None, []),
    ],
)
def test_what_was_added_removed_or_changed(base: bytes | None, head: bytes | None, expected: list[str]) -> None:
    assert told(base, head) == expected


@pytest.mark.parametrize(("base", "head", "side"), [(b"(", b"", "the base"), (b"", b"(", "the patch")])
def test_a_side_that_cannot_be_parsed_is_named(base: bytes, head: bytes, side: str) -> None:
    found = oracle_changes(base, head)
    assert isinstance(found, str)
    assert found.startswith(f"{side} cannot be parsed: line 1")


LINES = st.lists(st.sampled_from(["assert a", "assert b", "pytest.raises(E)", "x = 1"]), max_size=8)


@given(LINES, LINES)
def test_nothing_differs_only_where_the_parts_are_the_same(base: list[str], head: list[str]) -> None:
    def counted(lines: list[str]) -> list[str]:
        return sorted(line for line in lines if line != "x = 1")

    assert (told(module(*base), module(*head)) == []) == (counted(base) == counted(head))
    turned = {"added": "removed", "removed": "added", "changed": "changed"}
    assert sorted(line.split()[0] for line in told(module(*base), module(*head))) == sorted(
        turned[line.split()[0]] for line in told(module(*head), module(*base))
    )
