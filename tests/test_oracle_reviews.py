"""Which reviews of the base hold for which blobs."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from flakeledger.model.ledger_paths import REVIEWS
from flakeledger.model.review import APPROVED, Review, ReviewedFile, review_file
from flakeledger.repo.repository import open_repository
from flakeledger.rules.oracle_reviews import reviewed_files, unreviewed
from flakeledger.rules.patches import read_patch
from patched import on_a_branch
from world import TESTS, World

ONE, TWO, THREE = ("1" * 40, "2" * 40, "3" * 40)


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World.new(tmp_path / "shop")


def add_review(world: World, *files: ReviewedFile, name: str | None = None) -> None:
    file = review_file(Review(files, "@finley", "2026-03-02", APPROVED))
    world.write(f"{REVIEWS}{name or f'{file.digest}.json'}", file.data.decode())


def found(world: World, *edits: tuple[str, str | None, str | None]) -> list[ReviewedFile]:
    world.record("reviews")
    with open_repository(str(world.root), os.environ) as repository:
        return list(reviewed_files(repository, "HEAD", edits))


def test_reviews_of_other_blobs_are_not_looked_at(world: World) -> None:
    wanted, other = ReviewedFile("a", ONE, TWO, ()), ReviewedFile("b", None, THREE, ())
    add_review(world, wanted)
    add_review(world, other)
    world.write(f"{REVIEWS}README.md", "no review")
    assert found(world, ("a", ONE, TWO)) == [wanted]
    assert found(world, ("a", None, ONE)) == [wanted]
    assert found(world, ("a", None, "4" * 40)) == []
    assert found(world) == []


def test_a_file_under_another_name_is_no_review(world: World) -> None:
    add_review(world, ReviewedFile("a", ONE, TWO, ()), name=f"{'0' * 64}.json")
    add_review(world, ReviewedFile("a", ONE, TWO, ()), name="deeper/review.json")
    assert found(world, ("a", ONE, TWO)) == []


def test_what_is_no_review_under_the_right_name_reviews_nothing(world: World) -> None:
    from flakeledger.model.digest_files import digest_file

    file = digest_file({"files": [{"path": "a", "base_blob": ONE, "head_blob": TWO}]})
    world.write(f"{REVIEWS}{file.digest}.json", file.data.decode())
    assert found(world, ("a", ONE, TWO)) == []


def test_without_a_folder_of_reviews_nothing_is_reviewed(world: World) -> None:
    assert found(world, ("a", ONE, TWO)) == []


def reasons(world: World) -> list[str]:
    with open_repository(str(world.root), os.environ) as repository:
        return unreviewed(repository, read_patch(repository, "main", "HEAD"))


def test_each_file_without_a_review_is_named_once_with_its_reason(world: World) -> None:
    def edit(world: World) -> None:
        world.append(TESTS, "def f(:\n")
        world.write("tests/a.txt", "x\n")
        world.write("src/other.py", "x = 1\n")

    on_a_branch(world, edit)
    one, other = reasons(world)
    assert one == f"`tests/a.txt` has no review below {REVIEWS} of the base for its two blobs"
    assert other.startswith(f"`{TESTS}` cannot be parsed in {world.head()[:12]}: line ")


def test_a_patch_without_tests_has_nothing_to_review(world: World) -> None:
    assert reasons(on_a_branch(world, lambda world: world.write("src/other.py", "x = 1\n"))) == []
