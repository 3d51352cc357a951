"""Text from files inside Markdown of ours, as GitHub and GitLab read it.

Invariants:
* Text from files stands in code spans and fenced blocks alone, and only there is it text: the services turn names
  behind `@`, numbers behind `#`, addresses and commits into mentions and links wherever they find them, backslashes
  and entities notwithstanding (cmark-gfm links `a\\@b.c`; mentions are looked for in the finished HTML). Code is left
  alone by all of them.
* Plain English words, numbers and dates of a sentence stay words: nothing can be made of them.
* No span, row or block is left open, whatever the text is; control and invisible characters become their escapes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from flakeledger.reporters.escape import escape_line

#: a word that no reader of Markdown makes anything of; seven hexadecimal digits could be a commit
_WORD = re.compile(
    r"(?![0-9A-Fa-f]{7,}\b)[(\"]?(?:[A-Za-z]+(?:['-][A-Za-z]+)*|[0-9]{1,6}(?:\.[0-9]{1,6})?|[0-9]{4}-[0-9]{2}-[0-9]{2})"
    r"[)\"]?[,.;:?]?|%[),.;]?"
)
#: what our own sentences put into backquotes, or what blanks separate; punctuation behind it is no part of it
_TOKEN = re.compile(r"`([^`]+)`([),;:.]{0,2})(?!\S)|(\S+)")
_PUNCTUATED = re.compile(r"(\(?)(.+?)([),;:]{0,2})", re.DOTALL)
_SHORTEST_FENCE = 3
#: cmark-gfm knows no span between more than 80 backquotes, and no fence of more than 255: longer runs are escaped
_LONG_RUN = re.compile("`{20,}")


def cut(text: str, most: int) -> str:
    """The text, or so many of its characters and an ellipsis."""
    return text if len(text) <= most else text[:most] + "…"


def escape_code(text: str) -> str:
    """One line of text that a code span or a fenced block can hold, and that is no command in a service's log."""
    return _LONG_RUN.sub(lambda run: r"\x60" * len(run[0]), escape_line(text))


def code(text: str) -> str:
    """The text as a code span; nothing for an empty text, which no span can hold."""
    shown = escape_code(text)
    if not shown:
        return ""
    fence = "`" * (_longest_run([shown]) + 1)
    # a blank at both ends is taken away again, and keeps backquotes apart
    pad = " " if shown.strip(" ") and (shown[0] in "` " or shown[-1] in "` ") else ""
    return f"{fence}{pad}{shown}{pad}{fence}"


def prose(sentence: str) -> str:
    """A sentence of ours with text from files in it: plain words as words, everything else as code."""
    parts: list[str] = []
    odd: list[str] = []
    for quoted, behind, token in _TOKEN.findall(sentence):
        if token and not _WORD.fullmatch(token):
            odd.append(token)
            if token.endswith((":", ";")):  # a part of the sentence ends here, and with it the span
                parts += _spans(odd)
                odd = []
            continue
        parts += _spans(odd)
        odd = []
        parts.append(code(quoted) + behind if quoted else token)
    return " ".join([*parts, *_spans(odd)])


def _spans(odd: Sequence[str]) -> list[str]:
    """Tokens that are no words, as one code span, with the punctuation around them outside of it."""
    found = _PUNCTUATED.fullmatch(" ".join(odd))
    return [] if found is None else [found[1] + code(found[2]) + found[3]]


def fenced(text: str, language: str = "") -> str:
    """The lines of a text as a block of code; ends in a newline."""
    lines = [escape_code(line) for line in text.split("\n")]
    fence = fence_for(lines)
    return "\n".join([fence + language, *lines, fence]) + "\n"


def fence_for(texts: Iterable[str]) -> str:
    """A fence that none of the texts can close."""
    return "`" * max(_longest_run(texts) + 1, _SHORTEST_FENCE)


def indented(text: str) -> str:
    """Lines as they stand below the first line of an item of a list."""
    return "".join(f"  {line}\n" for line in text.splitlines())


def table_row(cells: Sequence[str]) -> str:
    """One row of a table; ends in a newline. The cells are Markdown in which a pipe can stand in code spans alone.

    A backslash before a pipe keeps it in its cell. Behind a backslash of the text itself readers disagree what that
    would mean, so there the pipe itself becomes its escape.
    """
    safe = (re.sub(r"(?<!\\)\|", r"\\|", re.sub(r"(?<=\\)\|", r"\\x7c", cell)) for cell in cells)
    return f"| {' | '.join(safe)} |\n"


def _longest_run(texts: Iterable[str]) -> int:
    """The length of the longest run of backquotes."""
    return max((len(run) for text in texts for run in re.findall("`+", text)), default=0)
