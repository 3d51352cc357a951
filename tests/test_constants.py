from __future__ import annotations

from functools import partial

import pytest

from flakeledger.repo.constants import constant
from growing import assert_linear


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


def test_very_many_parentheses_take_linear_time() -> None:
    assert constant("(" * 500_000 + "true" + ")" * 500_000) is True
    assert_linear(lambda size: partial(constant, "(" * size + "true" + ")" * size), 500_000)
