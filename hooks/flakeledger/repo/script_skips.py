"""Skips in JavaScript and TypeScript tests: `it.skip`, `xit`, options, calls inside a test, references handed on.

Invariants:
* What runs tests is told by name (jest, mocha, jasmine, vitest, playwright, node:test, ava, tap, cypress, QUnit, Deno),
  and a name of one's own that ends in Test, It or Describe.
* `test.skip(condition, "why")` takes a test out only where the condition is a constant; a title and a function, or
  nothing at all, take it out always.
* Every question is about one place; none reads the file again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from flakeledger.repo.constants import constant
from flakeledger.repo.skip import SkipKind
from flakeledger.repo.skip_places import Code

_OWN = r"[A-Za-z_$][\w$]{0,60}(?:Test|It|Describe|Suite)"
_HEADS = rf"it|fit|test|describe|fdescribe|suite|context|specify|bench|tap|setup|QUnit|Deno|{_OWN}"
_X_WORDS = "xit|xtest|xdescribe|xcontext|xspecify|xsuite|xfeature|xscenario"
#: `it["skip"]`, whose word stands in the text alone
_BRACKETED = r'\s*\[\s*"\s{1,40}"\s*\]'
#: A runner's word with what is chained to it. `words` are those of the chain that stand before a call or reference.
_CHAIN = re.compile(
    rf"(?<![\w$.])(?:(?P<head>{_HEADS})(?P<words>(?:\s*\??\.\s*\w{{1,40}}|{_BRACKETED}){{1,6}})|(?P<x>{_X_WORDS})\b)"
)
_WORD = re.compile(r"\w+")
_KINDS: dict[str, SkipKind] = {
    "skip": "skip",
    "fixme": "skip",
    "ignore": "skip",
    "failing": "xfail",
    "fails": "xfail",
    "fail": "xfail",
}
#: Words of these heads are assertions (`t.fail()`) or no marks at all.
_NO_MARKS = {"fail": frozenset({"it", "test"}), "fails": frozenset({"it", "test", "describe"})}
_OPTION = re.compile(r"(?<![\w$.?])(?P<name>skip|ignore|fails|retry|retries)\s*:\s*")
_OPTIONS: dict[str, SkipKind] = {
    "skip": "skip",
    "ignore": "skip",
    "fails": "xfail",
    "retry": "retry",
    "retries": "retry",
}
_CALL = re.compile(
    r"(?<![\w$.])(?P<name>(?:this|t|ctx|context|task|testContext)\s*\.\s*skip|jest\s*\.\s*retryTimes|this\s*\.\s*retries"
    r"|pending)\s*\("
)
_RETRIES = re.compile(r"(?<=\))\s*(?P<name>\.\s*retries)\s*\(\s*(?=[1-9])")
_REFERENCE_BEFORE = re.compile(r"(?:[=:,]|\breturn|=>|\bdefault)\s*\Z")
_FUNCTION = re.compile(r"(?:async\b\s*)?(?:function\b|\([^()]{0,400}\)\s*(?::[^=;{}]{1,80})?=>|\w+\s*=>)")
_NUMBER = re.compile(r"[1-9]")
_RUNNER_CALL = re.compile(
    rf"(?:(?<![\w$.])(?:{_HEADS}|{_X_WORDS})(?:\s*\.\s*\w{{1,40}}){{0,6}}|(?<![\w$.])\w{{1,20}}\s*\.\s*(?:test|it|describe))"
    r"(?:\s*<[^<>()]{0,80}>)?\s*\Z"
)
_CHAIN_END = 200


class Found(NamedTuple):
    """A skip as it was found: its kind, name and test, from where to where it is written, and its reason."""

    kind: SkipKind
    name: str
    test: str
    start: int
    end: int
    reason: str


def _chained(code: Code, match: re.Match[str]) -> Iterator[Found]:
    """`it.skip(…)`, `test.describe.fixme.each(…)(…)`, `xit(…)`, or one of them handed on (`const off = it.skip`)."""
    words = ["skip"] if match["x"] else _WORD.findall(code.text[slice(*match.span("words"))])
    head = match["x"] or match["head"]
    kind = next((_KINDS[word] for word in words if word in _KINDS and head in _NO_MARKS.get(word, {head})), None)
    conditional = next((word for word in words if word in ("skipIf", "runIf")), None)
    if kind is None and conditional is None:
        return
    name = head if match["x"] else ".".join([head, *words])
    opened = code.skip_spaces(match.end())
    if conditional and not _is_constant_call(code, opened, conditional):
        return
    if code.blocks.word_before(match.start()) == "function" or code.blocks.is_conditional(match.start()):
        return
    if conditional:
        opened = code.skip_spaces(code.after(opened))
        kind = "skip"
    if words[-1] in ("each", "for") or _is_each(code, opened):
        opened = _behind_table(code, opened)
    if kind and code.bare[opened : opened + 1] == "(":
        yield from _declared(code, Found(kind, name, "", match.start(), opened + 1, ""), opened)
    elif kind and _is_reference(code, match, opened):
        yield Found(kind, name, "", match.start(), match.end(), "")


def _is_constant_call(code: Code, opened: int, word: str) -> bool:
    """Whether `skipIf(true)` or `runIf(false)` stands there."""
    if code.bare[opened : opened + 1] != "(":
        return False
    return constant(code.bare[opened + 1 : min(code.after(opened) - 1, opened + 60)]) is (word == "skipIf")


def _is_each(code: Code, opened: int) -> bool:
    return code.bare.startswith((".each", ".for"), opened)


def _behind_table(code: Code, at: int) -> int:
    """Where the call begins that follows a table of cases, in parentheses or as a tagged template."""
    if _is_each(code, at):
        at = code.skip_spaces(at + (5 if code.bare.startswith(".each", at) else 4))
    if code.bare[at : at + 1] == "<":
        at = code.skip_spaces(code.bare.find(">", at, at + _CHAIN_END) + 1)
    if code.bare[at : at + 1] == "(":
        return code.skip_spaces(code.after(at))
    if code.bare[at : at + 1] == '"':
        return code.skip_spaces(code.bare.find('"', _words_end(code, at)) + 1)
    return at


def _words_end(code: Code, at: int) -> int:
    words = code.strings.get(at)
    return words[1] if words else at + 1


def _declared(code: Code, found: Found, opened: int) -> Iterator[Found]:
    """A call of a skipping word: is it a title with a test, a condition, or nothing?"""
    arguments = code.arguments(opened)
    if not arguments:
        test = code.test_around(found.start)
        if not code.blocks.may_be_left_before(found.start):
            yield found._replace(name=f"{found.name}()", test=test)
        return
    first, second = arguments[0], arguments[1] if len(arguments) > 1 else None
    title = code.string(first[0])
    if title is not None:
        end = min(_words_end(code, first[0]) + 1, first[1])
        yield found._replace(test=title, end=max(found.end, end))
    elif second and (_FUNCTION.match(code.bare, second[0]) or code.bare[second[0]] == "{" or len(arguments) > 2):
        yield found._replace(test=code.words(first), end=first[1])
    elif found.name.split(".")[0] in ("test", "setup") or found.name.endswith("Test") or second is None:
        if constant(code.bare[first[0] : min(first[1], first[0] + 60)]) and first[1] - first[0] < 60:
            reason = code.string(second[0]) if second else ""
            yield found._replace(test=code.test_around(found.start), end=first[1], reason=reason or "")
    elif second and code.string(second[0]) is None:
        yield found._replace(test=code.words(first), end=first[1])


def _is_reference(code: Code, match: re.Match[str], at: int) -> bool:
    """Whether the word is handed on as it is: assigned, returned, exported."""
    before = code.bare[max(0, match.start() - 80) : match.start()]
    ends = code.bare[at : at + 1] in (";", ",", ")", "}", "") or "\n" in code.bare[match.end() : at]
    return ends and bool(_REFERENCE_BEFORE.search(before)) and not match["x"]


def _optional(code: Code, match: re.Match[str]) -> Iterator[Found]:
    """`{ skip: true }` and its kin among the arguments of a call that declares a test."""
    kind = _OPTIONS[match["name"]]
    value = match.end()
    reason = code.string(value)
    if kind == "retry":
        if not _NUMBER.match(code.bare, value):
            return
    elif reason is None and not re.compile(r"true\b").match(code.bare, value):
        return
    brace = next(iter(code.blocks.around(match.start())), -1)
    call = next(iter(code.blocks.around(brace)), -1) if brace >= 0 and code.bare[brace] == "{" else -1
    start = _runner_call(code, call) if call >= 0 and code.bare[call] == "(" else None
    if start is not None and not code.blocks.is_conditional(start):
        end = _words_end(code, value) + 1 if reason is not None else value + 4
        name = f"{{ {match['name']}: {'…' if kind == 'retry' else 'true'} }}"
        yield Found(kind, name, code.string(call + 1) or "", match.start(), end, reason or "")


def _runner_call(code: Code, opened: int) -> int | None:
    """Where a call of what declares tests begins, its table of cases included; None where no such call opens."""
    end = _table_before(code, opened)
    start = max(0, end - _CHAIN_END)
    match = _RUNNER_CALL.search(code.bare[start:end])
    return start + match.start() if match else None


def _table_before(code: Code, opened: int) -> int:
    """Where the table of cases before a call begins, in parentheses or as a tagged template; the call without one."""
    near = max(0, opened - _CHAIN_END)
    last = near + len(code.bare[near:opened].rstrip()) - 1
    starts = code.blocks.partners if code.bare[last : last + 1] == ")" else code.string_starts
    return starts.get(last, opened)


def _called(code: Code, match: re.Match[str]) -> Iterator[Found]:
    """`this.skip()`, `t.skip("why")`, `jest.retryTimes(2)`, `pending()`: calls that end a test or repeat it."""
    name = "".join(match["name"].split())
    opened = match.end() - 1
    arguments = code.arguments(opened)
    reason = code.string(arguments[0][0]) if arguments else None
    is_retry = name in ("jest.retryTimes", "this.retries")
    if is_retry:
        if not arguments or not _NUMBER.match(code.bare, arguments[0][0]):
            return
    elif arguments and reason is None and not (name != "this.skip" and _is_true(code, arguments[0])):
        return
    test = code.test_around(match.start())
    if name == "pending" and (not test or code.blocks.word_before(match.start()) == "function"):
        return
    if name == "context.skip" and len(arguments) > 1:
        return  # mocha's other word for describe: found as a chain
    if not code.blocks.is_conditional(match.start()) and not code.blocks.may_be_left_before(match.start()):
        kind: SkipKind = "retry" if is_retry else "skip"
        if name == "t.skip" and len(arguments) > 1:
            test, reason = reason or "", ""  # tap: a title and a function
        yield Found(kind, f"{name}()", test, match.start(), match.end(), reason or "")


def _retried(code: Code, match: re.Match[str]) -> Iterator[Found]:
    """`it("adds up", …).retries(2)`."""
    opened = code.blocks.partners.get(code.bare.rfind(")", 0, match.end("name")), -1)
    if opened < 0 or not (title := code.string(opened + 1)):
        return
    start = _runner_call(code, opened)
    if not code.blocks.is_conditional(opened if start is None else start):
        yield Found("retry", ".retries()", title, match.start("name"), match.end(), "")


def _is_true(code: Code, argument: tuple[int, int]) -> bool:
    return constant(code.bare[argument[0] : min(argument[1], argument[0] + 60)]) is True


#: what may be a skip, and who says whether it is an unconditional one, and which
READERS: tuple[tuple[re.Pattern[str], Callable[[Code, re.Match[str]], Iterator[Found]]], ...] = (
    (_CHAIN, _chained),
    (_OPTION, _optional),
    (_CALL, _called),
    (_RETRIES, _retried),
)
