"""Ledger files to typed rows, in a first run and in those after it."""

from __future__ import annotations

import hashlib
from functools import partial
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from flakeledger.model.ledger_paths import FIXTURES, FREEZES, POLICY, PROPERTIES, REPLAYS
from flakeledger.model.rows import LatePlaces
from flakeledger.repo.reading import Reading, Rows
from flakeledger.repo.tree import Listing, Tree
from flakeledger.store import yaml_rows
from flakeledger.store.cache import Cache
from flakeledger.store.git import TreeEntry

ROW = """\
- test: tests/test_a.py::test_{0}
  owner: "@finley"
  frozen_on: 2026-03-02
  expires: 2026-03-20
  reason: depends on the wall clock
  property_id: PROP-1
  replay_env: local
"""
LINE = (
    '{{"test": "tests/test_a.py::test_{0}", "run_at": "2026-03-02T00:00:00Z", "env": "local", "seeds": [1, 2], '
    '"passed": 1, "total": 2, "failures": {{"TimeoutError": 1}}}}\n'
)
FILES = {
    POLICY: "version: 1\npaths:\n  - class: freeze_config\n    match: [/ledgers/]\n"
    "  - class: generator\n    match: [conftest.py]\nrunners:\n  - name: local\n  - name: node\n"
    '    command: [node, "{path}"]\n',
    FREEZES: "# ours\n" + "".join(map(ROW.format, "abc")),
    FIXTURES: "",
    PROPERTIES: "- id: PROP-1\n  statement: it holds\n  fixtures: []\n  tests: [tests/test_a.py::test_a]\n",
    REPLAYS: "".join(map(LINE.format, "abc")),
}


def tree_of(files: dict[str, str]) -> Tree:
    """A tree in memory whose blob ids are digests of their content."""
    blobs = {hashlib.sha1(text.encode()).hexdigest(): text.encode() for text in files.values()}
    entries = {path: TreeEntry("100644", hashlib.sha1(text.encode()).hexdigest()) for path, text in files.items()}
    return Tree("memory", lambda: Listing(entries), blobs.__getitem__)


def read(cache: Cache, files: dict[str, str]) -> Rows:
    """One run: read, and keep what was learnt."""
    reading = Reading(cache)
    rows = reading.rows(tree_of(files))
    for facts in reading.facts:
        facts.save()
    return rows


def plain(rows: Any) -> Any:
    """Rows without the difference between a tuple and a list, which JSON does not know, and with all their places."""
    if isinstance(rows, LatePlaces):
        return plain(rows.found())
    if isinstance(rows, tuple | list):
        return [plain(item) for item in rows]
    return rows


def test_a_second_run_reads_the_same_and_parses_no_yaml(tmp_path: Path, monkeypatch: Any) -> None:
    cache = Cache(str(tmp_path))
    first = read(cache, FILES)
    assert [row.test for row in first.freezes] == [f"tests/test_a.py::test_{name}" for name in "abc"]
    assert first.policy is not None
    assert not first.findings
    with monkeypatch.context() as patched:
        patched.setattr(yaml_rows, "read_row", lambda *_: 1 / 0)
        second = read(cache, FILES)
    assert plain(second) == plain(first)
    assert second.policy == first.policy


def test_one_edited_row_is_parsed_alone_and_the_others_move(tmp_path: Path) -> None:
    cache = Cache(str(tmp_path))
    read(cache, FILES)
    edited = {**FILES, FREEZES: "# ours\n# another line\n" + ROW.format("x") + "".join(map(ROW.format, "abc"))}
    assert plain(read(cache, edited)) == plain(read(Cache(str(tmp_path / "none")), edited))


def test_of_a_log_that_grew_only_the_new_lines_are_read(tmp_path: Path) -> None:
    cache = Cache(str(tmp_path))
    read(cache, FILES)
    grown = {**FILES, REPLAYS: FILES[REPLAYS] + LINE.format("d")}
    rows = read(cache, grown)
    assert [replay.line for replay in rows.replays] == [1, 2, 3, 4]
    assert plain(rows) == plain(read(Cache(str(tmp_path / "none")), grown))


def test_what_is_wrong_is_found_in_every_run(tmp_path: Path) -> None:
    cache = Cache(str(tmp_path))
    bad = {**FILES, FREEZES: FILES[FREEZES] + ROW.format("d").replace("expires", "expiers"), POLICY: "version: 2\n"}
    first = read(cache, bad)
    assert {finding.rule for finding in first.findings} >= {"unknown-field", "missing-field"}
    assert first.policy is None
    assert read(cache, bad).findings == first.findings


def test_a_ledger_that_is_no_regular_file_is_a_finding(tmp_path: Path) -> None:
    tree = tree_of(FILES)
    entries = {**tree.entries, FREEZES: TreeEntry("120000", tree.entries[FREEZES].oid)}
    rows = Reading(Cache(str(tmp_path))).rows(Tree("linked", lambda: Listing(entries), tree.blob))
    assert [(finding.path, finding.rule) for finding in rows.findings] == [(FREEZES, "yaml-forbidden")]
    assert rows.freezes == ()


def test_a_folder_of_ledgers_that_is_none_is_a_finding_of_each(tmp_path: Path) -> None:
    for mode, what in (("120000", "a symbolic link"), ("160000", "a submodule"), ("100644", "a file")):
        listing = Listing({"ledgers": TreeEntry(mode, "0" * 40)})
        tree = Tree("linked", partial(Listing, *listing), lambda _: b"")
        rows = Reading(Cache(str(tmp_path))).rows(tree)
        assert sorted((finding.path, finding.rule) for finding in rows.findings) == [
            (path, "yaml-forbidden") for path in (FIXTURES, FREEZES, POLICY, PROPERTIES, REPLAYS)
        ]
        assert all(f"ledgers is {what}, " in finding.message for finding in rows.findings)
        assert rows[:5] == (None, (), (), (), ())


EDITS = st.lists(
    st.tuples(
        st.sampled_from([FREEZES, PROPERTIES, REPLAYS, POLICY]),
        st.integers(0, 2000),
        st.sampled_from(["", "\n", "- ", "x", ": ", '"', "#", "{", "  ", "\u00e9", "test", "'"]),
        st.integers(0, 3),
    ),
    min_size=1,
    max_size=4,
)


@given(EDITS)
def test_a_warm_run_never_differs_from_a_cold_one(edits: list[tuple[str, int, str, int]]) -> None:
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as folder:
        cache = Cache(folder)
        read(cache, FILES)
        files = dict(FILES)
        for path, offset, text, cut in edits:
            place = offset % (len(files[path]) + 1)
            files[path] = files[path][:place] + text + files[path][place + cut :]
            assert plain(read(cache, files)) == plain(read(Cache(f"{folder}/none"), files))
