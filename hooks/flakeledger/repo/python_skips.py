"""The unconditional skips of a Python module: what takes a test out of every run, or lets it fail in every run.

Invariants:
* Modules are parsed, never run. A module that this Python cannot parse is searched by patterns instead.
* What depends on a condition is no skip, what has a constant condition is one (see `conditions.py`, `reached.py`).
* A skip inside a text, and one in a definition inside a function, is none: tests of test tools are full of them.
* An encoding in which words are not written as themselves is one skip of its own kind.
* No bytes give a traceback; the time is linear in the size of the module.
* `ast` is imported only when a module is parsed.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

from flakeledger.repo.modules import parse_module
from flakeledger.repo.skip import MOST_PLACES, Skip, hidden, unread
from flakeledger.repo.source_encoding import as_utf8, cookie

if TYPE_CHECKING:
    import ast

    from flakeledger.repo.outline import Outline
    from flakeledger.repo.skip_calls import Found


#: a module in ASCII that holds none of these says nothing that counts; in other letters names have many spellings
_WORDS = (
    *(b"skip", b"Skip", b"xfail", b"XFail", b"expectedFailure", b"flaky", b"retry", b"rerun", b"quarantine"),
    *(b"nottest", b"deselect", b"collect_ignore"),
)
#: nobody reads columns in longer lines, and counting characters takes time
_LONGEST_LINE = 10_000


def python_skips(data: bytes) -> list[Skip]:
    """The skips of a Python module, in source order."""
    text = as_utf8(data)
    if text is None:
        return [hidden(cookie(data), data.count(b"\n") + 1)]
    if text.isascii() and not any(word in text for word in _WORDS):
        return []
    module = parse_module(data)
    if isinstance(module, str):
        from flakeledger.repo.python_skip_patterns import pattern_skips

        return pattern_skips(text)
    from flakeledger.repo.outline import read_outline

    return module_skips(module, read_outline(module), data)


def module_skips(module: ast.Module, outline: Outline, data: bytes) -> list[Skip]:
    """The skips of a module that is parsed already, given with its outline and its bytes, in source order."""
    lines = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
    every = _found(module, outline, data)
    skips = {_skip(each, lines) for each in islice(every, MOST_PLACES)}
    if next(every, None) is not None:  # they come kind by kind, so what is left may be anywhere
        skips.add(unread(1, len(lines)))
    return sorted(skips, key=lambda skip: (skip.first, skip.column, skip.last, skip.name, skip.test))


def _found(module: ast.Module, outline: Outline, data: bytes) -> Iterator[Found]:
    from flakeledger.repo.bodies import bodies
    from flakeledger.repo.deselections import deselections, ignored_paths
    from flakeledger.repo.meanings import Names
    from flakeledger.repo.skip_calls import skip_calls
    from flakeledger.repo.written_marks import written_marks

    names = Names(module, outline, has_globals=b"global" in data)
    every = bodies(module, outline, names)
    yield from written_marks(module, names, every)
    yield from skip_calls(outline, names, every)
    if b"deselect" in data:
        yield from deselections(names, every)
    if b"collect_ignore" in data:
        yield from ignored_paths(names, every)


def _skip(found: Found, lines: list[bytes]) -> Skip:
    """What was found, with its place in characters: `ast` counts in bytes of UTF-8."""
    node, mark = found.node, found.mark
    line = lines[node.lineno - 1] if node.lineno <= len(lines) else b""
    before = node.col_offset if len(line) > _LONGEST_LINE else len(line[: node.col_offset].decode(errors="replace"))
    return Skip(mark.kind, mark.name, found.test, node.lineno, node.end_lineno or node.lineno, before + 1, mark.reason)
