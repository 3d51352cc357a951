"""The lists of untrusted tests that teams keep today: each kind's bytes to entries that know their place.

Invariants:
* One bad entry does not hide the others: it is given with its `problem`. A text of which nothing can be told is
  `CannotTell`, with the place of the trouble.
* The work is linear in the text, and texts, entries and depth are bounded. Nothing is run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import NamedTuple

from flakeledger.model.errors import CannotTell
from flakeledger.model.rows import Place
from flakeledger.store.json_list import read_json
from flakeledger.store.nextest import read_nextest
from flakeledger.store.quarantine_entries import MOST_ENTRIES, Entry, Selector, refuse_more
from flakeledger.store.status_file import read_status
from flakeledger.store.text import BYTE_ORDER_MARK
from flakeledger.store.yaml_list import read_yaml

LARGEST_LIST = 4 << 20


class ListKind(NamedTuple):
    """A kind of list: what people call it, how a file is known to be one, how its text is read."""

    summary: str
    is_one: Callable[[str, str], bool]
    read: Callable[[str, str], Iterator[Entry]]


def read_list(data: bytes, path: str, kind: str | None) -> list[Entry]:
    """The entries of a list; without `kind` the name and the text of the file tell it.

    CannotTell when the text is too large, is no text, or its kind is not known or cannot read it.
    """
    if len(data) > LARGEST_LIST:
        raise CannotTell(f"{path} is larger than {LARGEST_LIST >> 20} MiB", "split the list", f"{path}:1:1")
    text = _decoded(data.removeprefix(BYTE_ORDER_MARK), path)
    name = kind or next((name for name, one in KINDS.items() if one.is_one(path, text)), None)
    if name is None:
        listed = "\n".join(f"  {name:<12} {one.summary}" for name, one in KINDS.items())
        raise CannotTell(
            f"{path} looks like no list that is known here", f"name its kind: --kind KIND, one of\n{listed}"
        )
    entries = list(islice(KINDS[name].read(text, path), MOST_ENTRIES + 1))
    refuse_more(len(entries), path)
    return entries


def _decoded(data: bytes, path: str) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = len(data[data.rfind(b"\n", 0, error.start) + 1 : error.start].decode()) + 1
        reason = f"the byte 0x{data[error.start]:02X} is no UTF-8"
        raise CannotTell(reason, "save the file as UTF-8", f"{path}:{line}:{column}") from None


def _is_nextest(path: str, text: str) -> bool:
    return path.endswith("nextest.toml") or (path.endswith(".toml") and "[profile." in text)


def _is_yaml(path: str, text: str) -> bool:
    return path.endswith((".yml", ".yaml")) or text.startswith("tests:\n")


def _is_status(path: str, text: str) -> bool:
    return path.endswith(".status") or text.startswith("prefix ")


def _is_json(path: str, text: str) -> bool:
    return path.endswith(".json") or text.lstrip().startswith(("[", "{"))


def _is_text(path: str, text: str) -> bool:
    written = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    return path.endswith((".txt", ".list")) or (bool(written) and all("::" in line for line in written))


def _read_text(text: str, path: str) -> Iterator[Entry]:
    for number, line in enumerate(text.split("\n"), 1):
        written = line.strip()
        if written and not written.startswith("#"):
            yield Entry(path, Place(number, line.index(written) + 1), Selector(written, "id"))


#: the first kind whose `is_one` says yes is a file's kind
KINDS: dict[str, ListKind] = {
    "nextest": ListKind("nextest's configuration: .config/nextest.toml", _is_nextest, read_nextest),
    "muted-tests": ListKind("Elasticsearch's muted-tests.yml, or a YAML list of test ids", _is_yaml, read_yaml),
    "node-status": ListKind("Node's and V8's status files: parallel.status", _is_status, read_status),
    "json": ListKind("a JSON list: `test` or `selector`, `owner`, `added`, `expires`, …", _is_json, read_json),
    "text": ListKind("a text with one test id a line: quarantine.txt", _is_text, _read_text),
}
