"""Where the tool comes from: what PEP 610 records, and what the user names."""

from __future__ import annotations

import json

import pytest

from flakeledger import __version__
from flakeledger.cli.tool_source import installed_source, named_source, source_of_record
from flakeledger.model.errors import CannotTell

COMMIT = "0123456789abcdef0123456789abcdef01234567"
GIT = {"vcs": "git", "commit_id": COMMIT}


def record(url: str, **more: object) -> str:
    return json.dumps({"url": url, **more})


def test_a_commit_of_a_shared_repository_is_the_source() -> None:
    found = source_of_record(record("https://example.org/flakeledger", vcs_info=GIT), "flakeledger")
    assert (found.repo, found.rev, found.note) == ("https://example.org/flakeledger", COMMIT, "")
    assert found.requirement == f"flakeledger @ git+https://example.org/flakeledger@{COMMIT}"


@pytest.mark.parametrize(
    "recorded",
    [
        record("file:///home/me/flakeledger", dir_info={"editable": True}),
        record("file:///home/me/flakeledger", vcs_info=GIT),
        record("https://me:secret@example.org/flakeledger", vcs_info=GIT),
        record("https://example.org/flakeledger.zip", archive_info={}),
        record("https://example.org/flakeledger", vcs_info={"vcs": "hg", "commit_id": COMMIT}),
        record("https://example.org/flakeledger", vcs_info={"vcs": "git"}),
        '{"vcs_info": 1, "url": "https://example.org"}',
        "[]",
        "{",
    ],
)
def test_what_others_cannot_reach_is_not_written_down(recorded: str) -> None:
    found = source_of_record(recorded, "flakeledger")
    assert (found.repo, found.command, found.requirement) == (None, "flakeledger", f"flakeledger=={__version__}")
    assert "--repo" in found.note


def test_an_installation_from_an_index_needs_no_note() -> None:
    found = source_of_record(None, "flakeledger")
    assert (found.repo, found.requirement, found.note) == (None, f"flakeledger=={__version__}", "")


def test_this_installation_has_a_source() -> None:
    assert installed_source("x").requirement


@pytest.mark.parametrize(
    ("repo", "requirement"),
    [
        ("https://example.org/a", "flakeledger @ git+https://example.org/a@v1"),
        ("git@example.org:team/a", "flakeledger @ git+ssh://git@example.org/team/a@v1"),
        ("/srv/git/a", "flakeledger @ git+file:///srv/git/a@v1"),
    ],
)
def test_a_named_source(repo: str, requirement: str) -> None:
    found = named_source(repo, "v1")
    assert (found.repo, found.rev, found.requirement) == (repo, "v1", requirement)


@pytest.mark.parametrize(
    ("repo", "rev", "reason"),
    [
        ("https://me:secret@example.org/a", "v1", "password"),
        ("--upload-pack=x", "v1", "no address"),
        ("https://example.org/a b", "v1", "no address"),
        ("https://example.org/a\n", "v1", "no address"),
        ("", "v1", "no address"),
        ("https://example.org/a", "-v1", "no tag"),
        ("https://example.org/a", "", "no tag"),
    ],
)
def test_a_source_that_is_none(repo: str, rev: str, reason: str) -> None:
    with pytest.raises(CannotTell, match=reason):
        named_source(repo, rev)
