from __future__ import annotations

import errno

import pytest

from flakeledger.store.git_refusals import FETCH_ALL, failure, not_opened, not_started


@pytest.mark.parametrize(
    ("errors", "reason", "fix"),
    [
        (b"", "exit code 128", "repair what git reports"),
        (b"warning: a\nerror: b\nfatal: c\n", "fatal: c", "repair what git reports"),
        (b"warning: a\nerror: b\n", "error: b", "repair what git reports"),
        (b"warning: a\nhint: b\n", "warning: a", "repair what git reports"),
        (b"fatal: could not fetch 1 from promisor remote\n", "from promisor remote", FETCH_ALL),
    ],
)
def test_a_failure_is_told_by_the_line_that_says_most(errors: bytes, reason: str, fix: str) -> None:
    found = failure(("rev-parse", "HEAD"), 128, errors)
    assert found.reason.startswith("git rev-parse HEAD failed: ")
    assert found.reason.endswith(reason)
    assert found.fix.startswith(fix)


@pytest.mark.parametrize(
    ("number", "fix"),
    [
        (errno.EAGAIN, "end some processes"),
        (errno.ENOMEM, "end some processes"),
        (errno.ENOENT, "install git"),
    ],
)
def test_a_git_that_cannot_be_started(number: int, fix: str) -> None:
    found = not_started(OSError(number, "why"))
    assert "why" in found.reason
    assert found.fix.startswith(fix)


@pytest.mark.parametrize(
    ("out", "reason", "said", "fix"),
    [
        ("true\n", "fatal: this operation must be run in a work tree\n", "is a bare repository", "git worktree add"),
        ("", "fatal: cannot use bare repository '/a' (safe.bareRepository is 'explicit')\n", "is a bare", "worktree"),
        ("", "fatal: not a git repository (or any parent)\n", "not a git repository", "git init"),
        ("false\n", "fatal: this operation must be run in a work tree\n", "in a work tree", "no files to check"),
        ("", "fatal: bad config line 1\nmore\n", "fatal: bad config line 1", "run git status here"),
        (
            "",
            "fatal: detected dubious ownership\nTo add one:\n\n\tgit config --global --add safe.directory /a\n",
            "dubious ownership",
            "git config --global --add safe.directory /a",
        ),
    ],
)
def test_a_repository_that_cannot_be_opened(out: str, reason: str, said: str, fix: str) -> None:
    found = not_opened("/a", out, reason)
    assert found.reason.startswith("'/a'")
    assert said in found.reason
    assert "\n" not in found.reason
    assert fix in found.fix
