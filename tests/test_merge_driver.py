"""The merge driver, as git runs it: merges, rebases and cherry-picks of branches that edit ledgers side by side."""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import git
from flakeledger.cli.main import main
from flakeledger.model.errors import CannotTell
from flakeledger.model.ledger_paths import FIXTURES, FREEZES, POLICY, PROPERTIES, REPLAYS
from flakeledger.repo.log_merge import merge_log
from flakeledger.repo.row_merge import merge_rows, resolved
from growing import assert_linear

TOOL = Path(sys.executable).with_name("flakeledger")
ATTRIBUTES = "ledgers/*.yaml merge=flakeledger\nledgers/replays.jsonl merge=flakeledger\n"

Owners = dict[str, str]
Edit = Callable[[str], str]

HEAD = "# yaml-language-server: $schema=freezes.json\n# what we do not trust\n\n"


def row(name: str, owner: str = "@finley") -> str:
    return f'- test: tests/{name}.py::{name}\n  owner: "{owner}"   # who answers\n  expires: 2026-11-19\n\n'


#: a ledger that somebody writes by hand
BASE = f"{HEAD}# about a\n{row('a')}# about b\n{row('b')}{row('c')}# about d\n{row('d')}# the end\n"


def key(name: str) -> str:
    return f"tests/{name}.py::{name}"


def owners(text: str | bytes) -> Owners:
    """What another YAML reader finds: the owner of each test; a test that stands twice is a failure."""
    rows = yaml.safe_load(text) or []
    found = {each["test"]: each["owner"] for each in rows}
    assert len(found) == len(rows)
    return found


def replace(old: str, new: str) -> Edit:
    def edit(text: str) -> str:
        assert old in text
        return text.replace(old, new)

    return edit


def give(name: str, owner: str) -> Edit:
    return lambda text: replace(row(name), row(name, owner))(text)


def drop(name: str) -> Edit:
    return replace(row(name), "")


def append(name: str, owner: str = "@finley") -> Edit:
    return replace("# the end\n", f"{row(name, owner)}# the end\n")


def reverse(text: str) -> str:
    """The rows the other way round, each with the comment above it."""
    parts = [f"# about a\n{row('a')}", f"# about b\n{row('b')}", row("c"), f"# about d\n{row('d')}"]
    assert "".join(parts) in text
    return text.replace("".join(parts), "".join(reversed(parts)))


def both(*edits: Edit) -> Edit:
    def edit(text: str) -> str:
        for one in edits:
            text = one(text)
        return text

    return edit


