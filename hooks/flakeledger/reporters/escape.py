"""Text from files, made fit to be shown: it can neither drive a terminal nor a continuous-integration service.

Invariants:
* No control character, bidirectional or invisible character and no surrogate is left: each becomes its escape,
  such as `\\x1b`, `\\u202e` or `\\U000e0001`. A byte of a name that is no UTF-8 becomes `\\xff`.
* No line starts a workflow command: neither with `::` (GitHub reads it behind blanks too) nor, anywhere in the
  line, with `##[` or `##name[`.
* Escaping twice changes nothing more.
"""

from __future__ import annotations

import re

# Named by number: the characters themselves would be unreadable here.
_HIDDEN = (
    "["
    "\x00-\x1f\x7f-\x9f"  # control characters
    "\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\uffa0"  # shown as nothing
    "\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff"  # bidirectional, zero width, line separators
    "\ud800-\udfff\ufff0-\ufffb\ufffe\uffff\U000e0000-\U000e0fff"  # surrogates, noncharacters, tags
    "]"
)
_SURROGATE = "[\ud800-\udfff]"
_COMMAND_WORD = r"##(?=[A-Za-z]*\[)"
#: the surrogates with which Python spells the bytes 0x80 to 0xff of a name that is no UTF-8
_UNDECODED = range(0xDC80, 0xDD00)


def escape_text(text: str) -> str:
    """One line of text that is safe inside a line of ours; line breaks become `\\n`."""
    if text.isascii() and text.isprintable():
        return text
    return re.sub(_HIDDEN, _escaped, text)


def escape_line(line: str) -> str:
    """A whole line of output: escaped as `escape_text` does, and no workflow command."""
    text = escape_text(line)
    words = text.lstrip()
    if words.startswith("::"):
        text = f"{text[: len(text) - len(words)]}\\x3a{words[1:]}"
    return re.sub(_COMMAND_WORD, r"#\\x23", text) if "##" in text else text


def escape_surrogates(text: str) -> str:
    """The text with its surrogates escaped and nothing else: for formats that escape the rest themselves."""
    return re.sub(_SURROGATE, _escaped, text)


def _escaped(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code in _UNDECODED:
        return f"\\x{code - 0xDC00:02x}"
    if match[0] in _SHORT:
        return _SHORT[match[0]]
    width, letter = (2, "x") if code < 0x100 else (4, "u") if code < 0x10000 else (8, "U")
    return f"\\{letter}{code:0{width}x}"


_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
