"""Comments and strings of source text, language by language, and that any text is read in time linear in its length."""

from __future__ import annotations

from functools import partial

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from flakeledger.repo.code_text import Comment, bare_code, comments_of, scan, without_comments
from flakeledger.repo.languages import ENDINGS, LANGUAGES, language_of
from growing import assert_linear

#: (language, text, the same as bare code)
BARE = [
    ("python", "x = f'a' # one", 'x = f" "      '),
    ("python", "x = r'''a\n# b\n''' # c", 'x = "    \n   \n  "    '),
    ("python", "x = 'a\\' # b' # c", 'x = "       "    '),
    ("python", "x = 'a\ny = 1 # b", 'x = ""\ny = 1    '),
    ("javascript", "f('a', \"b\", `c`) // d", 'f(" ", " ", " ")     '),
    ("javascript", "`a ${ f(`b ${'c'} `) } d`; g", '"     f("    " "  ")    "; g'),
    ("javascript", "`a ${ {b: {}} } c` + d", '"     {b: {}}    " + d'),
    ("javascript", "x = /['\"/]/g; f('a')", 'x = "      "; f(" ")'),
    ("javascript", "a / b / c 'd'", 'a / b / c " "'),
    ("javascript", "return /'/", 'return " "'),
    ("javascript", "<p>Don't</p>; f('a')", '<p>Don\'t</p>; f(" ")'),
    ("javascript", "<a>{b}</a> 'c'", '<a>{b}</a> " "'),
    ("component", "<!-- a 'b --> 'c'", '              " "'),
    ("java", 'char c = \'"\'; String s = """\na "b"\n""";', 'char c = " "; String s = "  \n     \n  ";'),
    ("kotlin", 'val s = "a ${b["c"]} d" // e', 'val s = "    b[" "]   "     '),
    ("kotlin", "fun `it's`() { /* a /* b */ c */ }", 'fun "    "() {                   }'),
    ("kotlin", 'val s = "a ${b\nval t = 1', 'val s = "    b\nval t = 1'),
    ("scala", "val c = 'a'; val s = 'sym // b", 'val c = " "; val s = \'sym     '),
    ("groovy", "def 'it is'() { x = ~/it's/ }", 'def "     "() { x = ~"    " }'),
    ("go", "x := `a\n\"b` + '\"' // c", 'x := " \n  " + " "     '),
    ("rust", "fn f<'a>(x: &'a str) { '\"' }", "fn f<'a>(x: &'a str) { \" \" }"),
    ("rust", 'r##"a"#b"## /* c /* d */ e */ 1', '"         "                   1'),
    ("c", 'auto s = R"d(it " )" )d"; int n = 1\'000;', 'auto s = "             "; int n = 1\'000;'),
    ("c", "char c = u8'\"'; // d", 'char c = u8" ";     '),
    ("csharp", 'x = @"a""b\\"; y = $"c {d["e"]} {{"; z', 'x = "      "; y = "    d[" "]    "; z'),
    ("csharp", 'x = """a "b" c"""; \'"\'', 'x = "           "; " "'),
    ("swift", 'x = "a \\(f("b")) c"; #"d"e"#', 'x = "    f(" ")   "; "     "'),
    ("dart", "x = r'a\\' + 'b ${c['d']} e'; // f", 'x = "   " + "    c[" "]   ";     '),
    ("php", "#[A]\n$x = <<<'X'\n  don't\n  X; # b", '#[A]\n$x = "    "\n       \n  X;    '),
    ("php", '$x = "a {$b["c"]} d"; // e', '$x = "    b[" "]   ";     '),
    ("ruby", "f(<<~A, 'b')\n  don't\nA\ng # h", 'f("  ", " ")\n       \nA\ng    '),
    ("ruby", "x = %w[a' b] + /c'd/", 'x = "      " + "   "'),
    ("ruby", "a << b\nc", "a << b\nc"),
    ("ruby", "=begin\na 'b\n=end\nc 'd'", '      \n    \n    \nc " "'),
    ("ruby", 'x = %(a (b) #{c("d)")} e) # f', 'x = "                   "    '),
    ("elixir", '~s(a #{b(c)}) <> "d"', '"           " <> " "'),
    ("elixir", '[?(, ?"] # a', '["", ""]    '),
    ("ruby", "match /it's/\na / b # c", 'match "    "\na / b    '),
    ("perl", "my $s = q{it's}; $#a; # b", 'my $s = "     "; $#a;    '),
    ("perl", "=pod\nit's\n=cut\n1; __END__\nit's", "    \n    \n    \n1; __END__\nit's"),
    ("shell", "echo \\' a#b # c\necho $#", 'echo "" a#b    \necho $#'),
    ("shell", "cat <<EOF\ndon't\nEOF\necho", 'cat "   "\n     \nEOF\necho'),
    ("powershell", "<# a #> 'b''c' `\"; \"d`\"e\" # f", '        "    " ""; "    "    '),
    ("lua", "--[==[ a\nb ]] ]==] x = [[ c ]] -- d", '        \n          x = "     "     '),
    ("elixir", 'x = ~s(a") <> """\nb"\n""" # c', 'x = "    " <> "  \n  \n  "    '),
    ("erlang", "X = $\", 'a b' % c", 'X = "", "   "    '),
    ("haskell", "f' x = 'a' -- b\n{- c {- d -} e -} g --> h", 'f\' x = " "     \n                  g --> h'),
    ("clojure", '(f \\" "a ; b") ; c', '(f "" "     ")    '),
    ("r", 'x <- r"(a"b)" + `c d` # e', 'x <- "      " + "   "    '),
    ("julia", 'x\' * \'c\' #= a #= b =# c =# + "a $(f("b"))"', 'x\' * " "                   + "    f(" ") "'),
    (
        "sql",
        "SELECT 'it''s', $t$a'b$t$ -- c\n/* d /* e */ f */ g",
        'SELECT "     ", "       "     \n                  g',
    ),
    ("yaml", "a: don't # b\nc: 'd # e' #f\ng: h#i", 'a: don\'t    \nc: "     "   \ng: h#i'),
    ("toml", "a = 'b\\' # c\nd = '''\ne'''", 'a = "  "    \nd = "  \n   "'),
    ("ini", "# a\n; b\nc = d ; e # f", "   \n   \nc = d ; e    "),
    ("make", 'a: b # c\n\techo "#d"', 'a: b    \n\techo "  "'),
    ("cmake", '#[[ a\nb ]] set(c "d # e") # f', '     \n     set(c "     ")    '),
    ("dockerfile", "# a\nRUN echo # b", "   \nRUN echo # b"),
]

