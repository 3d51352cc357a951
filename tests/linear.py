"""Whether a regular expression of `re` runs in linear time, by a conservative argument about its parsed form.

`problems(pattern)` is empty only where this holds for the backtracking of `re`, for every text:

* Wherever the expression may go on in two ways (a loop that may stop, an option, a branch), the next characters decide:
  the ways begin with different characters, or one of them ends differently within a bounded number of characters. A way
  that is wrong then fails after a bounded number of steps, so each character is given back once. Inside of an atomic
  group and a possessive loop nothing is given back once it has matched.
* A loop whose number is bounded may be ambiguous; it multiplies the steps by its bound. The product is at most `MOST`.
* A loop that no loop is around may be ambiguous where nothing that follows it can fail, or where what follows reads a
  bounded number of characters: it is given back once, and each time little is read again.
* Where the text is searched, attempts that begin at different places do not read the same stretch again and again:
  before an unbounded loop stands something that cannot stand inside of what the loop reads, or a look behind that
  forbids to begin there, or behind the loop nothing can fail: then the next attempt begins behind what was read.

Invariants:
* Conservative: what it cannot tell is a problem. Characters are judged by samples of every kind that `re` knows.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache
from re import _constants as sre  # type: ignore[attr-defined]  # the parser of `re` itself; typeshed leaves it out
from re import _parser as parser  # type: ignore[attr-defined]  # the same
from typing import Any, NamedTuple

#: how many ways of bounded loops are still no trouble
MOST = 1000
#: a bounded number of characters that may be read twice
_FEW = 100
#: a loop of so few rounds multiplies what is in it, and is no loop
_FEWEST = 6
_SAMPLES = frozenset(
    [*map(chr, range(256)), *"\u0130\u0131\u017f\u212a\u0660\u2028\u2029\u3000\u65e5\ud800\ufffd\U0001f600"]
)
_NEWLINE = frozenset("\n")

Chars = frozenset[str]
Nodes = Sequence[tuple[Any, Any]]


class Walk(NamedTuple):
    """What is known where an expression is read: flags, what may follow, the loops around."""

    flags: int
    follow: Chars
    #: whether an unbounded loop whose iterations are given back stands around this
    looped: bool
    #: whether nothing that follows can fail, and how many characters it may read
    certain: bool = True
    reads: int = 0


def problems(pattern: re.Pattern[Any], *, searched: bool = True) -> list[str]:
    """Why an expression may take more than linear time; `searched`: it may begin anywhere in the text."""
    source = pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode("latin-1")
    bytes_only = isinstance(pattern.pattern, bytes)
    flags = pattern.flags & ~re.UNICODE | (re.ASCII if bytes_only else 0) if bytes_only else pattern.flags
    tree = parser.parse(source, flags & ~re.DEBUG)
    flags |= tree.state.flags
    analysis = _Analysis()
    analysis.sequence(list(tree), Walk(flags, frozenset(), looped=False))
    found = analysis.found
    if analysis.ways > MOST:
        found.append(f"bounded loops have {analysis.ways} ways")
    if searched:
        found += _overlaps(list(tree), flags)
    return found


class _Analysis:
    """One expression under way: what was found, and in how many ways its bounded loops may match."""

    def __init__(self) -> None:
        self.found: list[str] = []
        self.ways = 1

    def sequence(self, nodes: Nodes, walk: Walk) -> None:
        """Every node of a sequence, with what may follow it."""
        follow = walk.follow
        for at in range(len(nodes) - 1, -1, -1):
            self.node(nodes[at], nodes[at + 1 :], walk._replace(follow=follow))
            first, empty = _first([nodes[at]], walk.flags)
            follow = first | follow if empty else first
            walk = walk._replace(
                certain=walk.certain and _cannot_fail([nodes[at]]), reads=walk.reads + _width([nodes[at]])[1]
            )

    def node(self, node: tuple[Any, Any], rest: Nodes, walk: Walk) -> None:
        """One node; `rest` is what follows it in its own sequence."""
        kind, value = node
        if kind in (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT):
            self.loop(kind, value, rest, walk)
        elif kind is sre.BRANCH:
            self.branch([list(one) for one in value[1]], rest, walk)
        elif kind is sre.SUBPATTERN:
            flags = (walk.flags | value[1]) & ~value[2]
            self.sequence([*value[3]], walk._replace(flags=flags))
        elif kind is sre.ATOMIC_GROUP:
            self.sequence([*value], walk._replace(follow=frozenset(), looped=False))
        elif kind in (sre.ASSERT, sre.ASSERT_NOT):
            if value[0] > 0 and walk.looped and _width([*value[1]])[1] > _FEW:
                self.found.append("inside a loop a look ahead reads without bound")
            self.sequence([*value[1]], walk._replace(follow=frozenset(), looped=False))
        elif kind is sre.GROUPREF or kind is sre.GROUPREF_EXISTS:
            self.found.append("it refers back")

    def loop(self, kind: Any, value: tuple[int, Any, Any], rest: Nodes, walk: Walk) -> None:
        """A loop, or something that may be left out."""
        fewest, most, body = value[0], value[1], [*value[2]]
        first, empty = _first(body, walk.flags)
        if most == sre.MAXREPEAT and empty:
            self.found.append("an unbounded loop may match nothing")
        if kind is sre.POSSESSIVE_REPEAT:
            self.sequence(body, walk._replace(follow=first, looped=False))
            return
        bounded = most != sre.MAXREPEAT
        inside = walk._replace(
            follow=first | walk.follow if most > 1 else walk.follow, looped=walk.looped or most > _FEWEST
        )
        self.sequence(body, inside)
        if fewest == most or not (first & walk.follow) or _differ(body, rest, walk.flags):
            return
        if not walk.looped and (walk.certain or walk.reads <= _FEW):
            return
        if not bounded:
            self.found.append(f"an unbounded loop of {_shown(first)} may stop before {_shown(first & walk.follow)}")
        elif walk.looped:
            self.found.append(
                f"inside a loop, up to {most} of {_shown(first)} may stop before {_shown(first & walk.follow)}"
            )
        else:
            self.ways *= most - fewest + 1

    def branch(self, ways: Sequence[Nodes], rest: Nodes, walk: Walk) -> None:
        """Several ways: with no loop around, or where they differ soon, they cost their number."""
        for way in ways:
            self.sequence(way, walk)
        for number, way in enumerate(ways):
            for other in ways[number + 1 :]:
                if not _differ([*way], [*other], walk.flags, rest):
                    if walk.looped:
                        self.found.append("inside a loop two branches begin alike")
                    self.ways += 1
                    return


def _cannot_fail(nodes: Nodes) -> bool:
    """Whether a sequence matches at every place, if only nothing."""
    for kind, value in nodes:
        if kind in (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT):
            if value[0] and not _cannot_fail([*value[2]]):
                return False
        elif kind is sre.SUBPATTERN:
            if not _cannot_fail([*value[3]]):
                return False
        elif kind is sre.ATOMIC_GROUP:
            if not _cannot_fail([*value]):
                return False
        elif kind is not sre.BRANCH or not any(_cannot_fail([*one]) for one in value[1]):
            return False
    return True


def _differ(one: Nodes, other: Nodes, flags: int, rest: Nodes = ()) -> bool:
    """Whether two ways cannot both match at one place: somewhere in their certain characters they differ."""
    first, second = _certain([*one, *rest], flags), _certain([*other, *rest], flags)
    return any(not a & b for a, b in zip(first, second, strict=False))


def _certain(nodes: Nodes, flags: int) -> list[Chars]:
    """The characters with which a sequence begins for certain, up to the first loop, option or branch."""
    found: list[Chars] = []
    for kind, value in nodes:
        if kind is sre.SUBPATTERN:
            inner = [*value[3]]
            found += _certain(inner, (flags | value[1]) & ~value[2])
            if _width(inner)[0] != _width(inner)[1] or len(found) < _width(inner)[0]:
                break
        elif kind in (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT) and value[0]:
            inner = [*value[2]]
            once = _certain(inner, flags)
            found += once
            if value[0] != value[1] or len(once) < _width(inner)[0] or len(found) > _FEW:
                break
            found += once * min(value[0] - 1, _FEW)
        elif kind is sre.AT or kind in (sre.ASSERT, sre.ASSERT_NOT):
            continue
        elif kind in (sre.LITERAL, sre.NOT_LITERAL, sre.ANY, sre.IN):
            found.append(_chars(kind, value, flags))
        else:
            break
    return found


def _first(nodes: Nodes, flags: int) -> tuple[Chars, bool]:
    """The characters that a sequence may begin with, and whether it may match nothing."""
    found: Chars = frozenset()
    for kind, value in nodes:
        chars, empty = _first_of(kind, value, flags)
        found |= chars
        if not empty:
            return found, False
    return found, True


def _first_of(kind: Any, value: Any, flags: int) -> tuple[Chars, bool]:
    if kind in (sre.LITERAL, sre.NOT_LITERAL, sre.ANY, sre.IN):
        return _chars(kind, value, flags), False
    if kind in (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT):
        chars, empty = _first([*value[2]], flags)
        return chars, empty or value[0] == 0
    if kind is sre.SUBPATTERN:
        return _first([*value[3]], (flags | value[1]) & ~value[2])
    if kind is sre.ATOMIC_GROUP:
        return _first([*value], flags)
    if kind is sre.BRANCH:
        parts = [_first([*one], flags) for one in value[1]]
        return frozenset().union(*(chars for chars, _ in parts)), any(empty for _, empty in parts)
    if kind is sre.AT or kind in (sre.ASSERT, sre.ASSERT_NOT):
        return frozenset(), True
    return _SAMPLES, True


def _chars(kind: Any, value: Any, flags: int) -> Chars:
    """The samples that a node of one character matches."""
    return _matching(repr((kind, value)), flags & (re.IGNORECASE | re.ASCII | re.DOTALL), kind, _frozen(value))


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, list | tuple) else value


@cache
def _matching(_name: str, flags: int, kind: Any, value: Any) -> Chars:
    tree = parser.SubPattern(parser.State(), [(kind, list(value) if kind is sre.IN else value)])
    tree.state.flags = flags if flags & re.ASCII else flags | re.UNICODE
    tree.state.str = ""
    from re import _compiler  # type: ignore[attr-defined]  # one character, as `re` itself matches it

    compiled = _compiler.compile(tree, tree.state.flags)
    return frozenset(one for one in _SAMPLES if compiled.match(one))


def _width(nodes: Nodes) -> tuple[int, int]:
    """The fewest and the most characters of a sequence."""
    tree = parser.SubPattern(parser.State(), list(nodes))
    tree.state.groupwidths = [(0, 1)] * 1000  # what refers back is a problem anyway
    low, high = tree.getwidth()
    return int(low), int(high)


def _shown(chars: Iterable[str]) -> str:
    return repr("".join(sorted(chars)[:3]))


# searching


def _overlaps(tree: Nodes, flags: int) -> list[str]:
    """The unbounded loops that attempts beginning at different places may read again and again."""
    found: list[str] = []
    _walk(tree, flags, [], None, found, certain=True)
    return found


def _walk(
    nodes: Nodes, flags: int, before: list[Chars], never: Chars | None, found: list[str], *, certain: bool
) -> tuple[list[Chars], Chars | None]:
    """`before`: what stands for certain before this; `never`: characters behind which no attempt begins."""
    before = list(before)
    for at, (kind, value) in enumerate(nodes):
        sure = certain and _cannot_fail(nodes[at + 1 :])
        if kind is sre.AT:
            if value in (sre.AT_BEGINNING, sre.AT_BEGINNING_STRING) and not before:
                multiline = value is sre.AT_BEGINNING and flags & re.MULTILINE
                never = _SAMPLES - _NEWLINE if multiline else _SAMPLES
        elif kind in (sre.ASSERT, sre.ASSERT_NOT):
            if value[0] < 0 and not before and len(value[1]) == 1:
                behind = _first([*value[1]], flags)[0]
                never = (never or frozenset()) | (behind if kind is sre.ASSERT_NOT else _SAMPLES - behind)
            elif value[0] > 0:
                _walk([*value[1]], flags, before, never, found, certain=False)
        elif kind is sre.SUBPATTERN:
            before, never = _walk([*value[3]], (flags | value[1]) & ~value[2], before, never, found, certain=sure)
        elif kind is sre.ATOMIC_GROUP:
            before, never = _walk([*value], flags, before, never, found, certain=sure)
        elif kind is sre.BRANCH:
            ways = [_walk([*one], flags, before, never, found, certain=sure) for one in value[1]]
            held = min((way[0] for way in ways), key=len)
            before = held if all(way[0] == held for way in ways) else before
            if all(len(way[0]) > len(before) for way in ways):
                before.append(frozenset().union(*(way[0][len(before)] for way in ways)))
        elif kind in (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT):
            inner = [*value[2]]
            if not sure and (value[1] == sre.MAXREPEAT or _width(inner)[1] * value[1] > 10_000):
                _judge(inner, flags, before, never, found)
            once, _ = _walk(inner, flags, before, never, found, certain=sure)
            before = once if value[0] else before
        elif kind in (sre.LITERAL, sre.NOT_LITERAL, sre.ANY, sre.IN):
            before.append(_chars(kind, value, flags))
    return before, never


def _judge(body: Nodes, flags: int, before: Sequence[Chars], never: Chars | None, found: list[str]) -> None:
    read = _all_chars(body, flags)
    if never is not None and read <= never:
        return
    if any(not (one & read) for one in before):
        return
    found.append(f"searched, a loop of {_shown(read)} is read from each of its places")


def _all_chars(nodes: Nodes, flags: int) -> Chars:
    """Everything that may stand in what a sequence reads."""
    found: Chars = frozenset()
    for kind, value in nodes:
        if kind in (sre.LITERAL, sre.NOT_LITERAL, sre.ANY, sre.IN):
            found |= _chars(kind, value, flags)
        elif kind in (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT):
            found |= _all_chars([*value[2]], flags)
        elif kind is sre.SUBPATTERN:
            found |= _all_chars([*value[3]], (flags | value[1]) & ~value[2])
        elif kind is sre.ATOMIC_GROUP:
            found |= _all_chars([*value], flags)
        elif kind is sre.BRANCH:
            found |= frozenset().union(*(_all_chars([*one], flags) for one in value[1]))
    return found
