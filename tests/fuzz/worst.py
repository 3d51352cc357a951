"""The worst inputs of a megabyte that are known for each reader, each read in a process of its own and measured.

    PYTHONPATH=tests python -m fuzz.worst                # all of them: a table of the slowest, 1 where one is too slow
    PYTHONPATH=tests python -m fuzz.worst --only skips

Invariants:
* A reader is what the product runs on one file, once; an input is one text repeated, with a head where it needs one.
* Every input is read at a tenth of its size first. One that is so quick there that even a quadratic reader would stay
  far below the limit with all of it is not read again.
* Time is processor time of the reading process; memory is its peak, the interpreter included. It cannot get more
  address space than `MEMORY` beyond what it has when it starts.
"""

from __future__ import annotations

import argparse
import os
import resource
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from flakeledger.cli.excerpt import classes_of
from flakeledger.evidence import junit
from flakeledger.evidence.faithful_kinds import Refused
from flakeledger.evidence.readable import readable_arguments
from flakeledger.evidence.secrets import secret_in
from flakeledger.model import canonical
from flakeledger.model.citation_record import read_record
from flakeledger.model.decision_trailers import without_decisions
from flakeledger.model.errors import CannotTell
from flakeledger.model.ledger_paths import FREEZES, POLICY, REPLAYS
from flakeledger.model.note import read_note
from flakeledger.model.policy_reading import build_policy
from flakeledger.model.witness import read_witness
from flakeledger.repo.citations import text_citations
from flakeledger.repo.foreign_skips import foreign_skips
from flakeledger.repo.guard import weakened
from flakeledger.repo.languages import language_of
from flakeledger.repo.layout import Layout
from flakeledger.repo.log_merge import merge_log
from flakeledger.repo.modules import module_facts
from flakeledger.repo.oracles import oracle_changes
from flakeledger.repo.owner_rules import sections
from flakeledger.repo.owners import CodeOwners
from flakeledger.repo.python_skips import python_skips
from flakeledger.repo.reading import Reading
from flakeledger.repo.row_merge import merge_rows
from flakeledger.repo.skip_candidates import may_bring_skips
from flakeledger.repo.skip_matching import not_standing
from flakeledger.repo.skip_texts import SkipTexts
from flakeledger.store.cache import Cache
from flakeledger.store.editor import change_row
from flakeledger.store.formatter import format_rows
from flakeledger.store.quarantine_lists import KINDS, read_list
from flakeledger.store.reader import read_policy, read_replays
from fuzz.inputs import PATHS
from fuzz.shapes import (
    LISTS,
    LOG,
    MESSAGES,
    OWNERS,
    PATHS_OF_TESTS,
    POLICIES,
    PYTHON,
    ROWS,
    SECRETS,
    SHAPES,
    SIGNS,
    SKIPS,
    TRACES,
    UNIQUE,
    XML,
)

SIZE = 1_000_000
#: what no input may take
SECONDS, MEMORY = 2.0, 500_000_000
#: a tenth of an input that takes less takes less than a second when it is ten times as large, and the time quadratic
_QUICK = 0.01


class Reader(NamedTuple):
    """What the product does with a file; `shapes` are texts of its own that are repeated: head, what repeats, foot."""

    name: str
    read: Callable[[bytes], object]
    shapes: tuple[tuple[str, str, str], ...] = ()
    #: whether it also reads the shapes that are bad for parsers of every kind
    every: bool = True
    #: how many versions of the file it reads; each may take its time
    versions: int = 1


class Measured(NamedTuple):
    """What one input took: seconds of processor time, peak of memory in bytes, and how it ended when not well."""

    reader: str
    shape: str
    seconds: float
    memory: int
    ended: str


_EDITED = "- test: t.py::first\n  owner: '@a'\n"


def _ended_well(read: Callable[[], object]) -> None:
    """What the product itself refuses is an answer."""
    try:
        read()
    except (CannotTell, canonical.NotCanonical, Refused):
        return


