"""Files that are named on the command line: what is read, what is refused before it is read."""

from __future__ import annotations

from pathlib import Path

import pytest

from bounded import UNWELCOME
from flakeledger.cli.named_file import LARGEST_MODULE, of_contract, read_named
from flakeledger.model.canonical import contract_digest, digest
from flakeledger.model.errors import CannotTell
from flakeledger.repo import modules


def test_a_file_is_read_whole_up_to_its_limit(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"\xff\r\n" * 4)
    assert read_named(str(path), 12) == b"\xff\r\n" * 4
    with pytest.raises(CannotTell, match="is larger than 0 KiB"):
        read_named(str(path), 11)


@pytest.mark.parametrize("name", UNWELCOME)
def test_what_is_not_read(name: str, tmp_path: Path) -> None:
    make, reason = UNWELCOME[name]
    path = tmp_path / "file"
    make(path)
    with pytest.raises(CannotTell) as caught:
        read_named(str(path), 1024 * 1024)
    assert f"{path} {reason}" in caught.value.reason
    assert caught.value.fix
    assert caught.value.place == ""


def test_a_name_that_no_file_has(tmp_path: Path) -> None:
    for name in ("", "a\0b", str(tmp_path / ("x" * 300))):
        with pytest.raises(CannotTell, match="cannot be read"):
            read_named(name, 10)


def test_a_file_whose_size_is_a_lie_is_not_read_to_its_end() -> None:
    """The files of /proc say that they are empty."""
    assert Path("/proc/self/maps").stat().st_size == 0
    with pytest.raises(CannotTell, match="is larger than"):
        read_named("/proc/self/maps", 100)


def test_a_refusal_has_its_place_and_the_fix_of_the_caller(tmp_path: Path) -> None:
    path = tmp_path / "order.json"
    path.write_text('{"a":\n 0.5}')
    with pytest.raises(CannotTell) as caught:
        of_contract(str(path), digest, "mend it")
    assert caught.value.place == f"{path}:2:2"
    assert caught.value.fix == "mend it"
    path.write_text('{"schema": 1}')
    assert of_contract(str(path), contract_digest, "") == digest(b'{"schema": 1}')


def test_the_limit_of_modules_is_that_of_the_parser() -> None:
    assert LARGEST_MODULE == modules.LARGEST
