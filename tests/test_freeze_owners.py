"""`owners: codeowners`: the owner of a freeze must be an owner of its test's path, in both flavours of CODEOWNERS."""

from __future__ import annotations

from pathlib import Path

import pytest

from flakeledger.model.ledger_paths import POLICY
from flakeledger.rules.freeze_owners import freeze_unowned
from steps import set_freeze
from world import REFUND, TESTS, Templates, World


def frozen(world: World) -> None:
    """One freeze, which @finley owns."""
    world.append(POLICY, "owners: codeowners\n")
    world.replay(0)
    world.freeze(REFUND, 0, 30)


def findings(world: World) -> list[tuple[str, str]]:
    with world.ledger() as ledger:
        return [(found.message, found.fix) for found in freeze_unowned(ledger, 0)]


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


def test_a_placeholder_is_one_finding(templates: Templates, tmp_path: Path) -> None:
    world = templates.start(tmp_path / "world", frozen, "keyed", "block")
    set_freeze(owner="tbd")(world)
    assert [message for message, _ in findings(world)] == [f"{REFUND} is frozen, but `tbd` is no owner"]
