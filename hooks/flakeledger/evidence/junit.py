"""JUnit XML reports of any framework: read, and written back with the excused failures marked.

Invariants:
* A report comes from strangers: a document type, an entity, a file that is too large or nested too deep, and what is
  no XML are refused with a sentence; nothing is fetched.
* The order of the document is kept. What is written back differs in the excused test cases and in the counts above
  them, and nowhere else (white space around a result apart).
* A test case that is reported as not run was skipped, whichever way its framework says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

from flakeledger.evidence.junit_failures import Failed, Result, failed_with
from flakeledger.model.errors import CannotTell

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

Outcome = Literal["pass", "fail", "skipped"]

#: suites in suites: frameworks nest as deep as people nest their blocks
DEEPEST = 32
#: the type of the result that stands in the place of an excused failure
EXCUSED = "flakeledger.frozen"
_SUITES = ("testsuites", "testsuite")
#: with which words the attributes `status` and `result` say that a test did not run (CTest, GoogleTest)
_NOT_RUN = frozenset(("notrun", "disabled", "skipped", "suppressed"))
#: results named `skipped` of tests that did run, and failed as was expected; pytest says of others that they did not
_EXPECTED, _PYTEST_NOT_RUN = ("pytest.xfail", EXCUSED), "[NOTRUN]"
_FIX = "give a JUnit XML report, as the framework wrote it"


class Case(NamedTuple):
    """A test case of a report, in the report's own words; what it does not say is empty."""

    name: str
    classname: str
    file: str
    #: the names of the suites around it, from the outermost
    suites: tuple[str, ...]
    outcome: Outcome
    #: of a case that failed
    failed: Failed


class Node(NamedTuple):
    """Where a test case stands in its document: its element, and the suites above it from the outermost."""

    element: Element
    above: tuple[Element, ...]


class Report(NamedTuple):
    """A report: the path under which it was named, its document, and its test cases with their places."""

    path: str
    root: Element
    cases: tuple[Case, ...]
    nodes: tuple[Node, ...]


def read_report(data: bytes, path: str) -> Report:
    """The report that a file holds. CannotTell, with the place where there is one, when it is none."""
    root = _parsed(data, path)
    if root.tag not in _SUITES:
        raise CannotTell(f"{path} is no JUnit XML report: its root is neither testsuites nor testsuite", _FIX)
    nodes = tuple(_nodes(root, path))
    return Report(path, root, tuple(map(_case, nodes)), nodes)


def _parsed(data: bytes, path: str) -> Element:
    from xml.etree.ElementTree import ParseError, TreeBuilder

    from defusedxml.common import DefusedXmlException
    from defusedxml.ElementTree import DefusedXMLParser

    parser = DefusedXMLParser(target=TreeBuilder(insert_comments=True, insert_pis=True), forbid_dtd=True)
    try:
        parser.feed(data)
        root: Element = parser.close()
    except ParseError as error:
        line, column = error.position
        raise CannotTell(f"{path} is no XML: {error.msg}", _FIX, f"{path}:{line}:{column + 1}") from None
    except DefusedXmlException:
        raise CannotTell(f"{path} declares a document type, which no report needs", _FIX) from None
    except (LookupError, ValueError) as error:  # an encoding that nobody knows, or that expat cannot read
        raise CannotTell(f"{path} is no XML: {error}", _FIX) from None
    return root


def _nodes(root: Element, path: str) -> Iterator[Node]:
    """The test cases, in the order of the document, also those that stand in no suite."""
    pending: list[Node] = [Node(root, ())]
    while pending:
        element, above = pending.pop()
        if element.tag == "testcase":
            yield Node(element, above)
        elif element.tag in _SUITES:
            if len(above) == DEEPEST:
                raise CannotTell(f"{path} has suites nested deeper than {DEEPEST} levels", _FIX)
            pending += [Node(child, (*above, element)) for child in reversed(element)]


def _case(node: Node) -> Case:
    from junitparser import Error, Failure, Skipped
    from junitparser.xunit2 import TestCase

    element, above = node
    found = TestCase.fromelem(element)
    results = found.result
    outcome: Outcome = "pass"
    failed = Failed()
    if any(isinstance(result, Failure | Error) for result in results):
        outcome = "fail"
        tries = [*results, *found.rerun_failures(), *found.rerun_errors()]
        failed = failed_with([one for one in tries if not isinstance(one, Skipped)], found.classname, found.name)
    elif _says_not_run(element) or any(map(_is_skip, results)):
        outcome = "skipped"
    names = tuple(suite.get("name", "") for suite in above)
    files = [one.get("file", "") for one in (element, *reversed(above))]
    return Case(found.name or "", found.classname or "", next(filter(None, files), ""), names, outcome, failed)


def _says_not_run(element: Element) -> bool:
    return any(element.get(name, "").lower() in _NOT_RUN for name in ("status", "result"))


def _is_skip(result: Result) -> bool:
    return result.type not in _EXPECTED or (result.message or "").startswith(_PYTEST_NOT_RUN)


# writing


def excuse(node: Node, message: str) -> None:
    """Mark a failed test case as skipped, with this message; its own words stay, as the text of the result."""
    from xml.etree.ElementTree import Element

    from junitparser import Failure, Skipped
    from junitparser.xunit2 import TestCase

    found = TestCase.fromelem(node.element)
    results = found.result
    words = [part for one in results for part in (one.message, one.text) if part]
    skipped = Element("skipped", {"type": EXCUSED, "message": message})
    skipped.text = "\n".join(words)
    failures = sum(isinstance(one, Failure) for one in results)
    skips = sum(isinstance(one, Skipped) for one in results)
    found.result = Skipped.fromelem(skipped)
    for suite in node.above:
        _add(suite, "failures", -failures)
        _add(suite, "errors", failures + skips - len(results))
        _add(suite, "skipped", 1 - skips)


def _add(suite: Element, name: str, number: int) -> None:
    """Correct a count, where the suite has one."""
    text = suite.get(name, "")
    if text.isascii() and text.isdigit() and len(text) < 10:
        suite.set(name, str(max(int(text) + number, 0)))


def written(reports: Sequence[Report]) -> bytes:
    """The document of one report, or one document with the suites of several. CannotTell when it is nested too deep."""
    from xml.etree.ElementTree import Element, tostring

    root = reports[0].root
    if len(reports) > 1:
        root = Element("testsuites")
        for report in reports:
            root.extend([report.root] if report.root.tag == "testsuite" else report.root)
    try:
        return bytes(tostring(root, encoding="utf-8", xml_declaration=True)) + b"\n"
    except RecursionError:
        raise CannotTell("what stands in a test case is nested too deep to be written", "leave --write out") from None
