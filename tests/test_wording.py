"""How texts of strangers stand in a sentence."""

from __future__ import annotations

from flakeledger.model.wording import listed, shown


def test_a_text_stands_in_backquotes_and_stays_short() -> None:
    assert shown("a b") == "`a b`"
    assert shown("x" * 80) == f"`{'x' * 80}`"
    assert shown("x" * 81) == f"`{'x' * 80}…`"
    assert listed(["a", "b"]) == "`a`, `b`"