def _rows(data: bytes) -> None:
    Reading(Cache(os.devnull)).freezes_in(data)


def _policy(data: bytes) -> None:
    node, findings = read_policy(data, POLICY)
    if node is not None and not findings:
        build_policy(node, POLICY)


def _witness(data: bytes) -> None:
    readable_arguments(read_witness(data).arguments)


def _arguments(data: bytes) -> None:
    found = canonical.strict_object(data)
    readable_arguments(found)


def _owners(data: bytes) -> None:
    for path in (".github/CODEOWNERS", ".gitlab/CODEOWNERS"):
        owners = CodeOwners(path, sections(path, data, has_gitlab_pipeline=False))
        owners.of("tests/some/folder/test_a.py")


def _reports(data: bytes) -> None:
    report = junit.read_report(data, "report.xml")
    for case, node in zip(report.cases, report.nodes, strict=True):
        if case.outcome == "fail":
            junit.excuse(node, "frozen")
    junit.written([report])


def _secrets(data: bytes) -> None:
    """In a text that is a value, and a name as well."""
    text = data.decode("utf-8", "replace")
    secret_in({"text": text, text: 1})


def _paths(data: bytes) -> None:
    layout = Layout(tuple(data.decode("utf-8", "replace").split("\n")), lambda _: None)
    _ = layout.test_roots, layout.generators


