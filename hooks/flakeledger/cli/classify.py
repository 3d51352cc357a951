"""`flakeledger classify`: the class of every path, and the pattern that decided.

Invariants:
* Without `--base` the policy of the index decides, with it the policy of the base, as for the change rules.
* A path that is named as a test but falls to production is a finding: production is the most permissive class.
* Rows go to standard output, one path a line; findings and counts follow on standard error, so that a pipe
  holds nothing but rows.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from flakeledger.cli.typed_paths import repository_path
from flakeledger.model.errors import CannotTell
from flakeledger.model.ledger_paths import POLICY
from flakeledger.model.patterns import TEST_NAMES, PathClasses, compile_pattern, looks_like_test
from flakeledger.model.policy import CLASSES
from flakeledger.repo.base import INDEX
from flakeledger.repo.repository import Repository, open_repository
from flakeledger.repo.tree import Tree
from flakeledger.reporters.escape import escape_line, escape_surrogates

EXAMPLES = """\
  flakeledger classify                       # every path of the index
  flakeledger classify --base origin/main    # what this branch changes
  flakeledger classify src/new_name.py       # a path that need not exist
  flakeledger classify --format json"""

NO_PATTERN = "-"
VERSION = 1


class ClassifiedPath(NamedTuple):
    """A path with its class, the pattern that decided (None: no pattern matched), and what is wrong with that."""

    path: str
    name: str
    pattern: str | None
    finding: str | None


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("paths", nargs="*", metavar="PATH", help="paths or folders (default: all)")
    parser.add_argument("--base", metavar="REV", help="what changed since the merge base with REV, by its policy")
    parser.add_argument("--format", choices=["json", "text"], default="text", help="how to print (default: text)")


def run(arguments: argparse.Namespace) -> int:
    """Print the classes: 0, or 1 when a test falls to production; CannotTell without a policy."""
    with open_repository(os.curdir, os.environ) as repository:
        base = None if arguments.base is None else _merge_base(repository, arguments.base)
        judging = repository.tree(INDEX if base is None else base)
        rows = classified(_classes(repository, judging), _paths(repository, arguments.paths, base))
    show = _json_text if arguments.format == "json" else _rows_text
    sys.stdout.write(show(rows))
    sys.stdout.flush()
    if arguments.format == "text":
        sys.stderr.writelines(f"{escape_line(line)}\n" for line in _remarks(rows))
    return int(any(row.finding for row in rows))


def classified(classes: PathClasses, paths: Iterable[str]) -> list[ClassifiedPath]:
    """Each path with its class."""
    rows = []
    for path in paths:
        name, pattern = classes.class_of(path)
        lost = name == "production" and looks_like_test(path)
        rows.append(ClassifiedPath(path, name, pattern, _fix(path) if lost else None))
    return rows


def _fix(path: str) -> str:
    name = path.rpartition("/")[2]
    pattern = next(
        pattern for patterns in TEST_NAMES.values() for pattern in patterns if compile_pattern(pattern).match(name)
    )
    return f'add "{pattern}" to the `match:` of `class: test_body` in {POLICY}'


def _merge_base(repository: Repository, revision: str) -> str:
    git = repository.git
    commit, head = git.commit(revision), git.head()
    if commit is None:
        raise CannotTell(
            f"{revision!r} is no commit whose tree is here", "git fetch   # then: flakeledger classify --base REV"
        )
    found = None if head is None else git.merge_base(commit, head)
    if found is None:
        raise CannotTell(
            f"HEAD and {revision!r} share no history",
            "flakeledger classify --base REV   # with a commit that HEAD comes from",
        )
    return found


def _classes(repository: Repository, judging: Tree) -> PathClasses:
    policy = repository.policy(judging)
    if policy is None:
        fix = f"flakeledger init && git add {POLICY}   # what is wrong with one: flakeledger check-ledgers"
        raise CannotTell(f"{judging.label} has no {POLICY} that can be read", fix)
    return PathClasses(policy)


def _paths(repository: Repository, named: Sequence[str], base: str | None) -> list[str]:
    """The paths that were asked for, sorted."""
    tree = repository.tree(INDEX)
    if named:
        return sorted({path for name in named for path in _named(repository.git.root, tree, name)})
    if base is not None:
        return sorted({change.path for change in repository.differences(base, INDEX)})
    return sorted({*tree.entries, *tree.unmerged})


def _named(root: str, tree: Tree, name: str) -> Iterator[str]:
    """A path relative to the folder we are in, as one of the repository; a folder gives every path below it."""
    path = repository_path(root, name)
    below = [] if path == "." else [entry for entry in tree.entries if entry.startswith(f"{path}/")]
    yield from tree.entries if path == "." else below or [path]


def _rows_text(rows: Sequence[ClassifiedPath]) -> str:
    """The rows as text: columns for a terminal, tabs for a pipe."""
    cells = [(escape_line(row.path), row.name, escape_line(row.pattern or NO_PATTERN)) for row in rows]
    if sys.stdout.isatty():
        width = max((len(path) for path, _, _ in cells), default=0)
        return "".join(f"{path:<{width}}  {name:<13}  {pattern}\n" for path, name, pattern in cells)
    return "".join("\t".join(row) + "\n" for row in cells)


def _remarks(rows: Sequence[ClassifiedPath]) -> Iterator[str]:
    for row in rows:
        if row.finding is not None:
            yield f"{row.path}: is named as a test, but of class production"
            yield f"    fix: {row.finding}"
    counts = _counts(rows)
    yield f"{len(rows)} paths: " + ", ".join(f"{count} {name}" for name, count in counts.items() if count)


def _counts(rows: Sequence[ClassifiedPath]) -> dict[str, int]:
    found = Counter(row.name for row in rows)
    return {name: found[name] for name in CLASSES}


def _json_text(rows: Sequence[ClassifiedPath]) -> str:
    """`version` (1), `paths` (each with `path`, `class`, `pattern` or null, `finding`: the fix or null), `counts`."""
    paths = [
        {
            "path": escape_surrogates(row.path),
            "class": row.name,
            "pattern": row.pattern,
            "finding": row.finding,
        }
        for row in rows
    ]
    return json.dumps({"version": VERSION, "paths": paths, "counts": _counts(rows)}, indent=2) + "\n"
