"""What commits say, and messages that gain trailers, with real commits and whatever a user configured."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from conftest import git
from flakeledger.store.commit_messages import (
    NO_COMMENTS,
    Message,
    comment_starts,
    commits_that_say,
    messages,
    newest_first,
    with_trailers,
)
from flakeledger.store.git import Git

NAME = "Freeze-Decision"
ONE, TWO = (f"{NAME}: P-{number} allow_cite now=2026-10-11T00:00:00Z" for number in (1, 2))
#: settings that would move, drop, rename or add trailers, or run a command
HOSTILE = {
    "trailer.where": "start",
    "trailer.ifexists": "doNothing",
    "trailer.ifmissing": "doNothing",
    "trailer.separators": "#",
    "trailer.freeze-decision.key": "Other-Name: ",
    "trailer.freeze-decision.where": "before",
    "trailer.sign.key": "Signed-off-by: ",
    "trailer.sign.command": "touch executed; echo somebody",
    "trailer.sign.ifexists": "add",
    "core.commentChar": "F",
}


def commit(where: Path, message: bytes, date: str = "2026-03-02T10:00:00+01:00") -> str:
    (where / "message").write_bytes(message)
    arguments = ("commit", "-q", "--allow-empty", "--allow-empty-message", "--cleanup=verbatim", "-F", "message")
    git(where, *arguments, environment={"GIT_AUTHOR_DATE": date})
    return git(where, "rev-parse", "HEAD")


def opened(where: Path, **environment: str) -> Git:
    return Git.open(str(where), os.environ | environment)


@pytest.mark.parametrize(
    ("message", "subject", "values"),
    [
        (b"Fix\n", "Fix", ()),
        (b"", "", ()),
        (b"Two\nlines\n\nbody\n", "Two lines", ()),
        (f"Fix\n\n{ONE}\n".encode(), "Fix", (ONE.partition(": ")[2],)),
        (f"Fix\n\nA: b\n{ONE}\n{TWO}\n".encode(), "Fix", (ONE.partition(": ")[2], TWO.partition(": ")[2])),
        (b"Fix\n\nfreeze-decision: long\n  value\n", "Fix", ("long value",)),
        (f"Fix\n\n{ONE}\n\nand more text\n".encode(), "Fix", ()),
        (f"Fix\n\n    {ONE}\n".encode(), "Fix", ()),
        (b"\x1b[31m odd\n", "\x1b[31m odd", ()),
    ],
)
def test_what_a_commit_says(message: bytes, subject: str, values: tuple[str, ...], repository: Path) -> None:
    made = commit(repository, message)
    expected = [Message(made, "2026-03-02T10:00:00+01:00", subject, values)]
    assert messages(opened(repository), [made], NAME) == expected


def test_bytes_that_are_no_text_are_kept_and_a_date_that_is_none_is_empty(repository: Path) -> None:
    commit(repository, b"Fix\n")
    raw = subprocess.run(["git", "cat-file", "commit", "HEAD"], cwd=repository, capture_output=True, check=True).stdout
    store = ["git", "hash-object", "-t", "commit", "-w", "--stdin"]
    odd = raw.replace(b"\n\nFix\n", b"\n\n\xff odd\n").replace(b"> 17", b"> x17", 1)
    made = subprocess.run(store, cwd=repository, input=odd, capture_output=True, check=True).stdout.decode().strip()
    (found,) = messages(opened(repository), [made], NAME)
    assert (found.subject, found.author_date) == ("\udcff odd", "")


def test_many_commits_in_the_order_that_is_asked_for(repository: Path) -> None:
    made = [commit(repository, f"Commit {number}\n\n{ONE}\n".encode()) for number in range(4)]
    git_here = opened(repository)
    asked = [made[2], made[0], made[3]]
    assert [(one.commit, one.subject) for one in messages(git_here, asked, NAME)] == [
        (made[2], "Commit 2"),
        (made[0], "Commit 0"),
        (made[3], "Commit 3"),
    ]
    assert newest_first(git_here, made[2]) == made[2::-1]
    assert messages(git_here, [], NAME) == []


def test_another_encoding_is_read_as_text(repository: Path) -> None:
    git(repository, "config", "i18n.commitEncoding", "ISO-8859-1")
    made = commit(repository, "Größe\n".encode("latin-1"))
    git(repository, "config", "i18n.logOutputEncoding", "ISO-8859-1")
    assert messages(opened(repository), [made], NAME)[0].subject == "Größe"
    assert commits_that_say(opened(repository), made, "Größe") == [made]


@pytest.mark.parametrize("kind", ["perl", "fixed", "basic"])
def test_words_are_no_pattern_whatever_is_configured(kind: str, repository: Path) -> None:
    git(repository, "config", "grep.patternType", kind)
    made = commit(repository, f"Fix\n\n{ONE}\n".encode())
    commit(repository, b"Freeze-Decision without a colon, a.b\n")
    commit(repository, b"axb\n")
    assert commits_that_say(opened(repository), "HEAD", f"{NAME}:") == [made]
    assert len(commits_that_say(opened(repository), "HEAD", "a.b")) == 1


@pytest.mark.parametrize(
    ("before", "comment", "after"),
    [
        ("Fix\n", "#", f"Fix\n\n{ONE}\n{TWO}\n"),
        ("Fix\n\nbody\n---\nmore\n", "#", f"Fix\n\nbody\n---\nmore\n\n{ONE}\n{TWO}\n"),
        ("Fix\n\nSigned-off-by: A <a@b>\n", "#", f"Fix\n\nSigned-off-by: A <a@b>\n{ONE}\n{TWO}\n"),
        ("Fix: a colon\n", "#", f"Fix: a colon\n\n{ONE}\n{TWO}\n"),
        ("Fix\n\n# Please\n", "#", f"Fix\n\n{ONE}\n{TWO}\n\n# Please\n"),
        ("Fix\n\n#123\n", NO_COMMENTS, f"Fix\n\n#123\n\n{ONE}\n{TWO}\n"),
        ("#1\n\n; Please\n", ";", f"#1\n\n{ONE}\n{TWO}\n\n; Please\n"),
        ("Fix\n# ------------------------ >8 ------------------------\n+x\n", "#",
         f"Fix\n\n{ONE}\n{TWO}\n# ------------------------ >8 ------------------------\n+x\n"),
        ("Fix\r\n\r\nbody\r\n", "#", f"Fix\r\n\r\nbody\r\n\n{ONE}\n{TWO}\n"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("settings", [{}, HOSTILE], ids=["nothing configured", "everything configured"])
@pytest.mark.parametrize("scope", ["--global", "--local"])
def test_trailers_are_put_at_the_end_whatever_is_configured(
    before: str, comment: str, after: str, settings: dict[str, str], scope: str, repository: Path
) -> None:
    for name, value in settings.items():
        git(repository, "config", scope, name, value)
    assert with_trailers(opened(repository), before.encode(), [ONE, TWO], comment) == after.encode()
    assert not (repository / "executed").exists()


def test_configuration_of_the_command_line_and_the_environment_does_not_count(repository: Path) -> None:
    environment = {
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "trailer.where",
        "GIT_CONFIG_VALUE_0": "start",
        "GIT_CONFIG_PARAMETERS": "'trailer.separators'='#'",
    }
    found = with_trailers(opened(repository, **environment), b"Fix\n\nA: b\n", [ONE], "#")
    assert found == f"Fix\n\nA: b\n{ONE}\n".encode()


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, []),
        ({"core.commentChar": "auto"}, []),
        ({"core.commentChar": ";"}, [";"]),
        ({"core.commentString": "//", "core.commentChar": ";"}, ["//", ";"]),
    ],
)
def test_what_may_begin_a_comment(settings: dict[str, str], expected: list[str], repository: Path) -> None:
    here = opened(repository)
    for name, value in settings.items():
        git(repository, "config", name, value)
    assert comment_starts(here) == expected
