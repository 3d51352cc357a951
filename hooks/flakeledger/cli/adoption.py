"""What `init` would do to a repository: every file with its text, what is kept, and what a person must know.

Invariants:
* A plan is whole or there is none: every text is read back by the product's own reader before anything is written.
* A file that stands is kept; only `.gitattributes` and `.pre-commit-config.yaml` may grow.
* Nothing here writes.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from flakeledger.cli.hook_config import hook_config
from flakeledger.cli.policy_text import policy_text
from flakeledger.cli.starting_runners import runner_advice, starting_runners
from flakeledger.cli.starting_texts import (
    example_of,
    gitlab_job,
    install_command,
    ledger_texts,
    seeds_text,
    workflow_text,
)
from flakeledger.cli.tool_source import ToolSource
from flakeledger.model.errors import CannotTell
from flakeledger.model.findings import Finding
from flakeledger.model.ledger_paths import FIXTURES, FREEZES, GUARD, POLICY, PROPERTIES, REPLAYS
from flakeledger.model.policy import Limits
from flakeledger.model.policy_reading import build_policy
from flakeledger.repo.layout import LARGEST_READ, Layout
from flakeledger.repo.proposal import Proposed, literal, propose
from flakeledger.repo.tree import CODEOWNERS
from flakeledger.store.edits import refuse_off_disk
from flakeledger.store.git import Git
from flakeledger.store.placing import read_regular, stands
from flakeledger.store.reader import read_policy, read_rows

ATTRIBUTES = ".gitattributes"
WORKFLOW = ".github/workflows/flakeledger.yml"
_MERGE_LINE = f"{REPLAYS} text eol=lf merge=union"
_OTHER_SERVICES = (
    *(".circleci/", "azure-pipelines.yml", "Jenkinsfile", ".travis.yml", "bitbucket-pipelines.yml", ".buildkite/"),
    *(".drone.yml", ".woodpecker"),
)
_GITHUB = re.compile(r"[@/.]github\.com[:/]")
_GITLAB = re.compile(r"gitlab")


class PlannedFile(NamedTuple):
    """A file to write: its bytes before (None: nothing stands there) and after."""

    path: str
    before: bytes | None
    after: bytes


@dataclass
class Plan:
    """What to write, what is kept, and what to tell."""

    proposed: list[Proposed] = field(default_factory=list)
    files: list[PlannedFile] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    advice: list[str] = field(default_factory=list)


def layout_of(git: Git) -> Layout:
    """The layout of the work tree: every file that is tracked, or that `git add -A` would add."""
    return Layout(tuple(sorted(addable(git, ()))), lambda path: _beginning(f"{git.root}/{path}"))


def addable(git: Git, paths: Iterable[str]) -> set[str]:
    """Every file that is tracked or that `git add` would add; of `paths` where they are given."""
    listed = git.run("ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *paths)
    return {path for path in os.fsdecode(listed).split("\0") if path and not path.endswith("/")}


def _beginning(path: str) -> bytes | None:
    """The first bytes of a regular file; None for anything else."""
    if os.path.islink(path) or not os.path.isfile(path):
        return None
    try:
        with open(path, "rb") as file:
            return file.read(LARGEST_READ + 1)
    except OSError:
        return None  # no proof of anything, so its name decides


def plan_adoption(git: Git, source: ToolSource) -> Plan:
    """The plan for a repository.

    CannotTell where a file cannot be read, is left out of a sparse work tree, or would be written through a link.
    """
    refuse_off_disk(git, (POLICY, FREEZES, FIXTURES, PROPERTIES, REPLAYS, ATTRIBUTES, GUARD, WORKFLOW))
    layout = layout_of(git)
    plan = Plan()
    _plan_policy(git, layout, plan)
    for path, text in (*ledger_texts(example_of(layout)).items(), (REPLAYS, "")):
        _add(git, plan, path, text)
    _plan_attributes(git, plan)
    _plan_guard(git, source, plan)
    _plan_gate(git, layout, source, plan)
    _check(plan)
    return plan


def _add(git: Git, plan: Plan, path: str, text: str) -> None:
    """Plan a new file, or keep what stands at its path."""
    if stands(git.root, path):
        plan.kept.append(path)
    else:
        plan.files.append(PlannedFile(path, None, text.encode()))


def _plan_policy(git: Git, layout: Layout, plan: Plan) -> None:
    if stands(git.root, POLICY):
        plan.kept.append(POLICY)
        return
    seeds = _seed_list(git, layout, plan)
    plan.proposed = propose(layout, seeds)
    _add(git, plan, POLICY, policy_text(plan.proposed, seeds, starting_runners(layout)))
    plan.advice += runner_advice(layout)
    owners = next((path for path in CODEOWNERS if path in layout.paths), None)
    if owners is not None:
        plan.advice.append(
            f"{owners} says who owns a test: `owners: codeowners` in {POLICY} lets nobody else own a freeze"
        )


def _seed_list(git: Git, layout: Layout, plan: Plan) -> str | None:
    """The path of the seed list: one that exists and is long enough, else a new one in the main test root."""
    least = Limits().min_seeds
    for found in layout.seed_lists:
        if found.seeds >= least and literal(found.path) == f"/{found.path}":
            return found.path
        plan.advice.append(f"{found.path} looks like a seed list, but a replay needs {least} different seeds")
    root = layout.main_root
    if root is None:
        plan.advice.append("no tests were found, so there is no seed list: name one in `seeds:` when there are")
        return None
    path = f"{root.path}/seeds/gate.json"
    if literal(path) != f"/{path}":
        plan.advice.append("the test folder has an odd name, so there is no seed list: name one in `seeds:`")
        return None
    _add(git, plan, path, seeds_text())
    return path


def _plan_attributes(git: Git, plan: Plan) -> None:
    before = read_regular(git.root, ATTRIBUTES)
    lines = (before or b"").decode(errors="surrogateescape").splitlines()
    named = [line.strip() for line in lines if line.split()[:1] in ([REPLAYS], [f"/{REPLAYS}"])]
    if named:
        plan.kept.append(ATTRIBUTES)
        if all("merge=union" not in line or "eol=lf" not in line for line in named):
            plan.advice.append(
                f"{ATTRIBUTES} treats {REPLAYS} in its own way; branches append best with: {_MERGE_LINE}"
            )
        return
    end = b"\r\n" if b"\r\n" in (before or b"") else b"\n"
    missing_end = end if before and not before.endswith(b"\n") else b""
    plan.files.append(PlannedFile(ATTRIBUTES, before, (before or b"") + missing_end + _MERGE_LINE.encode() + end))


def _plan_guard(git: Git, source: ToolSource, plan: Plan) -> None:
    before = read_regular(git.root, GUARD)
    config = hook_config(before, source)
    if config.text is None:
        plan.kept.append(GUARD)
    else:
        plan.files.append(PlannedFile(GUARD, before, config.text))
        if source.repo is None:
            plan.advice.append(f"{GUARD} runs the installed flakeledger: everybody who commits needs it on PATH")
    plan.advice += config.advice


def _plan_gate(git: Git, layout: Layout, source: ToolSource, plan: Plan) -> None:
    service = _service(git, layout)
    if service == "github":
        if not stands(git.root, WORKFLOW) and source.note:
            plan.advice.append(source.note)
        _add(git, plan, WORKFLOW, workflow_text(source, _default_branches(git)))
    elif service == "gitlab":
        plan.advice.append(f"add this job to .gitlab-ci.yml, and let merge requests need it\n{gitlab_job(source)}")
    else:
        plan.advice.append(
            f"let {service} run, in a clone with its whole history: {install_command(source)}; "
            "flakeledger check-ledgers; flakeledger check-change"
        )


def _service(git: Git, layout: Layout) -> str:
    """The service that runs the gate: "github", "gitlab", or the file of another one."""
    if any(path.startswith(".github/") for path in layout.paths):
        return "github"
    if ".gitlab-ci.yml" in layout.paths:
        return "gitlab"
    origin = git.config("remote.origin.url") or ""
    if _GITHUB.search(origin):
        return "github"
    other = next((path for path in layout.paths if path.startswith(_OTHER_SERVICES)), None)
    return other or ("gitlab" if _GITLAB.search(origin) else "github")


def _default_branches(git: Git) -> list[str]:
    known = git.symbolic_target("refs/remotes/origin/HEAD")
    return ["main", "master"] if known is None else [known.removeprefix("refs/remotes/origin/")]


def _check(plan: Plan) -> None:
    """CannotTell when a text that would be written is not what the product reads without a finding."""
    for planned in plan.files:
        found = _mistakes(planned)
        if found:
            fix = f"write {planned.path} by hand"
            raise CannotTell(f"the text for {planned.path} would be refused: {found[0].message}", fix)


def _mistakes(planned: PlannedFile) -> list[Finding]:
    """What the product would find in a ledger that is about to be written."""
    if planned.path == POLICY:
        node, findings = read_policy(planned.after, POLICY)
        return findings if node is None else [*findings, *build_policy(node, POLICY)[1]]
    if planned.path in (FREEZES, FIXTURES, PROPERTIES):
        return read_rows(planned.after, planned.path).findings
    return []
