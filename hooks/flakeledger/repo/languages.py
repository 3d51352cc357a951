"""The languages whose comments and strings are told apart, as tables: their signs, and the names of their files.

Invariants:
* A language is data: nothing here reads a text; `repo/code_text.py` does, and knows no language by name.
* Every regular expression matches the beginning of something, in time that is bounded by a constant.
* A path has at most one language, said by the name of its file alone; letter case counts, as it does for git.
* A string that most languages let run over lines, but that tests hardly ever do, is taken to end with its line
  where an apostrophe in plain text would otherwise swallow the rest of the file (Ruby, Perl, shell).
"""

from __future__ import annotations

import functools
from typing import Literal, NamedTuple


class Quote(NamedTuple):
    """One way to write a string.

    `opens` is a regular expression; it may hold one group `(?P<mark>…)`. `closes` is the literal text that ends the
    string, in which MARK stands for what the group matched, a bracket turned round; "" means that `opens` matches the
    whole string. `escape` matches what does not close it although it looks so, "" where there is no such thing.
    `lines`: it may run over several lines. `hole` is the literal text that begins code inside the string; the partner
    of its bracket ends that code.
    """

    opens: str
    closes: str
    escape: str = r"\\[\s\S]"
    lines: bool = False
    hole: str = ""


class Language(NamedTuple):
    """What comments and strings look like.

    `line_comments` are regular expressions of signs that comment out the rest of the line. `block_comments` are
    (opening expression, closing literal with MARK as in `Quote`, whether it nests). `regexes` says where a slash begins
    a regular expression: nowhere, where no value stands before it, or also after a word and a space (`match /x/`).
    """

    name: str
    line_comments: tuple[str, ...]
    block_comments: tuple[tuple[str, str, bool], ...] = ()
    strings: tuple[Quote, ...] = ()
    regexes: Literal["", "operator", "word"] = ""


_SLASHES = ("//",)
_STARS = ((r"/\*", "*/", False),)
_NESTED_STARS = ((r"/\*", "*/", True),)
_HASH = (r"(?<![^\s;&|()])#",)
_DOUBLE = Quote('"', '"')
_SINGLE = Quote("'", "'")
_DOUBLES = Quote('"', '"', lines=True)
_BACKTICKS = Quote("`", "`", escape="")
_SINGLES = Quote("'", "'", lines=True)
_THREE_DOUBLES = Quote('"""', '"""', lines=True)
_THREE_SINGLES = Quote("'''", "'''", lines=True)
#: A character, where a lone apostrophe means something else (a lifetime, a transposed matrix, a primed name).
_CHARACTER = Quote(r"""(?<![\w)\]}'])'(?:\\[^'\n]{0,11}|\\'|[^\\'\n])'""", "")
_C_STRINGS = (_DOUBLE, Quote(r"(?:(?<=u8)|(?<![0-9A-Fa-f]))'", "'"))
_DOLLAR_HOLES = (Quote('"""', '"""', lines=True, hole="${"), _THREE_SINGLES, Quote('"', '"', hole="${"), _SINGLE)
#: In the text of JSX an apostrophe stands inside a word; a string begins nowhere there.
_SCRIPT_STRINGS = (_DOUBLE, Quote(r"(?<![0-9A-Za-z])'", "'"), Quote("`", "`", lines=True, hole="${"))
_PLAIN_SCALARS = (Quote(r'(?<![^\s\[{,:(=])"', '"'), Quote(r"(?<![^\s\[{,:(=])'", "'", escape="''"))
#: What a bracket of code may stand in without ending the string.
_HOLE_AS_TEXT = r"\\[\s\S]|#\{[^{}]*+\}"
_HEREDOC = r"""["'`]?(?P<mark>[A-Za-z_]\w{0,40})["'`]?"""

#: A string whose `closes` is this begins at the next line and ends before the line that holds MARK alone.
HEREDOC = "\n"


