"""The text of CODEOWNERS in both flavours: the examples of both services, and lines of strangers."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest

from flakeledger.repo.owner_rules import sections
from flakeledger.repo.owners import CodeOwners
from growing import assert_linear


def of(text: str, path: str, place: str) -> tuple[str, ...]:
    return CodeOwners(place, sections(place, text.encode(), has_gitlab_pipeline=False)).of(path)


#: the example of docs.github.com, "About code owners", in our words
GITHUB = """\
# a comment
*       @global-owner1 @global-owner2
*.js    @js-owner #This is an inline comment, not for @nobody.
*.go docs@example.com
*.txt @octo-org/octocats
/build/logs/ @doctocat
docs/*  docs@example.com
apps/ @octocat
/docs/ @doctocat
/scripts/ @doctocat @octocat
**/logs @octocat
/apps/ @octocat
/apps/github
/apps/github2 @doctocat
"""


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("README.md", ("@global-owner1", "@global-owner2")),
        ("lib/a.js", ("@js-owner",)),
        ("lib/a.go", ("docs@example.com",)),
        ("a.txt", ("@octo-org/octocats",)),
        ("build/logs.txt", ("@octo-org/octocats",)),
        ("build/notes/a", ("@global-owner1", "@global-owner2")),
        ("lib/apps/a.js", ("@octocat",)),
        ("docs/a.md", ("@doctocat",)),
        ("lib/docs/a.md", ("@global-owner1", "@global-owner2")),
        ("scripts/deep/a", ("@doctocat", "@octocat")),
        ("deeply/nested/logs/a", ("@octocat",)),
        ("build/logs/a", ("@octocat",)),
        ("apps/a", ("@octocat",)),
        ("apps/github/a", ()),
        ("apps/github2", ("@doctocat",)),
    ],
)
def test_who_owns_a_path_on_github(path: str, expected: tuple[str, ...]) -> None:
    assert of(GITHUB, path, ".github/CODEOWNERS") == expected


@pytest.mark.parametrize(
    ("text", "path", "expected"),
    [
        ("docs/* @one\n", "docs/a.md", ("@one",)),
        ("docs/* @one\n", "docs/build/a.md", ()),
        ("* @all\ndocs/* @one\n", "docs/build/a.md", ("@all",)),
        ("docs @one\n", "docs/build/a.md", ("@one",)),
        ("/docs @one\n", "lib/docs/a.md", ()),
        ("docs/ @one\n", "lib/docs/a.md", ("@one",)),
        ("a/**/b/**/c/*_test*.py @one\n", "a/x/b/c/my_test_1.py", ("@one",)),
        ("my\\ tests/ @one\n", "my tests/a.py", ("@one",)),
        ("my\\ tests/ @one\n", "my/a.py", ()),
        ("*.py\t@one\t@two\n", "a.py", ("@one", "@two")),
        ("\ufeff*.py @one\r\n", "a.py", ("@one",)),
        ("", "a.py", ()),
        # what GitHub refuses counts as absent
        ("* @all\n*.py one\n", "a.py", ("@all",)),
        ("* @all\n!*.py @one\n", "a.py", ("@all",)),
        ("* @all\n[a-c].py @one\n", "a.py", ("@all",)),
        ("* @all\n\\#a.py @one\n", "#a.py", ("@all",)),
        ("* @all\n[Tests] @one\n", "a.py", ("@all",)),
        ("* @all\n*.py @@maintainer\n", "a.py", ("@all",)),
    ],
)
def test_one_rule_of_github(text: str, path: str, expected: tuple[str, ...]) -> None:
    assert of(text, path, ".github/CODEOWNERS") == expected


#: the examples of docs.gitlab.com, "Syntax of CODEOWNERS file" and "Advanced configuration", in one file each
SECTIONS = """\
* @admin

[README Owners]
README.md @user1 @user2
internal/README.md @user4

[README other owners]
README.md @user3
"""
DEFAULTS = """\
[Documentation] @docs-team
docs/
README.md

[Database][2] @database-team @agarcia
model/db/
config/db/database-setup.md @docs-team

^[Go] @gophers
*.go
"""
DUPLICATES = """\
[Documentation]
ee/docs/    @docs
docs/       @docs

[Database] @dba
README.md
model/db/   @database

[DOCUMENTATION] @late
README.md
"""
EXCLUSIONS = """\
* @default-owner
!pom.xml
/pom.xml @too-late

