"""In which encoding a Python module is written, and the same module in UTF-8.

Invariants:
* The coding cookie is what Python takes for one (PEP 263), on lines of any length.
* An encoding is read only where every character of ASCII is written as itself. In any other one (utf-7,
  unicode_escape, a codec of the project's own) a word may be written without one of its letters, so it is not read.
* No codec is looked up by a name that a stranger chose, and every codec that is used is linear.
"""

from __future__ import annotations

import re

BOM = b"\xef\xbb\xbf"
_COOKIE = rb"(?a)[ \t\f]*#[^\r\n]*?coding[:=][ \t]*([-\w.]+)"
_BLANK = rb"[ \t\f]*(#[^\r\n]*)?"
_LINE = rb"[^\r\n]*(?:\r\n?|\n)?"
#: what the tokenizer of Python takes for these two, whatever follows: Emacs writes `utf-8-unix`
_WITH_ENDINGS = (("utf_8", "utf_8"), ("latin_1", "latin_1"), ("iso_8859_1", "latin_1"), ("iso_latin_1", "latin_1"))
#: Python's names of the encodings that write ASCII as itself: tests hold each against its codec
PLAIN = frozenset(
    (
        *("utf_8", "ascii", "latin_1", "koi8_r", "koi8_u", "tis_620", "hp_roman8", "ptcp154", "kz1048"),
        *(f"iso8859_{number}" for number in (2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 14, 15, 16)),
        *(f"cp{number}" for number in range(1250, 1259)),
        *("cp437", "cp775", "cp850", "cp852", "cp855", "cp857", "cp858", "cp860", "cp861", "cp862", "cp863", "cp865"),
        *("cp866", "cp869", "cp1125", "cp932", "cp949", "cp950"),
        *("mac_cyrillic", "mac_greek", "mac_iceland", "mac_latin2", "mac_roman", "mac_turkish"),
        *("big5", "big5hkscs", "gb2312", "gbk", "gb18030", "johab", "shift_jis"),
        *("euc_jp", "euc_jis_2004", "euc_jisx0213", "euc_kr"),
    )
)


def cookie(data: bytes) -> str:
    """The encoding that the first or second line declares, else utf-8."""
    if data.startswith(BOM):
        return "utf-8"
    start = 0
    for _ in range(2):
        found = re.compile(_COOKIE).match(data, start)
        if found:
            return found[1].decode("ascii")
        line = re.compile(_LINE).match(data, start)
        if line is None or not re.fullmatch(_BLANK, line[0].rstrip(b"\r\n")):
            break
        start = line.end()
    return "utf-8"


def codec(data: bytes) -> str | None:
    """Python's name of the encoding that a module declares; None where that may hide words."""
    from encodings.aliases import aliases  # every start of Python imports it

    name = cookie(data).lower().replace("-", "_").replace(".", "_")
    for family, plain in _WITH_ENDINGS:
        if name == family or name.startswith(f"{family}_"):
            return plain
    known = aliases.get(name, name)
    return known if known in PLAIN else None


def as_utf8(data: bytes) -> bytes | None:
    """The module in UTF-8, with a mark for every byte that its encoding does not know; None where that may hide words.

    What declares UTF-8 comes back as it is.
    """
    name = codec(data)
    if name is None:
        return None
    return data if name == "utf_8" else data.decode(name, "replace").encode()
