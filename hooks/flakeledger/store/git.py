"""Git: the only module that starts git; it says what changed, what is tracked and where history stands.

Invariants:
* Every question is a constant number of processes (most are one), however many paths, revisions or steps it is about.
* git runs at the root of the work tree with the caller's index, so that every path is relative to the root.
* No program is looked for in the tree that is judged, and no folder of it is taken for a git directory.
* Nothing is fetched, locked or written in the repository (`set_config` writes what its caller says, `git_worktrees.py`
  makes and removes worktrees); no shell, no pager, no replaced or grafted history.
* A refusal of git is `CannotTell` with git's own words, never an empty answer.
* "Not here" is told apart from "none": a shallow boundary is no root, a broken ref is no unborn branch.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, NamedTuple

from flakeledger.model.errors import CannotTell
from flakeledger.store.git_output import (
    Listing,
    PathChange,
    Step,
    TreeEntry,
    grouped_by_commit,
    index_records,
    path_changes,
    quoted,
    telling_line,
    tokens_of,
    tree_records,
)
from flakeledger.store.underway import Underway, failure, not_started

if TYPE_CHECKING:
    from flakeledger.store.git_history import PathVersion

__all__ = ("Git", "Listing", "PathChange", "Step", "TreeEntry", "Underway")

OPTIONS = (
    *("--no-pager", "--no-replace-objects", "--literal-pathspecs"),
    # a file watcher is a program that the repository's configuration names: no question of ours needs it
    *("-c", "core.fsmonitor=false"),
    # a folder of the tree may be a git directory, with programs in its configuration: git takes it for one unless told
    *("-c", "safe.bareRepository=explicit"),
)
FIXED_ENVIRONMENT = {
    "GIT_ALLOW_PROTOCOL": "none",  # git before 2.39.4 does not know the next one
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_GRAFT_FILE": os.devnull,
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}
#: variables that would change an answer, or that git refuses next to --literal-pathspecs
DROPPED = frozenset(
    (
        *("GIT_EXTERNAL_DIFF", "GIT_DIFF_OPTS", "GIT_GLOB_PATHSPECS", "GIT_NOGLOB_PATHSPECS", "GIT_ICASE_PATHSPECS"),
        # another file of configuration for `git config` alone, another end of history, attributes of another tree
        *("GIT_CONFIG", "GIT_SHALLOW_FILE", "GIT_ATTR_SOURCE"),
    )
)
RAW = ("--raw", "-z", "--no-renames", "--no-abbrev", "--ignore-submodules=none")
INDEX_DIFF = ("diff-index", "--cached", *RAW)
EMPTY_TREES = {
    "sha1": "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    "sha256": "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
}
EMPTY_BLOBS = {
    "sha1": "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
    "sha256": "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813",
}
#: what git says of a revision that is there and is no commit
NO_COMMIT = b", but the object dereferences to "
DEEPEN = "fetch the whole history: git fetch --unshallow (GitHub: fetch-depth: 0, GitLab: GIT_DEPTH: 0)"
IN_A_WORK_TREE = "change to the work tree; a git directory has no files to check"
#: what git says when it cannot open a repository -> what helps
REFUSALS = (
    ("not a git repository", "run this inside a git repository, or create one: git init"),
    ("must be run in a work tree", IN_A_WORK_TREE),
)
#: what git says where a folder is a git directory itself: a bare one, the inside of a `.git`, or a trap in a tree
BARE = "cannot use bare repository"
#: a split index would write its shared half into the real git directory
QUIETLY = (
    *("-c", "core.splitIndex=false"),
    *("-c", f"core.hooksPath={os.devnull}"),
)
QUESTIONS = (
    "--is-bare-repository",
    "--is-shallow-repository",
    "--show-object-format",
    "--path-format=absolute",
    "--git-dir",
    *("--git-path", "objects"),
    *("--git-path", "index"),
    *("--git-path", "shallow"),
    "--show-toplevel",  # last: in a bare repository git stops here
)
#: --path-format prints nothing, every other question one line
ANSWERS = 8


class Git(NamedTuple):
    """A repository with a work tree, and the index that the caller means. `Git.open` makes one."""

    root: str
    git_dir: str
    objects_directory: str
    index_path: str
    shallow_path: str
    shallow: bool
    object_format: str
    environment: Mapping[str, str]

    @classmethod
    def open(cls, directory: str, environment: Mapping[str, str]) -> Git:
        """The repository around `directory`, as a hook with this environment sees it.

        CannotTell outside a repository, in a bare one, where git refuses, with git's reason, and where Python names
        files otherwise than git and ledgers do.
        """
        _refuse_other_names()
        calm = _calm(environment)
        done = _start(directory, calm, ("rev-parse", *QUESTIONS))
        if done.returncode:
            reason = os.fsdecode(done.stderr) or f"git ended with {done.returncode}"
            raise _refusal(directory, os.fsdecode(done.stdout), reason)
        answers = os.fsdecode(done.stdout).split("\n")[:-1]
        if len(answers) != ANSWERS:
            raise CannotTell(f"the path of {directory!r} contains a line break", "rename the folder")
        _, shallow, object_format, git_dir, objects, index, shallow_path, root = answers
        if object_format not in EMPTY_TREES:
            raise CannotTell(f"unknown object format {object_format!r}", "use a sha1 or sha256 repository")
        # a hook's variables may be relative to the folder where the hook runs; every later git runs at the root
        if not calm.keys().isdisjoint(("GIT_DIR", "GIT_WORK_TREE")):
            calm |= {"GIT_DIR": git_dir, "GIT_WORK_TREE": root}
        absolute = {"GIT_INDEX_FILE": index, "GIT_OBJECT_DIRECTORY": objects}
        calm |= {name: value for name, value in absolute.items() if name in calm}
        return cls(root, git_dir, objects, index, shallow_path, shallow == "true", object_format, calm)

    def run(self, *arguments: str, given: bytes = b"", ok: Sequence[int] = (0,)) -> bytes:
        """What git prints; CannotTell when it ends with a code that is not in `ok`."""
        return self._done(arguments, given, ok).stdout

    def start(self, *arguments: str) -> subprocess.Popen[bytes]:
        """A live git with three pipes. CannotTell when git cannot be started."""
        command = ["git", *OPTIONS, *arguments]
        pipe = subprocess.PIPE
        try:
            return subprocess.Popen(command, cwd=self.root, env=self.environment, stdin=pipe, stdout=pipe, stderr=pipe)
        except OSError as error:
            raise not_started(error) from error

    def begin(self, *arguments: str) -> Underway:
        """A git that runs beside us. CannotTell when it cannot be started."""
        return Underway(("git", *OPTIONS), arguments, self.root, self.environment)

    def is_shallow(self) -> bool:
        """Whether history ends somewhere because it was not fetched."""
        return self.shallow

    def empty_tree(self) -> str:
        """The id of the tree without entries."""
        return EMPTY_TREES[self.object_format]

    def config(self, name: str) -> str | None:
        """The last value of a configuration name, or None."""
        done = self._done(("config", "-z", "--get", name), b"", (0, 1))
        return None if done.returncode else os.fsdecode(done.stdout).removesuffix("\0")

    def configs(self, name: str) -> list[str]:
        """Every value of a configuration name, in the order in which git reads them."""
        done = self._done(("config", "-z", "--get-all", name), b"", (0, 1))
        return [os.fsdecode(value) for value in done.stdout.split(b"\0") if value]

    def set_config(self, name: str, value: str) -> None:
        """Give a name of this repository's own configuration one value. CannotTell when it cannot be written."""
        self.run("config", "--local", "--replace-all", name, value)

    def merge_file(self, ours: str, base: str, theirs: str) -> tuple[bytes, bool]:
        """The merged text of three files outside of the repository, and whether conflict markers are left in it."""
        labels = ("-L", "ours", "-L", "base", "-L", "theirs")
        done = self._done(("merge-file", "-p", *labels, "--", ours, base, theirs), b"", range(128))
        return done.stdout, done.returncode != 0

    # history

    def commits(self, revisions: Sequence[str]) -> list[str | None]:
        """For each revision the full id of its commit, None unless both the commit and its tree are here.

        CannotTell when an object is there but cannot be read.
        """
        asked = [revision if revision and not {"\n", "\0"} & set(revision) else "?" for revision in revisions]
        lines = "".join(f"{revision}^{{commit}}\n{revision}^{{tree}}\n" for revision in asked)
        done = self._done(("cat-file", "--batch-check"), os.fsencode(lines), (0,))
        errors = [line for line in done.stderr.split(b"\n") if line.startswith(b"error:") and NO_COMMIT not in line]
        if errors:
            raise CannotTell(
                f"git cannot read a revision: {telling_line(errors[0])}",
                "write the revision in full; if that does not help: git fsck, and repair what it reports",
            )
        answers = [line.rsplit(" ", 2) for line in os.fsdecode(done.stdout).split("\n")[:-1]]
        here = [answer[0] if answer[1:2] in (["commit"], ["tree"]) else None for answer in answers]
        return [commit and tree and commit for commit, tree in zip(here[::2], here[1::2], strict=True)]

    def commit(self, revision: str) -> str | None:
        """The full id of the revision's commit, None unless both the commit and its tree are here."""
        return self.commits([revision])[0]

    def head(self) -> str | None:
        """The commit of HEAD; None on an unborn branch and only there."""
        known = self.commit("HEAD")
        if known is not None:
            return known
        # a broken ref ends `rev-parse --verify -q` with 1 as an unborn branch does; symbolic-ref tells them apart
        if self.branch() is None or self._done(("rev-parse", "--verify", "-q", "HEAD"), b"", (0, 1)).returncode == 0:
            raise CannotTell("HEAD names a commit that is not wholly here", "git fsck, then fetch what it misses")
        return None

    def branch(self) -> str | None:
        """The full name of the branch that HEAD is on, None when HEAD is detached."""
        return os.fsdecode(self.run("symbolic-ref", "-q", "HEAD", ok=(0, 1))).strip() or None

    def symbolic_target(self, reference: str) -> str | None:
        """The full name of what a symbolic reference such as refs/remotes/origin/HEAD points to, or None."""
        return os.fsdecode(self.run("for-each-ref", "--format=%(symref)", reference)).strip() or None

    def parents(self, commit: str) -> list[str]:
        """The parents that the commit itself names, whether or not they are here."""
        header = self.run("cat-file", "commit", commit).partition(b"\n\n")[0]
        return [os.fsdecode(line[7:]) for line in header.split(b"\n") if line.startswith(b"parent ")]

    def merge_base(self, one: str, other: str) -> str | None:
        """The best common ancestor of two commits, None when their histories share none.

        CannotTell when the clone is too shallow to know.
        """
        return next(iter(self.merge_bases(one, other)), None)

    def merge_bases(self, one: str, other: str) -> list[str]:
        """The best common ancestors of two commits: several where branches merged each other crosswise.

        CannotTell when the clone is too shallow to know.
        """
        found = os.fsdecode(self.run("merge-base", "--all", one, other, ok=(0, 1))).split()
        if self.shallow and self._is_cut(found, one, other):
            if one in self.parents(other):
                return [one]
            raise CannotTell(f"the clone is too shallow for the merge base of {one[:7]} and {other[:7]}", DEEPEN)
        return found

    def first_parent_line(self, before: str, head: str) -> list[tuple[str, str]] | None:
        """The commits after `before` up to `head`, oldest first, each with its first parent.

        None when `before` is not on the first-parent line of `head`; CannotTell when the line is cut.
        """
        listed = self.run("rev-list", "--first-parent", "--parents", head, f"^{before}")
        rows = [line.split(" ") for line in os.fsdecode(listed).split("\n")[:-1]]
        if rows and len(rows[-1]) == 1:  # a root, or a boundary that hides its parents
            rows[-1] += self.parents(rows[-1][0])
            if self.shallow and rows[-1][1:] and rows[-1][1] != before:
                raise CannotTell(f"the clone is too shallow to walk from {before[:7]} to {head[:7]}", DEEPEN)
        if not rows or rows[-1][1:2] != [before]:
            return None
        return [(row[0], row[1]) for row in reversed(rows)]

    def steps(self, before: str, head: str) -> list[Step]:
        """Each first-parent step from `before` to `head`, oldest first, with its difference from its first parent.

        CannotTell when `before` is not on the first-parent line of `head`, or the line is cut.
        """
        line = self.first_parent_line(before, head)
        if line is None:
            raise CannotTell(f"{before[:7]} is not on the first-parent line of {head[:7]}", "give another --base")
        pairs = "".join(f"{commit} {parent}\n" for commit, parent in line)
        out = self.run("diff-tree", "--stdin", "--always", "-r", *RAW, given=pairs.encode())
        groups = grouped_by_commit(tokens_of(out))
        return [Step(commit, parent, path_changes(groups[commit])) for commit, parent in line]

    def newest_commit_touching(self, commit: str, path: str) -> str | None:
        """The newest ancestor of a commit (itself included) that differs in a path from one of its parents.

        Side lines count, also those whose version a merge dropped. None when no ancestor ever did;
        CannotTell when that lies beyond a shallow boundary.
        """
        found = os.fsdecode(self.run("rev-list", "-1", "--full-history", commit, "--", path)).strip() or None
        if self.shallow and (found is None or found in self._boundary()):
            raise CannotTell(f"the clone is too shallow to know which commit last changed {path}", DEEPEN)
        return found

    def versions(self, starts: Sequence[str], path: str) -> Iterator[PathVersion]:
        """Every commit behind `starts` whose version of a path differs from that of each parent, children first.

        Side lines count. CannotTell, at the place where history ends early, when the clone is too shallow.
        """
        from flakeledger.store.git_history import path_versions  # only a change that adds a freeze pays for it

        listed = self.run("rev-list", "--topo-order", "--full-history", *starts, "--", path)
        out = self.run("diff-tree", "--stdin", "--root", "-c", "-r", *RAW, "--", path, given=listed)
        boundary = self._boundary() if self.shallow else frozenset()
        for version in path_versions(out, path):
            if version.commit in boundary:
                break
            yield version
        if boundary and not boundary.isdisjoint(os.fsdecode(self.run("rev-list", *starts)).split()):
            raise CannotTell(f"the clone is too shallow to know the earlier versions of {path}", DEEPEN)

    def merge_heads(self) -> list[str]:
        """The other heads of a merge in progress, or of the clean merge whose hook this is."""
        try:
            with open(os.path.join(self.git_dir, "MERGE_HEAD"), encoding="ascii") as lines:
                return lines.read().split()
        except FileNotFoundError:
            named = sorted(name[8:] for name in self.environment if re.fullmatch(r"GITHEAD_[0-9a-f]{40,64}", name))
        except (OSError, ValueError) as error:
            raise CannotTell(f"MERGE_HEAD cannot be read: {error}", "git merge --abort, or repair the file") from error
        head = self.commit("HEAD") if named else None
        # the variables outlive the merge in whatever its later hooks start: what HEAD already holds is merged
        return [
            name for name in named if head is None or self.commit(name) is None or self.merge_base(name, head) != name
        ]

    # trees and the index

    def tree_entries(self, treeish: str, paths: Sequence[str] = ()) -> dict[str, TreeEntry]:
        """Every path of a tree, or those that are or lie below `paths`. CannotTell when a tree is missing."""
        out = self.run("ls-tree", "-r", "-z", "--full-tree", treeish, "--", *paths)
        return dict(tree_records(out))

    def index_entries(self, paths: Sequence[str] = ()) -> Listing:
        """Every path of the index, or those that are or lie below `paths`; a mere intent to add is none."""
        out = self.run("ls-files", "-s", "-z", "--", *paths)
        listing = index_records(out)
        empty = EMPTY_BLOBS[self.object_format]
        suspects = [path for path, entry in listing.entries.items() if entry.oid == empty]
        for path in self._intended(suspects, paths):
            del listing.entries[path]
        return listing

    def begin_index_changes(self, tree: str) -> Underway:
        """The question of `index_changes`, asked of a git that runs beside us."""
        return self.begin(*INDEX_DIFF, "--ita-invisible-in-index", tree, "--")

    def index_changes(self, tree: str, underway: Underway | None = None) -> list[PathChange]:
        """How the index differs from a tree or the tree of a commit; a mere intent to add is no difference.

        `underway` is what `begin_index_changes` gave, when it was asked before.
        """
        underway = underway or self.begin_index_changes(tree)
        return path_changes(tokens_of(underway.answer()))

    def index_differs(self, tree: str) -> bool:
        """Whether the index differs from a tree or the tree of a commit."""
        arguments = (*INDEX_DIFF, "--quiet", "--ita-invisible-in-index", tree, "--")
        return self._done(arguments, b"", (0, 1)).returncode == 1

    def begin_tree_changes(self, old: str, new: str) -> Underway:
        """The question of `tree_changes`, asked of a git that runs beside us."""
        return self.begin("diff-tree", "-r", *RAW, old, new, "--")

    def tree_changes(self, old: str, new: str, underway: Underway | None = None) -> list[PathChange]:
        """How one tree (or commit) differs from another; a moved file is a deletion and an addition.

        `underway` is what `begin_tree_changes` gave, when it was asked before.
        """
        underway = underway or self.begin_tree_changes(old, new)
        return path_changes(tokens_of(underway.answer()))

    def off_disk(self, paths: Sequence[str]) -> list[str]:
        """Paths of the index at or below `paths` that are not on disk, which git was told not to mind.

        That are those outside of a sparse work tree (tag S), and those that are assumed unchanged (in lower case).
        """
        tagged = tokens_of(self.run("ls-files", "-v", "-z", "--", *paths))
        ignored = (record[2:] for record in tagged if record[0] == "S" or record[0].islower())
        return [path for path in ignored if not os.path.lexists(f"{self.root}/{path}")]

    def begin_unstaged(self, paths: Sequence[str]) -> Underway:
        """The question of `unstaged`, asked of a git that runs beside us."""
        return self.begin("ls-files", "-m", "-o", "-z", "--", *paths)

    def unstaged(self, paths: Sequence[str], underway: Underway | None = None) -> list[str]:
        """Paths at or below `paths` whose file on disk differs from the index, or is not in it; sorted.

        `underway` is what `begin_unstaged` gave, when it was asked before.
        """
        underway = underway or self.begin_unstaged(paths)
        return sorted(set(tokens_of(underway.answer())))

    @contextmanager
    def working_tree(self) -> Iterator[Git]:
        """The same repository with an index that holds what is on disk, as `git add -A` would store it.

        The index and the new objects live in a temporary folder that goes in the end. CannotTell when a file
        cannot be added.
        """
        from flakeledger.store.temporary import temporary_folder

        with temporary_folder("index") as folder:
            git = self._beside(folder)
            git.run(*QUIETLY, "add", "-A")
            yield git

    @contextmanager
    def with_files(self, files: Mapping[str, bytes]) -> Iterator[Git]:
        """The same repository with an index in which some files hold other bytes, as `git add` would store them.

        For a handful of files: each is a process. The index and the new objects live in a temporary folder that
        goes in the end. CannotTell when a file cannot be added.
        """
        from flakeledger.store.temporary import temporary_folder

        with temporary_folder("index") as folder:
            git = self._beside(folder)
            standing = self.index_entries(tuple(files)).entries
            records = b""
            for path, data in files.items():
                mode = standing[path].mode if path in standing else "100644"
                blob = git.run("hash-object", "-w", f"--path={path}", "--stdin", given=data).strip()
                records += b"%s %s\t%s\0" % (mode.encode(), blob, os.fsencode(path))
            git.run(*QUIETLY, "update-index", "-z", "--index-info", given=records)
            yield git

    def _beside(self, folder: str) -> Git:
        """The same repository, its index and new objects in a folder of their own. CannotTell without room there."""
        from shutil import copy2

        index, objects = f"{folder}/index", f"{folder}/objects"
        try:
            os.mkdir(objects)
            with suppress(FileNotFoundError):
                copy2(self.index_path, index)  # its time too: git compares it to find what changed since
        except OSError as error:
            reason = f"the index cannot be copied into a temporary folder: {error}"
            raise CannotTell(reason, "point TMPDIR at a folder that you may write, with room for the index") from error
        known = (quoted(self.objects_directory), self.environment.get("GIT_ALTERNATE_OBJECT_DIRECTORIES", ""))
        changed = {
            "GIT_INDEX_FILE": index,
            "GIT_OBJECT_DIRECTORY": objects,
            "GIT_ALTERNATE_OBJECT_DIRECTORIES": os.pathsep.join(filter(None, known)),
        }
        return self._replace(index_path=index, objects_directory=objects, environment=dict(self.environment) | changed)

    def _done(self, arguments: Sequence[str], given: bytes, ok: Sequence[int]) -> subprocess.CompletedProcess[bytes]:
        done = _start(self.root, self.environment, arguments, given)
        if done.returncode not in ok:
            raise failure(arguments, done.returncode, done.stderr)
        return done

    def _holds(self, head: str, other: str) -> bool:
        """Whether a merge is over: its variables outlive it in whatever its later hooks start."""
        return self.commit(other) is not None and self.merge_base(other, head) == other

    def _boundary(self) -> frozenset[str]:
        """The commits whose parents were not fetched."""
        try:
            with open(self.shallow_path, encoding="ascii") as lines:
                return frozenset(lines.read().split())
        except (OSError, ValueError) as error:
            raise CannotTell(f"where this shallow clone ends cannot be read: {error}", DEEPEN) from error

    def _is_cut(self, found: Sequence[str], one: str, other: str) -> bool:
        """Whether a boundary lies between two commits and their merge bases, so that a better one may be beyond it."""
        listed = self.run("rev-list", one, other, *(["--not", *found] if found else []))
        return not self._boundary().isdisjoint(os.fsdecode(listed).split())

    def _intended(self, suspects: Sequence[str], paths: Sequence[str]) -> list[str]:
        """Those of the empty entries that were only announced (`git add -N`): one diff shows them, another does not."""
        if not suspects:
            return []
        tree = self.commit("HEAD") or self.empty_tree()
        shown = self.run(*INDEX_DIFF, "--ita-visible-in-index", tree, "--", *paths)
        hidden = self.run(*INDEX_DIFF, "--ita-invisible-in-index", tree, "--", *paths)
        if shown == hidden:
            return []
        appear, stay = ({change.path: change for change in path_changes(tokens_of(out))} for out in (shown, hidden))
        return [path for path in suspects if appear.get(path) != stay.get(path)]