def _bracketed(sign: str) -> tuple[Quote, ...]:
    """Strings in brackets, behind a sign; the same brackets may stand inside, one in the other."""
    return tuple(
        Quote(rf"{sign}\{opens}", closes, rf"{_HOLE_AS_TEXT}|\{opens}[^\{opens}\{closes}]*+\{closes}", lines=True)
        for opens, closes in ("()", "[]", "{}", "<>")
    )


LANGUAGES = {
    language.name: language
    for language in (
        Language(
            *("python", ("#",), ()),
            (
                Quote(r"(?<!\w)[rRbBuUfFtT]{0,2}" + '"""', '"""', lines=True),
                Quote(r"(?<!\w)[rRbBuUfFtT]{0,2}'''", "'''", lines=True),
                *(_THREE_DOUBLES, _THREE_SINGLES, _DOUBLE, _SINGLE),
            ),
        ),
        Language("javascript", _SLASHES, _STARS, _SCRIPT_STRINGS, "operator"),
        Language("component", _SLASHES, (*_STARS, ("<!--", "-->", False)), _SCRIPT_STRINGS, "operator"),
        Language("java", _SLASHES, _STARS, (_THREE_DOUBLES, _DOUBLE, _SINGLE)),
        Language(
            *("kotlin", _SLASHES, _NESTED_STARS),
            (_DOLLAR_HOLES[0]._replace(escape=""), *_DOLLAR_HOLES[2:], _BACKTICKS),
        ),
        Language(
            *("scala", _SLASHES, _NESTED_STARS),
            (
                Quote(r'(?<!\w)(?:s|f)"""', '"""', escape="", lines=True, hole="${"),
                Quote('"""', '"""', escape="", lines=True),
                *(Quote(r'(?<!\w)(?:s|f)"', '"', hole="${"), _DOUBLE, _CHARACTER, _BACKTICKS),
            ),
        ),
        Language("groovy", _SLASHES, _STARS, _DOLLAR_HOLES, "operator"),
        Language("go", _SLASHES, _STARS, (Quote("`", "`", escape="", lines=True), _DOUBLE, _SINGLE)),
        Language(
            *("rust", _SLASHES, _NESTED_STARS),
            (Quote(r'(?<!\w)[bc]?r(?P<mark>#{0,16})"', '"MARK', escape="", lines=True), _DOUBLES, _CHARACTER),
        ),
        Language(
            *("c", _SLASHES, _STARS),
            (Quote(r'R"(?P<mark>[^()\\\s"]{0,16})\(', ')MARK"', escape="", lines=True), *_C_STRINGS),
        ),
        Language(
            *("csharp", _SLASHES, _STARS),
            (
                Quote(r'\${0,8}(?P<mark>"{3,64})', "MARK", escape="", lines=True),
                Quote(r'(?:\$@|@\$)"', '"', escape=r'""|\{\{', lines=True, hole="{"),
                Quote('@"', '"', escape='""', lines=True),
                Quote(r'\$"', '"', escape=r"\\[\s\S]|\{\{", hole="{"),
                *(_DOUBLE, _SINGLE),
            ),
        ),
        Language(
            *("swift", _SLASHES, _NESTED_STARS),
            (
                Quote(r'(?P<mark>#{1,16})"""', '"""MARK', escape="", lines=True),
                Quote(r'(?P<mark>#{1,16})"', '"MARK', escape=""),
                Quote('"""', '"""', escape=r"\\[^(]", lines=True, hole=r"\("),
                Quote('"', '"', escape=r"\\[^(]", hole=r"\("),
            ),
        ),
        Language(
            *("dart", _SLASHES, _NESTED_STARS),
            (
                Quote(r'(?<!\w)r"""', '"""', escape="", lines=True),
                Quote(r"(?<!\w)r'''", "'''", escape="", lines=True),
                Quote(r"(?<!\w)r(?P<mark>[\"'])", "MARK", escape=""),
                *(_DOLLAR_HOLES[0], _THREE_SINGLES._replace(hole="${")),
                *(_DOLLAR_HOLES[2], _SINGLE._replace(hole="${")),
            ),
        ),
        Language(
            *("php", (*_SLASHES, r"#(?!\[)"), _STARS),
            (Quote(rf"<<<[ \t]*{_HEREDOC}", HEREDOC), _DOUBLES._replace(hole="{$"), _SINGLES),
        ),
        Language(
            *("ruby", (r"(?<![$?])#",), ((r"(?m:^)=begin\b", "\n=end", False), (r"(?m:^)__END__\b", "", False))),
            (
                Quote(rf"<<[~-]?{_HEREDOC}", HEREDOC),
                *_bracketed(r"%[qQwWiIr]"),
                *_bracketed(r"(?<=[\s(,=])%(?=\S\S)"),
                Quote(r"%[qQwWiIr](?P<mark>[|!/])", "MARK", lines=True),
                Quote(r"""(?<![\w)\]}])[?$]["'`](?!\w)""", ""),
                *(_DOUBLE._replace(hole="#{"), _SINGLE, Quote("`", "`")),
            ),
            "word",
        ),
        Language(
            *("perl", (r"(?<![$\w{&])#",)),
            ((r"(?m:^)=[a-z]\w*", "\n=cut", False), (r"(?m:^)__(?:END|DATA)__\b", "", False)),
            (
                Quote(rf"<<~?{_HEREDOC}", HEREDOC),
                *_bracketed(r"(?<![\w$@%&>:{-])(?:q[qwr]?|m|s) ?"),
                Quote(r"(?<![\w$@%&>:{-])(?:q[qwr]?|m)(?P<mark>[|!/@#])", "MARK", lines=True),
                *(Quote(r"""\$["'`]""", ""), _DOUBLE, Quote(r"(?<!\w)'", "'")),
            ),
            "operator",
        ),
        Language(
            *("shell", _HASH, ()),
            (
                Quote(rf"(?<!<)<<-?[ \t]?\\?{_HEREDOC}", HEREDOC),
                Quote(r"\\[^\n]", ""),
                _DOUBLE,
                Quote("'", "'", escape=""),
            ),
        ),
        Language(
            *("powershell", (r"(?<![^\s;(){}|])#",), ((r"<#", "#>", False),)),
            (
                Quote(r'@"(?=\s)', '\n"@', escape="", lines=True),
                Quote(r"@'(?=\s)", "\n'@", escape="", lines=True),
                Quote(r"`[^\n]", ""),
                *(Quote('"', '"', escape=r"`[\s\S]", lines=True), Quote("'", "'", escape="''", lines=True)),
            ),
        ),
        Language(
            *("lua", ("--",), ((r"--\[(?P<mark>={0,16})\[", "]MARK]", False),)),
            (Quote(r"\[(?P<mark>={0,16})\[", "]MARK]", escape="", lines=True), _DOUBLE, _SINGLE),
        ),
        Language(
            *("elixir", ("#",), ()),
            (
                Quote(r"~[a-z](?P<mark>\"\"\"|'''|[({\[<|/\"'])", "MARK", _HOLE_AS_TEXT, lines=True),
                Quote(r"~[A-Z]{1,8}(?P<mark>\"\"\"|'''|[({\[<|/\"'])", "MARK", lines=True),
                Quote(r"(?<![\w?])\?\\?[\"'#(){}\[\]]", ""),
                *(_THREE_DOUBLES, _THREE_SINGLES, _DOUBLES._replace(hole="#{"), _SINGLES),
            ),
        ),
        Language("erlang", ("%",), (), (_DOUBLES, _SINGLE, Quote(r"\$\\?[\"'%(){}\[\]]", ""))),
        Language(
            *("haskell", (r"(?<!-)-{2,}+(?![!#$%&*+./<=>?@\\^|~:-])",), ((r"\{-", "-}", True),)),
            (_DOUBLE, _CHARACTER),
        ),
        Language("clojure", (";",), (), (_DOUBLES, Quote(r"\\[^\n]", ""))),
        Language(
            *("r", ("#",), ()),
            (
                Quote(r'(?<!\w)[rR]"(?P<mark>-{0,8})\(', ')MARK"', escape="", lines=True),
                Quote(r"(?<!\w)[rR]'(?P<mark>-{0,8})\(", ")MARK'", escape="", lines=True),
                *(_DOUBLES, _SINGLES, Quote("`", "`")),
            ),
        ),
        Language(
            *("julia", ("#",), ((r"#=", "=#", True),)),
            (_THREE_DOUBLES._replace(hole="$("), _DOUBLES._replace(hole="$("), _CHARACTER),
        ),
        Language(
            *("sql", ("--",), _NESTED_STARS),
            (
                Quote(r"(?<!\w)\$(?P<mark>\w{0,32})\$", "$MARK$", escape="", lines=True),
                *(Quote("'", "'", escape="''", lines=True), Quote('"', '"', escape='""', lines=True)),
            ),
        ),
        Language("yaml", (r"(?<!\S)#",), (), _PLAIN_SCALARS),
        Language("toml", ("#",), (), (_THREE_DOUBLES, _THREE_SINGLES, _DOUBLE, Quote("'", "'", escape=""))),
        Language("ini", (r"(?m:^)[ \t]{0,80}[#;]", r"(?<=\s)#"), (), _PLAIN_SCALARS),
        Language("make", (r"(?<![^\s;&|()])#",), (), _PLAIN_SCALARS),
        Language(
            *("cmake", ("#",), ((r"#\[(?P<mark>={0,16})\[", "]MARK]", False),)),
            (_DOUBLES, Quote(r"\[(?P<mark>={1,16})\[", "]MARK]", escape="", lines=True)),
        ),
        Language("dockerfile", (r"(?m:^)[ \t]{0,80}#",)),
    )
}