COMMENTS = [
    ("python", "x = 1  # one\n\n#two\n### three", [(1, 10, "one"), (3, 2, "two"), (4, 5, "three")]),
    ("python", "x = '# no'\n\"\"\"\n# no\n\"\"\"", []),
    ("javascript", "a(); // one\n/** two\n * three\n */\n/* four */ b(); /// five",
     [(1, 9, "one"), (2, 5, "two"), (3, 4, "three"), (5, 4, "four"), (5, 21, "five")]),
    ("javascript", "'http://no'; `// no`; /\\/\\/no/", []),
    ("rust", "//! one\n/* two /* three */ four */ x", [(1, 5, "one"), (2, 4, "two /* three */ four")]),
    ("c", "#include <a> // one\r\nint x; /* two\r\n   three */\r\n", [(1, 17, "one"), (2, 11, "two"), (3, 4, "three")]),
    ("java", "/* one /* two */ x /* three */", [(1, 4, "one /* two"), (1, 23, "three")]),
    ("kotlin", "/* one /* two */ x */ y // three", [(1, 4, "one /* two */ x"), (1, 28, "three")]),
    ("ruby", "x = 1 # one\n=begin\ntwo\n=end\n'#{3}' # four", [(1, 9, "one"), (3, 1, "two"), (5, 10, "four")]),
    ("shell", "#!/bin/sh\necho a#b # one\n", [(1, 3, "/bin/sh"), (2, 12, "one")]),
    ("lua", "-- one\n--[[ two\nthree ]] x", [(1, 4, "one"), (2, 6, "two"), (3, 1, "three")]),
    ("sql", "SELECT 1 -- one\n", [(1, 13, "one")]),
    ("clojure", ";; one", [(1, 4, "one")]),
    ("yaml", "a: b#c # one", [(1, 10, "one")]),
    ("javascript", "/* never closed", [(1, 4, "never closed")]),
    ("javascript", "//\n/**/\n//   \n", []),
]  # fmt: skip


