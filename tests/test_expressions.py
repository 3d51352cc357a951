"""Every regular expression of the product is linear in its text, or its text is bounded and its worst was measured.

property_id: FL-ONE-RULE
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache, partial
from typing import NamedTuple

import pytest

from expressions import Expression, every_expression
from growing import assert_growth
from linear import problems

#: where nothing bounds the text: the time is linear
LONG = 200_000
#: a quadratic expression takes milliseconds for a text of this length, and one that is cubic minutes
SQUARED = 2048
WINDOW = 400


class Bounded(NamedTuple):
    """Why an expression that cannot be proven linear does no harm: so long is its text, and `attacks` are measured.

    LONG, that is without a bound: no attack takes more than linear time. Else so few characters that even every place
    may be tried against every other: `most ** 2` steps, 17 million, are a part of a second. Of such a text alone no
    time says anything, so the expression is asked for texts of SQUARED characters whether it is worse than quadratic.
    """

    most: int
    reason: str
    #: head of the text, and what is repeated
    attacks: tuple[tuple[str, str], ...]


#: (module, how the expression begins) -> why it may stay
BOUNDED: dict[tuple[str, str], Bounded] = {
    ("cli.identity", r"(?:\d+\+)?([\w-]+)@users"): Bounded(
        LONG, "asked with fullmatch of the user's own address", (("", "1"), ("", "-"), ("1+", "a-"))
    ),
    ("cli.identity", r"\d+-([\w.-]+)@users"): Bounded(
        LONG, "asked with fullmatch of the user's own address", (("", "1"), ("1-", "."), ("", "1-"))
    ),
    ("cli.tool_source", r"[a-z+]+://"): Bounded(
        4096, "the address from which this tool was installed", (("a://", ":"),)
    ),
    ("cli.usage", r"(?: \[-"): Bounded(4096, "argparse's own usage line", (("", " [-[a]"), ("", " [-"))),
    ("cli.usage", r"argument (\S+)"): Bounded(
        4096, "argparse's own message", (("", "argument a: "), ("argument ", ":"))
    ),
    ("model.decision_trailers", r"^(?:\r?\n(?:Freeze"): Bounded(
        LONG,
        "an attempt begins at an empty line, and what it reads holds none",
        (("\n", "Freeze-Decision: P-1 allow_cite now=2026-10-20T00:00:00Z\n"), ("", "\n"), ("", "\r\n")),
    ),
    ("model.patterns", r"\[:([^\]]*):\]|"): Bounded(
        512, "a pattern has at most 512 characters", (("", "[:"), ("[:", ":"))
    ),
    ("model.patterns", "("): Bounded(
        4096,
        "matches paths; a folder is skipped to the leftmost match, in an atomic group",
        (("", "a/"), ("", "a"), ("", "ab"), ("a/", "b"), ("", "a/b"), ("", "/")),
    ),
    ("precommit.format_ledgers", r"[^\n]*\n|"): Bounded(
        LONG, "one of the branches matches what was read, so no attempt fails", (("", "a"), ("", "a\n"), ("", "\r"))
    ),
    ("repo.citations", r"(?a)(?:^|[ \t]"): Bounded(
        LONG,
        "blanks are read from the sign before them, or the start",
        (("", " "), ("#", " "), ("", " #"), ("", " # \t")),
    ),
    ("repo.code_blocks", r"([A-Za-z_]\w*)\s*\Z"): Bounded(
        WINDOW, "looks back so far", (("", "a"), ("", "a "), ("a", " "))
    ),
    ("repo.code_blocks", r"(?:^|[\n;{}=])[ \t]*"): Bounded(
        WINDOW, "looks back so far", (("", " "), ("", ";else "), ("", ";if "))
    ),
    ("repo.code_blocks", r"(?:^|[\n;(=,])([^"): Bounded(
        WINDOW, "looks back so far", (("", "&"), ("", ";"), ("", "&&;"))
    ),
    ("repo.code_blocks", r"\bif\s*\(?\s*"): Bounded(
        WINDOW, "looks back so far", (("if", " "), ("if(", " "), ("if (0", " "))
    ),
    ("repo.code_text", r"[A-Za-z_$][\w$]*\Z"): Bounded(WINDOW, "looks back at one word", (("", "a"), ("", "a."))),
    ("repo.foreign_skips", r"\b(?:test|group|"): Bounded(
        120, "looks back so far", (("", "aTest"), ("", "a"), ("test", " "), ("", "test<"))
    ),
    ("repo.foreign_skips", r"(?:->|\.)\s*\w*"): Bounded(80, "looks back so far", ((".", " "), (".", "a "), ("", "."))),
    ("repo.layout", r"[^/]*(?:quarantine|"): Bounded(
        4096, "the name of a file", (("", "flaky"), ("", "muted-"), ("flaky", "."))
    ),
    ("repo.owner_rules", r"((?:\\.|[^\s\\]|"): Bounded(
        LONG,
        "`\\\\$` can only match at the very end, where `\\\\.` cannot",
        (("", "\\"), ("", "\\a"), ("", "a"), ("", "\\\\ ")),
    ),
    ("repo.script_skips", r"(?:(?<![\w$.])(?:it|"): Bounded(
        WINDOW, "looks back so far", (("it", " "), ("", "it . "), ("a", " "), ("", "it<"), ("it.a<", " "))
    ),
    ("repo.skip_places", r"\b(?:class|interface|"): Bounded(
        3000, "looks ahead up to DECLARATION", (("", "a"), ("class", " "), ("", "a<"), ("", "class <"), ("", "a "))
    ),
    ("repo.skip_places", r"\b(?:func|fun|fn|"): Bounded(
        WINDOW, "looks back so far", (("", "func a"), ("func", " "), ("fn ", "$"))
    ),
    ("repo.skip_places", r"\b[A-Z][A-Z_0-9]*"): Bounded(
        WINDOW, "looks back so far", (("", "A"), ("A(", "a"), ("A(a)", " "), ("", "A(a)"))
    ),
    ("repo.skip_places", r"(?:\b(?:function|func"): Bounded(
        WINDOW, "looks back so far", (("fn", " "), ("", "fn()"), ("", "fn(a) "), ("->", " "))
    ),
    ("repo.skip_places", r"\"\s*\"\s*(?:in|"): Bounded(
        WINDOW, "looks back so far", (('"', " "), ('" "', " "), ("", '"'), ('""taggedAs', " "))
    ),
    ("repo.source_encoding", "(?a)[ "): Bounded(
        LONG,
        "what follows `coding:` is blanks, and none of them begins a word that is looked for",
        (("#", "coding:"), ("# coding:", " "), ("#", "coding: "), ("#", "c"), ("", " ")),
    ),
    ("reporters.rule_texts", r"\[([^\]\n]+)\]"): Bounded(
        2000, "the product's own page of rules", (("", "["), ("[a](", "b"))
    ),
    ("store.nextest", r"(?:\bnot\b|[!-])"): Bounded(
        LONG,
        "what an attempt reads holds only closed brackets: one that begins there succeeds, or ends at the next",
        (("", "!("), ("!(", "(a)"), ("!(", "-(a)"), ("", "not "), ("", "!a"), ("", "-"), ("", "!((a)"), ("!", "a")),
    ),
    ("store.nextest", r"(?P<message>.*) \(at"): Bounded(
        4096, "tomllib's own message", (("", " (at line 1"), ("", " (at "), (" (at line ", "1"))
    ),
    ("store.repair", r"(?P<head> *+(?:- ++)?"): Bounded(
        LONG,
        "what is read behind a bracket ends at the next one",
        (("a: [", "]"), ("a: [", "] "), ("a: [", "a"), ("a: [] ", "#")),
    ),
}


@cache
def expressions() -> tuple[tuple[Expression, list[str]], ...]:
    """Each with what is not proven of it."""
    return tuple((one, problems(one.pattern, searched=one.searched)) for one in every_expression())


def _key(expression: Expression) -> tuple[str, str] | None:
    source = expression.pattern.pattern
    written = source if isinstance(source, str) else source.decode("latin-1")
    return next((key for key in BOUNDED if key[0] == expression.module and written.startswith(key[1])), None)


def test_all_are_found() -> None:
    assert len(expressions()) > 300


def test_every_expression_is_linear_or_bounded() -> None:
    """Whatever is neither proven nor in the table has to be written with atomic groups, or measured."""
    told = [
        f"{one.module}:{one.line}: {one.pattern.pattern!r}: {'; '.join(found)}"
        for one, found in expressions()
        if found and _key(one) is None
    ]
    assert told == []


def test_nothing_is_excused_that_needs_no_excuse() -> None:
    used = {_key(one) for one, found in expressions() if found}
    assert BOUNDED.keys() - used == set()


def test_the_square_of_a_bound_is_little() -> None:
    assert {one.most for one in BOUNDED.values() if one.most**2 > 17_000_000} == {LONG}


@pytest.mark.parametrize("key", BOUNDED, ids=lambda key: f"{key[0]}-{key[1][:12]}")
def test_what_is_bounded_is_linear_or_at_most_quadratic_in_a_short_text(key: tuple[str, str]) -> None:
    bounded = BOUNDED[key]
    size, power = (LONG, 1) if bounded.most == LONG else (SQUARED, 2)
    for expression in {one for one, _ in expressions() if _key(one) == key}:
        for head, repeated in bounded.attacks:
            for end in ("", "\0"):
                assert_growth(partial(_asked, expression, head, repeated, end), size, power)


def _asked(expression: Expression, head: str, repeated: str, end: str, size: int) -> Callable[[], object]:
    """What asks an expression about a text of a size, as its module does."""
    pattern = expression.pattern
    text = (head + repeated * (size // len(repeated)))[:size] + end
    given = text if isinstance(pattern.pattern, str) else text.encode()
    if expression.searched and expression.module != "cli.identity":
        return lambda: [None for _ in pattern.finditer(given)]
    return partial(pattern.fullmatch, given)


#: expressions that blow up, and the same said so that they do not
BAD = [
    (r"(a+)+b", True),
    (r"(a|a)*b", True),
    (r"(?:a|ab)*c", True),
    (r"\s*foo", True),
    (r"a[^b]*b", True),
    (r"x\s*y\w*z", True),
    (r"#[^\n]*(?:property_id|flakeledger):", True),
    (r"--deselect(?:=|[ \t]+\\?\s*)[^\s]", True),
    (r"[^@\s]+@[^@\s]+\.[^@\s]+", False),
    (r"(?:a*)*b", False),
    (r"a*a*a*b", False),
    (r"(\w+\s?)*:", False),
    (r"(?:x|\w{1,30}){1,100}y", False),
    (r"(a)\1", False),
]
GOOD = [
    (r"(?>a+)b", False),
    (r"(?<!a)a++b", True),
    (r"(?:ab|ac)*d", False),
    (r"(?<!\w)\w+(?!\w)", True),
    (r"(?m)^[^\n#]*+#[^\n]*?(?:property_id|flakeledger):", True),
    (r'"[^"]*"?', True),
    (r"\w+", True),
    (r"(?:a*b)*c", False),
    (r"(.*):", False),
    (r"a{3}b{2,5}c", True),
]


@pytest.mark.parametrize(("written", "searched"), BAD)
def test_the_analysis_sees_what_blows_up(written: str, searched: bool) -> None:
    assert problems(re.compile(written), searched=searched) != []


@pytest.mark.parametrize(("written", "searched"), GOOD)
def test_the_analysis_lets_pass_what_is_linear(written: str, searched: bool) -> None:
    assert problems(re.compile(written), searched=searched) == []
