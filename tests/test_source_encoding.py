"""The encoding of a Python module: what Python itself takes for its cookie, and which encodings hide nothing."""

from __future__ import annotations

import codecs
import io
import tokenize

import pytest

from flakeledger.repo.source_encoding import PLAIN, as_utf8, codec, cookie

ASCII = bytes(range(32, 127))

COOKIES = {
    b"": "utf-8",
    b"x = 1\n": "utf-8",
    b"# coding: gbk\n": "gbk",
    b"#coding=gbk": "gbk",
    b"# -*- coding: koi8-r -*-\r\nx": "koi8-r",
    b"#!/usr/bin/python\n# vim: set fileencoding=cp1251 :\n": "cp1251",
    b"\x0c\t \n# coding:\tcp1251\n": "cp1251",
    b"\r# coding: gbk\r": "gbk",
    b"\n\n# coding: gbk\n": "utf-8",
    b"x = 1  # coding: gbk\n": "utf-8",
    b"x = 1\n# coding: gbk\n": "utf-8",
    b'"""\n# coding: gbk\n"""\n': "utf-8",
    b"# coding is: gbk\n": "utf-8",
    b"# coding coding: gbk\n": "gbk",
    b"#" + b" " * 10_000 + b"coding: gbk\n": "gbk",
    b"#" * 10_000 + b"\n# coding: gbk\n": "gbk",
    b"\xef\xbb\xbf# coding: gbk\n": "utf-8",
}


@pytest.mark.parametrize(("data", "expected"), COOKIES.items(), ids=range(len(COOKIES)))
def test_the_cookie_is_what_python_takes_for_one(data: bytes, expected: str) -> None:
    assert cookie(data) == expected
    if not data.startswith(codecs.BOM_UTF8) and b"\r#" not in data:  # tokenize refuses the first, and cuts at \n alone
        found, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        assert codecs.lookup(found) == codecs.lookup(expected)


@pytest.mark.parametrize("name", sorted(PLAIN))
def test_an_encoding_of_people_writes_ascii_as_itself(name: str) -> None:
    assert ASCII.decode().encode(name) == ASCII
    assert codec(f"# coding: {name}\n".encode()) == name


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        *(
            ("utf8", "utf_8"),
            ("UTF-8-unix", "utf_8"),
            ("utf_8_sig", "utf_8"),
            ("u8", "utf_8"),
            ("latin-1-dos", "latin_1"),
        ),
        *(("iso-8859-1", "latin_1"), ("iso-8859-15", "iso8859_15"), ("windows-1252", "cp1252"), ("sjis", "shift_jis")),
        *(("utf-7", None), ("unicode_escape", None), ("raw-unicode-escape", None), ("utf-16", None), ("cp037", None)),
        *(("hz", None), ("iso2022-jp", None), ("idna", None), ("punycode", None), ("rot13", None), ("nothing", None)),
        *(("undefined", None), ("os.path", None), ("..utf-8", None), ("mbcs", None)),
    ],
)
def test_an_encoding_is_known_by_any_of_its_names(name: str, expected: str | None) -> None:
    assert codec(f"# coding: {name}\n".encode()) == expected


def test_a_module_is_given_in_utf_8() -> None:
    text = "# coding: {}\nname = '\u0436'\n"
    for name in ("utf-8", "cp1251", "koi8-r", "gb18030"):
        assert as_utf8(text.format(name).encode(name)) == text.format(name).encode()
    assert as_utf8(b"# coding: gbk\n\xff\n") == "# coding: gbk\n\ufffd\n".encode()
    assert as_utf8(b"# coding: utf-7\n+AHM-\n") is None
