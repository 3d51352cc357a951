"""How people write skips in languages that are neither Python nor JavaScript: one table, by language.

Invariants:
* A pattern matches bare code, so it never sees the inside of a string or a comment; a string is `"` and another `"`.
* Every pattern begins with a word or a sign, and all that it repeats is bounded: matching is linear in the text.
* Only what is sure is in the table: a word that other code uses as well needs the company that makes it a skip.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from flakeledger.repo.skip import SkipKind

#: Which test a skip takes out: the one that is declared behind it, the one whose title follows, the one around it, that
#: of the string before it, or the one that the group `test` of the pattern names.
Names = Literal["declared", "title", "around", "before", "group"]
#: What makes it conditional: `#if` alone; blocks as well; also a function that may have been left before.
Under = Literal["directive", "block", "function"]
#: What else must be true of the place (see `repo/foreign_skips.py`).
Demands = Literal[
    "",
    "attribute",
    "declares",
    "example",
    "statement",
    "options",
    "pest",
    "trait",
    "known_issue",
    "catch",
    "no_postfix",
]


class Pattern(NamedTuple):
    """One way to write a skip. The group `name` of `written` is what people call it; `shown` is how it is printed."""

    kind: SkipKind
    written: str
    shown: str
    names: Names
    under: Under
    demands: Demands = ""


def _mark(kind: SkipKind, written: str, shown: str = "{name}", demands: Demands = "") -> Pattern:
    """An annotation: it holds for what is declared behind it."""
    return Pattern(kind, written, shown, "declared", "directive", demands)


def _call(kind: SkipKind, written: str, shown: str = "{name}()", demands: Demands = "") -> Pattern:
    """A call that ends the test in whose body it stands."""
    return Pattern(kind, written, shown, "around", "function", demands)


def _title(kind: SkipKind, written: str, shown: str = "{name}", demands: Demands = "") -> Pattern:
    """A call that would declare a test if it had another name."""
    return Pattern(kind, written, shown, "title", "block", demands)


def _option(kind: SkipKind, written: str, shown: str = "{name}", demands: Demands = "") -> Pattern:
    """A word among the arguments of the call that declares a test."""
    return Pattern(kind, written, shown, "around", "block", demands)


def _named(kind: SkipKind, written: str, shown: str) -> Pattern:
    """A name of a test that takes it out."""
    return Pattern(kind, written, shown, "group", "directive", "")


def _behind(kind: SkipKind, written: str, shown: str = "{name}", demands: Demands = "") -> Pattern:
    """A word that follows the title of a test."""
    return Pattern(kind, written, shown, "before", "block", demands)


_ARGUMENTS = r"\s*\((?=[^()]{0,400}?"
_JVM_MARK = r"(?P<name>@(?:\w{1,20}:)?(?:\w{1,40}\.){0,8}(?:%s))(?![\w.])"
_NEW = r"\bthrow\s+new\s+(?:\w{1,40}[.\\]){0,8}"

_JVM = (
    _mark("skip", _JVM_MARK % "Disabled|Ignore", demands="declares"),
    _mark("xfail", _JVM_MARK % "PendingFeature|ExpectedToFail", demands="declares"),
    _mark("flaky", _JVM_MARK % "Flaky|FlakyTest", demands="declares"),
    _mark("retry", _JVM_MARK % "RetryingTest|RetryTest|RepeatedIfExceptionsTest", demands="declares"),
    # the annotation of resilience4j and MicroProfile has named arguments of its own
    _mark("retry", _JVM_MARK % r"Retry(?!\s*\([^()]{0,200}?\b(?:name|maxRetries)\s*=)", demands="declares"),
    _mark("quarantine", _JVM_MARK % "Quarantined?", demands="declares"),
    _mark("skip", rf"(?P<name>@Test){_ARGUMENTS}\benabled\s*=\s*false\b)", "@Test(enabled = false)"),
    _mark("retry", rf"(?P<name>@Test){_ARGUMENTS}\bretryAnalyzer\s*=)", "@Test(retryAnalyzer)"),
    _call("skip", rf"{_NEW}(?P<name>SkipException|TestAbortedException)\b", "{name}"),
    _call("skip", r"\b(?P<name>Assumptions\.abort)\s*\("),
    _call("skip", r"\b(?P<name>assumeTrue|assume)\s*\(\s*(?:\"\s*\"\s*,\s*)?false\b", "{name}(false)"),
    _call("skip", r"\b(?P<name>assumeFalse)\s*\(\s*(?:\"\s*\"\s*,\s*)?true\b", "{name}(true)"),
)

_KOTLIN = (
    _title(
        "skip", r'(?<![\w.])(?P<name>x(?:test|it|describe|context|should|scenario|feature|given|expect))\s*\(\s*(?=")'
    ),
    _behind("skip", rf"(?P<name>\.config){_ARGUMENTS}\benabled\s*=\s*false\b)", ".config(enabled = false)"),
)

_SCALA = (
    _title("skip", r'(?<![\w.])(?P<name>ignore)\s*\(\s*(?=")'),
    _behind("skip", r'(?<=")\s*(?P<name>ignore)\s*(?=\{)'),
    _option("skip", r"(?<![\w.])(?P<name>ignore)\s+(?=should\b|must\b|can\b)"),
    _option("skip", r'"\s*(?P<name>\.\s*(?:ignore|pending))\b', '"…"{name}'),
    _option("xfail", r'"\s*(?P<name>\.\s*fail)\b(?!\s*\()', '"…"{name}'),
    _option("flaky", r'"\s*(?P<name>\.\s*flaky)\b', '"…"{name}'),
    _option("skip", r"\bin\s*[({]\s*(?P<name>pending)\s*(?=[)}])"),
    _option("xfail", r"\b(?P<name>pendingUntilFixed)\s*(?=\{)"),
)

_GO_TESTERS = r"(?:t|b|f|c|tb|tt|T|\w{1,40}\.(?:T\(\)|t|T))\.Skip|\w{1,40}(?:\.\w{1,40}(?:\(\))?)?\.(?:Skipf|SkipNow)"
_GO_WORDS = "It|Describe|Context|When|Specify|Entry|DescribeTable"
_GO = (
    _call("skip", rf"(?<![\w.])(?P<name>{_GO_TESTERS})\s*\("),
    _call("skip", r'(?<![\w.])(?P<name>(?:ginkgo\.)?Skip)\s*\(\s*(?=")'),
    _title("skip", rf"(?<![\w.])(?P<name>(?:ginkgo\.)?[PX](?:{_GO_WORDS}))\s*\("),
    _option("skip", r"[,(]\s*(?P<name>(?:ginkgo\.)?Pending)\s*(?=[,)])"),
    _option("retry", r"\b(?P<name>(?:ginkgo\.)?FlakeAttempts)\s*\(\s*\d"),
)

_RUST = (
    _mark("skip", r"#!?\[\s*(?P<name>ignore)\s*(?=[\]=])", "#[{name}]"),
    _mark("flaky", r"#\[\s*(?:\w{1,40}::)?(?P<name>flaky_test)\b", "#[{name}]"),
)

_CS_MARK = r"(?<=[\[,])\s*(?P<name>(?:\w{1,40}\.){0,8}(?:%s)(?:Attribute)?)\s*(?=[\](,])"
_CSHARP = (
    _mark("skip", r'\b(?P<name>Skip|Ignore)\s*=\s*(?!null\b|false\b)(?=["\w])', "[{callee}({name})]", "attribute"),
    _mark("skip", _CS_MARK % "Ignore|Explicit|Skip", "[{name}]", "attribute"),
    _mark("retry", _CS_MARK % "Retry|RetryFact|RetryTheory", "[{name}]", "attribute"),
    _mark("flaky", _CS_MARK % "Flaky|FlakyTest|FlakyFact", "[{name}]", "attribute"),
    _mark("quarantine", _CS_MARK % "Quarantine|Quarantined|QuarantinedTest", "[{name}]", "attribute"),
    _call("skip", r"\b(?P<name>Assert\.(?:Ignore|Inconclusive|Skip))\s*\("),
    _call("skip", r"\b(?P<name>Skip\.(?:If|When))\s*\(\s*true\b", "{name}(true)"),
    _call("skip", rf"{_NEW}(?P<name>SkipException)\b", "{name}"),
)

_C_PAIR = r"(?P<test>DISABLED_\w{1,200}\s*,\s*\w{1,200}|\w{1,200}\s*,\s*DISABLED_\w{1,200})"
_MODIFIER = r"\*\s*(?:\w{1,40}::){0,4}"
_C = (
    _call("skip", r"\b(?P<name>GTEST_SKIP|QSKIP|TEST_IGNORE|TEST_IGNORE_MESSAGE)\s*\("),
    _call("skip", r"(?<![\w.:>])(?P<name>SKIP)\s*\(", demands="catch"),
    _call("xfail", r"\b(?P<name>QEXPECT_FAIL)\s*\("),
    _named("skip", rf"\b(?:TYPED_)?TEST(?:_[A-Z]{{1,8}})?\s*\(\s*{_C_PAIR}\s*\)", "DISABLED_"),
    _named("skip", r"\bINSTANTIATE_(?:TYPED_)?TEST_(?:SUITE|CASE)_P\s*\(\s*(?P<test>DISABLED_\w{1,200})", "DISABLED_"),
    _named("xfail", r"\b(?P<name>BOOST_AUTO_TEST_CASE_EXPECTED_FAILURES)\s*\(\s*(?P<test>\w{1,200})", "{name}"),
    _option("skip", rf"{_MODIFIER}(?P<name>skip)\s*\(\s*+(?:true\s*+)?\)", "{name}()"),
    _option("skip", rf"{_MODIFIER}(?P<name>disabled)\s*\(\s*\)", "{name}()"),
    _option("xfail", rf"{_MODIFIER}(?P<name>(?:may|should)_fail|expected_failures)\s*\(\s*(?!false)", "{name}()"),
    _option("skip", r"[,(]\s*(?P<name>\.disabled)\s*=\s*(?:true|1)\b"),
)

_XCTEST = (
    _call("skip", r"\b(?P<name>XCTSkip)\s*\(", "{name}"),
    _call("skip", r"\b(?P<name>XCTSkipIf)\s*\(\s*(?:true|YES)\b", "{name}(true)"),
    _call("skip", r"\b(?P<name>XCTSkipUnless)\s*\(\s*(?:false|NO)\b", "{name}(false)"),
    _call("xfail", r"\b(?P<name>XCTExpectFailure)\s*[({]", "{name}"),
)

_SWIFT = (
    *_XCTEST,
    _option("skip", r"(?P<name>\.disabled)\s*\(\s*(?!if\b)", demands="trait"),
    _call("xfail", r"\b(?P<name>withKnownIssue)\b(?=\s*[({])", "{name}", "known_issue"),
    _title("skip", r'(?<![\w.])(?P<name>x(?:it|describe|context|itBehavesLike)|pending)\s*\(\s*(?=")'),
)

_PHP = (
    _call("skip", r"(?<!function )\b(?P<name>markTest(?:Skipped|Incomplete))\s*\("),
    _call("skip", rf"{_NEW}(?P<name>Skipped(?:TestError|WithMessageException))\b", "{name}"),
    _behind("skip", r'(?P<name>->\s*skip)\s*\(\s*(?=\)|"|true\b)', "{name}()", "pest"),
    _behind("flaky", r"(?P<name>->\s*flaky)\s*\(", "{name}()", "pest"),
)

_RUBY_START = r"(?m:^|(?<=[{;])|(?<=\bdo)|(?<=\bthen)|(?<=\breturn))[ \t]{0,200}"
_RUBY_WORDS = "it|specify|example|describe|context|feature|scenario"
_RUBY = (
    _call(
        "skip",
        rf"{_RUBY_START}(?P<name>skip|pending)(?=[ \t]*(?:\(|\"|;|\}}|\r?\n|\Z)|[ \t]+[A-Za-z:#])",
        "{name}",
        "statement",
    ),
    _title("skip", rf"(?m:^)[ \t]{{0,200}}(?P<name>x(?:{_RUBY_WORDS}))(?=[ \t]*[(\"]|[ \t]+[A-Z])"),
    _title("skip", r'(?<![\w:?])(?P<name>skip|pending):\s*(?=true\b|")', "{name}: true", "example"),
    _title("skip", r"(?<=,)\s*:(?P<name>skip|pending)\b(?!\s*=>\s*(?:false|nil)\b)", ":{name}", "example"),
    _title("retry", r"(?<![\w:?])(?P<name>retry):\s*(?=[1-9])", "{name}:", "example"),
)

_ELIXIR_SKIP = r"(?:\s:skip\b|\[:skip\b|\bskip:\s*(?:true\b|\"))"
_DART = (
    _title("skip", r'(?<![\w.])(?P<name>skip):\s*(?=true\b|")', "{name}: true", "options"),
    _title("retry", r"(?<![\w.])(?P<name>retry):\s*(?=[1-9])", "{name}:", "options"),
    _mark("skip", r"(?P<name>@Skip)\s*\("),
    _mark("retry", r"(?P<name>@Retry)\s*\(\s*[1-9]"),
)

_HASKELL = (
    _title("skip", r'(?<![\w\'.])(?P<name>x(?:it|describe|context|specify|prop))\s+(?=")'),
    _title("skip", r'(?<![\w\'.])(?P<name>ignoreTest(?:Because)?)\s+(?=["($])'),
    _title("xfail", r'(?<![\w\'.])(?P<name>expectFail(?:Because)?)\s+(?=["($])'),
    _option("skip", r'(?<![\w\'.])(?P<name>pendingWith)\s+(?=")'),
)

_PESTER = r"(?m:^)[ \t]{0,200}(?:It|Describe|Context)\b[^\n{]{0,300}?\s(?P<name>-(?:Skip|Pending))\b(?!:)"

#: By the name of the language; one that is not here has no skips that are known.
PATTERNS: dict[str, tuple[Pattern, ...]] = {
    "java": _JVM,
    "groovy": _JVM,
    "kotlin": (*_JVM, *_KOTLIN),
    "scala": (*_JVM, *_SCALA),
    "go": _GO,
    "rust": _RUST,
    "csharp": _CSHARP,
    "c": (*_C, *_XCTEST),
    "swift": _SWIFT,
    "php": _PHP,
    "ruby": _RUBY,
    "elixir": (
        _mark("skip", rf"(?P<name>@tag)\b[^\n]{{0,100}}?{_ELIXIR_SKIP}", "{name} :skip"),
        _option("skip", rf"(?P<name>@(?:module|describe)tag)\b[^\n]{{0,100}}?{_ELIXIR_SKIP}", "{name} :skip"),
    ),
    "dart": _DART,
    "haskell": _HASKELL,
    "powershell": (
        _title("skip", _PESTER),
        _call("skip", r"\b(?P<name>Set-ItResult)\s+-(?:Skipped|Pending|Inconclusive)\b", "{name}"),
    ),
    "lua": (_title("skip", r'(?m:^)[ \t]{0,200}(?P<name>pending)\s*\(\s*(?=")'),),
    "r": (_call("skip", r'(?<![\w.:$])(?P<name>(?:testthat::)?skip)\s*\(\s*(?="|\)|paste|sprintf|glue)'),),
    "julia": (_option("skip", r"(?P<name>@test_skip)\b"), _option("xfail", r"(?P<name>@test_broken)\b")),
    "clojure": (_option("skip", r"(?P<name>\^:kaocha/(?:skip|pending))\b"),),
    "perl": (_option("skip", r"\b(?:plan|use\s+Test::More)\s+(?P<name>skip_all)\b", demands="no_postfix"),),
    "shell": (_option("skip", r'(?m:^)[ \t]{0,200}(?P<name>skip)(?=[ \t]*(?:"|;|\r?\n|\Z))', demands="statement"),),
}

#: Words that a line must hold to bring a skip, in Python or any other language. More words cost time, fewer lose skips:
#: a test holds an example of every pattern against them.
CANDIDATE_WORDS = re.compile(
    rb"[Ss]kip|SKIP|[Xx]fail|expectedFailure|[Ee]xpect(?:ed)?(?:_|)(?:To|)Fail|E(?:XPECT|XPECTED)_FAIL|expected_fail"
    rb"|[Ff]lak[ey]|[Rr]etr(?:y|ies)|[Rr]erun|RepeatedIf|[Qq]uarantin|deselect|collect_ignore|nottest|fixme|runIf"
    rb"|\bx(?:it|test|describe|context|specify|suite|should|scenario|feature|given|expect|example|prop)\b|xitBehaves"
    rb"|\b[PX](?:It|Describe|Context|When|Specify|Entry)\b|[PX]DescribeTable|[Dd]isabled|DISABLED|enabled|[Ii]gnore"
    rb"|TEST_IGNORE|[Pp]ending|Explicit|Inconclusive|markTestIncomplete|\.\s*fail(?:s|ing)?\b|\bfails\b|KnownIssue"
    rb"|(?:may|should)_?fail|\[\.|!hide|TestAborted|\.abort|assume|test_broken"
)