#: how strings are written that may run over lines, by language; a point stands for what they hold
OVER_LINES = {
    "python": ['"""·"""', "'''·'''", 'rb"""·"""', "f'''·'''"],
    "javascript": ["`·`"],
    "component": ["`·`"],
    "java": ['"""·"""'],
    "kotlin": ['"""·"""'],
    "scala": ['"""·"""', 's"""·"""'],
    "groovy": ['"""·"""', "'''·'''"],
    "go": ["`·`"],
    "rust": ['"·"', 'r"·"', 'br#"·"#'],
    "c": ['R"(·)"', 'R"d(·)d"'],
    "csharp": ['"""·"""', '$$""""·""""', '@"·"', '$@"·"', '@$"·"'],
    "swift": ['"""·"""', '#"""·"""#'],
    "dart": ['"""·"""', "'''·'''", 'r"""·"""', "r'''·'''"],
    "php": ['"·"', "'·'"],
    "ruby": ["%q(·)", "%w[·]", "%i{·}", "%Q<·>", " %(q·)", "%q|·|"],
    "perl": ["q{·}", "qq(·)", "m[·]", "q|·|", "m/·/"],
    "powershell": ['@"\n·\n"@', "@'\n·\n'@", '"·"', "'·'"],
    "lua": ["[[·]]", "[=[·]=]"],
    "elixir": ["~s(·)", "~S[·]", '"""·"""', "'''·'''", '"·"', "'·'"],
    "erlang": ['"·"'],
    "clojure": ['"·"'],
    "r": ['r"(·)"', "R'-(·)-'", '"·"', "'·'"],
    "julia": ['"""·"""', '"·"'],
    "sql": ["$$·$$", "$t$·$t$", "'·'", '"·"'],
    "toml": ['"""·"""', "'''·'''"],
    "cmake": ['"·"', "[=[·]=]"],
}
#: and such that end with their line, so that an apostrophe in plain text swallows no more than that
WITHIN_A_LINE = {
    "python": ['"·"', "'·'"],
    "javascript": ['"·"', "'·'"],
    "java": ['"·"', "'·'"],
    "kotlin": ['"·"', "`·`"],
    "scala": ['"·"', 's"·"', "`·`"],
    "groovy": ['"·"', "'·'"],
    "go": ['"·"', "'·'"],
    "c": ['"·"', "'·'"],
    "csharp": ['"·"', '$"·"', "'·'"],
    "swift": ['"·"', '#"·"#'],
    "dart": ['"·"', "'·'", 'r"·"'],
    "ruby": ['"·"', "'·'", "`·`"],
    "perl": ['"·"', "'·'"],
    "shell": ['"·"', "'·'"],
    "lua": ['"·"', "'·'"],
    "erlang": ["'·'"],
    "haskell": ['"·"'],
    "r": ["`·`"],
    "toml": ['"·"', "'·'"],
    "yaml": ['"·"', "'·'"],
}


#: comments that run over lines, by language: how they begin and end, and whether one may stand in another
BLOCKS = [
    *((name, "/*", "*/", False) for name in ("javascript", "component", "java", "groovy", "go", "c", "csharp", "php")),
    *((name, "/*", "*/", True) for name in ("kotlin", "scala", "rust", "swift", "dart", "sql")),
    ("component", "<!--", "-->", False),
    ("ruby", "=begin", "=end", False),
    ("powershell", "<#", "#>", False),
    ("lua", "--[[", "]]", False),
    ("lua", "--[=[", "]=]", False),
    ("haskell", "{-", "-}", True),
    ("julia", "#=", "=#", True),
    ("cmake", "#[[", "]]", False),
]


def written(table: dict[str, list[str]]) -> list[tuple[str, str]]:
    """Each language with each way of writing a string, over the end of a line."""
    return [(language, string.replace("·", "x\ny")) for language, strings in table.items() for string in strings]


def case_id(case: object) -> str:
    return str(case)[:50]


@pytest.mark.parametrize(("language", "text", "bare"), BARE, ids=case_id)
def test_comments_and_the_insides_of_strings_are_blank(language: str, text: str, bare: str) -> None:
    assert bare_code(text, LANGUAGES[language]) == bare


@pytest.mark.parametrize(("language", "string"), written(OVER_LINES), ids=repr)
def test_a_string_over_lines_is_read_to_its_end(language: str, string: str) -> None:
    assert set("xyz").intersection(bare_code(f"{string} z", LANGUAGES[language])) == {"z"}


@pytest.mark.parametrize(("language", "string"), written(WITHIN_A_LINE), ids=repr)
def test_a_string_that_holds_no_line_end_ends_with_its_line(language: str, string: str) -> None:
    assert set("xyz").intersection(bare_code(f"{string}\nz", LANGUAGES[language])) == {"y", "z"}


@pytest.mark.parametrize(("language", "begin", "end", "nests"), BLOCKS)
def test_a_comment_in_a_comment(language: str, begin: str, end: str, nests: bool) -> None:
    text = f"{begin}\nx\n{begin}\nx\n{end}\ny\n{end}\nz"
    assert set("xyz").intersection(bare_code(text, LANGUAGES[language])) == ({"z"} if nests else {"y", "z"})


