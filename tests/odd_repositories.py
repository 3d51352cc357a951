"""The table of ways to make an odd repository of a plain one, each with the answers that it changes.

Invariants:
* What a way expects is the answer of the plain repository, unless its line says otherwise.
* An answer that is no answer is 2 with a reason; the hook that records decisions lets the commit go on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from odd_commands import MORE, Expected, Row
from odd_contents import (
    alike,
    bare,
    carriage_returns,
    case_folding,
    encoded_ledgers,
    holding,
    inside_git,
    ledgers_in_a_submodule,
    lfs,
    line_end_attributes,
    linked_ledger,
    linked_ledgers,
    missing,
    nowhere,
    odd_names,
    symlinks,
    unmerged,
    with_line_break,
    without_git,
)
from odd_place import Odd, Place
from odd_settings import (
    configured,
    foreign,
    odd_behaviour,
    odd_output,
    programs,
    read_only,
    trusted,
    variables_of_a_hook,
)
from odd_shapes import (
    alternates,
    borrowed_by_variables,
    configured_work_tree,
    criss_cross,
    detached,
    index,
    linked_git_dir,
    many_files,
    marked,
    merging,
    named_by_variables,
    octopus,
    oddly_named,
    orphan,
    packed,
    partial_clone,
    reached_by_a_link,
    relative_git_dir,
    replaced,
    sha256,
    shallow,
    sparse,
    subfolder,
    submodule,
    superproject,
    unborn,
    worktree,
    worktree_of_a_bare_one,
)


class Way(NamedTuple):
    """A way, and where its answers are others than those of the plain repository.

    `answers` are by the name of a row, or by the kind of repository and that name; None is the plain answer.
    `refuses` is what all commands say that need the repository and have no other answer, and end with 2.
    `decode` turns a file as it is on disk into what git stores. Without `same_base` summaries may name another base.
    With `fresh` no command knows what another one learnt.
    """

    make: Callable[[Place], Odd]
    answers: Mapping[str, Expected | None] = {}
    refuses: str = ""
    decode: Callable[[bytes], bytes] = bytes
    same_base: bool = True
    fresh: bool = False

    def expected(self, row: Row, kind: str) -> Expected | None:
        """The answer of a row in the repository of a kind; None is the plain answer."""
        for name in (f"{kind} {row.name}", row.name):
            if name in self.answers:
                return self.answers[name]
        return Expected(2, self.refuses) if self.refuses and row.opens else None


Answers = dict[str, Expected | None]


def refused(reason: str, *names: str) -> Answers:
    """Rows that end with 2 for this reason."""
    return dict.fromkeys(names, Expected(2, reason))


def answering(code: int, says: str, *names: str) -> Answers:
    """Rows that answer this."""
    return dict.fromkeys(names, Expected(code, says))


def lists(line: str) -> Answers:
    """What `classify` shows besides."""
    return answering(0, line, "classify", "classify --base main")


def lf(data: bytes) -> bytes:
    """Text with the line ends that git stores."""
    return data.replace(b"\r\n", b"\n")


FORMATTERS = ("format-ledgers", "format --check")
EDITS = ("pin --all", "lock --add", "lock --drop-void", "freeze", "thaw", "import", "import --marks")
FROM_DISK = ("check", "review", "lock --check", "verdict", "status", "remind", "report", *EDITS)
#: what locks besides, and what locks nothing
LOCKING = ("wrong format-ledgers", "replays merge")
DRY: Answers = {"import --marks": None}
#: what compares commits
OF_A_RANGE = ("check --rev HEAD", "classify --base main", "gate", "oracle", "oracle --approve", "comment")
#: what looks for earlier freezes; the checks do that where a row is added
OF_HISTORY = ("log", "trend", "freeze", "import", "import --marks", "wrong check", "wrong check-change")
JUDGED_BY_HEAD = ("check-change", "check", "pin --all", "freeze", "import", "import --marks")
OF_HEAD = ("log", "witness verify", "trend", "excerpt")
#: the page tells of the trend what it can
PAGE = answering(0, "wrote ", "report")
UNRECORDED = answering(0, "no decision was recorded", "record-decisions")

NO_REPOSITORY = "cannot be read as a git repository"
SHALLOW = refused("too shallow to know", *OF_HISTORY) | PAGE
OF_ONE_BRANCH = SHALLOW | refused("no commit", *OF_A_RANGE)
BROKEN_HEAD = refused("HEAD", *JUDGED_BY_HEAD, *OF_A_RANGE, *OF_HEAD) | PAGE | UNRECORDED
WITHOUT_LEDGERS = (
    refused("", *FROM_DISK, "check-ledgers", "check-change", "decide", "comment")
    | answering(0, "", "record-decisions", "completion tests")
    | answering(0, "ledgers\tproduction", "classify --base main")
)
ODD_TEST_SHOWN = 'tests/test_\\xff\\n"\\x1b[2J.py:2:2: '

FORMATS = {
    "sha256": Way(sha256, answering(0, f"{MORE}: base ", "oracle --approve")),
    "split index": Way(index("--split-index")),
    "sparse index": Way(sparse("--cone", "--sparse-index", "ledgers", "tests")),
    "sparse patterns": Way(sparse("--no-cone", "/ledgers/", "/tests/test_*")),
    "sparse, without ledgers": Way(
        sparse("--cone", "--sparse-index", "src", "tests"),
        refused("this work tree leaves it out", *EDITS, *FORMATTERS, "init", "replays merge"),
    ),
    "assumed unchanged": Way(marked("--assume-unchanged")),
    "packed": Way(packed),
    "many files, index version 4, untracked cache": Way(many_files),
}
PLACES = {
    "worktree": Way(worktree),
    "worktree of a bare one": Way(worktree_of_a_bare_one),
    "relative git dir": Way(relative_git_dir),
    "linked git dir": Way(linked_git_dir),
    "git dir by variables": Way(named_by_variables),
    "separate git dir, configured work tree": Way(configured_work_tree),
    "reached by a link": Way(reached_by_a_link),
    "odd folder": Way(oddly_named, PAGE),
    "subfolder": Way(subfolder),
    "submodule": Way(submodule),
    "superproject": Way(superproject, lists(".gitmodules\tproduction")),
}
HISTORIES = {
    "shallow, 1 commit": Way(shallow(1, "--single-branch"), OF_ONE_BRANCH, same_base=False),
    "shallow, 2 commits": Way(shallow(2, "--single-branch"), OF_ONE_BRANCH, same_base=False),
    "shallow, 4 commits of every branch": Way(shallow(4, "--no-single-branch"), SHALLOW),
    "without old blobs": Way(
        partial_clone("blob:none"), refused("partial clone", *OF_HISTORY, "wrong oracle", "oracle --approve") | PAGE
    ),
    "without old trees": Way(
        partial_clone("tree:0"),
        refused("cannot tell", *JUDGED_BY_HEAD, *OF_A_RANGE, *OF_HISTORY) | PAGE,
        same_base=False,
    ),
    "alternates": Way(alternates),
    "objects by variables": Way(borrowed_by_variables),
    "replaced": Way(replaced),
    "detached": Way(detached),
    "octopus": Way(octopus),
    "criss-cross": Way(criss_cross, same_base=False),
    "merging": Way(merging, PAGE, same_base=False),
    "unborn": Way(
        unborn,
        refused("no commit", *OF_A_RANGE, *OF_HEAD)
        | answering(0, "(adoption)", "check-change", "fine check")
        | answering(1, "(adoption)", "wrong check")
        | answering(1, ": fixture-drifted: ", "wrong freeze")
        | answering(0, "wrote 1 row", "wrong import")
        | answering(1, "citation-rejected", "import --marks")
        | PAGE,
        same_base=False,
    ),
    "orphan": Way(
        orphan,
        refused("no commit", "check --rev HEAD", "gate", "oracle", "oracle --approve", *OF_HEAD)
        | refused("share no history", "classify --base main")
        | answering(1, ": mixed-change: ", "check-change", "check", "freeze")
        | answering(1, "lacks: freeze-with-edit", "import", "import --marks")
        | PAGE,
        same_base=False,
    ),
}
SETTINGS = {
    "programs": Way(programs),
    "odd output": Way(odd_output),
    "odd behaviour": Way(odd_behaviour),
    "variables of a hook": Way(variables_of_a_hook),
    "foreign": Way(foreign, UNRECORDED, refuses="dubious ownership"),
    "trusted": Way(trusted),
    "read-only git dir": Way(read_only(".git"), refused("Permission denied", *EDITS, *LOCKING) | DRY),
    "read-only": Way(read_only("."), refused("Permission denied", *EDITS, *LOCKING, "init") | DRY),
}
CONTENTS = {
    "odd names": Way(
        odd_names,
        lists("src/--force.py\tproduction")
        | answering(1, ODD_TEST_SHOWN, "wrong check-change", "wrong check", "import --marks"),
    ),
    "names alike": Way(alike, lists("SRC/orders.py\tproduction")),
    "case folding": Way(
        case_folding, lists("SRC/orders.py\tproduction") | refused("will not add file alias", *FROM_DISK)
    ),
    "symlinks": Way(symlinks, lists("src/loop\tproduction")),
    "carriage returns": Way(carriage_returns, decode=lf),
    "line ends and encoding by attributes": Way(line_end_attributes, decode=lf),
    "encoded ledgers": Way(encoded_ledgers, refused("the file is UTF-16", *EDITS, *FORMATTERS)),
    "Git LFS": Way(lfs(installed=True)),
    "Git LFS, not installed": Way(lfs(installed=False)),
    "linked ledger": Way(
        linked_ledger,
        refused("symbolic link", *FROM_DISK, "check-change", "decide", "comment", *FORMATTERS)
        | answering(1, ": yaml-forbidden: it is a symbolic link", "check-ledgers")
        | answering(0, "", "completion tests")
        | lists("src/freezes.yaml\tproduction")
        | UNRECORDED,
    ),
    "linked ledgers": Way(
        linked_ledgers,
        WITHOUT_LEDGERS
        | refused("ledgers is a symbolic link", "check-ledgers", "check-change", "check", "init", *FORMATTERS)
        | refused("", "classify", "replays merge"),
    ),
    "ledgers in a submodule": Way(
        ledgers_in_a_submodule,
        WITHOUT_LEDGERS
        | refused("ledgers is a submodule", "check-ledgers", "check-change", "check")
        | refused("", "classify"),
    ),
}
STATES = {
    "stale lock, cherry-pick underway": Way(holding({"index.lock": b"", "CHERRY_PICK_HEAD": b"0" * 40 + b"\n"})),
    "unmerged": Way(
        unmerged,
        refused("is unmerged in the index", "check-ledgers", "check-change", "decide", "comment", "completion tests")
        | answering(0, f"{MORE}\ttest_body", "classify --base main")
        | UNRECORDED,
    ),
    "nowhere": Way(nowhere, UNRECORDED, refuses=NO_REPOSITORY),
    "bare": Way(bare, UNRECORDED, refuses="is a bare repository"),
    "inside .git": Way(inside_git, UNRECORDED, refuses="the inside of a git directory"),
    "line break": Way(with_line_break, UNRECORDED, refuses="contains a line break"),
    "without git": Way(without_git, UNRECORDED, refuses="git cannot be started"),
    "broken configuration": Way(holding({"config": b"[core\n"}), UNRECORDED, refuses=NO_REPOSITORY),
    "unknown extension": Way(
        configured(core__repositoryFormatVersion="1", extensions__odd="1"), UNRECORDED, refuses=NO_REPOSITORY
    ),
    "broken HEAD": Way(holding({"HEAD": b"nonsense\n"}), UNRECORDED, refuses=NO_REPOSITORY),
    "broken branch": Way(holding({"refs/heads/work": b"nonsense\n"}), BROKEN_HEAD, same_base=False),
    "missing commit": Way(missing("HEAD"), BROKEN_HEAD, same_base=False),
    "broken index": Way(
        holding({"index": b"nonsense\n"}),
        dict.fromkeys((*FORMATTERS, "witness verify", "replays merge", "excerpt")) | UNRECORDED,
        refuses="index file smaller than expected",
    ),
    "missing ledger": Way(
        missing(":ledgers/fixtures.yaml"),
        refused("is missing from this repository", "check-ledgers", "check --rev HEAD", "decide", "comment")
        | refused("is missing from this repository", "witness verify", "excerpt", "completion tests")
        | refused("is missing from this repository", "wrong check-change")
        | UNRECORDED,
        fresh=True,
    ),
    "missing root": Way(missing("main~4"), refused("git rev-list", *OF_HISTORY) | PAGE),
}
WAYS = {**FORMATS, **PLACES, **HISTORIES, **SETTINGS, **CONTENTS, **STATES}
