"""Who owns a path by CODEOWNERS: which file counts, which rule wins, and how long hostile patterns take."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path

import pytest
from codeowners import CodeOwners as OtherParser
from hypothesis import given
from hypothesis import strategies as st

from conftest import git
from flakeledger.model.errors import CannotTell
from flakeledger.repo.base import INDEX
from flakeledger.repo.owner_rules import sections
from flakeledger.repo.owners import CodeOwners, is_role, may_own
from flakeledger.repo.repository import open_repository
from growing import assert_linear


def owners(repository: Path, files: dict[str, str], path: str = "tests/test_a.py") -> CodeOwners:
    for name, text in files.items():
        file = repository / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
    git(repository, "add", "-A")
    with open_repository(str(repository), dict(os.environ)) as opened:
        found = CodeOwners.read(opened.tree(INDEX))
        found.of(path)
        return found


def of(text: str, path: str, place: str) -> tuple[str, ...]:
    return CodeOwners(place, sections(place, text.encode(), has_gitlab_pipeline=False)).of(path)


@pytest.mark.parametrize(
    ("places", "counts"),
    [
        ([], None),
        (["CODEOWNERS"], "CODEOWNERS"),
        (["docs/CODEOWNERS"], "docs/CODEOWNERS"),
        ([".gitlab/CODEOWNERS"], ".gitlab/CODEOWNERS"),
        # GitHub: .github, the root, docs
        (["CODEOWNERS", "docs/CODEOWNERS", ".github/CODEOWNERS"], ".github/CODEOWNERS"),
        # GitLab: the root, docs, .gitlab
        ([".gitlab/CODEOWNERS", "docs/CODEOWNERS", "CODEOWNERS"], "CODEOWNERS"),
        ([".gitlab/CODEOWNERS", "docs/CODEOWNERS"], "docs/CODEOWNERS"),
    ],
)
def test_the_file_is_found_where_the_services_look(repository: Path, places: list[str], counts: str | None) -> None:
    found = owners(repository, {place: f"* @{place.replace('/', '-')}\n" for place in places})
    assert found.place == counts
    assert found.of("tests/test_a.py") == (() if counts is None else (f"@{counts.replace('/', '-')}",))


#: anchored at the root for GitHub, in any folder for GitLab
INNER = "inner/test_a.py @one\n"


@pytest.mark.parametrize(
    ("files", "is_gitlab"),
    [
        ({".github/CODEOWNERS": INNER, ".gitlab-ci.yml": ""}, False),
        ({".gitlab/CODEOWNERS": INNER}, True),
        ({"CODEOWNERS": INNER}, False),
        ({"docs/CODEOWNERS": INNER}, False),
        ({"CODEOWNERS": INNER, ".gitlab-ci.yml": ""}, True),
        ({"CODEOWNERS": INNER + "[Section]\n"}, True),
        ({"CODEOWNERS": INNER + "^[Section][2] @two\n"}, True),
        ({"CODEOWNERS": INNER + "!*.txt\n"}, True),
        ({"CODEOWNERS": INNER + "*.txt @@maintainers\n"}, True),
        ({"CODEOWNERS": INNER + "*.txt @@nothing\n"}, False),
        ({"CODEOWNERS": INNER + "# [Section]\n"}, False),
    ],
)
def test_which_flavour_it_is(repository: Path, files: dict[str, str], is_gitlab: bool) -> None:
    assert owners(repository, files).of("outer/inner/test_a.py") == (("@one",) if is_gitlab else ())


NAMES = st.sampled_from(["a", "b", "ab", "*", "a*", "*b", "?", "**"])
PATTERNS = st.builds(
    lambda start, names, end: start + "/".join(names) + end,
    st.sampled_from(["", "/"]),
    st.lists(NAMES, min_size=1, max_size=4),
    st.sampled_from(["", "/"]),
)
FILES = st.lists(st.sampled_from(["a", "b", "ab", "aab"]), min_size=1, max_size=4).map("/".join)


@given(PATTERNS, FILES)
def test_github_patterns_mean_what_another_parser_reads_in_them(pattern: str, path: str) -> None:
    text = f"{pattern} @one\n"
    assert of(text, path, ".github/CODEOWNERS") == tuple(name for _, name in OtherParser(text).of(path))


@pytest.mark.parametrize("place", [".github/CODEOWNERS", ".gitlab/CODEOWNERS"])
@pytest.mark.parametrize(
    "pattern",
    [
        "*a" * 200 + "b",
        "/**/a" * 100 + "/b",
        "*" * 400 + "b",
        "a?" * 200,
        "/**/*a*a*a*a*a*b",
    ],
)
def test_hostile_patterns_are_matched_in_linear_time(pattern: str, place: str) -> None:
    """In the path; whoever sets one sets its length, and no service bounds it below this."""
    assert_linear(lambda size: partial(of, f"{pattern} @one\n", "a/" * size + "a" * 2 * size, place), 20_000)


@pytest.mark.parametrize(
    ("text", "place", "reason"),
    [
        (b"* @all\n" + b"x" * 600 + b" @all\n", ".github/CODEOWNERS:2:1", "more than 512 characters"),
        (b"* @all\na/../b @all\n", ".gitlab/CODEOWNERS:2:1", "goes down from the root by names"),
        (b"[Section]\n[[Section]\n/[a @all\n", ".gitlab/CODEOWNERS:3:1", "is not closed by a ]"),
        (b"* @all\n\xff @all\n", ".github/CODEOWNERS:2:1", "is not UTF-8"),
        (b"#" * 3_000_001, ".github/CODEOWNERS:1:1", "more than 3000000 bytes"),
    ],
)
def test_what_cannot_be_matched_is_exit_2(text: bytes, place: str, reason: str) -> None:
    path = place.partition(":")[0]
    with pytest.raises(CannotTell, match=reason) as caught:
        CodeOwners(path, sections(path, text, has_gitlab_pipeline=False)).of("a")
    assert caught.value.place == place


@pytest.mark.parametrize(
    ("owner", "answer"),
    [("@Finley", True), ("FINLEY@example.org", True), ("@fin", False), ("finley", False), (None, False)],
)
def test_names_are_compared_without_their_case(owner: str | None, answer: bool) -> None:
    assert may_own(owner, ("@finley", "Finley@Example.org")) is answer


@pytest.mark.parametrize(("owner", "answer"), [("@@maintainer", True), ("@maintainer", False), ("a@b.c", False)])
def test_a_role_is_nobodys_name(owner: str, answer: bool) -> None:
    assert is_role(owner) is answer