@pytest.mark.parametrize(("language", "text", "comments"), COMMENTS, ids=case_id)
def test_comments_are_told_line_by_line(language: str, text: str, comments: list[tuple[int, int, str]]) -> None:
    found = comments_of(text, LANGUAGES[language])

    assert found == [Comment(*comment) for comment in comments]
    lines = text.split("\n")
    for comment in found:
        assert lines[comment.line - 1][comment.column - 1 :].startswith(comment.text)


def test_strings_stay_where_only_comments_are_blanked() -> None:
    text = 'addopts = "--deselect a # b" # c\n'

    assert without_comments(text, LANGUAGES["toml"]) == 'addopts = "--deselect a # b"    \n'


def test_the_words_of_a_string_are_found_where_it_starts() -> None:
    text = "f('a', `b ${c('d')} e`, R)"
    found = scan(text, LANGUAGES["javascript"])

    assert {start: text[first:last] for start, (first, last) in found.strings.items()} == {
        2: "a",
        7: "b ${c('d')} e",
        14: "d",
    }


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("src/a.py", "python"),
        ("a.test.ts", "javascript"),
        ("a/b.spec.tsx", "javascript"),
        ("Cart.vue", "component"),
        ("a.mm", "c"),
        ("a.kts", "kotlin"),
        ("tox.ini", "ini"),
        (".pytest.ini", "ini"),
        ("sub/Makefile", "make"),
        ("Dockerfile", "dockerfile"),
        ("ci/Jenkinsfile", "groovy"),
        ("CMakeLists.txt", "cmake"),
        ("README.md", None),
        ("data.json", None),
        ("a.txt", None),
        ("py", None),
        ("a.py/b", None),
        ("NotAMakefile", None),
        ("a.PY", None),
        ("", None),
    ],
)
def test_a_path_has_the_language_of_its_name(path: str, name: str | None) -> None:
    language = language_of(path)

    assert (language.name if language else None) == name


def test_every_ending_is_that_of_a_language() -> None:
    assert all(language_of(ending.replace("*", "a/b" if "." in ending[:2] else "a/")) for ending in ENDINGS)
    assert len(set(ENDINGS)) == len(ENDINGS)


LANGUAGE = st.sampled_from(sorted(LANGUAGES))
PIECES = sorted(
    {piece for _, text, _ in BARE for piece in text.split(" ")}
    | set("'\"`/*#-;%{}()[]<>\\$\r\n =@~")
    | {"${", "\\(", "#{"}
)


@given(LANGUAGE, st.lists(st.sampled_from(PIECES), max_size=40).map("".join) | st.text(max_size=100))
@example("javascript", "`${" * 40 + "'a'" + "}`" * 40)
@example("ruby", "<<A\nA")
@example("ruby", "<<A <<A\n\nA\nA\n")
@example("ruby", 'f(<<A, "\n#{\nA\n')
@example("swift", '"\\(\n')
@example("c", 'R"(')
def test_any_text_is_read(name: str, text: str) -> None:
    language = LANGUAGES[name]
    found = scan(text, language)

    assert len(found.bare) == len(text)
    assert [at for at, letter in enumerate(found.bare) if letter in "\r\n"] == [
        at for at, letter in enumerate(text) if letter in "\r\n"
    ]
    assert all(new in (old, " ", '"') for old, new in zip(text, found.bare, strict=True))
    lines = text.split("\n")
    for comment in comments_of(text, language):
        assert comment.text.strip() == comment.text != ""
        assert lines[comment.line - 1][comment.column - 1 :].startswith(comment.text)
    for start, (first, last) in found.strings.items():
        assert 0 <= start <= first <= last <= len(text)


@pytest.mark.parametrize(
    ("name", "unit"),
    [
        *(("javascript", unit) for unit in ("`", "'", "`${", "/ ", "= /[", "x /a", "/*", "`${{", "\\", "'\\")),
        *(("ruby", unit) for unit in ("<<A ", "<<A\nA\n", '"#{', "%q(", "/ ")),
        *(("c", unit) for unit in ('R"a(', "'", "/*")),
        *(("csharp", unit) for unit in ("$", '"', '$"{')),
        *(("rust", unit) for unit in ('r#"', "/*", "'")),
        *(("shell", "'"), ("swift", '"\\('), ("groovy", '"${'), ("haskell", "-"), ("haskell", "{-"), ("sql", "$")),
        *(("perl", "q{"), ("python", '"'), ("yaml", " "), ("julia", '"$('), ("powershell", '"')),
    ],
)
def test_a_hostile_text_takes_time_linear_in_its_length(name: str, unit: str) -> None:
    assert_linear(lambda size: partial(comments_of, unit * (size // len(unit)), LANGUAGES[name]), 250_000)