def _refuse_other_names() -> None:
    """CannotTell in a locale of another encoding: a test whose path is not ASCII would be taken for gone."""
    encoding = sys.getfilesystemencoding()
    if encoding != "utf-8":
        raise CannotTell(
            f"the names of files are {encoding} here, and those of git and of ledgers are UTF-8",
            "export PYTHONUTF8=1   # or use a locale of UTF-8: export LC_ALL=C.UTF-8",
        )


def _calm(environment: Mapping[str, str]) -> dict[str, str]:
    """The caller's environment without what would change an answer."""
    kept = {
        name: value for name, value in environment.items() if name not in DROPPED and not name.startswith("GIT_TRACE")
    }
    return without_relative_path(kept) | FIXED_ENVIRONMENT


def without_relative_path(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment, its PATH without what is relative: programs would be looked for in the tree that is judged."""
    kept = dict(environment)
    if "PATH" in kept:
        kept["PATH"] = os.pathsep.join(filter(os.path.isabs, kept["PATH"].split(os.pathsep)))
    return kept


def _start(
    directory: str, environment: Mapping[str, str], arguments: Sequence[str], given: bytes = b""
) -> subprocess.CompletedProcess[bytes]:
    command = ["git", *OPTIONS, *arguments]
    try:
        return subprocess.run(command, cwd=directory, env=environment, input=given, capture_output=True, check=False)
    except OSError as error:
        raise not_started(error) from error


def _refusal(directory: str, out: str, reason: str) -> CannotTell:
    """Why a repository cannot be opened, in git's words, and what helps."""
    if out.startswith("true\n") or BARE in reason:
        return CannotTell(
            f"{directory!r} is a bare repository, or the inside of a git directory: this must be run in a work tree",
            "change to the work tree; where there is none: git worktree add, or clone",
        )
    trusted = re.search(r"git config --global --add safe\.directory .+", reason)
    known = (fix for words, fix in REFUSALS if words in reason)
    fix = trusted[0] if trusted else next(known, "run git status here, and repair what it reports")
    return CannotTell(f"{directory!r} cannot be read as a git repository: {reason.partition(chr(10))[0]}", fix)
