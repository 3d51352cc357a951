"""Ways to put odd things into a repository: names, contents, states, and what cannot be read.

Invariants:
* What is put in changes no answer about the rest, unless the repository cannot be read any more.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from collections.abc import Callable, Mapping

from conftest import git
from odd_commands import EXTRA, MORE
from odd_place import Odd, Place, rebuild
from world import ORDERS, PRODUCT

# names and contents

NAMES = (
    b"new\nline.py",
    b"quote\"'`.py",
    b"latin\xff\xfe.py",
    b"-rf",
    b"--force.py",
    b":(glob)x.py",
    b"*",
    b"[a].py",
    b" blank ",
    b"tab\t.py",
    b"back\\slash.py",
    b"$HOME.py",
    "\N{BUG}\N{RIGHT-TO-LEFT OVERRIDE}.py".encode(),
    b"\x1b[31m.py",
    b"x" * 255,
)
ODD_TEST = os.fsdecode(b'tests/test_\xff\n"\x1b[2J.py')
SKIPPED = "import pytest\n@pytest.mark.skip\ndef test_it():\n    assert 1\n"


def odd_names(place: Place) -> Odd:
    """Files whose names hold what names should not; in the wrong repository one of them brings a skip."""
    for name in NAMES:
        (place.root / "src" / os.fsdecode(name)).write_text("ODD = 1\n")
    (place.root / ODD_TEST).write_text("def test_it():\n    assert 1\n" if _is_fine(place) else SKIPPED)
    place.git("add", "-A")
    return Odd(place.root)


def alike(place: Place) -> Odd:
    """Names that differ in case alone."""
    for path in ("src/Orders.py", "SRC/orders.py", "tests/TEST_MORE.py", "Ledgers/freezes.yaml"):
        (place.root / path).parent.mkdir(exist_ok=True)
        (place.root / path).write_bytes((place.root / PRODUCT).read_bytes())
    place.git("add", "-A")
    return Odd(place.root)


def case_folding(place: Place) -> Odd:
    """The same, and a git that was told that such names are one."""
    odd = alike(place)
    place.configure(core__ignoreCase="true")
    return odd


def symlinks(place: Place) -> Odd:
    """Links to a file, to a folder, to nothing, to themselves, and out of the repository."""
    targets = {"src/link.py": "orders.py", "src/folder": "../tests", "src/none": "nowhere", "src/loop": "loop"}
    for path, target in {**targets, "src/outside": "/"}.items():
        (place.root / path).symlink_to(target)
    place.git("add", "-A")
    return Odd(place.root)


def carriage_returns(place: Place) -> Odd:
    """A work tree with the line ends of Windows, by configuration."""
    place.configure(core__autocrlf="true", core__safecrlf="true")
    place.check_out()
    return Odd(place.root)


def line_end_attributes(place: Place) -> Odd:
    """The same by attributes, but for the replay log; and tests that are UTF-16 on disk."""
    encoded = "tests/*.py working-tree-encoding=UTF-16"
    place.attributes(f"* text=auto eol=crlf\nledgers/replays.jsonl text eol=lf\n{encoded}\n")
    place.check_out()
    return Odd(place.root)


def encoded_ledgers(place: Place) -> Odd:
    """Ledgers that git stores as UTF-8 and checks out as UTF-16."""
    place.attributes("ledgers/*.yaml text working-tree-encoding=UTF-16\n")
    place.check_out()
    return Odd(place.root)


_POINTER = """version https://git-lfs.github.com/spec/v1
oid sha256:{}
size {}
"""
_CLEAN = """sum=$(tee "$0.content" | sha256sum)
printf 'version https://git-lfs.github.com/spec/v1\\noid sha256:%s\\nsize %s\\n' "${sum%% *}" $(wc -c < "$0.content")"""


def pointer_of(data: bytes) -> bytes:
    """What Git LFS stores in the place of a file."""
    return _POINTER.format(hashlib.sha256(data).hexdigest(), len(data)).encode()


def lfs(*, installed: bool) -> Callable[[Place], Odd]:
    """The fixture is a pointer of Git LFS in every commit; without LFS also on disk."""

    def make(place: Place) -> Odd:
        first, staged = b'{"a": 1}\n', (place.root / ORDERS).read_bytes()
        origin = place.move()
        place.root.mkdir()
        place.git("init", "-q")
        place.attributes("tests/fixtures/*.json filter=lfs diff=lfs merge=lfs -text\n")
        if installed:
            clean = place.program("clean", _CLEAN)
            clean.write_text(f"#!/bin/sh\n{_CLEAN}\n")
            place.configure(filter__lfs__clean=str(clean), filter__lfs__smudge="cat", filter__lfs__required="true")
        else:
            (origin / ORDERS).write_bytes(pointer_of(staged))
        raw, pointer = (b"data %d\n%s" % (len(data), data) for data in (first, pointer_of(first)))
        rebuild(origin, place.root, lambda stream: stream.replace(raw, pointer))
        return Odd(place.root)

    return make


def _is_fine(place: Place) -> bool:
    return (place.root / EXTRA).exists()


# what cannot be read


def nowhere(place: Place) -> Odd:
    """No repository at all."""
    shutil.rmtree(place.root / ".git")
    return Odd(place.root, {"GIT_CEILING_DIRECTORIES": str(place.folder)})


def bare(place: Place) -> Odd:
    """A repository without a work tree."""
    git(place.folder, "clone", "-q", "--bare", str(place.root), "bare.git")
    return Odd(place.folder / "bare.git")


def inside_git(place: Place) -> Odd:
    """The current folder is the git directory."""
    return Odd(place.root / ".git")


def with_line_break(place: Place) -> Odd:
    """A folder whose name holds a line break."""
    return Odd(place.root.rename(place.folder / "new\nline"))


def without_git(place: Place) -> Odd:
    """No git on PATH."""
    return Odd(place.root, {"PATH": str(place.folder)})


def holding(files: Mapping[str, bytes]) -> Callable[[Place], Odd]:
    """Files of the git directory that hold something else."""

    def make(place: Place) -> Odd:
        for name, data in files.items():
            (place.root / ".git" / name).write_bytes(data)
        return Odd(place.root)

    return make


def missing(revision: str) -> Callable[[Place], Odd]:
    """An object that is gone, and what earlier runs learnt of it."""

    def make(place: Place) -> Odd:
        oid = place.git("rev-parse", revision)
        shutil.rmtree(place.root / ".git/flakeledger")
        (place.root / ".git/objects" / oid[:2] / oid[2:]).unlink()
        (place.root / "ledgers/fixtures.yaml").touch()  # git looks at the file again, whoever copied it
        return Odd(place.root)

    return make


def unmerged(place: Place) -> Odd:
    """A conflict over a test module that nobody solved."""
    blob = place.git("rev-parse", f":{MORE}")
    records = "".join(f"100644 {blob} {stage}\t{MORE}\n" for stage in (1, 2, 3))
    place.git("update-index", "--force-remove", MORE)
    subprocess.run(["git", "update-index", "--index-info"], cwd=place.root, input=records.encode(), check=True)
    return Odd(place.root)


def linked_ledger(place: Place) -> Odd:
    """A ledger that is a symbolic link."""
    (place.root / "ledgers/freezes.yaml").rename(place.root / "src/freezes.yaml")
    (place.root / "ledgers/freezes.yaml").symlink_to("../src/freezes.yaml")
    place.git("add", "-A")
    return Odd(place.root)


def linked_ledgers(place: Place) -> Odd:
    """The folder of the ledgers is a symbolic link."""
    (place.root / "ledgers").rename(place.root / "src/ledgers")
    (place.root / "ledgers").symlink_to("src/ledgers")
    place.git("add", "-A")
    return Odd(place.root)


def ledgers_in_a_submodule(place: Place) -> Odd:
    """The folder of the ledgers is another repository."""
    library = place.folder / "library"
    git(place.folder, "init", "-q", "library")
    shutil.copytree(place.root / "ledgers", library, dirs_exist_ok=True)
    git(library, "add", "-A")
    git(library, "commit", "-qm", "ledgers")
    place.git("rm", "-rqf", "ledgers")
    place.git("submodule", "--quiet", "add", library.as_uri(), "ledgers")
    return Odd(place.root)