_ENDINGS = {
    "python": "py pyi pyx bzl",
    "javascript": "js mjs cjs jsx ts mts cts tsx",
    "component": "vue svelte",
    "java": "java",
    "kotlin": "kt kts",
    "scala": "scala sc",
    "groovy": "groovy gradle",
    "go": "go",
    "rust": "rs",
    "c": "c h cc cpp cxx c++ hh hpp hxx ipp inl cu m mm",
    "csharp": "cs csx",
    "swift": "swift",
    "dart": "dart",
    "php": "php phpt",
    "ruby": "rb rake gemspec",
    "perl": "pl pm t",
    "shell": "sh bash zsh ksh bats",
    "powershell": "ps1 psm1",
    "lua": "lua",
    "elixir": "ex exs",
    "erlang": "erl hrl",
    "haskell": "hs",
    "clojure": "clj cljs cljc",
    "r": "r R",
    "julia": "jl",
    "sql": "sql",
    "yaml": "yaml yml",
    "toml": "toml",
    "ini": "ini cfg",
    "make": "mk mak",
    "cmake": "cmake",
}

_WHOLE_NAMES = {
    "Makefile": "make",
    "makefile": "make",
    "GNUmakefile": "make",
    "CMakeLists.txt": "cmake",
    "Dockerfile": "dockerfile",
    "Containerfile": "dockerfile",
    "Jenkinsfile": "groovy",
    "Rakefile": "ruby",
}

_BY_ENDING = {f".{ending}": LANGUAGES[name] for name, endings in _ENDINGS.items() for ending in endings.split()}
_BY_NAME = {whole: LANGUAGES[name] for whole, name in _WHOLE_NAMES.items()}

#: Patterns (where a star crosses slashes, as in git's pathspecs) that match every path `language_of` knows, and a few
#: that it does not (`NotAMakefile`): ask it about what they match.
ENDINGS: tuple[str, ...] = (*(f"*{ending}" for ending in _BY_ENDING), *(f"*{name}" for name in _BY_NAME))


@functools.lru_cache(maxsize=4096)
def language_of(path: str) -> Language | None:
    """The language of a '/'-separated path by the name of its file; None where no code is known (Markdown, images)."""
    name = path[path.rfind("/") + 1 :]
    dot = name.rfind(".")
    return _BY_NAME.get(name) or (_BY_ENDING.get(name[dot:]) if dot >= 0 else None)
