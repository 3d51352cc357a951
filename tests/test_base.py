"""Which base and which new tree: every row of the table, on real repositories and through real hooks."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from conftest import git
from flakeledger.model.errors import CannotTell
from flakeledger.repo.base import INDEX, Basis, new_tree, resolve
from flakeledger.store.git import Git

ZEROS = "0" * 40
EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
HOOK = """#!{python}
import json, os
from flakeledger.repo.base import resolve
from flakeledger.store.git import Git
found = Git.open(os.getcwd(), os.environ)
basis = resolve(found, base=None, head=None, environment=os.environ)
changed = [change.path for change in found.index_changes(basis.base)]
with open({log!r}, "a") as log:
    print(json.dumps([basis._asdict(), changed]), file=log)
"""


def basis_of(
    where: Path, variables: Mapping[str, str] | None = None, *, base: str | None = None, head: str | None = None
) -> Basis:
    environment = os.environ | dict(variables or {})
    return resolve(Git.open(str(where), environment), base=base, head=head, environment=environment)


def tree_of(where: Path, variables: Mapping[str, str] | None = None, head: str | None = None) -> str:
    environment = os.environ | dict(variables or {})
    return new_tree(Git.open(str(where), environment), head=head, environment=environment)


def commit(where: Path, path: str, content: str = "1\n") -> str:
    (where / path).parent.mkdir(parents=True, exist_ok=True)
    (where / path).write_text(content)
    git(where, "add", "-A")
    git(where, "commit", "-qm", path)
    return git(where, "rev-parse", "HEAD")


def merge(where: Path, other: str) -> str:
    git(where, "merge", "-q", "--no-ff", "-m", f"merge {other}", other)
    return git(where, "rev-parse", "HEAD")


def stage(where: Path, path: str = "staged") -> None:
    (where / path).write_text("staged\n")
    git(where, "add", path)


def hooked(where: Path, *names: str) -> Path:
    """Install a real git hook that writes down its basis; gives the log."""
    log = where.parent / "log"
    for name in names:
        hook = where / ".git" / "hooks" / name
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(HOOK.format(python=sys.executable, log=str(log)))
        hook.chmod(0o755)
    return log


def logged(log: Path) -> list[tuple[Basis, list[str]]]:
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    log.unlink()
    return [(_basis(read), changed) for read, changed in lines]


def _basis(read: dict[str, Any]) -> Basis:
    """A basis that was JSON in between, which has no tuples."""
    merge_bases = tuple(tuple(bases) for bases in read["merge_bases"])
    return Basis(**read | {"merged": tuple(read["merged"]), "merge_bases": merge_bases})


@pytest.fixture(scope="module")
def built() -> dict[str, Path]:
    """Repositories that were built once, to be copied; by name."""
    return {}


def copied(name: str, build: Callable[[Path], None], built: dict[str, Path], tmp_path: Path) -> Path:
    """A copy of a repository that is built at its first use."""
    where = tmp_path / "repository"
    if name in built:
        shutil.copytree(built[name], where, symlinks=True)
        return where
    git(tmp_path, "init", "-q", str(where))
    build(where)
    kept = tmp_path / "kept"
    shutil.copytree(where, kept, symlinks=True)
    built[name] = kept
    return where


def build_history(where: Path) -> None:
    commit(where, "one")
    git(where, "checkout", "-q", "-b", "topic")
    commit(where, "topic1")
    commit(where, "topic2")
    git(where, "checkout", "-q", "main")
    commit(where, "two")


@pytest.fixture
def history(built: dict[str, Path], tmp_path: Path) -> Path:
    """main: one, two; topic: from one, with `topic1` and `topic2`. On main."""
    return copied("history", build_history, built, tmp_path)


def oid(where: Path, revision: str) -> str:
    return git(where, "rev-parse", revision)


def unknown(
    where: Path, variables: Mapping[str, str] | None = None, *, base: str | None = None, head: str | None = None
) -> str:
    """The reason why no base is known; the fix names every platform."""
    with pytest.raises(CannotTell) as refused:
        basis_of(where, variables, base=base, head=head)
    for word in ("fetch-depth: 2", "GIT_DEPTH: 0", "ci: skip: [check-change]", "--base REV"):
        assert word in refused.value.fix
    assert refused.value.reason.startswith("base unknown: ")
    return refused.value.reason


# committing


def test_commit_hooks_of_every_kind(history: Path) -> None:
    head = oid(history, "HEAD")
    for path in ("one", "two"):
        (history / path).write_text("edited\n")
    git(history, "add", "two")
    log = hooked(history, "pre-commit")
    git(history, "commit", "-qm", "only one", "one")  # next-index-PID.lock: `two` stays staged and out of it
    git(history, "commit", "-qm", "what is staged")
    (history / "one").write_text("again\n")
    git(history, "commit", "-qam", "all")  # index.lock
    git(history, "commit", "-q", "--amend", "-m", "amended")
    git(history, "commit", "-q", "--allow-empty", "-m", "nothing")
    found = logged(log)
    assert [basis.context for basis, _ in found] == ["commit"] * 5
    assert [changed for _, changed in found] == [["one"], ["two"], ["one"], [], []]
    assert [basis.new for basis, _ in found] == [INDEX] * 5
    assert found[0][0] == Basis("commit", head, INDEX, why=f"commit: HEAD {head[:7]} -> index")
    assert found[4][0].base == oid(history, "HEAD~1")


def test_first_commit(repository: Path) -> None:
    log = hooked(repository, "pre-commit")
    commit(repository, "a")
    [(basis, changed)] = logged(log)
    assert basis == Basis("first-commit", EMPTY_TREE, INDEX, why="first-commit: the empty tree -> index")
    assert changed == ["a"]


def test_first_commit_of_an_orphan_branch_is_judged_by_the_default_branch(history: Path) -> None:
    git(history, "checkout", "-q", "--orphan", "fresh")
    basis = basis_of(history)
    assert (basis.context, basis.base, basis.tip) == ("first-commit", EMPTY_TREE, oid(history, "main"))


def test_commit_in_a_linked_worktree_and_from_a_subfolder(history: Path) -> None:
    log = hooked(history, "pre-commit")
    linked = history.parent / "linked"
    git(history, "worktree", "add", "-q", "-b", "other", str(linked), "topic")
    (linked / "sub").mkdir()
    stage(linked, "sub/new")
    git(linked / "sub", "commit", "-qm", "new")
    [(basis, changed)] = logged(log)
    assert (basis.context, basis.base, changed) == ("commit", oid(history, "topic"), ["sub/new"])
    assert (basis.tip, basis.branch_point) == (oid(history, "main"), oid(history, "main~1"))


def test_staged_without_a_hook_also_from_a_subfolder(history: Path) -> None:
    (history / "sub").mkdir()
    stage(history)
    basis = basis_of(history / "sub")
    assert (basis.context, basis.base, basis.new) == ("commit", oid(history, "HEAD"), INDEX)


def test_an_intent_to_add_is_no_commit(history: Path) -> None:
    (history / "announced").write_text("later\n")
    git(history, "add", "-N", "announced")
    assert basis_of(history).context == "branch-tip"


def test_committing_on_a_branch_knows_where_it_left(history: Path) -> None:
    git(history, "checkout", "-q", "topic")
    stage(history)
    main, left = oid(history, "main"), oid(history, "main~1")
    topic = oid(history, "topic")
    assert basis_of(history) == Basis(
        "commit",
        topic,
        INDEX,
        tip=main,
        branch_point=left,
        why=f"commit: HEAD {topic[:7]} -> index, judged by the policy of {main[:7]}",
    )


@pytest.mark.parametrize(
    ("setup", "expected"),
    [
        pytest.param((), (None, None), id="the only main there is"),
        pytest.param(
            (("update-ref", "refs/remotes/origin/main", "main~1"),), ("main~1", "main~1"), id="ahead of origin"
        ),
        pytest.param((("update-ref", "refs/remotes/origin/main", "main"),), ("main", None), id="level with origin"),
        pytest.param((("update-ref", "refs/remotes/origin/master", "topic"),), ("topic", "main~1"), id="origin/master"),
        pytest.param(
            (
                ("update-ref", "refs/remotes/origin/main", "main"),
                ("update-ref", "refs/remotes/origin/develop", "topic"),
                ("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/develop"),
            ),
            ("topic", "main~1"),
            id="origin/HEAD before origin/main",
        ),
        pytest.param(
            (("update-ref", "refs/remotes/origin/main", "main"), ("config", "flakeledger.base", "topic")),
            ("topic", "main~1"),
            id="the configured base before all",
        ),
        pytest.param((("config", "flakeledger.base", "main"),), (None, None), id="configured to be itself"),
        pytest.param((("checkout", "-q", "--detach", "main~1"),), ("main", None), id="behind"),
        pytest.param(
            (("checkout", "-q", "--orphan", "fresh"), ("commit", "-qm", "unrelated")), ("main", None), id="unrelated"
        ),
    ],
)
def test_tip_and_branch_point(
    history: Path, setup: tuple[tuple[str, ...], ...], expected: tuple[str | None, ...]
) -> None:
    for command in setup:
        git(history, *command)
    stage(history)
    basis = basis_of(history)
    assert basis.context == "commit"
    assert (basis.tip, basis.branch_point) == tuple(name and oid(history, name) for name in expected)


def test_a_configured_base_that_is_not_here(history: Path) -> None:
    git(history, "config", "flakeledger.base", "origin/nowhere")
    stage(history)
    with pytest.raises(CannotTell, match=r"git config flakeledger\.base is 'origin/nowhere'") as refused:
        basis_of(history)
    assert "git config flakeledger.base" in refused.value.fix


def test_a_broken_head_is_no_first_commit(history: Path) -> None:
    (history / ".git" / "refs" / "heads" / "main").write_text(f"{'12' * 20}\n")
    with pytest.raises(CannotTell, match="HEAD names a commit"):
        basis_of(history)


# merging


def test_clean_merge_through_its_own_hook(history: Path) -> None:
    log = hooked(history, "pre-merge-commit", "pre-commit")
    main, topic, left = oid(history, "main"), oid(history, "topic"), oid(history, "main~1")
    merge(history, "topic")
    [(basis, changed)] = logged(log)
    assert basis == Basis(
        "merge", main, INDEX, (topic,), ((left,),), why=f"merge: HEAD {main[:7]} -> index, merging {topic[:7]}"
    )
    assert changed == ["topic1", "topic2"]


def test_a_merge_of_two_heads(history: Path) -> None:
    git(history, "branch", "other", "topic~1")
    git(history, "checkout", "-q", "other")
    commit(history, "other")
    git(history, "checkout", "-q", "main")
    log = hooked(history, "pre-merge-commit")
    git(history, "merge", "-q", "-m", "two", "topic", "other")
    [(basis, changed)] = logged(log)
    left = oid(history, "main~2")
    assert dict(zip(basis.merged, basis.merge_bases, strict=True)) == dict.fromkeys(
        (oid(history, "topic"), oid(history, "other")), (left,)
    )
    assert changed == ["other", "topic1", "topic2"]


def test_a_merge_without_a_common_ancestor(history: Path) -> None:
    git(history, "checkout", "-q", "--orphan", "fresh")
    git(history, "rm", "-qrf", ".")
    fresh = commit(history, "fresh")
    git(history, "checkout", "-q", "main")
    log = hooked(history, "pre-merge-commit")
    git(history, "merge", "-q", "-m", "fresh", "--allow-unrelated-histories", "fresh")
    [(basis, _)] = logged(log)
    assert (basis.merged, basis.merge_bases) == ((fresh,), ((),))


def test_conflicted_merge(history: Path) -> None:
    git(history, "checkout", "-q", "topic")
    commit(history, "two", "theirs\n")
    git(history, "checkout", "-q", "main")
    main, topic = oid(history, "main"), oid(history, "topic")
    log = hooked(history, "pre-commit")
    stopped = subprocess.run(["git", "merge", "-q", "topic"], cwd=history, capture_output=True, check=False)
    assert stopped.returncode == 1
    assert basis_of(history).context == "merge"
    stage(history, "two")
    git(history, "commit", "-qm", "resolved")
    [(basis, _)] = logged(log)
    assert (basis.context, basis.base, basis.merged) == ("merge", main, (topic,))


def test_variables_of_a_merge_that_is_over_do_not_count(history: Path) -> None:
    merged = oid(history, "topic")
    merge(history, "topic")
    stage(history)
    assert basis_of(history, {f"GITHEAD_{merged}": "topic"}).context == "commit"


def test_a_merged_head_that_is_not_here(history: Path) -> None:
    (history / ".git" / "MERGE_HEAD").write_text(f"{'12' * 20}\n")
    assert "the merged head" in unknown(history)


# given, pushed


def test_explicit(history: Path) -> None:
    main, topic, left = oid(history, "main"), oid(history, "topic"), oid(history, "main~1")
    given = basis_of(history, base="main", head="topic")
    assert given[:3] == ("explicit", left, topic)
    assert (given.tip, given.stepwise) == (main, False)
    assert given.why == f"explicit: {left[:7]} -> {topic[:7]}, judged by the policy of {main[:7]}"
    assert basis_of(history, base="topic")[:3] == ("explicit", left, INDEX)
    assert basis_of(history, base="HEAD")[:3] == ("explicit", main, INDEX)
    assert basis_of(history, head="topic")[:3] == ("branch", left, topic)
    git(history, "checkout", "-q", "--orphan", "fresh")
    git(history, "commit", "-qm", "unrelated")
    assert basis_of(history, base="main", head="fresh")[:3] == ("explicit", main, oid(history, "fresh"))
    assert (tree_of(history), tree_of(history, head="topic")) == (INDEX, topic)


def test_explicit_comes_before_everything_else(history: Path) -> None:
    stage(history)
    variables = {"GIT_INDEX_FILE": ".git/index", "GITHUB_EVENT_PATH": "/nowhere"}
    assert basis_of(history, variables, base="main~1", head="main").context == "explicit"


@pytest.mark.parametrize(
    ("base", "head", "reason"),
    [
        ("nowhere", None, "--base 'nowhere'"),
        ("main", "nowhere", "--head 'nowhere'"),
        (ZEROS, "main", "--base '000"),
        ("--all", None, "--base '--all'"),
        ("main..topic", None, "--base 'main..topic'"),
    ],
)
def test_explicit_revisions_that_name_no_commit(history: Path, base: str, head: str | None, reason: str) -> None:
    assert reason in unknown(history, base=base, head=head)


def test_a_range_of_no_commits_is_no_answer(history: Path) -> None:
    for base, head in (("main", "main"), ("main", "main~1")):
        with pytest.raises(CannotTell, match="holds 0 commits"):
            basis_of(history, base=base, head=head)
    with pytest.raises(CannotTell, match="holds 0 commits"):
        basis_of(history, {"CI": "true"}, base="main")
    stage(history)
    assert basis_of(history, {"CI": "true"}, base="main").new == INDEX


def pushing(where: Path, start: str | None, to: str, branch: str = "refs/heads/topic", **more: str) -> dict[str, str]:
    variables = {
        "PRE_COMMIT_REMOTE_NAME": "origin",
        "PRE_COMMIT_REMOTE_URL": "https://example.org/it.git",
        "PRE_COMMIT_REMOTE_BRANCH": branch,
        "PRE_COMMIT_LOCAL_BRANCH": to,
    }
    if start is not None:
        variables |= {"PRE_COMMIT_FROM_REF": oid(where, start), "PRE_COMMIT_TO_REF": oid(where, to)}
    return variables | more


def test_pre_push_of_a_branch(history: Path) -> None:
    git(history, "update-ref", "refs/remotes/origin/main", "main")
    basis = basis_of(history, pushing(history, "topic~1", "refs/heads/topic"))
    assert basis[:3] == ("pre-push", oid(history, "topic~1"), oid(history, "topic"))
    assert (basis.tip, basis.stepwise, basis.on_default_branch) == (oid(history, "main"), False, False)
    assert tree_of(history, pushing(history, "topic~1", "refs/heads/topic")) == oid(history, "topic")


def test_pre_push_is_judged_by_from_where_nothing_better_is_known(history: Path) -> None:
    git(history, "branch", "-m", "main", "trunk")
    assert basis_of(history, pushing(history, "topic~1", "topic")).tip == oid(history, "topic~1")
    git(history, "branch", "main", "topic")  # holds what is pushed: nobody judges himself
    assert basis_of(history, pushing(history, "topic~1", "topic")).tip == oid(history, "topic~1")


@pytest.mark.parametrize(
    ("branch", "setup", "stepwise"),
    [
        ("refs/heads/main", (), True),
        ("refs/heads/master", (), True),
        ("refs/heads/develop", (), False),
        ("refs/heads/develop", (("config", "flakeledger.base", "origin/develop"),), True),
        ("refs/heads/main", (("config", "flakeledger.base", "refs/remotes/origin/develop"),), False),
        ("refs/heads/main", (("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/develop"),), False),
        ("refs/heads/develop", (("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/develop"),), True),
    ],
)
def test_pre_push_to_the_default_branch_is_stepwise(
    history: Path, branch: str, setup: tuple[tuple[str, ...], ...], stepwise: bool
) -> None:
    git(history, "update-ref", "refs/remotes/origin/develop", "main~1")
    for command in setup:
        git(history, *command)
    basis = basis_of(history, pushing(history, "main~1", "main", branch))
    assert basis[:3] == ("pre-push", oid(history, "main~1"), oid(history, "main"))
    assert basis.stepwise is stepwise


def test_force_push(history: Path) -> None:
    basis = basis_of(history, pushing(history, "topic", "main", "refs/heads/main"))
    assert basis[:3] == ("pre-push", oid(history, "main~1"), oid(history, "main"))
    assert (basis.tip, basis.stepwise) == (oid(history, "topic"), True)
    taken_away = basis_of(history, pushing(history, "topic", "topic~1"))
    assert taken_away[:3] == ("pre-push", oid(history, "topic~1"), oid(history, "topic~1"))


def test_a_range_of_pre_commit_without_a_push(history: Path) -> None:
    variables = {"PRE_COMMIT_FROM_REF": "main", "PRE_COMMIT_TO_REF": "topic"}
    assert basis_of(history, variables)[:3] == ("pre-push", oid(history, "main~1"), oid(history, "topic"))
    with pytest.raises(CannotTell, match="holds 0 commits"):
        basis_of(history, {"PRE_COMMIT_FROM_REF": "main", "PRE_COMMIT_TO_REF": "main~1"})
    assert "PRE_COMMIT_FROM_REF 'gone'" in unknown(history, variables | {"PRE_COMMIT_FROM_REF": "gone"})
    assert "PRE_COMMIT_TO_REF 'gone'" in unknown(history, variables | {"PRE_COMMIT_TO_REF": "gone"})


def test_first_push(history: Path) -> None:
    topic = pushing(history, None, "refs/heads/topic")
    assert basis_of(history, topic) == Basis(
        "first-push",
        EMPTY_TREE,
        oid(history, "topic"),
        why=f"first-push: the empty tree -> {oid(history, 'topic')[:7]}",
    )
    assert tree_of(history, topic) == oid(history, "topic")
    git(history, "update-ref", "refs/remotes/origin/main", "main")
    assert basis_of(history, topic)[:3] == ("first-push", oid(history, "main~1"), oid(history, "topic"))
    assert basis_of(history, topic).tip == oid(history, "main")
    assert basis_of(history, topic | {"PRE_COMMIT_REMOTE_NAME": "backup"}).base == EMPTY_TREE
    assert basis_of(history, pushing(history, None, "refs/heads/main"))[:2] == ("first-push", oid(history, "main~1"))
    zeros = {"PRE_COMMIT_FROM_REF": ZEROS, "PRE_COMMIT_TO_REF": "topic"}
    assert basis_of(history, zeros)[:3] == ("first-push", oid(history, "main~1"), oid(history, "topic"))


def test_first_push_against_the_configured_base_unless_it_is_what_is_pushed(history: Path) -> None:
    git(history, "config", "flakeledger.base", "main")
    assert basis_of(history, pushing(history, None, "refs/heads/topic")).base == oid(history, "main~1")
    assert basis_of(history, pushing(history, None, "refs/heads/main")).base == EMPTY_TREE


def test_first_push_of_something_that_is_not_named(history: Path) -> None:
    assert "PRE_COMMIT_LOCAL_BRANCH" in unknown(history, {"PRE_COMMIT_REMOTE_NAME": "origin"})


# services


def build_hosted(where: Path) -> None:
    build_history(where)
    git(where, "checkout", "-q", "--detach", "main")
    merge(where, "topic")
    git(where, "update-ref", "refs/pull/1/merge", "HEAD")
    git(where, "checkout", "-q", "main")
    git(where, "config", "uploadpack.allowAnySHA1InWant", "true")


@pytest.fixture
def hosted(built: dict[str, Path], tmp_path: Path) -> Path:
    """`history` with a test merge of topic into main, as a host keeps it."""
    return copied("hosted", build_hosted, built, tmp_path)


def fetched(hosted: Path, reference: str, depth: int | None) -> Path:
    """A checkout as actions/checkout makes it: one reference at a depth, or everything."""
    where = hosted.parent / f"checkout-{len(list(hosted.parent.iterdir()))}"
    git(hosted.parent, "init", "-q", str(where))
    git(where, "remote", "add", "origin", f"file://{hosted}")
    if depth is None:
        git(where, "fetch", "-q", "origin", "+refs/heads/*:refs/remotes/origin/*", f"+{reference}:refs/remotes/asked")
    else:
        git(where, "fetch", "-q", f"--depth={depth}", "origin", f"+{reference}:refs/remotes/asked")
    git(where, "checkout", "-q", "--detach", "refs/remotes/asked")
    return where


def event(where: Path, name: str, content: object) -> dict[str, str]:
    path = where.parent / "event.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return {"CI": "true", "GITHUB_ACTIONS": "true", "GITHUB_EVENT_NAME": name, "GITHUB_EVENT_PATH": str(path)}


def pull_request(hosted: Path) -> dict[str, object]:
    base = {"ref": "main", "sha": oid(hosted, "main~1")}  # stale: main has moved on
    return {"before": ZEROS, "pull_request": {"head": {"sha": oid(hosted, "topic")}, "base": base}}


@pytest.mark.parametrize("depth", [1, 2, None])
def test_github_pull_request_at_every_depth(hosted: Path, depth: int | None) -> None:
    where = fetched(hosted, "refs/pull/1/merge", depth)
    variables = event(where, "pull_request", pull_request(hosted))
    main, head = oid(hosted, "main"), oid(hosted, "refs/pull/1/merge")
    if depth == 1:
        reason = unknown(where, variables)
        assert main in reason
        assert reason.endswith("the clone is shallow")
        return
    assert basis_of(where, variables) == Basis(
        "github-pull-request", main, head, tip=main, why=f"github-pull-request: {main[:7]} -> HEAD {head[:7]}"
    )


def test_github_pull_request_whose_merge_has_a_newer_head(hosted: Path) -> None:
    where = fetched(hosted, "refs/pull/1/merge", 2)
    pull = {"pull_request": {"head": {"sha": oid(hosted, "topic~1")}, "base": {"ref": "main", "sha": ZEROS}}}
    variables = event(where, "pull_request", pull) | {"GITHUB_SHA": oid(where, "HEAD")}
    assert basis_of(where, variables).base == oid(hosted, "main")


@pytest.mark.parametrize("depth", [1, 2, None])
def test_github_pull_request_of_which_the_branch_is_checked_out(hosted: Path, depth: int | None) -> None:
    where = fetched(hosted, "refs/heads/topic", depth)
    variables = event(where, "pull_request", pull_request(hosted))
    if depth is not None:
        assert "refs/remotes/origin/main" in unknown(where, variables)
        return
    basis = basis_of(where, variables)
    assert basis[:3] == ("github-pull-request", oid(hosted, "main~1"), oid(hosted, "topic"))
    assert basis.tip == oid(hosted, "main")


def test_github_pull_request_of_which_the_base_is_checked_out(hosted: Path) -> None:
    where = fetched(hosted, "refs/heads/main", None)
    with pytest.raises(CannotTell, match="holds 0 commits"):
        basis_of(where, event(where, "pull_request_target", pull_request(hosted)))


def push(before: str, branch: str, default: str | None = "main") -> dict[str, object]:
    repository = {} if default is None else {"repository": {"default_branch": default}}
    return {"before": before, "ref": f"refs/heads/{branch}", **repository}


@pytest.mark.parametrize("depth", [1, 2, None])
def test_github_push_to_the_default_branch(hosted: Path, depth: int | None) -> None:
    where = fetched(hosted, "refs/heads/main", depth)
    before, head = oid(hosted, "main~1"), oid(hosted, "main")
    variables = event(where, "push", push(before, "main"))
    if depth == 1:
        assert before in unknown(where, variables)
        return
    assert basis_of(where, variables) == Basis(
        "github-push",
        before,
        head,
        stepwise=True,
        tip=before,
        on_default_branch=True,
        why=f"github-push: {before[:7]} -> HEAD {head[:7]}, each first-parent step",
    )


@pytest.mark.parametrize(
    ("event_of", "context", "base", "tip", "stepwise", "on_default"),
    [
        (push("topic", "main"), "github-push", "topic", "topic", False, True),
        (push(ZEROS, "main"), "first-push", EMPTY_TREE, None, False, True),
        (push("main~1", "main", None), "github-push", "main~1", "main~1", True, True),
        (push("main~1", "main", "trunk"), "github-push", "main~1", None, False, False),
        (push(ZEROS, "release"), "first-push", "main~1", None, False, False),
        ({"before": ZEROS, "ref": "refs/tags/main"}, "first-push", "main~1", None, False, False),
        ({"schedule": "0 0 * * *"}, "github-schedule", "main~1", None, False, True),
        ({"merge_group": {"base_sha": "main~1"}}, "github-merge-group", "main~1", "main~1", True, False),
        ({"merge_group": {"base_sha": "topic"}}, "github-merge-group", "topic", "topic", False, False),
    ],
)
def test_github_events_on_the_tip_of_main(
    hosted: Path,
    event_of: dict[str, object],
    context: str,
    base: str,
    tip: str | None,
    stepwise: bool,
    on_default: bool,
) -> None:
    where = fetched(hosted, "refs/heads/main", None)

    def with_ids(part: object) -> object:
        if isinstance(part, dict):
            return {key: with_ids(value) for key, value in part.items()}
        return oid(hosted, str(part)) if part in ("topic", "main~1") else part

    content = with_ids(event_of)
    name = next((name for name in ("schedule", "merge_group") if name in event_of), "push")
    expected_base = base if base == EMPTY_TREE else oid(hosted, base)
    expected = (context, expected_base, tip and oid(hosted, tip), stepwise, on_default)
    for variables in (event(where, name, content), event(where, name, content) | {"GITHUB_EVENT_NAME": ""}):
        basis = basis_of(where, variables)
        assert (basis.context, basis.base, basis.tip, basis.stepwise, basis.on_default_branch) == expected
        assert basis.new == oid(hosted, "main")


@pytest.mark.parametrize("before", [ZEROS, "topic~1"])
def test_github_push_of_a_branch_is_judged_as_the_branch(hosted: Path, before: str) -> None:
    where = fetched(hosted, "refs/heads/topic", None)
    basis = basis_of(where, event(where, "push", push(before if before == ZEROS else oid(hosted, before), "topic")))
    assert basis.context == ("first-push" if before == ZEROS else "github-push")
    assert basis[1:3] == (oid(hosted, "main~1"), oid(hosted, "topic"))
    assert (basis.tip, basis.stepwise, basis.on_default_branch) == (oid(hosted, "main"), False, False)


def test_github_push_of_a_branch_where_the_default_one_is_not_here(hosted: Path) -> None:
    where = fetched(hosted, "refs/heads/topic", 2)
    before = oid(hosted, "topic~1")
    assert basis_of(where, event(where, "push", push(before, "topic")))[:2] == ("github-push", before)
    assert "nothing was there before" in unknown(where, event(where, "push", push(ZEROS, "topic")))
    assert oid(hosted, "main~1") in unknown(where, event(where, "push", push(oid(hosted, "main~1"), "topic")))


def test_github_push_of_nothing(hosted: Path) -> None:
    where = fetched(hosted, "refs/heads/main", None)
    with pytest.raises(CannotTell, match="holds 0 commits"):
        basis_of(where, event(where, "push", push(oid(hosted, "main"), "main")))


def test_a_default_branch_that_is_cut_before_its_base(hosted: Path) -> None:
    for count in range(3):
        commit(hosted, f"more{count}")
    where = fetched(hosted, "refs/heads/main", 2)
    before = oid(hosted, "main~3")
    git(where, "fetch", "-q", "--depth=1", "origin", before)
    assert "too shallow" in unknown(where, event(where, "push", push(before, "main")))


@pytest.mark.parametrize("content", ["", "{", "[]", "null", "[" * 100_000, '"text"'])
def test_a_broken_event_is_no_missing_event(hosted: Path, content: str) -> None:
    with pytest.raises(CannotTell, match="GITHUB_EVENT_PATH"):
        basis_of(hosted, event(hosted, "push", content))


def test_an_event_file_that_is_not_there(hosted: Path) -> None:
    with pytest.raises(CannotTell, match=r"GITHUB_EVENT_PATH '/nowhere/event\.json' cannot be read"):
        basis_of(hosted, {"GITHUB_EVENT_PATH": "/nowhere/event.json"})


def test_an_event_of_strange_shape_has_no_base(hosted: Path) -> None:
    strange: list[dict[str, object]] = [
        {"pull_request": {}},
        {"pull_request": {"head": 1, "base": {"ref": ["x"], "sha": None}}},
    ]
    for content in strange:
        assert "is a commit whose tree is here" in unknown(hosted, event(hosted, "pull_request", content))
    assert "merge_group.base_sha" in unknown(hosted, event(hosted, "merge_group", {"merge_group": {"base_sha": 1}}))
    assert "before the push" in unknown(hosted, event(hosted, "push", {"ref": "refs/heads/main", "before": None}))


def test_a_commit_inside_of_a_service_is_a_commit(hosted: Path) -> None:
    stage(hosted)
    assert basis_of(hosted, event(hosted, "push", push(ZEROS, "main"))).context == "commit"


def merge_request(hosted: Path) -> dict[str, str]:
    return {
        "CI": "true",
        "GITLAB_CI": "true",
        "CI_MERGE_REQUEST_IID": "1",
        "CI_MERGE_REQUEST_DIFF_BASE_SHA": oid(hosted, "main~1"),
        "CI_MERGE_REQUEST_SOURCE_BRANCH_SHA": oid(hosted, "topic"),
        "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main",
    }


def test_gitlab_merge_request(hosted: Path) -> None:
    variables = merge_request(hosted)
    branch = basis_of(fetched(hosted, "refs/heads/topic", None), variables)
    assert branch[:3] == ("gitlab-merge-request", oid(hosted, "main~1"), oid(hosted, "topic"))
    assert branch.tip == oid(hosted, "main")
    assert oid(hosted, "main~1") in unknown(fetched(hosted, "refs/heads/topic", 2), variables)
    merged = basis_of(fetched(hosted, "refs/pull/1/merge", 2), variables)
    assert merged[:3] == ("gitlab-merge-request", oid(hosted, "main"), oid(hosted, "refs/pull/1/merge"))
    assert merged.tip == oid(hosted, "main")


def test_gitlab_branches(hosted: Path) -> None:
    service = {"CI": "true", "GITLAB_CI": "true", "CI_DEFAULT_BRANCH": "main"}
    main = service | {"CI_COMMIT_BRANCH": "main", "CI_COMMIT_BEFORE_SHA": oid(hosted, "main~1")}
    where = fetched(hosted, "refs/heads/main", None)
    pushed = basis_of(where, main | {"CI_PIPELINE_SOURCE": "push"})
    assert pushed[:3] == ("gitlab-push", oid(hosted, "main~1"), oid(hosted, "main"))
    assert (pushed.stepwise, pushed.on_default_branch) == (True, True)
    nightly = basis_of(where, main | {"CI_PIPELINE_SOURCE": "schedule", "CI_COMMIT_BEFORE_SHA": ZEROS})
    assert nightly[:2] == ("gitlab-schedule", oid(hosted, "main~1"))
    assert nightly.on_default_branch
    assert "no known service" in unknown(where, main | {"CI_PIPELINE_SOURCE": "web"})
    topic = service | {"CI_COMMIT_BRANCH": "topic", "CI_COMMIT_BEFORE_SHA": ZEROS, "CI_PIPELINE_SOURCE": "push"}
    assert basis_of(fetched(hosted, "refs/heads/topic", None), topic)[:2] == ("first-push", oid(hosted, "main~1"))


# nothing staged


@pytest.mark.parametrize("depth", [1, 2, None])
def test_detached_merge_at_every_depth(hosted: Path, depth: int | None) -> None:
    where = fetched(hosted, "refs/pull/1/merge", depth)
    main, head = oid(hosted, "main"), oid(hosted, "refs/pull/1/merge")
    if depth == 1:
        assert main in unknown(where)
        return
    assert basis_of(where) == Basis(
        "detached-merge", main, head, tip=main, why=f"detached-merge: {main[:7]} -> HEAD {head[:7]}"
    )


def test_detached_where_nobody_says_more(hosted: Path) -> None:
    assert "HEAD is detached" in unknown(fetched(hosted, "refs/heads/topic", None))
    assert "HEAD is detached" in unknown(fetched(hosted, "refs/pull/1/merge", None), {"CI": "true"})


def test_nothing_staged_on_a_branch(history: Path) -> None:
    git(history, "checkout", "-q", "topic")
    main, left, topic = oid(history, "main"), oid(history, "main~1"), oid(history, "topic")
    assert basis_of(history) == Basis(
        "branch",
        left,
        topic,
        tip=main,
        why=f"branch: {left[:7]} -> HEAD {topic[:7]}, judged by the policy of {main[:7]}",
    )
    assert tree_of(history) == INDEX


def test_nothing_staged_on_the_base_branch_itself(history: Path) -> None:
    before, main = oid(history, "main~1"), oid(history, "main")
    why = f"branch-tip: {before[:7]} -> HEAD {main[:7]}"
    assert basis_of(history) == Basis("branch-tip", before, main, on_default_branch=True, why=why)
    merge(history, "topic")
    assert basis_of(history).base == main
    git(history, "update-ref", "refs/remotes/origin/main", "HEAD")
    git(history, "checkout", "-q", "topic")  # merged: behind the base branch
    assert basis_of(history)[:2] == ("branch-tip", oid(history, "topic~1"))


def test_nothing_staged_after_the_first_commit(repository: Path) -> None:
    first = commit(repository, "a")
    assert basis_of(repository)[:3] == ("branch-tip", EMPTY_TREE, first)


def test_nothing_staged_in_a_clone_of_depth_one(hosted: Path) -> None:
    git(hosted.parent, "clone", "-q", "--depth=1", f"file://{hosted}", "shallow")
    where = hosted.parent / "shallow"
    assert unknown(where).endswith("the clone is shallow")
    stage(where)
    head = oid(where, "HEAD")
    assert basis_of(where)[:3] == ("commit", head, INDEX)
    git(where, "checkout", "-q", "-b", "topic")
    git(where, "commit", "-qm", "mine")
    assert basis_of(where)[:2] == ("branch", head)


def test_a_branch_whose_merge_base_is_not_here(hosted: Path) -> None:
    git(hosted.parent, "clone", "-q", "--depth=1", "--no-single-branch", f"file://{hosted}", "shallow")
    where = hosted.parent / "shallow"
    git(where, "checkout", "-q", "topic")
    assert "too shallow for the merge base" in unknown(where)
    stage(where)
    basis = basis_of(where)  # too shallow to forgive, deep enough to judge
    assert (basis.context, basis.tip, basis.branch_point) == ("commit", oid(hosted, "main"), None)


def test_no_default_branch_is_known(history: Path) -> None:
    git(history, "branch", "-m", "main", "trunk")
    reason = unknown(history)
    assert "refs/remotes/origin/HEAD" in reason
    assert "refs/heads/master" in reason


def test_a_branch_without_a_common_ancestor(history: Path) -> None:
    git(history, "checkout", "-q", "--orphan", "fresh")
    git(history, "commit", "-qm", "unrelated")
    assert "share no history" in unknown(history)
