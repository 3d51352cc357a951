"""The cache below a real git directory: whole values or none, and nothing outside of it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flakeledger.store import cache as module
from flakeledger.store.cache import Cache

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


def filled(folder: Path, value: object = "kept") -> tuple[Cache, Path]:
    cache = Cache(str(folder))
    cache.save("rows", value)
    return cache, folder / "flakeledger" / "rows.json"


def names(folder: Path) -> list[str]:
    return [file.name for file in folder.iterdir()]


@given(value=JSON)
@settings(max_examples=50)
def test_what_was_saved_is_loaded(tmp_path_factory: pytest.TempPathFactory, value: object) -> None:
    folder = tmp_path_factory.mktemp("git")
    cache, _ = filled(folder, value)
    assert cache.load("rows") == value
    assert names(folder / "flakeledger") == ["rows.json"]


def test_names_are_apart_and_the_last_value_counts(tmp_path: Path) -> None:
    cache = Cache(str(tmp_path))
    cache.save("rows", 1)
    cache.save("digests", 2)
    cache.save("rows", 3)
    assert (cache.load("rows"), cache.load("digests"), cache.load("other")) == (3, 2, None)


@pytest.mark.parametrize("name", ["", "../rows", "a/b", "a.b", "Rows", "-rows", "rows\n", ".."])
def test_a_name_is_a_word(tmp_path: Path, name: str) -> None:
    for act in (Cache(str(tmp_path)).load, lambda name: Cache(str(tmp_path)).save(name, 1)):
        with pytest.raises(ValueError, match="is no name of a cache"):
            act(name)


def test_no_damaged_byte_is_read(tmp_path: Path) -> None:
    cache, file = filled(tmp_path, ["some", 1])
    whole = file.read_bytes()
    for position in range(len(whole)):
        file.write_bytes(whole[:position] + bytes([whole[position] ^ 1]) + whole[position + 1 :])
        assert cache.load("rows") is None, position
        file.write_bytes(whole[:position])
        assert cache.load("rows") is None, position
    file.write_bytes(whole)
    assert cache.load("rows") == ["some", 1]


def test_another_version_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache, _ = filled(tmp_path)
    monkeypatch.setattr(module, "HEADING", module.HEADING.replace(b"cache 2", b"cache 3"))
    assert cache.load("rows") is None


def test_a_payload_that_is_no_json_or_too_deep_is_none(tmp_path: Path) -> None:
    cache, file = filled(tmp_path)
    for payload in (b"{", b"[" * 200_000, b"\xff"):
        file.write_bytes(module._heading("rows", payload) + payload)
        assert cache.load("rows") is None


def test_a_folder_that_is_a_link_is_not_followed(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    cache, file = filled(tmp_path / "elsewhere")
    assert cache.load("rows") == "kept"
    (tmp_path / "git").mkdir()
    (tmp_path / "git" / "flakeledger").symlink_to(file.parent)
    linked = Cache(str(tmp_path / "git"))
    assert linked.load("rows") is None
    linked.save("rows", "changed")
    linked.save("other", "new")
    assert cache.load("rows") == "kept"
    assert names(file.parent) == ["rows.json"]


def test_a_file_that_is_a_link_is_replaced_and_its_target_kept(tmp_path: Path) -> None:
    cache, file = filled(tmp_path)
    target = tmp_path / "target"
    target.write_text("mine")
    file.unlink()
    file.symlink_to(target)
    cache.save("rows", "new")
    assert (cache.load("rows"), target.read_text(), file.is_symlink()) == ("new", "mine", False)


def test_where_nothing_can_be_written_nothing_happens(tmp_path: Path) -> None:
    (tmp_path / "flakeledger").write_text("a file in the way")
    cache, _ = filled(tmp_path)
    assert cache.load("rows") is None
    assert (tmp_path / "flakeledger").read_text() == "a file in the way"
    Cache(str(tmp_path / "nowhere")).save("rows", 1)
    assert not (tmp_path / "nowhere").exists()


def test_a_name_that_is_taken_by_a_folder_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "flakeledger" / "rows.json").mkdir(parents=True)
    cache, _ = filled(tmp_path)
    assert cache.load("rows") is None
    assert names(tmp_path / "flakeledger") == ["rows.json"]


def test_a_disk_that_is_full_keeps_the_last_value(tmp_path: Path) -> None:
    """A process that may write 4 KiB a file: the value is cut off, and the one before it stays."""
    filled(tmp_path)
    program = (
        "import resource, signal, sys\n"
        "from flakeledger.store.cache import Cache\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))\n"
        "Cache(sys.argv[1]).save('rows', 'x' * 100_000)\n"
    )
    subprocess.run([sys.executable, "-c", program, str(tmp_path)], check=True)
    assert Cache(str(tmp_path)).load("rows") == "kept"
    assert names(tmp_path / "flakeledger") == ["rows.json"]


def test_two_writers_leave_a_whole_value(tmp_path: Path) -> None:
    program = (
        "import sys\nfrom flakeledger.store.cache import Cache\n"
        "for count in range(200): Cache(sys.argv[1]).save('rows', [sys.argv[2]] * 2000)\n"
    )
    writers = [subprocess.Popen([sys.executable, "-c", program, str(tmp_path), name]) for name in "ab"]
    seen = set()
    while any(writer.poll() is None for writer in writers):
        value = Cache(str(tmp_path)).load("rows")
        seen.add(json.dumps(value))
    assert [writer.wait() for writer in writers] == [0, 0]
    assert seen <= {json.dumps(value) for value in (None, ["a"] * 2000, ["b"] * 2000)}
    assert names(tmp_path / "flakeledger") == ["rows.json"]


def test_what_a_killed_run_left_is_swept_and_nothing_through_a_link(tmp_path: Path) -> None:
    cache, file = filled(tmp_path)
    left = ".digests.json.0123456789abcdef.unfinished"
    file.with_name(left).write_bytes(b"half")
    (tmp_path / "git").mkdir()
    (tmp_path / "git" / "flakeledger").symlink_to(file.parent)
    Cache(str(tmp_path / "git")).sweep()
    Cache(str(tmp_path / "nowhere")).sweep()
    assert sorted(names(file.parent)) == [left, "rows.json"]
    cache.sweep()
    assert names(file.parent) == ["rows.json"]
    assert cache.load("rows") == "kept"
