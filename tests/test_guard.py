"""What `.pre-commit-config.yaml` says about this tool's hooks, and how it can lose hold of them."""

from __future__ import annotations

import pytest

from flakeledger.repo.guard import hooks, weakened

BOTH = """\
repos:
  - repo: https://example.org/flakeledger
    rev: v1
    hooks:
      - id: check-ledgers
      - id: check-change
"""


def entry(more: str = "", top: str = "") -> str:
    """The configuration with more lines at the hook check-change, or at the top."""
    return top + BOTH.rstrip("\n") + "\n" + "".join(f"        {line}\n" for line in more.split("|") if line)


@pytest.mark.parametrize(
    ("after", "sentences"),
    [
        (BOTH, []),
        (BOTH.replace("v1", "v2"), []),
        (BOTH.replace("https://example.org/flakeledger", "local"), []),
        (BOTH.replace("      - id: check-change\n", ""), ["the hook check-change is gone"]),
        ("repos: []\n", ["the hook check-ledgers is gone", "the hook check-change is gone"]),
        ("", ["the hook check-ledgers is gone", "the hook check-change is gone"]),
        ("repos: [", ["the hook check-ledgers is gone", "the hook check-change is gone"]),
        (entry(top="ci:\n  skip: [check-change]\n"), ["the hook check-change is skipped in `ci: skip`"]),
        (entry(top="ci:\n  skip: [black]\n"), []),
        (
            entry(top="exclude: ^vendor/\n"),
            ["the hook check-ledgers got `exclude`", "the hook check-change got `exclude`"],
        ),
        (entry("exclude: ledgers"), ["the hook check-change got `exclude`"]),
        (entry("files: nothing"), ["the hook check-change got `files`"]),
        (entry("stages: [manual]"), ["the hook check-change lost stages (some)"]),
        (entry("args: [--now, '2026-01-01T00:00:00Z']"), ["the hook check-change got --now"]),
        (entry("args: [--now=2026-01-01T00:00:00Z]"), ["the hook check-change got --now"]),
        (entry("args: [--only, mixed-change]"), ["the hook check-change got --only"]),
        (entry("args: [--no-base=warn]"), ["the hook check-change got --no-base"]),
        (entry("args: [--format, github]"), []),
        (entry("verbose: true"), []),
    ],
)
def test_how_the_hooks_lose_hold(after: str, sentences: list[str]) -> None:
    assert list(weakened(BOTH.encode(), after.encode())) == sentences


def test_what_was_never_there_cannot_be_lost() -> None:
    assert weakened(None, b"repos: []\n") == ()
    assert weakened(b"repos: []\n", None) == ()
    assert weakened(BOTH.encode(), None) == ("the hook check-ledgers is gone", "the hook check-change is gone")


def test_a_stage_that_goes_is_named_and_one_that_comes_is_fine() -> None:
    two, one = entry("stages: [pre-commit, pre-push]"), entry("stages: [pre-commit]")
    assert weakened(two.encode(), one.encode()) == ("the hook check-change lost stages (pre-push)",)
    assert weakened(one.encode(), two.encode()) == ()


def test_what_was_weak_before_is_no_news() -> None:
    weak = entry("args: [--no-base=warn]|exclude: x", top="ci:\n  skip: [check-change]\n").encode()
    assert weakened(weak, weak) == ()


@pytest.mark.parametrize(
    "text",
    [
        "[]",
        "repos: 3",
        "repos: [3]",
        "repos: [{hooks: 3}]",
        "repos: [{hooks: [3]}]",
        "ci: 3\nrepos: [{hooks: [{id: x}]}]",
    ],
)
def test_odd_shapes_hold_no_hooks(text: str) -> None:
    assert hooks(text.encode()) == {}
