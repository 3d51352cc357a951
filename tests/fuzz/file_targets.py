"""Targets that are files of other kinds: canonical JSON, witnesses, notes, patterns, CODEOWNERS, lists, reports, logs.

Invariants:
* As in `targets.py`: a target ends in silence, or something was found.
"""

from __future__ import annotations

import json

from flakeledger.cli.excerpt import classes_of
from flakeledger.evidence import faithful, junit
from flakeledger.evidence.faithful_kinds import Refused, text_of
from flakeledger.evidence.readable import readable_arguments
from flakeledger.model import canonical
from flakeledger.model.citation_record import read_record
from flakeledger.model.decision_trailers import recorded
from flakeledger.model.digest_files import digest_file_name
from flakeledger.model.errors import CannotTell
from flakeledger.model.note import note_file, read_note
from flakeledger.model.patterns import RefusedPattern, compile_pattern, pattern_problem
from flakeledger.model.review import read_review, review_file
from flakeledger.model.witness import read_witness, witness_file
from flakeledger.repo.owner_rules import sections
from flakeledger.repo.owners import CodeOwners
from flakeledger.store.quarantine_lists import KINDS, read_list
from fuzz.inputs import texts_of


def canonical_form(data: bytes) -> None:
    """Canonical text is its own canonical text, and says what json reads."""
    try:
        text = canonical.canonical_text(data)
    except canonical.NotCanonical as refused:
        assert 1 <= refused.line <= data.count(b"\n") + 1, refused.line
        assert 1 <= refused.column <= len(data) + 1, refused.column
        return
    assert canonical.canonical_text(text.encode()) == text, "canonical text is not canonical"
    assert canonical.canonical_dump(json.loads(data)) == text, "another value was written"
    try:
        assert canonical.contract_digest(data) == canonical.text_digest(text)
    except canonical.NotCanonical as refused:
        assert refused.message


def witness(data: bytes) -> None:
    """A witness: written again it is the same file, and what can be shown is decoded without building anything."""
    try:
        found = read_witness(data)
        assert witness_file(found).data == data, "a witness that is read is not its own file"
    except canonical.NotCanonical:
        return
    digest_file_name(data)
    try:
        readable_arguments(found.arguments)
    except Refused:
        return


def arguments(data: bytes) -> None:
    """The faithful form: whatever JSON is decoded, encoding it again gives the same node, or it is refused."""
    try:
        node = json.loads(data)
    except (ValueError, RecursionError):
        return
    try:
        value = faithful.decode(node, build=False)
        again = faithful.encode(value)
    except Refused:
        return
    faithful.decode(again, build=False)
    named = node if isinstance(node, dict) else {"x": node}
    try:
        shown = readable_arguments(named)
    except Refused:
        return
    assert text_of(faithful.encode(faithful.decode(named[next(iter(named))], build=False))) and shown if named else True


def notes(data: bytes) -> None:
    """Notes, reviews, citation records and trailers: what is read can be written again as the same file."""
    try:
        assert note_file(read_note(data)).data == data
    except canonical.NotCanonical as refused:
        assert refused.message
    try:
        assert review_file(read_review(data)).data == data
    except canonical.NotCanonical as refused:
        assert refused.message
    try:
        read_record(data, "record.json")
    except CannotTell as error:
        assert error.reason
    recorded(data.decode("utf-8", "replace"))


def patterns(data: bytes) -> None:
    """A pattern: refused with a reason or compiled, and what covers a folder covers what is below it."""
    pattern, path = (part.decode("utf-8", "replace") for part in texts_of(data, 2))
    problem = pattern_problem(pattern)
    try:
        compiled = compile_pattern(pattern)
    except RefusedPattern as refused:
        assert problem is not None
        assert refused.reason
        return
    assert problem is None
    path = "/".join(part for part in path.replace("\0", "").split("/") if part) or "a"
    if compiled.match(path):
        assert compiled.match(f"{path}/below") or pattern.rstrip().endswith("/"), "what is below is not covered"


def owners(data: bytes) -> None:
    """CODEOWNERS in both flavours: every rule has its line, and every path an answer."""
    for path in (".github/CODEOWNERS", ".gitlab/CODEOWNERS"):
        try:
            found = CodeOwners(path, sections(path, data, has_gitlab_pipeline=False))
            for asked in ("a", "tests/test_a.py", "a/b/c.py"):
                found.of(asked)
        except CannotTell as error:
            assert error.reason


def lists(data: bytes) -> None:
    """What `import` reads, as each kind and as the one that it looks like."""
    lines = data.count(b"\n") + data.count(b"\r") + 1
    for path, kind in [("list.txt", None), ("list", None), *[("list", kind) for kind in KINDS]]:
        try:
            entries = read_list(data, path, kind)
        except CannotTell as error:
            assert error.reason
            continue
        assert all(1 <= entry.place.line <= lines for entry in entries), entries


def reports(data: bytes) -> None:
    """A JUnit report: every failure can be excused, and what is written back says so."""
    try:
        report = junit.read_report(data, "report.xml")
    except CannotTell as error:
        assert error.reason
        return
    for case, node in zip(report.cases, report.nodes, strict=True):
        if case.outcome == "fail":
            junit.excuse(node, "frozen")
    again = junit.read_report(junit.written([report]), "report.xml")
    for old, new in zip(report.cases, again.cases, strict=True):
        assert new.outcome == old.outcome or (old.outcome == "fail" != new.outcome), "a case says something else"


def logs(data: bytes) -> None:
    """What is told of a failure log: names, each of which the log holds."""
    log = data.decode("utf-8", "replace")
    told = classes_of(log)
    assert not told.certain & told.possible
