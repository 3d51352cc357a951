from __future__ import annotations

import pytest

from flakeledger.repo.directives import dependent_parts


def kept(text: str) -> str:
    """The letters that stand alone on a line and are there on every machine."""
    parts = dependent_parts(text)
    found = ""
    for at, sign in enumerate(text):
        before = [depends for start, depends in parts if start <= at]
        if sign.isupper() and not (before and before[-1]):
            found += sign
    return found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A\n#if windows\nB\n#endif\nC\n", "AC"),
        ("#ifdef windows\nA\n#else\nB\n#endif\nC\n", "C"),
        ("#if 1\nA\n#endif\nB\n", "AB"),
        ("#if (true)\nA\n#else\nB\n#endif\nC\n", "AC"),
        ("#if 1\nA\n#elif windows\nB\n#endif\nC\n", "AC"),
        ("#if 0\nA\n#endif\nB\n", "B"),
        ("#if windows\n#if 1\nA\n#endif\nB\n#endif\nC\n", "C"),
        ("#ifndef guard_h\n#define guard_h\nA\n#endif\nB\n", "AB"),
        ("#ifndef guard_h\n#define other_h\nA\n#endif\nB\n", "B"),
        ("#ifdef guard_h\n#define guard_h\nA\n#endif\nB\n", "B"),
        ("#ifndef guard_h", ""),
        ("  #  if windows\nA\n", ""),
        ("x #if windows\nA\n", "A"),
        ("#endif\nA\n#else\nB\n", "AB"),
        ("#if windows\nA\n", ""),
        ("A\n", "A"),
    ],
)
def test_what_stands_under_a_condition_is_left_out(text: str, expected: str) -> None:
    assert kept(text) == expected
