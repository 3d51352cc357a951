"""Only what can be proven is mended, and only by quotes."""

from __future__ import annotations

import pytest

from flakeledger.model.ledger_paths import FREEZES
from flakeledger.store.reader import read_rows
from flakeledger.store.repair import repair

FINE = "- test: a.py::t\n  owner: x\n"


@pytest.mark.parametrize(
    ("broken", "mended", "said"),
    [
        ("- test: a\n  owner: @finley\n", '- test: a\n  owner: "@finley"\n', ["2: quoted `@finley`"]),
        ("- owner: @org/team # us\n  test: a\n", '- owner: "@org/team" # us\n  test: a\n', ["1: quoted `@org/team`"]),
        ("- test: a\r\n  owner: @f\r\n", '- test: a\r\n  owner: "@f"\r\n', ["2: quoted `@f`"]),
        (
            "- test: a\n  tests: [a.py::t[x-1]]\n",
            '- test: a\n  tests: ["a.py::t[x-1]"]\n',
            ["2: quoted `a.py::t[x-1]`"],
        ),
        (
            "- test: a\n  tests: [a.py::t, b.py::u[x,y]] # c\n",
            '- test: a\n  tests: ["a.py::t", "b.py::u[x,y]"] # c\n',
            ["2: quoted `a.py::t`", "2: quoted `b.py::u[x,y]`"],
        ),
        (
            "- test: a\n  owner: @a\n  tests: [t[1]]\n",
            '- test: a\n  owner: "@a"\n  tests: ["t[1]"]\n',
            ["2: quoted `@a`", "3: quoted `t[1]`"],
        ),
        ("- test: a\n  owner: @f", '- test: a\n  owner: "@f"', ["2: quoted `@f`"]),
    ],
)
def test_what_can_be_proven_is_mended(broken: str, mended: str, said: list[str]) -> None:
    assert repair(broken.encode(), FREEZES) == (mended.encode(), [f"{FREEZES}:{line}" for line in said])
    assert read_rows(mended.encode(), FREEZES).findings == []


@pytest.mark.parametrize(
    "text",
    [
        FINE,
        "",
        "# owner: @finley\n",
        '- test: a\n  reason: "see\n    owner: @finley"\n',
        "- test: a\n  reason: |\n    owner: @finley\n",
        "- test: a\n  owner: @finley: x\n",
        "- test: a\n  owner: @finley and robin\n",
        "- test: a\n  owner: @finley\n  reason: a: b\n",
        "- test: a\n  tests: [a[1]\n",
        "- test: a\n  tests: [a[1], ]\n",
        "- test: a\n  tests: [a[1]], b\n",
        "- test: a\n  tests: [a]1]\n",
        "- test: a.py::t[x #1]\n  owner: @f # [\n  owner: @g\n",
        "<<<<<<< HEAD\n- test: a\n  owner: @f\n=======\n>>>>>>> x\n",
    ],
)
def test_everything_else_is_left_alone(text: str) -> None:
    assert repair(text.encode(), FREEZES) == (text.encode(), [])


def test_rows_beside_a_broken_one_keep_their_bytes() -> None:
    text = f"# head\n{FINE}\n# of b\n- test: b\n  owner: @b  # c\n\n{FINE}- test: d\n  owner: a: b\n# foot"
    mended, said = repair(text.encode(), FREEZES)
    assert mended.decode() == text.replace("@b", '"@b"')
    assert said == [f"{FREEZES}:7: quoted `@b`"]


def test_a_hostile_line_costs_linear_time() -> None:
    text = "- test: a\n  tests: [" + "[" * 200_000 + "\n  owner: " + "@" * 200_000 + "\n"
    assert repair(text.encode(), FREEZES) == (text.encode(), [])
