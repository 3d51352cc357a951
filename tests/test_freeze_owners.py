"""`owners: codeowners`: the owner of a freeze must be an owner of its test's path, in both flavours of CODEOWNERS."""

from __future__ import annotations

from pathlib import Path

import pytest

from flakeledger.model.ledger_paths import FREEZES, POLICY
from flakeledger.rules.freeze_owners import freeze_unowned
from steps import set_freeze
from world import REFUND, TESTS, Templates, Value, World


def frozen(world: World) -> None:
    """One freeze, which @finley owns."""
    world.append(POLICY, "owners: codeowners\n")
    world.replay(0)
    world.freeze(REFUND, 0, 30)


def findings(world: World) -> list[tuple[str, str]]:
    with world.ledger() as ledger:
        found = list(freeze_unowned(ledger, 0))
    lines = world.read(FREEZES).splitlines()
    for one in found:  # at the owner, or at the row where there is none
        assert (one.rule, lines[one.line - 1].split()[0]) == (
            "freeze-unowned",
            "owner:" if "owner:" in lines[1] else "-",
        )
    return [(one.message, one.fix) for one in found]


@pytest.mark.parametrize(
    ("place", "text"),
    [
        (".github/CODEOWNERS", "* @all\n/tests/ @Finley\n"),
        ("CODEOWNERS", "* @all\n*.py @ada @finley # our testers\n"),
        (".gitlab/CODEOWNERS", "* @all\n\n[Tests] @finley @ada\ntests/\n"),
        (".gitlab/CODEOWNERS", "* @finley\n\n[Tests][2]\n/tests/ @ada\n"),
        ("docs/CODEOWNERS", "/tests/ @finley @@maintainer\n"),
    ],
)
def test_an_owner_of_the_path_may_own(templates: Templates, tmp_path: Path, place: str, text: str) -> None:
    world = templates.start(tmp_path / "world", frozen, "keyed", "block")
    world.write(place, text)
    assert findings(world) == []


@pytest.mark.parametrize(
    ("place", "text", "message", "fix"),
    [
        (
            ".github/CODEOWNERS",
            "* @finley\n/tests/ @ada @org/testers # not @finley\n",
            ": .github/CODEOWNERS gives it `@ada`, `@org/testers`",
            'owner: "@ada"   # or @org/testers',
        ),
        (
            ".github/CODEOWNERS",
            "* @finley\n/tests/\n",
            ": .github/CODEOWNERS gives it nobody",
            "name @finley for that path in .github/CODEOWNERS",
        ),
        (
            ".gitlab/CODEOWNERS",
            "* @all\n[Tests] @ada\ntests/\n",
            ": .gitlab/CODEOWNERS gives it `@all`, `@ada`",
            'owner: "@all"   # or @ada',
        ),
        (
            "CODEOWNERS",
            "* @finley\n!*.py\n",
            ": CODEOWNERS gives it nobody",
            "name @finley for that path in CODEOWNERS",
        ),
        (
            "CODEOWNERS",
            "* @@maintainers\n",
            ": CODEOWNERS gives it `@@maintainers`",
            "name @finley beside the role in CODEOWNERS",
        ),
    ],
)
def test_who_does_not_own_the_path_may_not(
    templates: Templates, tmp_path: Path, place: str, text: str, message: str, fix: str
) -> None:
    world = templates.start(tmp_path / "world", frozen, "keyed", "block")
    world.write(place, text)
    assert findings(world) == [(f"@finley is not an owner of {TESTS}{message}", fix)]


def test_without_a_file_nobody_can_own(templates: Templates, tmp_path: Path) -> None:
    world = templates.start(tmp_path / "world", frozen, "keyed", "block")
    assert findings(world) == [
        (
            f"@finley cannot be an owner of {TESTS}: there is no CODEOWNERS file",
            "write .github/CODEOWNERS, or say `owners: any` in ledgers/policy.yaml, alone in its change",
        )
    ]


@pytest.mark.parametrize(
    ("owner", "message"),
    [
        (None, f"{REFUND} is frozen, but nobody owns it"),
        ("tbd", f"{REFUND} is frozen, but `tbd` is no owner"),
    ],
)
def test_who_is_nobody_owns_nothing(templates: Templates, tmp_path: Path, owner: str | None, message: str) -> None:
    world = templates.start(tmp_path / "world", frozen, "keyed", "block")
    set_freeze(owner=owner)(world)
    assert [found[0] for found in findings(world)] == [message]


@pytest.mark.parametrize("owner", ["", ["@finley"]])
def test_an_owner_that_is_no_text_is_told_by_the_reader_alone(
    templates: Templates, tmp_path: Path, owner: Value
) -> None:
    world = templates.start(tmp_path / "world", frozen, "keyed", "block")
    set_freeze(owner=owner)(world)
    assert findings(world) == []