class Repository:
    """A real repository whose git runs the driver."""

    def __init__(self, root: Path) -> None:
        self.root = root
        git(root, "config", "merge.flakeledger.driver", f"'{TOOL}' merge-driver %O %A %B %P")
        git(root, "config", "core.autocrlf", "false")
        self.write(".gitattributes", ATTRIBUTES)

    def write(self, path: str, text: str) -> None:
        file = self.root / path
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(text.encode())

    def read(self, path: str = FREEZES) -> str:
        return (self.root / path).read_bytes().decode()

    def commit(self, path: str, text: str) -> None:
        self.write(path, text)
        git(self.root, "add", "-A")
        git(self.root, "commit", "-q", "--allow-empty", "-m", "edit")

    def diverge(self, base: str, ours: str, theirs: str, path: str = FREEZES) -> None:
        """A commit on work and one on other; HEAD is on work."""
        self.commit(path, base)
        git(self.root, "branch", "-q", "-M", "work")
        git(self.root, "switch", "-q", "-c", "other")
        self.commit(path, theirs)
        git(self.root, "switch", "-q", "work")
        self.commit(path, ours)

    def try_git(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(["git", *arguments], cwd=self.root, capture_output=True, text=True, check=False)


@pytest.fixture
def made(repository: Path) -> Repository:
    return Repository(repository)


def merge(made: Repository) -> subprocess.CompletedProcess[str]:
    return made.try_git("merge", "-q", "--no-edit", "other")


def rebase(made: Repository) -> subprocess.CompletedProcess[str]:
    git(made.root, "switch", "-q", "other")
    return made.try_git("rebase", "-q", "work")


def cherry_pick(made: Repository) -> subprocess.CompletedProcess[str]:
    return made.try_git("cherry-pick", "other")


WAYS = {"merge": merge, "rebase": rebase, "cherry-pick": cherry_pick}
ALL = {key(name): "@finley" for name in "abcd"}

#: what ours does, what theirs does, the owners afterwards
CLEAN: dict[str, tuple[Edit, Edit, Owners]] = {
    "both append": (append("x"), append("y"), ALL | {key("x"): "@finley", key("y"): "@finley"}),
    "both append the same": (append("x"), append("x"), ALL | {key("x"): "@finley"}),
    "both edit neighbours": (give("b", "@ada"), give("c", "@bo"), ALL | {key("b"): "@ada", key("c"): "@bo"}),
    "both edit alike": (give("b", "@ada"), both(give("b", "@ada"), drop("a")), {
        key("b"): "@ada", key("c"): "@finley", key("d"): "@finley",
    }),
    "delete and edit another": (drop("a"), give("b", "@bo"), {
        key("b"): "@bo", key("c"): "@finley", key("d"): "@finley",
    }),
    "edit and delete another": (give("b", "@bo"), drop("a"), {
        key("b"): "@bo", key("c"): "@finley", key("d"): "@finley",
    }),
    "both delete": (drop("a"), both(drop("a"), drop("d")), {key("b"): "@finley", key("c"): "@finley"}),
    "reorder and edit": (reverse, give("b", "@bo"), ALL | {key("b"): "@bo"}),
    "edit and reorder": (give("b", "@bo"), reverse, ALL | {key("b"): "@bo"}),
    "reorder and delete": (reverse, drop("c"), {test: owner for test, owner in ALL.items() if test != key("c")}),
    "reorder and append": (reverse, append("x"), ALL | {key("x"): "@finley"}),
    "delete all and append": (both(*map(drop, "abcd")), append("x"), {key("x"): "@finley"}),
}  # fmt: skip


#: every case as a merge; those that differ in kind by every other way to merge too
EVERY_WAY = ("both append", "both edit neighbours", "edit and delete another", "reorder and append")
CLEAN_WAYS = [(case, way) for case in CLEAN for way in WAYS if way == "merge" or case in EVERY_WAY]


@pytest.mark.parametrize(("case", "way"), CLEAN_WAYS)
def test_rows_of_both_sides_come_together(case: str, way: str, made: Repository) -> None:
    ours, theirs, expected = CLEAN[case]
    made.diverge(BASE, ours(BASE), theirs(BASE))
    done = WAYS[way](made)
    assert done.returncode == 0, done.stderr
    assert owners(made.read()) == expected
    assert git(made.root, "status", "--porcelain") == ""


#: what ours does, what theirs does, the rows in conflict as ours and as theirs have them, the owners of all others
CONFLICTS: dict[str, tuple[Edit, Edit, Owners, Owners, Owners]] = {
    "both edit one": (
        both(give("b", "@ada"), append("x")),
        both(give("b", "@bo"), drop("c")),
        {key("b"): "@ada"},
        {key("b"): "@bo"},
        {key("a"): "@finley", key("d"): "@finley", key("x"): "@finley"},
    ),
    "edit and delete": (
        give("b", "@ada"),
        drop("b"),
        {key("b"): "@ada"},
        {},
        {key("a"): "@finley", key("c"): "@finley", key("d"): "@finley"},
    ),
    "delete and edit": (
        drop("d"),
        give("d", "@bo"),
        {},
        {key("d"): "@bo"},
        {key("a"): "@finley", key("b"): "@finley", key("c"): "@finley"},
    ),
    "both append one": (append("x", "@ada"), append("x", "@bo"), {key("x"): "@ada"}, {key("x"): "@bo"}, ALL),
    "two at once": (
        both(give("a", "@ada"), give("b", "@ada")),
        both(give("a", "@bo"), give("b", "@bo")),
        {key("a"): "@ada", key("b"): "@ada"},
        {key("a"): "@bo", key("b"): "@bo"},
        {key("c"): "@finley", key("d"): "@finley"},
    ),
}


CONFLICT_WAYS = [(case, way) for case in CONFLICTS for way in WAYS if way == "merge" or case == "edit and delete"]


@pytest.mark.parametrize(("case", "way"), CONFLICT_WAYS)
def test_a_row_that_both_changed_is_a_conflict_of_that_row_alone(case: str, way: str, made: Repository) -> None:
    ours, theirs, our_rows, their_rows, others = CONFLICTS[case]
    made.diverge(BASE, ours(BASE), theirs(BASE))
    done = WAYS[way](made)
    assert done.returncode == 1, done.stderr
    assert git(made.root, "diff", "--name-only", "--diff-filter=U") == FREEZES
    text = made.read()
    inside, outside = split(text)
    assert set(owners("".join(inside["ours"]))) == set(our_rows)
    assert set(owners("".join(inside["theirs"]))) == set(their_rows)
    assert owners("".join(outside)) == others
    assert owners(resolved(text.encode(), ours=True)) == others | our_rows
    assert owners(resolved(text.encode(), ours=False)) == others | their_rows


def split(text: str) -> tuple[dict[str, list[str]], list[str]]:
    """The lines of both sides of all conflicts, and the lines that are in none."""
    sides: dict[str, list[str]] = {"ours": [], "theirs": []}
    outside: list[str] = []
    at = outside
    for line in text.splitlines(keepends=True):
        if line.startswith("<<<<<<< "):
            at = sides["ours"]
        elif line == "=======\n":
            at = sides["theirs"]
        elif line.startswith(">>>>>>> "):
            at = outside
        else:
            at.append(line)
    return sides, outside


def test_layout_and_comments_of_ours_stay_and_those_of_their_rows_come_along(made: Repository) -> None:
    mine = replace("# about b\n", "# about b, and more\n")
    new = "# about x\n- test: tests/x.py::x\n  # why we know\n  owner: '@bo'\n  expires: 2026-11-19\n\n"
    theirs = both(give("a", "@bo"), replace("# the end\n", f"{new}# the end\n"), replace("# about d", "# all about d"))
    made.diverge(BASE, mine(BASE), theirs(BASE))
    assert merge(made).returncode == 0
    assert made.read() == theirs(mine(BASE))


def test_a_comment_that_finds_no_place_is_said(made: Repository) -> None:
    theirs = replace("# about c\n", "# about c, it seems\n")
    base = replace(row("c"), f"# about c\n{row('c')}")(BASE)
    ours = replace(row("c"), "")(base)
    made.diverge(base, ours, theirs(base))
    done = merge(made)
    assert done.returncode == 0
    assert "a comment of the other side was left out: # about c, it seems" in done.stdout + done.stderr


@pytest.mark.parametrize(
    "change", [give("b", "@ada"), drop("b"), append("x"), both(drop("a"), append("x"), append("y"))]
)
def test_rows_come_into_a_ledger_of_another_style(change: Edit) -> None:
    styled = yaml_in_another_style(BASE)
    merged = merge_rows(BASE.encode(), styled.encode(), change(BASE).encode(), FREEZES)
    assert merged.conflicts == ()
    assert owners(merged.data) == owners(change(BASE))
    assert b"\n" not in merged.data.replace(b"\r\n", b"")
    untouched = styled.split("\r\n\r\n")[-2]
    assert untouched.encode() in merged.data


def yaml_in_another_style(text: str) -> str:
    """The same rows, indented, with other quotes, and with the line ends of Windows."""
    indented = "".join(f"  {line}" if line[:1] in "- " else line for line in text.splitlines(keepends=True))
    return indented.replace('"', "'").replace("\n", "\r\n")


def test_no_final_newline_is_kept() -> None:
    bare = row("a").strip()
    merged = merge_rows(bare.encode(), bare.encode(), f"{bare}\n{row('b')}".encode(), FREEZES)
    assert owners(merged.data) == {key("a"): "@finley", key("b"): "@finley"}
    assert not merged.data.endswith(b"\n")


def test_other_ledgers_go_by_their_ids() -> None:
    base = "- id: P-1\n  tests: [a::b]\n- id: P-2\n  tests:\n    - a::c\n"
    ours = base.replace("[a::b]", "[a::b, a::d]")
    theirs = base.replace("- a::c", "- a::c\n    - a::e")
    for path in (FIXTURES, PROPERTIES):
        merged = merge_rows(base.encode(), ours.encode(), theirs.encode(), path)
        assert yaml.safe_load(merged.data) == [
            {"id": "P-1", "tests": ["a::b", "a::d"]},
            {"id": "P-2", "tests": ["a::c", "a::e"]},
        ]


# criss-cross


def criss_cross(made: Repository, ours: Edit, theirs: Edit, ours_settled: Edit, theirs_settled: Edit) -> None:
    """Two branches that merged each other's first commit; HEAD is on work, and each has appended a row since."""
    made.diverge(BASE, ours(BASE), theirs(BASE))
    first = {name: git(made.root, "rev-parse", name) for name in ("work", "other")}
    for branch, merged, settled, new in (("work", "other", ours_settled, "x"), ("other", "work", theirs_settled, "y")):
        git(made.root, "switch", "-q", branch)
        made.try_git("merge", "-q", "--no-edit", "--no-commit", first[merged])
        made.commit(FREEZES, settled(BASE))
        made.commit(FREEZES, append(new)(settled(BASE)))
    git(made.root, "switch", "-q", "work")
    assert len(git(made.root, "merge-base", "--all", "work", "other").split()) == 2


def test_a_criss_cross_merge_without_conflicts(made: Repository) -> None:
    settled = both(give("a", "@ada"), give("b", "@bo"))
    criss_cross(made, give("a", "@ada"), give("b", "@bo"), settled, settled)
    assert merge(made).returncode == 0
    assert owners(made.read()) == ALL | {
        key("a"): "@ada", key("b"): "@bo", key("x"): "@finley", key("y"): "@finley",
    }  # fmt: skip


@pytest.mark.parametrize(("theirs_settled", "code"), [("@ada", 0), ("@bo", 1)])
def test_a_criss_cross_merge_whose_ancestors_are_in_conflict(theirs_settled: str, code: int, made: Repository) -> None:
    criss_cross(made, give("b", "@ada"), give("b", "@bo"), give("b", "@ada"), give("b", theirs_settled))
    assert merge(made).returncode == code
    found = owners(resolved(made.read().encode(), ours=False))
    assert found == ALL | {key("b"): theirs_settled, key("x"): "@finley", key("y"): "@finley"}


# what cannot be proven


BROKEN: list[Edit] = [
    replace('"@finley"   #', "@finley #"),
    append("a"),
    replace("- test: tests/b.py::b\n", "- "),
    lambda text: f"{text}\x00",
    lambda text: f"{text}<<<<<<< HEAD\n",
]


#: a stray marker in the ancestor is no obstacle: git leaves markers there itself
@pytest.mark.parametrize(("broken", "side"), [(one, side) for side in (1, 2, 0) for one in BROKEN][:-1])
def test_what_cannot_be_read_is_a_conflict(broken: Edit, side: int, made: Repository) -> None:
    texts = [BASE, append("x")(BASE), give("b", "@bo")(BASE)]
    texts[side] = broken(texts[side])
    made.diverge(*texts)
    done = merge(made)
    assert done.returncode == 1, done.stderr
    text = made.read()
    for marker in ("<<<<<<< ours\n", "=======\n", ">>>>>>> theirs\n"):
        assert marker in text
    assert git(made.root, "diff", "--name-only", "--diff-filter=U") == FREEZES


def test_the_driver_says_why(made: Repository) -> None:
    made.diverge(BASE, append("x")(BASE), append("a")(BASE))
    done = merge(made)
    assert "ledgers/freezes.yaml: one side of ledgers/freezes.yaml holds several rows for" in done.stdout + done.stderr


def test_the_policy_is_merged_as_text(made: Repository) -> None:
    made.diverge("a: 1\n\nb: 1\n\nc: 1\n", "a: 2\n\nb: 1\n\nc: 1\n", "a: 1\n\nb: 1\n\nc: 2\n", POLICY)
    assert merge(made).returncode == 0
    assert made.read(POLICY) == "a: 2\n\nb: 1\n\nc: 2\n"


def test_a_conflict_in_the_policy_is_left_by_git(made: Repository) -> None:
    made.diverge("a: 1\n", "a: 2\n", "a: 3\n", POLICY)
    assert merge(made).returncode == 1
    assert made.read(POLICY) == "<<<<<<< ours\na: 2\n=======\na: 3\n>>>>>>> theirs\n"


def test_outside_of_a_repository_markers_stand_around_the_whole_text(tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("base", "ours", "theirs")]
    for file, text in zip(files, ("a", "b", "c"), strict=True):
        file.write_text(text)
    with contextlib.chdir(tmp_path), contextlib.redirect_stderr(io.StringIO()):
        assert main(["merge-driver", *map(str, files), POLICY]) == 1
    assert files[1].read_text() == "<<<<<<< ours\nb\n=======\nc\n>>>>>>> theirs\n"


def test_a_file_that_is_not_there_is_undecided(tmp_path: Path) -> None:
    err = io.StringIO()
    with contextlib.redirect_stderr(err):
        assert main(["merge-driver", *(str(tmp_path / name) for name in "abc"), FREEZES]) == 2
    assert "cannot be read" in err.getvalue()


# the log


LOG = '{"id": "1"}\n{"id": "2"}\n'


@pytest.mark.parametrize("way", WAYS)
def test_lines_of_both_sides_come_together(way: str, made: Repository) -> None:
    made.diverge(LOG, f'{LOG}{{"id": "3"}}\n', f'{LOG}{{"id": "4"}}\n{{"id": "5"}}\n', REPLAYS)
    assert WAYS[way](made).returncode == 0
    assert made.read(REPLAYS) == f'{LOG}{{"id": "3"}}\n{{"id": "4"}}\n{{"id": "5"}}\n'


@pytest.mark.parametrize(
    ("ours", "theirs", "expected"),
    [
        ("1 2 3", "1 2 3", "1 2 3"),
        ("1 2 3 4", "1 2 5", "1 2 3 4 5"),
        ("1 2 3 4", "1 2 4 5", "1 2 3 4 5"),
        ("1 2 4", "1 2 5 4", "1 2 5 4"),
        ("1 2 2 1", "1 2 3 3", "1 2 3"),
        ("", "1", "1"),
        ("1", "", "1"),
    ],
)
def test_a_line_stands_once(ours: str, theirs: str, expected: str) -> None:
    texts = ["".join(f"{line}\n" for line in side.split()).encode() for side in (ours, theirs, expected)]
    assert merge_log(texts[0], texts[1]) == texts[2]


def test_a_line_without_its_end_gets_one() -> None:
    assert merge_log(b"1\n2", b"1\n3") == b"1\n2\n3\n"


def test_lines_in_different_orders_are_a_conflict(made: Repository) -> None:
    made.diverge("1\n", "1\n2\n3\n", "1\n3\n2\n", REPLAYS)
    assert merge(made).returncode == 1
    assert "<<<<<<< ours\n" in made.read(REPLAYS)


@given(st.lists(st.integers(0, 9)), st.lists(st.integers(0, 9)), st.lists(st.integers(0, 9)))
def test_no_line_is_lost_and_each_side_keeps_its_order(base: list[int], ours: list[int], theirs: list[int]) -> None:
    sides = [[str(number).encode() for number in (*base, *added)] for added in (ours, theirs)]
    try:
        merged = merge_log(*(b"".join(line + b"\n" for line in side) for side in sides)).splitlines()
    except CannotTell:
        firsts = [[line for line in dict.fromkeys(side) if line in sides[0] and line in sides[1]] for side in sides]
        assert firsts[0] != firsts[1]
        return
    assert sorted(merged) == sorted({*sides[0], *sides[1]})
    for side in sides:
        places = [merged.index(line) for line in dict.fromkeys(side)]
        assert places == sorted(places)


# random edits, against another three-way merge of rows


NAMES = "abcdefgh"
ROWS = st.dictionaries(st.sampled_from(NAMES), st.sampled_from(["@ada", "@bo", "@cy"]))


@st.composite
def ledgers(draw: st.DrawFn) -> tuple[str, Mapping[str, str]]:
    """A ledger's text with its rows in any order and style, and what it says."""
    rows = draw(ROWS)
    names = draw(st.permutations(sorted(rows)))
    dash = draw(st.sampled_from(["- ", "-   ", "  - "]))
    gap = draw(st.sampled_from(["", "\n"]))
    quote = draw(st.sampled_from("'\""))
    indent = " " * len(dash)
    head = draw(st.sampled_from(["", "# head\n", "# head\n\n", "---\n"]))
    parts = []
    for name in names:
        comment = draw(st.sampled_from(["", f"# above {name}\n"]))
        note = draw(st.sampled_from(["", f"{indent}# in {name}\n"]))
        parts.append(f"{comment}{dash}test: {key(name)}\n{note}{indent}owner: {quote}{rows[name]}{quote}\n")
    text = head + gap.join(parts)
    end = draw(st.sampled_from(["\n", "\r\n"]))
    text = text if draw(st.booleans()) else text.removesuffix("\n")
    return text.replace("\n", end), rows


def three_way(base: Mapping[str, str], ours: Mapping[str, str], theirs: Mapping[str, str]) -> tuple[Owners, set[str]]:
    """The rows that are settled, and the names of those that are not: written from git's own definition."""
    settled, open_names = {}, set()
    for name in NAMES:
        changed_by_ours = ours.get(name) != base.get(name)
        changed_by_theirs = theirs.get(name) != base.get(name)
        if changed_by_ours and changed_by_theirs and ours.get(name) != theirs.get(name):
            open_names.add(name)
        else:
            side = theirs if changed_by_theirs else ours
            if name in side:
                settled[key(name)] = side[name]
    return settled, open_names


@settings(max_examples=150)
@given(ledgers(), ledgers(), ledgers())
def test_random_rows_merge_as_rows_should(
    base: tuple[str, Mapping[str, str]], ours: tuple[str, Mapping[str, str]], theirs: tuple[str, Mapping[str, str]]
) -> None:
    merged = merge_rows(base[0].encode(), ours[0].encode(), theirs[0].encode(), FREEZES)
    settled, open_names = three_way(base[1], ours[1], theirs[1])
    assert set(merged.conflicts) == {key(name) for name in open_names}
    for is_ours, (_, rows) in ((True, ours), (False, theirs)):
        text = resolved(merged.data, ours=is_ours)
        assert owners(text) == settled | {key(name): rows[name] for name in open_names if name in rows}
    if not open_names:
        assert b"<<<<" not in merged.data


OURS, THEIRS = give("t00100", "@ada"), both(drop("t00200"), give("t00101", "@bo"))


def many(number: int) -> str:
    return "".join(row(f"t{one:05}") for one in range(number))


def test_three_thousand_rows_merge(made: Repository) -> None:
    base = many(3000)
    made.diverge(base, OURS(base), THEIRS(base))
    assert merge(made).returncode == 0
    assert made.read() == both(OURS, THEIRS)(base)


def test_very_many_rows_merge_in_linear_time() -> None:
    def work(number: int) -> Callable[[], object]:
        base = many(number)
        return partial(merge_rows, base.encode(), OURS(base).encode(), THEIRS(base).encode(), FREEZES)

    assert_linear(work, 3000)


# registration


def test_init_registers_the_driver_and_git_uses_it(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", f"{TOOL.parent}{os.pathsep}{os.environ['PATH']}")
    (repository / ".gitattributes").write_text("*.png binary")
    out = run_init(repository, "--dry-run")
    assert "would set git config merge.flakeledger.driver: flakeledger merge-driver %O %A %B %P" in out
    assert not (repository / "ledgers").exists()
    assert "set git config merge.flakeledger.driver" in run_init(repository)
    lines = (repository / ".gitattributes").read_text().splitlines()
    assert lines[0] == "*.png binary"
    assert lines[-2:] == ATTRIBUTES.splitlines()
    assert run_init(repository).count("git config") == 0
    assert (repository / ".gitattributes").read_text().splitlines() == lines
    asked = git(repository, "check-attr", "merge", "eol", "--", REPLAYS, FREEZES, POLICY)
    assert f"{REPLAYS}: merge: flakeledger" in asked
    assert f"{REPLAYS}: eol: lf" in asked
    assert f"{FREEZES}: merge: flakeledger" in asked

    head = (repository / FREEZES).read_text()
    git(repository, "add", "-A")
    git(repository, "commit", "-q", "-m", "adopt")
    for branch, name in (("one", "x"), ("two", "y")):
        git(repository, "switch", "-q", "-c", branch, "main")
        (repository / FREEZES).write_text(head + row(name))
        git(repository, "commit", "-q", "-a", "-m", name)
    git(repository, "merge", "-q", "--no-edit", "one")
    assert owners((repository / FREEZES).read_text()) == {key("x"): "@finley", key("y"): "@finley"}


def test_init_lets_the_driver_take_over_from_union(repository: Path) -> None:
    run_init(repository, driver=False)
    assert "merge: union" in git(repository, "check-attr", "merge", "--", REPLAYS)
    assert "extended .gitattributes" in run_init(repository)
    assert "merge: flakeledger" in git(repository, "check-attr", "merge", "--", REPLAYS)


def run_init(repository: Path, *arguments: str, driver: bool = True) -> str:
    out = io.StringIO()
    with contextlib.chdir(repository), contextlib.redirect_stdout(out):
        assert main(["init", *(["--merge-driver"] if driver else []), *arguments]) == 0
    return out.getvalue()
