from __future__ import annotations

import time

import pytest

from flakeledger.repo.constants import constant


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("true", True),
        (" TRUE ", True),
        ("1 == 1", True),
        ("((true))", True),
        ("( 1 )", True),
        ("!0", True),
        ("not false", True),
        ('""', True),
        ("false", False),
        ("(NO)", False),
        ("not true", False),
        ("nil", False),
        ("undefined", False),
        ("", None),
        ("()", None),
        ("2", None),
        ("windows", None),
        ("true && windows", None),
        ("(true", None),
        ("(true) || (windows)", None),
    ],
)
def test_a_constant_is_what_is_written_out(condition: str, expected: bool | None) -> None:
    assert constant(condition) is expected


def test_very_many_parentheses_take_no_time() -> None:
    start = time.process_time()
    assert constant("(" * 500_000 + "true" + ")" * 500_000) is True
    assert time.process_time() - start < 1  # 10 ms; pair by pair it takes minutes
