"""Every target of fuzzing holds for the corpus that it begins with, and for what campaigns have found.

property_id: FL-ONE-RULE
"""

from __future__ import annotations

import pytest

from fuzz.corpus import texts, words
from fuzz.targets import BY_NAME, TARGETS, Target

#: what campaigns found, in a reader or in what a target wrongly demanded: target and input
FOUND = [
    ("replays", b"\xff\xfe-\n=======\n-\nlast"),
    ("lists", b'[profile.default]\nretries = 0\ndefault-filter = "not()"\n'),
    ("merges", b"\n\r\n"),
    ("merges", b"- test: a.py::a\n\r\n# b\n"),
    ("merges", b"\n\r"),
    ("layouts", b"- test: a.py::test_1\n  owner: '@finley'\n- test: b.py::test_2\n  owner: '@robin'\r"),
    ("edits", b"- test: a.py::test_1\r\n  owner: '@finley'\r\n- test: b.py::plugins\n  owner: '@robin' # last"),
    ("rows", b"- a: >\n     c:"),
    ("policy", b"# "),
    ("compared-skips", b"\x17t.skip(\n====\nt.skip(\n%"),
    ("compared-skips", b"\x17\nt.skip('skip\n-\n====\nt.skip('skip\n-\n,\x8a"),
]


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_a_target_holds_for_its_corpus(target: Target) -> None:
    corpus = texts(target)
    assert len(corpus) > 50
    for text in corpus:
        target.run(text)


@pytest.mark.parametrize(("name", "data"), FOUND)
def test_what_was_found_is_mended(name: str, data: bytes) -> None:
    BY_NAME[name].run(data)


def test_the_words_of_the_dictionary_are_written_as_libfuzzer_reads_them() -> None:
    assert len(words()) > 100
    assert not [word for word in words() if '"' in word or "\n" in word or not word.isascii()]
