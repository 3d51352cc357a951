"""`flakeledger init`: ledgers, a policy for the layout it finds, the hooks and the merge gate.

Invariants:
* Nothing that stands is overwritten, and nothing is written unless the whole plan holds.
* What was decided is said, one line each, with the reason.
"""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from collections.abc import Iterator, Mapping

from flakeledger.cli.adoption import Plan, addable, plan_adoption
from flakeledger.cli.merge_registration import plan_merge_driver
from flakeledger.cli.tool_source import ToolSource, installed_source, named_source
from flakeledger.model.errors import CannotTell
from flakeledger.reporters.escape import escape_line
from flakeledger.store.git import Git
from flakeledger.store.placing import place

EXAMPLES = """\
  flakeledger init --dry-run       # print what would be written
  flakeledger init
  flakeledger init --merge-driver  # also lets git merge ledgers row by row
  flakeledger init --repo https://example.org/flakeledger --rev v0.1.0"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("--dry-run", action="store_true", help="print the files that would be written; write nothing")
    parser.add_argument(
        "--merge-driver", action="store_true", help="register the merge driver for ledgers in this clone"
    )
    parser.add_argument("--repo", metavar="URL", help="where pre-commit gets this tool (default: the installed one)")
    parser.add_argument("--rev", metavar="REV", help="the tag or commit of --repo")


def run(arguments: argparse.Namespace) -> int:
    """Set the repository up: 0, also when nothing was left to do; CannotTell where it cannot be done."""
    source = _source(arguments.repo, arguments.rev)
    git = Git.open(os.curdir, os.environ)
    plan = plan_adoption(git, source)
    settings = plan_merge_driver(git, plan) if arguments.merge_driver else {}
    if not arguments.dry_run:
        write(git, plan)
        for name, value in settings.items():
            git.set_config(name, value)
    lines = (*_report(plan, arguments.dry_run), *_settings(settings, arguments.dry_run))
    sys.stdout.writelines(f"{escape_line(line)}\n" for line in lines)
    return 0


def _settings(settings: Mapping[str, str], dry_run: bool) -> Iterator[str]:
    for name, value in settings.items():
        yield f"{'would set' if dry_run else 'set'} git config {name}: {value}"


def write(git: Git, plan: Plan) -> None:
    """Write the files of a plan and add to its advice which of them git ignores.

    CannotTell, with what was written before, when one cannot be written.
    """
    written: list[str] = []
    for planned in plan.files:
        try:
            place(git.root, planned.path, planned.before, planned.after)
        except CannotTell as error:
            already = f" (written before: {', '.join(written)})" if written else ""
            raise CannotTell(f"{error.reason}{already}", f"{error.fix}; then again: flakeledger init") from error
        written.append(planned.path)
    if written:
        plan.advice += [
            f"{path} is ignored by git, and only what is committed counts: git add -f {shlex.quote(path)}"
            for path in sorted(set(written) - addable(git, written))
        ]


def _source(repo: str | None, rev: str | None) -> ToolSource:
    if (repo is None) != (rev is None):
        raise CannotTell("--repo and --rev go together", "--repo https://example.org/flakeledger --rev v0.1.0")
    return installed_source() if repo is None or rev is None else named_source(repo, rev)


def _report(plan: Plan, dry_run: bool) -> Iterator[str]:
    yield from _decisions(plan)
    if not plan.files:
        yield "already set up; nothing was written"
    for planned in plan.files:
        verb = "write" if planned.before is None else "extend"
        yield (
            f"would {verb} {planned.path}"
            if dry_run
            else f"{'wrote' if verb == 'write' else 'extended'} {planned.path}"
        )
        if dry_run:
            yield from (f"    {line}" for line in planned.after.decode(errors="surrogateescape").splitlines())
    for path in plan.kept:
        yield f"kept {path}"
    for said in plan.advice:
        first, *rest = said.rstrip("\n").split("\n")
        yield f"note: {first}"
        yield from (f"    {line}" for line in rest)
    if plan.files and not dry_run:
        yield from _next_steps(plan)


def _decisions(plan: Plan) -> Iterator[str]:
    if not plan.proposed:
        return
    yield "path classes (the first that matches wins, the rest is production):"
    width = max(len(one.pattern) for one in plan.proposed)
    for one in plan.proposed:
        files = {0: "none yet", 1: "1 file"}.get(one.files, f"{one.files} files")
        yield f"  {one.name:<13}  {one.pattern:<{width}}  {one.why}: {files}"


def _next_steps(plan: Plan) -> Iterator[str]:
    yield "next:"
    yield "  pre-commit install"
    yield f"  git add {shlex.join(planned.path for planned in plan.files)}"
    yield "  flakeledger check"
    yield '  git commit -m "Adopt flakeledger"'
