"""Which frozen test a test case of a JUnit XML report is.

Invariants:
* A case is one test or none. Where the report leaves a doubt the case is no test, and `unclear` names the doubt.
* What the report says of the file decides first, then the class, and the name alone only where nothing else in the
  tree or in the report bears it.
* A test of a Python module is known by its whole id: file or dotted module, classes, function and parameters.
* What is built from the words of a report is bounded by the ids of the frozen tests.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from typing import Literal, NamedTuple

from flakeledger.evidence.junit import Case
from flakeledger.model.wording import listed, shown
from flakeledger.repo.ids import is_python
from flakeledger.repo.ledger import Ledger

#: how frameworks join the names of suites, or that of a class, with the name of a test
_JOINTS = (" ", " > ", "::", ".")
#: no dotted name of a class is longer
_LONGEST_CLASS, _MOST_PARTS = 1000, 64
#: what speaks for a case being a test: its file and name, its file and the end of its name, its class, its name alone
Relation = Literal["file", "end", "class", "name"]
_STRENGTHS: tuple[Relation, ...] = ("file", "end", "class", "name")


class Match(NamedTuple):
    """The frozen tests that a case may be, and (empty when it is exactly one, or none) what leaves a doubt."""

    tests: tuple[str, ...] = ()
    unclear: str = ""

    @property
    def test(self) -> str:
        """The frozen test that the case is; empty when it is none, or in doubt."""
        return self.tests[0] if len(self.tests) == 1 and not self.unclear else ""


class _Candidate(NamedTuple):
    test: str
    relation: Relation


class Matching:
    """Matches the cases of reports of one tree; `root` is where its files lie."""

    def __init__(self, ledger: Ledger, frozen: Collection[str], root: str) -> None:
        """Reads nothing yet."""
        self._ledger = ledger
        self._frozen = frozenset(frozen)
        self._root = root
        self._by_name: dict[str, list[str]] = {}
        self._by_file: dict[str, list[str]] = {}
        for test in frozen:
            path, _, name = test.partition("::")
            if not is_python(path):
                self._by_file.setdefault(path, []).append(test)
                for spelling in _spellings(name):
                    self._by_name.setdefault(spelling, []).append(test)
        self._longest = max(map(len, self._by_name), default=0)
        self._owners: dict[tuple[str, str], list[str]] = {}
        self._files: dict[tuple[str, str, tuple[str, ...]], str] = {}
        self._bearing: dict[str, str] = {}

    def match(self, reports: Sequence[Sequence[Case]]) -> list[list[Match]]:
        """The match of each case of each report."""
        found = _strongest([[self._candidates(case) for case in cases] for cases in reports])
        doubts = self._doubts(reports, found)
        return [[self._match(candidates, doubts) for candidates in one] for one in found]

    def _candidates(self, case: Case) -> list[_Candidate]:
        return [*self._python(case), *self._other(case)]

    def _match(self, candidates: Sequence[_Candidate], doubts: dict[str, str]) -> Match:
        tests = tuple(candidate.test for candidate in candidates if candidate.test in self._frozen)
        if not tests:
            return Match()
        if len(candidates) > 1:
            others = " or ".join(shown(candidate.test) for candidate in candidates[:3])
            return Match(tests, f"the report does not tell whether it is {others}")
        return Match(tests, doubts.get(tests[0], ""))

    # tests of Python modules

    def _python(self, case: Case) -> Iterator[_Candidate]:
        """The frozen test that the case is, and beside it the other tests of the tree that it may be."""
        found = list(dict.fromkeys(self._ids(case))) if len(case.classname) <= _LONGEST_CLASS else []
        if any(test in self._frozen for test in found):
            for test in found:
                if test in self._frozen or self._ledger.has_test(test):
                    yield _Candidate(test, "class")

    def _ids(self, case: Case) -> Iterator[str]:
        """The ids that the case's file, class and name can mean."""
        file = self._file(case)
        key = (case.classname, file)
        if key not in self._owners:
            self._owners[key] = list(self._owners_of(case.classname, file))
        return (f"{owner}::{case.name}" for owner in self._owners[key])

    def _owners_of(self, classname: str, file: str) -> Iterator[str]:
        """Every way to read a class name as a module and the classes in it."""
        parts = classname.split(".") if classname else []
        for number in range(len(parts) + 1) if len(parts) <= _MOST_PARTS else ():
            module = "/".join(parts[:number])
            # with a file the class may begin anywhere in its folders: unittest is often run inside of them
            fits = [file] if file and f"/{_words(file)}".endswith(f"/{module}"[not module :]) else ()
            for path in fits if file else self._modules.get(module, ()):
                if is_python(path):
                    yield "::".join((path, *parts[number:]))

    @cached_property
    def _modules(self) -> dict[str, list[str]]:
        """The Python modules by the words of their dotted names."""
        found: dict[str, list[str]] = {}
        for path in filter(is_python, self._ledger.tree.entries):
            found.setdefault(_words(path), []).append(path)
        return found

    # tests of other files

    def _other(self, case: Case) -> list[_Candidate]:
        """The frozen tests that bear the case's name, by the strongest that speaks for them."""
        tests = dict.fromkeys(test for name in self._names(case) for test in self._by_name.get(name, ()))
        found = [_Candidate(test, how) for test in tests if (how := self._relation(case, test)) is not None]
        found += [_Candidate(test, "end") for test in self._ending(case) if test not in tests]
        strongest = min((_STRENGTHS.index(one.relation) for one in found), default=0)
        return [one for one in found if _STRENGTHS.index(one.relation) == strongest]

    def _names(self, case: Case) -> Iterator[str]:
        """The name of a case alone, behind those of the suites around it, and behind its class."""
        name = case.name.strip()
        if len(name) > self._longest:
            return
        yield name
        for names in (*(case.suites[start:] for start in range(len(case.suites))), (case.classname.strip(),)):
            if sum(map(len, names)) + len(name) < self._longest:
                yield from (joint.join((*names, name)) for joint in _JOINTS)

    def _ending(self, case: Case) -> Iterator[str]:
        """The frozen tests of the case's file with whose name its own ends: some frameworks put suites before it."""
        for test in self._by_file.get(self._file(case), ()) if self._by_file else ():
            if case.name.endswith(tuple(f" {name}" for name in _spellings(test.partition("::")[2]))):
                yield test

    def _relation(self, case: Case, test: str) -> Relation | None:
        """What speaks for the case being the test: the file, the class, or nothing but its name. None: it is not."""
        path = test.partition("::")[0]
        file = self._file(case)
        if file:
            return "file" if file == path else None
        same_class = self._of_class(case.classname)
        if path in same_class:
            return "class"
        return None if same_class and "." in case.classname else "name"

    def _of_class(self, classname: str) -> list[str]:
        """The files, no Python modules, that bear the name of a class with its packages."""
        if not classname or len(classname) > _LONGEST_CLASS:
            return []
        inside = classname.partition("$")[0].replace("\\", ".").replace(".", "/")
        paths = self._by_stem.get(inside.rpartition("/")[2], ())
        return [path for path in paths if f"/{path.rpartition('.')[0]}".endswith(f"/{inside}")]

    @cached_property
    def _by_stem(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for path in self._ledger.tree.entries:
            if not is_python(path):
                found.setdefault(path.rpartition("/")[2].rpartition(".")[0], []).append(path)
        return found

    def _file(self, case: Case) -> str:
        """The file of the tree that the report names for a case; empty when it names none.

        Some frameworks have a file's path as the name of its class or of its suite.
        """
        key = (case.file, case.classname, case.suites)
        if key not in self._files:
            texts = (case.file, case.classname, *reversed(case.suites))
            paths = (text.replace("\\", "/").removeprefix(f"{self._root}/").removeprefix("./") for text in texts)
            self._files[key] = next((path for path in paths if path and self._ledger.tree.entry(path) is not None), "")
        return self._files[key]

    # doubts

    def _doubts(self, reports: Sequence[Sequence[Case]], found: list[list[list[_Candidate]]]) -> dict[str, str]:
        """What leaves a doubt about a frozen test, by its id; of a test of a Python module nothing does."""
        seen: dict[str, set[Case]] = {}
        named: Counter[tuple[int, str]] = Counter()
        doubts: dict[str, str] = {}
        for number, (cases, candidates) in enumerate(zip(reports, found, strict=True)):
            for case, one in ((case, one) for case, mine in zip(cases, candidates, strict=True) for one in mine):
                if is_python(one.test.partition("::")[0]):
                    continue
                seen.setdefault(one.test, set()).add(_identity(case))
                if one.relation == "name":
                    named[number, one.test] += 1
                elif one.relation == "class" and len(self._of_class(case.classname)) > 1:
                    doubts[one.test] = f"{listed(self._of_class(case.classname)[:3])} bear the name of its class"
        for (_, test), count in named.items():
            if count > 1:
                doubts[test] = f"{count} test cases bear its name"
            elif test not in doubts and self._elsewhere(test):
                doubts[test] = f"the report does not tell the file, and {shown(self._elsewhere(test))} holds its name"
        return {test: f"{len(cases)} test cases may be it" for test, cases in seen.items() if len(cases) > 1} | doubts

    def _elsewhere(self, test: str) -> str:
        """Another file of the same kind that holds the name of a test; empty when there is none."""
        if test not in self._bearing:
            path, _, name = test.partition("::")
            ending = path.rpartition(".")[2]
            others = (one for one in self._ledger.tree.entries if one != path and one.endswith(f".{ending}"))
            word = name.encode(errors="surrogateescape")
            holding = (one for one in others if word in (self._ledger.tree.read(one) or b""))
            self._bearing[test] = next(holding, "")
        return self._bearing[test]


def _spellings(name: str) -> set[str]:
    """A name of a test, with each of the signs that may stand between the parts of it."""
    return {name.replace("::", joint) for joint in _JOINTS}


def _strongest(found: list[list[list[_Candidate]]]) -> list[list[list[_Candidate]]]:
    """The candidates without those that are weaker than what speaks for another case being the test."""
    best: dict[str, int] = {}
    for one in (one for cases in found for mine in cases for one in mine):
        best[one.test] = min(best.get(one.test, len(_STRENGTHS)), _STRENGTHS.index(one.relation))
    return [
        [[one for one in mine if _STRENGTHS.index(one.relation) == best[one.test]] for mine in cases] for cases in found
    ]


def _words(path: str) -> str:
    """The words of a module's dotted name; a dot in the name of a folder is one more in that name."""
    return path.removesuffix(".py").replace(".", "/")


def _identity(case: Case) -> Case:
    """What tells one test of a report from another, however it ended."""
    return case._replace(outcome="pass", failed=case.failed._replace(exceptions=(), beyond=""))
