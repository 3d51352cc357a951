"""What the worst inputs are made of, for every reader: a head, a text that is repeated, a foot.

Invariants:
* A shape says nothing of sizes; it is bad by what it repeats: depth, long lines, small rows, signs without partners.
"""

from __future__ import annotations

#: what is bad for parsers and expressions of every kind
SHAPES = (
    *(("", one, "") for one in "[{(<\"'`#-/\\*|&!%@:,. \t\n\r_aA0=é\u2028\U0001f600\0"),
    *(("", one, "") for one in ("[]", "{}", "()", "\"'", "'\"", '"\\', "\\\\", "/*", "*/", "//", "<!--", "${", "#{")),
    *(
        ("", one, "")
        for one in ("- ", "- -", "a: ", "a:\n", "? ", ": ", "&a ", "*a ", "!!a ", "---\n", "...\n", "- a: b\n")
    ),
    *(
        ("", one, "")
        for one in ("\r\n", " \n", "\t\n", "# a\n", "#\n", "- #\n", "a\\\n", "a b ", "a.", "a,", "a::", "1e5,")
    ),
    *(("- ", one, "") for one in (" ", "a: [", "[", "{a: ", "'", '"', "|\n", "a: b, ", "? ")),
    *(("{", one, "}") for one in ('"a":1,', '"a":{},', '"a":[', '"\\u00e9":"\\ud83d\\ude00",', '"a":"')),
    *(("[", one, "0]") for one in ("0,", "[],", "{},", '"",', "-1,", "null,", "[0,", '{"a":0},')),
    *((f'{{"a":"{"b" * 100}', one, '"}') for one in ("\\\\", '\\"', "\\u0041", "é")),
    ("{" + "".join(f'"{number}":0,' for number in range(60_000)), '"a":0,', '"b":0}'),
)
SIGNS = tuple(("it.skip('a'); skip ", one, "") for one in "[{(<\"'`#-/\\*|$!%:,. \t\n\ra0=")
SKIPS = (
    *(("", one, "") for one in ("it.skip(", "it.skip('a', ", "it.skip\n", "xit('a');", "describe.skip('a', () => {")),
    *(
        ("", one, "")
        for one in ("if (a) {it.skip('a');}", "it\n.skip\n", "test.only.skip.", "--deselect ", "t.Skip()\n")
    ),
    *(
        ("", one, "")
        for one in ("@Disabled\n", "@Ignore class A {", "[Ignore]\n", "#[ignore]\n", "skip 'a'\n", "if a skip ")
    ),
    *(("it.skip('", one, "") for one in ("a", "\\'", "${", "a\n")),
    *(
        ("", one, "")
        for one in ("pending(", "xit ", "markTestSkipped(", "XCTSkip", "<skip", "GTEST_SKIP()", "TEST_CASE(")
    ),
    *(("it.skip('a', f); ", one, "") for one in ("(", "{", "`${", "/a/", "<a>", "a ? b : ", "=> ")),
)
PYTHON = (
    *(("import pytest\n", one, "") for one in ("pytest.skip('a')\n", "@pytest.mark.skip\ndef test_a(): pass\n")),
    *(("import pytest\n", one, "") for one in ("if a: pytest.skip('a')\n", "pytestmark = [pytest.mark.skip]\n")),
    *(
        ("import pytest\ndef test_a():\n", one, "")
        for one in (" pytest.skip('a')\n", " a()\n", " try: a()\n except A: pass\n")
    ),
    *(("import pytest\n", one, "pytest.skip('a')") for one in ("a=b\n", "a()\n", "def a(): a()\n", "class A: pass\n")),
    *(("import pytest\nskip = ", one, "1\n") for one in ("a+", "-", "(", "not ", "a if b else ", "[", "a.", "a and ")),
    *(
        ("import pytest\n# skip\n", one, "")
        for one in ("global a\n", "from a import b\n", "a, b = b, a\n", "'''a'''\n", "f'{a}'\n")
    ),
    *(
        ("# pytest.mark.skip\n(", one, "")
        for one in ("@pytest.mark.skip\n", "if a:\n", " pytest.skip()\n", "def test_a():\n", "'")
    ),
    *(
        ("import pytest\n", one, "")
        for one in ("@pytest.mark.frozen('P')\ndef test_a(): pass\n", "pytest.mark.frozen\n")
    ),
    ("import pytest\nskip = [\n", "pytest.param(1, marks=pytest.mark.skip),\n", "]\n"),
    ("import pytest\n", "".join(f"def test_{number}(): helper_{number}()\n" for number in range(2000)), "skip = 1\n"),
    ("".join(f"def f{number}(): f{number + 1}()\n" for number in range(9000)), "def test_a(): f0()\n", "# skip\n"),
    *(
        ("# flakeledger: cite A\n", one, "")
        for one in ("# flakeledger: cite P-1\n", "# a\n", "def test_a(): pass\n# a\n")
    ),
)
ROWS = (
    *(
        ("", one, "")
        for one in ("- test: a\n", "- test: a\n  owner: b\n", "- a: 'b\n", "- {a: b}\n", "- a: |\n   b\n\n", "-\n")
    ),
    *(
        ("", one, "")
        for one in ("- a: [b, c, d]\n", "- owner: @a\n", "-\ta: b\n", "- a: b: c\n", "- test: a\n\n# c\n", "-- a\n")
    ),
    *(
        ("- test: a\n", one, "")
        for one in ("  a: b\n", "  # a\n", "  a:\n", "  a: *b\n", "\n", "  a: [\n", "  - a\n", " a: b\n")
    ),
    *(("- test: a\n  reason: ", one, "") for one in ("a ", "'' ", '"\\x41', "# ", "a: ", "[", "|\n\n")),
    *(("- test: a\n  fixture_hashes: {", one, "a: b}") for one in ("a: b, ", "a, ", "{", "'a': 'b', ")),
    *(("- test: a\n  reason: |\n", one, "") for one in ("   a\n", "\n", "    \n", "   a\n\n")),
    ("- test: a\n", "<<<<<<< a\n=======\n>>>>>>> b\n", ""),
    ("<<<<<<< a\n", "- test: a\n", ">>>>>>> b\n"),
)
UNIQUE = (
    ("", "".join(f"- test: t.py::a{number}\n  owner: '@b'\n" for number in range(25_000)), ""),
    ("", "".join(f"- test: t.py::a{number} # c\n\n" for number in range(35_000)), ""),
)
LOG = (
    *(("", one, "") for one in ("{}\n", '{"a":1}\n', '{"test":"a::b"}\n', "[]\n", '{"a":', "{\n", '{"a":1,"a":1}\n')),
    ("", '{"test":"a.py::b","run_at":"2026-10-20T00:00:00Z","env":"e","seeds":[1],"passed":1,"total":1}\n', ""),
    ('{"test":"a.py::b","seeds":[', "1,", "1]}\n"),
    ('{"test":"a.py::b","outcomes":[', '"pass",', '"pass"]}\n'),
    ("{" + "".join(f'"{number}":0,' for number in range(80_000)), "", '"b":0}'),
)
POLICIES = (
    ("version: 1\npaths:\n  - class: generator\n    match: [", '"**/a*b*c*d", ', "a]\n"),
    ("version: 1\npaths:\n", "  - class: generator\n    match: [a]\n", ""),
    *((f"version: 1\npaths:\n  - class: generator\n    match: ['{one}", "*a", "']\n") for one in ("", "[", "**/")),
    ("version: 1\npermanent_skips: [", "'a*b*c', ", "a]\n"),
    ("version: 1\nrunners:\n", "  - name: a\n", ""),
    ("version: 1\nforbid:\n", "  - [generator, freeze_config]\n", ""),
    ("version: 1\n", "a: b\n", ""),
)
OWNERS = (
    *(
        ("", one, "")
        for one in ("* @a\n", "a @a\n", "[A] @a\nb\n", "**/a*b*c @a\n", "\\", "\\ ", "^[", "[a][", "@", "a @a/b/c/")
    ),
    *(("* ", one, "") for one in ("@a ", "@a/", "@@owner ", "a@b ", "a@", "# ", "@a-")),
    ("", "".join(f"/a{number}/**/b*c @d\n" for number in range(20_000)), ""),
    ("", "".join(f"[S{number}]\n/a{number} @d\n" for number in range(20_000)), ""),
)
XML = (
    *(
        ("<testsuite>", one, "</testsuite>")
        for one in ("<testcase/>", "<testcase><failure/></testcase>", "<a/>", "<!---->")
    ),
    *(("<testsuite>", one, "") for one in ("<testsuite>", "<a>", "<![CDATA[", "&#65;", "&lt;")),
    ("<testsuite><testcase><failure>", "File a, line 1\nE AError: b\n", "</failure></testcase></testsuite>"),
    *(
        ("<testsuite><testcase><failure message='", one, "'/></testcase></testsuite>")
        for one in ("a.", "a: ", "$", "A", ": ")
    ),
    ("<testsuite><testcase>", "<failure type='a.B' message='c'/>", "</testcase></testsuite>"),
    *(
        ("<testsuite><testcase><failure>", one, "</failure></testcase></testsuite>")
        for one in ("  failureType: 'a',\n", "at shop.OrdersTest.refund", "cause: a [", "a.")
    ),
    ("<testsuite><testcase>", "<a>", ""),
)
LISTS = (
    *(
        ("", one, "")
        for one in ("a.py::b\n", "tests:\n", "- class: a\n  method: b\n", "prefix a\n", "[$a==b]\n", "[a]\n")
    ),
    *(("tests:\n", one, "") for one in ("- class: a\n  method: b\n  issue: c\n", "- a\n", "- {", "- &a b\n")),
    *(
        ("[profile.a]\n", one, "")
        for one in ("[[profile.a.overrides]]\nfilter = 'test(a)'\n", "a = [", "a.", "a = 1\n")
    ),
    *(("prefix a\n", one, "") for one in ("a: PASS,FLAKY\n", "a: SKIP # b\n", "[$a]\n", "a,b,")),
    *(("[", one, "{}]") for one in ('{"test":"a::b"},', '{"selector":"a"},', '"a::b",', "[", "{", "1" * 600 + ",")),
    ("[[profile.a.overrides]]\nfilter = '", "test(a) or ", "test(a)'\n"),
    ("[[profile.a.overrides]]\nfilter = '", "(", "'\n"),
    *(("[profile.a]\n", one, "") for one in ("a", "'", '"""', "#\n", "'''")),
)
TRACES = (
    *(
        ("", one, "")
        for one in ("Traceback (most recent call last):\n", "a.py:1: A\n", "E  A: b\n", "A: b\n", "a.b.c.", "\x1b[0m")
    ),
    *(
        ("", one, "")
        for one in ("| + ", "E ", "a:1", "A.A.", "\x1b[0;", "\x1b", "Traceback (most recent call last):\nA\n")
    ),
)
SECRETS = tuple(
    ("", one, "")
    for one in (
        "eyJ",
        "artif",
        "://a:",
        "awskey",
        "https://",
        "ibm_cos_hmac_access_key ",
        "xoxa-1-",
        "password=",
        "@a.",
    )
)
MESSAGES = tuple(
    ("", one, "")
    for one in (
        "Freeze-Decision: P allow_cite now=2026-10-11T00:00:00Z\n",
        "Freeze-Decision: ",
        "\nFreeze-Decision: P\n",
    )
)
#: a path on each line
PATHS_OF_TESTS = (
    *(
        ("", one, "")
        for one in ("tests/", "tests/test_a.py\n", "a/tests/test_a.py\n", "conftest.py\n", "seeds/a.json\n")
    ),
    ("", f"{'tests/' * 200}test_a.py\n", ""),
)