def _brought(path: str) -> Callable[[bytes], object]:
    def read(data: bytes) -> object:
        """The file was edited at its end."""
        base = data[: -len(data) // 8]
        return may_bring_skips(path, base, data) and not_standing(SkipTexts(path, data), SkipTexts(path, base))

    return read


def _cited(path: str) -> Callable[[bytes], object]:
    language = language_of(path)
    assert language is not None
    return lambda data: text_citations(data.decode("utf-8", "replace"), language, unparsed="it is broken")


def _foreign(path: str) -> Callable[[bytes], object]:
    return lambda data: foreign_skips(path, data)


def _list(kind: str) -> Callable[[bytes], object]:
    return lambda data: read_list(data, "list", kind)


READERS = (
    Reader("rows", _rows, (*ROWS, *UNIQUE)),
    Reader("policy", _policy, POLICIES),
    Reader("hook configuration", lambda data: weakened(data, data), ROWS),
    Reader("replays", lambda data: read_replays(data, REPLAYS), LOG),
    Reader("contract", canonical.contract_digest),
    Reader("witness", _witness),
    Reader("arguments", _arguments),
    Reader("note", read_note),
    Reader("citation record", lambda data: read_record(data, "record.json")),
    Reader("python facts", module_facts, PYTHON),
    Reader("python skips", python_skips, PYTHON),
    Reader("python brought", _brought("test_a.py"), PYTHON, versions=2),
    Reader("python oracles", lambda data: oracle_changes(data, data[: len(data) // 2]), PYTHON, versions=2),
    Reader("citations of python", _cited("test_a.py"), (*PYTHON, *SKIPS)),
    Reader("citations of javascript", _cited("a.test.js"), SKIPS, every=False),
    *(Reader(f"skips of {path}", _foreign(path), (*SIGNS, *SKIPS), every=False) for path in PATHS),
    Reader("javascript brought", _brought("a.test.js"), SKIPS, every=False, versions=2),
    Reader("go brought", _brought("a_test.go"), SKIPS, every=False, versions=2),
    Reader("owners", _owners, OWNERS),
    *(Reader(f"list of kind {kind}", _list(kind), LISTS) for kind in KINDS),
    Reader("reports", _reports, XML),
    Reader("secrets", _secrets, SECRETS, every=False, versions=2),
    Reader("commit message", without_decisions, MESSAGES),
    Reader("paths", _paths, PATHS_OF_TESTS, every=False),
    Reader("logs", lambda data: classes_of(data.decode("utf-8", "replace")), TRACES),
    Reader(
        "merge",
        lambda data: merge_rows(data[: len(data) // 2], data, data[len(data) // 3 :], FREEZES),
        (*ROWS, *UNIQUE),
    ),
    Reader("merge of logs", lambda data: merge_log(data, data[len(data) // 2 :]), LOG),
    Reader("layout", lambda data: format_rows(data, FREEZES), (*ROWS, *UNIQUE)),
    Reader(
        "edit",
        lambda data: change_row(_EDITED.encode() + data, FREEZES, "t.py::first", {"owner": "@b"}),
        (*ROWS, *UNIQUE),
    ),
)


def inputs(reader: Reader, size: int = SIZE) -> Iterator[tuple[str, bytes]]:
    """Every input of a reader, with what it is made of."""
    for head, repeated, foot in (*(SHAPES if reader.every else ()), *reader.shapes):
        parts = [part.encode("utf-8", "surrogatepass") for part in (head, repeated, foot)]
        room = size - len(parts[0]) - len(parts[2])
        middle = parts[1] * (room // len(parts[1])) if parts[1] else b""
        yield f"{head[:30]!r} {repeated[:40]!r} {foot[:20]!r}", parts[0] + middle + parts[2]


def _measured_all(reader: Reader) -> Iterator[Measured]:
    for (shape, part), (_, whole) in zip(inputs(reader, SIZE // 10), inputs(reader), strict=True):
        tenth = measured(reader, shape, part)
        yield tenth if tenth.seconds < _QUICK and not tenth.ended else measured(reader, shape, whole)


def measured(reader: Reader, shape: str, data: bytes) -> Measured:
    """One input, read in a child."""
    told, telling = os.pipe()
    child = os.fork()
    if child == 0:
        _read_and_tell(reader, data, telling)
    os.close(telling)
    with open(told, "rb") as answer:
        ended = answer.read().decode()
    _, status, used = os.wait4(child, 0)
    if status and not ended:
        ended = f"the process ended with {status}"
    seconds = float(ended) if ended[:1].isdigit() else used.ru_utime + used.ru_stime
    return Measured(reader.name, shape, seconds, used.ru_maxrss * 1024, "" if ended[:1].isdigit() else ended)


def _read_and_tell(reader: Reader, data: bytes, telling: int) -> None:
    """Read, say how long it took or what was raised, and end the process."""
    limit = MEMORY + _address_space()
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CPU, (20, 20))
    start = time.process_time()
    try:
        _ended_well(lambda: reader.read(data))
        said = f"{time.process_time() - start:.4f}"
    except BaseException as error:  # noqa: BLE001  # whatever it is, the parent is told
        said = f"{type(error).__name__}: {error}"[:300]
    os.write(telling, said.encode("utf-8", "replace"))
    os._exit(0)


def _address_space() -> int:
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure; print the slowest input of every reader, and every one that takes too much. 1 if there is one."""
    parser = argparse.ArgumentParser(description="Measure the worst inputs of a megabyte.", allow_abbrev=False)
    parser.add_argument("--only", default="", help="readers whose names begin so")
    given = parser.parse_args(arguments)
    failed = 0
    print("| reader | inputs | slowest | seconds | most memory | too much |\n|---|---|---|---|---|---|")
    for reader in READERS:
        if reader.name.startswith(given.only):
            _ended_well(lambda reader=reader: reader.read(b"skip"))  # type: ignore[misc]  # what is imported late is not measured
            every = list(_measured_all(reader))
            slowest = max(every, key=lambda one: one.seconds)
            bad = [one for one in every if one.ended or one.seconds > SECONDS * reader.versions or one.memory > MEMORY]
            failed += len(bad)
            most = max(one.memory for one in every) // 1_000_000
            told = (reader.name, len(every), f"`{slowest.shape}`", f"{slowest.seconds:.2f}", f"{most} MB", len(bad))
            print(f"| {' | '.join(map(str, told))} |", flush=True)
            for one in bad:
                print(f"TOO MUCH {one}", flush=True)
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
