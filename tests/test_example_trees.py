"""The example trees: for every rule one that it fires on, and one that just passes.

`trees/base.txt` is an honest tree. `trees/<rule>.fires.txt` and `.passes.txt` say what an edit of it makes
check-ledgers find; those below `trees/changes/` have a base and a new tree, and are about check-change.

A file of trees is lines. Those before the first heading are `now: INSTANT` and, for each finding,
`expect: PATH:LINE:COLUMN: RULE` with ` (warning)` where it is one. The headings are:

* `=== write PATH`: the lines below are the whole file;
* `=== edit PATH`: each run of `-` lines stands in the file once, and the `+` lines below it take its place; a run of
  `+` lines alone is appended;
* `=== delete PATH`, and `=== link PATH TARGET` for a symbolic link;
* `=== base` and `=== new`: what a change goes from and to; the new tree starts from the base. Each `=== then` between
  them begins another commit, and the last one is the base.

In the lines, `{{sha256:PATH}}` is the digest of a file, `{{contract:PATH}}` that of its canonical form,
`{{generator_hash:PROPERTY}}` and `{{test_hash:TEST}}` the pins that the product computes once all files are there.

property_id: FL-ONE-RULE
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from conftest import git
from fixes import commands, complaint, is_told
from flakeledger.repo.base import INDEX
from flakeledger.repo.repository import open_repository
from flakeledger.rules.table import CHANGE_RULES, READING_RULES, STATE_RULES
from world import run_main

TREES = Path(__file__).parent / "trees"
STATE_NAMES = {*READING_RULES, *(rule.name for rule in STATE_RULES)}
#: findings without a policy are exit 2: the rules that need one were not applied
UNDECIDED_RULES = {"policy-missing", "policy-invalid"}
PLACEHOLDER = re.compile(r"\{\{(\w+):(.+?)\}\}")


class Section(NamedTuple):
    """A heading's words and the lines below it."""

    verb: str
    path: str
    target: str
    lines: list[str]


class Example(NamedTuple):
    """A file of trees: the instant, the findings to be had, what to do to the base tree."""

    now: str
    expected: list[str]
    sections: list[Section]


def read_example(path: Path) -> Example:
    """The parts of a file of trees."""
    head, *rest = re.split(r"(?m)^=== ", path.read_text(encoding="utf-8"))
    fields = [line.partition(": ")[::2] for line in head.splitlines()]
    sections = []
    for text in rest:
        heading, _, body = text.partition("\n")
        verb, name, target = [*heading.split(), "", ""][:3]
        sections.append(Section(verb, name, target, body.splitlines(keepends=True)))
    expected = [value for name, value in fields if name == "expect"]
    return Example(dict(fields).get("now", ""), expected, sections)


def edited(text: str, lines: list[str]) -> str:
    """The text after the edit of `-` and `+` lines."""
    for old, new in re.findall(r"((?:-.*\n)*)((?:\+.*\n)*)", "".join(lines)):
        before, after = (re.sub(r"(?m)^[-+]", "", part) for part in (old, new))
        assert not before or text.count(before) == 1, f"{before!r} does not stand in the file once"
        text = text.replace(before, after) if before else text + after
    return text


