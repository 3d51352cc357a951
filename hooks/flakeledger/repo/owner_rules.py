"""The text of CODEOWNERS as rules in sections, in the flavours of GitHub and of GitLab.

Invariants:
* What stands in .github is of GitHub's flavour, what stands in .gitlab of GitLab's; elsewhere it is GitLab's where the
  repository has a pipeline of GitLab, or the text has what only GitLab knows: a heading, `!`, or a role.
* GitHub: one section, and a line with a mistake counts as absent, as GitHub skips it.
* GitLab: a rule without owners has those of the heading above it; sections of one name, in any case, are one.
* A file that is too large or no text is `CannotTell`. Every expression runs in time linear in the line.

Sources: docs.github.com "About code owners"; docs.gitlab.com "Syntax of CODEOWNERS file" and, for what that leaves
open, the code of GitLab (ee/lib/gitlab/code_owners).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from flakeledger.model.errors import CannotTell

#: GitHub reads no file that is larger
LARGEST = 3_000_000
#: each is an expression of its own; the longest files that people keep have a few thousand
MOST_LINES = 20_000
#: what GitLab calls the rules above the first heading; a heading of that name continues them
_UNNAMED = "codeowners"
_EVERYTHING = "**"
_NAME = re.compile(r"@[\w.-]+(/[\w.-]+)*", re.ASCII)
_ADDRESS = re.compile(r"[^@\s]+@[^@\s]+")
_ROLE = re.compile(r"@@(developer|maintainer|owner)s?", re.IGNORECASE)
#: GitLab: `[Name]`, `^[Name]`, `[Name][2]`, and behind a blank the owners
_HEADING = re.compile(r"\^?\[([^\]]*)\](?:\[\d*\])?(?:\s+(.*))?")
#: a pattern ends at the first blank that no backslash keeps
_PATTERN = re.compile(r"((?:\\.|[^\s\\]|\\$)+)(.*)")


class Rule(NamedTuple):
    """A line: a gitignore pattern, and who owns what it matches."""

    line: int
    pattern: str
    owners: tuple[str, ...]
    #: a name at the end of the pattern is that of a file, never of a folder
    files_alone: bool = False
    #: what it matches has no owner in its section
    excludes: bool = False


def sections(path: str, data: bytes, *, has_gitlab_pipeline: bool) -> list[list[Rule]]:
    """The rules of a file by section, in their order. CannotTell when it is too large or no text."""
    text = _text(path, data)
    return _gitlab_sections(text) if _is_gitlab(path, text, has_gitlab_pipeline) else [_github_rules(text)]


def _text(path: str, data: bytes) -> str:
    for what, number, most in (("bytes", len(data), LARGEST), ("lines", data.count(b"\n"), MOST_LINES)):
        if number > most:
            raise CannotTell(f"{path} has more than {most} {what}", "use fewer and wider patterns", f"{path}:1:1")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise CannotTell(f"{path} is not UTF-8", "save it as UTF-8", f"{path}:{line}:1") from None


def _is_gitlab(path: str, text: str, has_gitlab_pipeline: bool) -> bool:
    folder = path.rpartition("/")[0]
    if folder in (".github", ".gitlab"):
        return folder == ".gitlab"
    return has_gitlab_pipeline or any(_is_only_gitlabs(line) for _, line in _lines(text))


def _is_only_gitlabs(line: str) -> bool:
    return line.startswith(("!", "[", "^[")) or any(_ROLE.fullmatch(word) for word in line.split())


def _lines(text: str) -> Iterable[tuple[int, str]]:
    """The lines that say something, with their numbers."""
    for number, line in enumerate(text.split("\n"), start=1):
        stripped = line.strip()
        if stripped and not stripped.startswith("#"):
            yield number, stripped


def _split(line: str) -> tuple[str, str]:
    """The pattern of a line, and what follows it."""
    found = _PATTERN.match(line)
    assert found is not None, "a stripped line begins with no blank"
    return found[1], found[2]


def _github_rules(text: str) -> list[Rule]:
    """The rules of GitHub's flavour. Ranges, `!` and an escaped `#` at the start are mistakes there."""
    rules = []
    for number, line in _lines(text):
        pattern, rest = _split(line)
        owners = _words_before_comment(rest)
        is_right = all(_NAME.fullmatch(owner) or _ADDRESS.fullmatch(owner) for owner in owners)
        if is_right and "[" not in pattern and not pattern.startswith(("!", "\\#")):
            rules.append(Rule(number, pattern, owners, files_alone=pattern.endswith("/*")))
    return rules


def _words_before_comment(rest: str) -> tuple[str, ...]:
    words = rest.split()
    comment = next((at for at, word in enumerate(words) if word.startswith("#")), len(words))
    return tuple(words[:comment])


def _gitlab_sections(text: str) -> list[list[Rule]]:
    """The sections of GitLab's flavour, those of one name together. A pattern that comes twice keeps its first place.

    A rule without owners takes those of the heading above it, which need not be the first heading of the name.
    """
    rules: dict[str, Rule] = {}
    sections, defaults = {_UNNAMED: rules}, tuple[str, ...]()
    for number, line in _lines(text):
        heading = _HEADING.match(line)
        if heading is not None:
            rules = sections.setdefault(heading[1].casefold(), {})
            defaults = _gitlab_owners(heading[2] or "")
            continue
        pattern, rest = _split(line)
        excludes = pattern.startswith("!")
        pattern = _gitlab_pattern(pattern[1:] if excludes else pattern)
        owners = _gitlab_owners(rest) if rest.strip() else defaults
        rules[pattern] = Rule(number, pattern, owners, files_alone=pattern != _EVERYTHING, excludes=excludes)
    return [list(rules.values()) for rules in sections.values()]


def _gitlab_pattern(pattern: str) -> str:
    """The gitignore pattern that means the same: without a slash at its start it may begin in any folder."""
    if pattern in ("*", "/"):
        return _EVERYTHING
    return pattern if pattern.startswith("/") else f"**/{pattern}"


def _gitlab_owners(text: str) -> tuple[str, ...]:
    """Names, addresses and roles, wherever they stand in the text: GitLab finds them in comments, too."""
    kinds = (_NAME, _ADDRESS, _ROLE)
    return tuple(word for word in text.split() if any(kind.fullmatch(word) for kind in kinds))