[Ruby]
*.rb @ruby-team
!/config/**/*.rb
/config/routes.rb @ops
"""
PATHS = """\
*.rb @ruby
LICENSE @legal janedoe@gitlab.com
README @group @group/with-nested/subgroup
/docs/ @all-docs
/docs/* @root-docs
/docs/**/*.md @markdown-docs
lib/ @lib-owner
/config/ @@maintainer @@Developers
path\\ with\\ spaces/ @space-owner
\\#file_with_pound.rb @owner-file-with-pound
/spec/*spec* @spec # and @listed-in-a-comment
/range/[a-c]?.py @range
"""


@pytest.mark.parametrize(
    ("text", "path", "expected"),
    [
        (SECTIONS, "README.md", ("@admin", "@user1", "@user2", "@user3")),
        (SECTIONS, "internal/README.md", ("@admin", "@user4", "@user3")),
        (SECTIONS, "app.py", ("@admin",)),
        (DEFAULTS, "docs/a/b.md", ("@docs-team",)),
        (DEFAULTS, "README.md", ("@docs-team",)),
        (DEFAULTS, "model/db/a.rb", ("@database-team", "@agarcia")),
        (DEFAULTS, "config/db/database-setup.md", ("@docs-team",)),
        (DEFAULTS, "cmd/main.go", ("@gophers",)),
        (DEFAULTS, "docs/main.go", ("@docs-team", "@gophers")),
        (DUPLICATES, "docs/a.md", ("@docs",)),
        (DUPLICATES, "README.md", ("@late", "@dba")),
        (DUPLICATES, "ee/docs/README.md", ("@late", "@dba")),
        (EXCLUSIONS, "a.xml", ("@default-owner",)),
        (EXCLUSIONS, "pom.xml", ()),
        (EXCLUSIONS, "lib/a.rb", ("@default-owner", "@ruby-team")),
        (EXCLUSIONS, "config/initializers/a.rb", ("@default-owner",)),
        (EXCLUSIONS, "config/routes.rb", ("@default-owner",)),
        (PATHS, "app/models/a.rb", ("@ruby",)),
        (PATHS, "LICENSE", ("@legal", "janedoe@gitlab.com")),
        (PATHS, "vendor/LICENSE", ("@legal", "janedoe@gitlab.com")),
        (PATHS, "README", ("@group", "@group/with-nested/subgroup")),
        (PATHS, "README/a", ()),
        (PATHS, "docs/a.txt", ("@root-docs",)),
        (PATHS, "docs/deep/a.txt", ("@all-docs",)),
        (PATHS, "docs/deep/index.md", ("@markdown-docs",)),
        (PATHS, "vendor/lib/deep/a", ("@lib-owner",)),
        (PATHS, "config/a/b.yml", ("@@maintainer", "@@Developers")),
        (PATHS, "deep/path with spaces/a", ("@space-owner",)),
        (PATHS, "#file_with_pound.rb", ("@owner-file-with-pound",)),
        (PATHS, "spec/my_spec_helper.py", ("@spec", "@listed-in-a-comment")),
        (PATHS, "range/b1.py", ("@range",)),
        (PATHS, "range/d1.py", ()),
        ("/docs/** @one\n", "docs/a", ("@one",)),
        ("/docs/** @one\n", "docs/a/b", ()),
        ("/ @one\n", "docs/a/b", ("@one",)),
        ("[Empty]\n*.py\n", "a.py", ()),
        ("*.py no-owner\n", "a.py", ()),
        ("*.rb @one\n*.rb @two\n", "a.rb", ("@two",)),
    ],
)
def test_who_owns_a_path_on_gitlab(text: str, path: str, expected: tuple[str, ...]) -> None:
    assert of(text, path, ".gitlab/CODEOWNERS") == expected


@pytest.mark.parametrize("place", [".github/CODEOWNERS", ".gitlab/CODEOWNERS"])
@pytest.mark.parametrize(
    ("head", "unit"), [("", "\\ "), ("", "["), ("", "@a/"), ("x ", "@@"), ("x ", "a@"), ("", "[x][1")]
)
def test_hostile_lines_are_read_in_linear_time(head: str, unit: str, place: str) -> None:
    def work(size: int) -> Callable[[], object]:
        line = (head + unit * (size // len(unit))).encode()
        return partial(sections, place, line, has_gitlab_pipeline=False)

    assert_linear(work, 300_000)