class Builder:
    """Builds a tree in a repository, section by section."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def build(self, sections: list[Section]) -> None:
        """Apply the sections, then stage everything with its placeholders filled in."""
        for section in sections:
            self._apply(section)
        self._fill({"sha256": self._sha256, "contract": self._contract})
        git(self.root, "add", "-A")
        with open_repository(str(self.root), os.environ) as repository:
            ledger = repository.ledger(repository.tree(INDEX))
            self._fill({"generator_hash": ledger.generator_digest, "test_hash": ledger.sources.test_digest})
        git(self.root, "add", "-A")

    def _apply(self, section: Section) -> None:
        path = self.root / section.path
        path.parent.mkdir(parents=True, exist_ok=True)
        if section.verb == "write":
            path.write_text("".join(section.lines), encoding="utf-8")
        elif section.verb == "edit":
            path.write_text(edited(path.read_text(encoding="utf-8"), section.lines), encoding="utf-8")
        elif section.verb == "link":
            path.symlink_to(section.target)
        else:
            assert section.verb == "delete", section
            path.unlink()

    def _fill(self, digests: dict[str, Callable[[str], str | None]]) -> None:
        def digest(found: re.Match[str]) -> str:
            return digests[found[1]](found[2]) or "" if found[1] in digests else found[0]

        for path in self.root.glob("ledgers/*"):
            if path.is_file():
                text = path.read_text(encoding="utf-8")
                path.write_text(PLACEHOLDER.sub(digest, text), encoding="utf-8")

    def _sha256(self, path: str) -> str:
        return hashlib.sha256((self.root / path).read_bytes()).hexdigest()

    def _contract(self, path: str) -> str:
        value = json.loads((self.root / path).read_bytes())
        return hashlib.sha256(json.dumps(value, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def parts(sections: list[Section]) -> list[list[Section]]:
    """The sections below each of `=== base`, `=== then` and `=== new`."""
    starts = [number for number, section in enumerate(sections) if section.verb in ("base", "then", "new")]
    assert [sections[starts[0]].verb, sections[starts[-1]].verb] == ["base", "new"], starts
    return [sections[start + 1 : end] for start, end in zip(starts, [*starts[1:], None], strict=True)]


def findings(root: Path, check: str, now: str) -> tuple[int, list[str]]:
    """The exit code of a check and its findings as an example writes them."""
    code, out = run_main(root, [check, "--now", now, "--format", "json"], {})
    fixes = [found["fix"] for found in json.loads(out)["findings"]]
    assert [fix for fix in fixes if not is_told(fix) or any(map(complaint, commands(fix)))] == []
    return code, [
        "{path}:{line}:{column}: {rule}".format(**found) + (" (warning)" if found["level"] == "warning" else "")
        for found in json.loads(out)["findings"]
    ]


def exit_code(expected: list[str]) -> int:
    """The exit code that the findings deserve."""
    errors = {line.rpartition(" ")[2] for line in expected if not line.endswith(" (warning)")}
    return 2 if errors & UNDECIDED_RULES else int(bool(errors))


def fires(path: Path) -> bool:
    return path.name.endswith(".fires.txt")


def rule_of(path: Path) -> str:
    return path.name.removesuffix(".txt").rpartition(".")[0]


STATES = sorted(path for path in TREES.glob("*.*.txt"))
CHANGES = sorted(path for path in (TREES / "changes").glob("*.*.txt"))


@pytest.mark.parametrize("path", STATES, ids=lambda path: path.stem)
def test_a_state_example_gives_exactly_its_findings(path: Path, repository: Path) -> None:
    example = read_example(path)
    builder = Builder(repository)
    builder.build(read_example(TREES / "base.txt").sections)
    builder.build(example.sections)
    assert findings(repository, "check-ledgers", example.now) == (exit_code(example.expected), example.expected)


@pytest.mark.parametrize("path", CHANGES, ids=lambda path: path.stem)
def test_a_change_example_gives_exactly_its_findings(path: Path, repository: Path) -> None:
    example = read_example(path)
    builder = Builder(repository)
    builder.build(read_example(TREES / "base.txt").sections)
    *commits, new = parts(example.sections)
    for sections in commits:
        builder.build(sections)
        git(repository, "commit", "-q", "-m", "base")
    builder.build(new)
    assert findings(repository, "check-change", example.now) == (exit_code(example.expected), example.expected)


@pytest.mark.parametrize("path", [*STATES, *CHANGES], ids=lambda path: path.stem)
def test_an_example_is_about_its_rule(path: Path) -> None:
    named = {line.removesuffix(" (warning)").rpartition(" ")[2] for line in read_example(path).expected}
    assert (rule_of(path) in named) == fires(path)


@pytest.mark.parametrize(
    ("folder", "names"), [(TREES, STATE_NAMES), (TREES / "changes", set(CHANGE_RULES))], ids=["state", "change"]
)
def test_every_rule_has_both_examples(folder: Path, names: set[str]) -> None:
    found = {path.name for path in folder.glob("*.*.txt")}
    assert found == {f"{name}.{outcome}.txt" for name in names for outcome in ("fires", "passes")}
