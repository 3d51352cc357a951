"""Markdown as GitHub's own library (cmark-gfm) and a second one render it, read back as HTML.

Invariants:
* Raw HTML is let through and addresses are linked, so that whatever a text could make is seen.
* `outside` holds the text that services look for mentions and references in: all that is no code.
"""

from __future__ import annotations

from html.parser import HTMLParser

import cmarkgfm
from cmarkgfm.cmark import Options
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from flakeledger.reporters.escape import escape_text

#: what makes something of a text somewhere: markup, HTML, links, mentions, references, hidden characters
HOSTILE = st.lists(
    st.sampled_from(
        [
            *("|", "\\", "`", "``", "```", "*", "_", "~~", "<", ">", "<b>", "<!--", "-->", "</code>", "</details>"),
            *(
                "@finley",
                "a@example.org",
                "#1",
                "GH-1",
                "org/shop#3",
                "https://example.org",
                "www.example.org",
                ":tada:",
            ),
            *(
                "](",
                "[x](http://y.example)",
                "![",
                "&amp;",
                "&#64;",
                "$x$",
                "1.",
                "-",
                "+",
                "=",
                "\n",
                "\n\n",
                "\t",
                " ",
            ),
            *("  ", "\u202e", "\u200b", "\x1b[31m", "\x00", "\ud800", "0123456789abcdef", "deadbee", "word", "été"),
        ]
    )
    | st.text(max_size=3),
    max_size=9,
).map("".join)
_CODE = ("code", "pre")
_WITHOUT_END = ("br", "hr", "img", "input")


class Page(HTMLParser):
    """What a renderer made: tags with attributes, comments, the text in and outside of code, the cells of rows."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: set[str] = set()
        self.attributes: set[tuple[str, str | None]] = set()
        self.comments: list[str] = []
        self.code: list[str] = []
        self.outside = ""
        self.text = ""
        self.rows: list[list[str]] = []
        self.open: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes.update(attrs)
        if tag not in _WITHOUT_END:
            self.open.append(tag)
        if tag == "code":
            self.code.append("")
        elif tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_comment(self, data: str) -> None:
        self.comments.append(data)

    def handle_data(self, data: str) -> None:
        self.text += data
        if any(tag in self.open for tag in _CODE):
            self.code[-1] += data
        else:
            self.outside += data
        if {"td", "th"} & set(self.open):
            self.rows[-1][-1] += data


def by_cmark(markdown: str) -> Page:
    """As cmark-gfm renders it, the library of GitHub and of GitLab."""
    return Page(cmarkgfm.github_flavored_markdown_to_html(markdown, options=Options.CMARK_OPT_UNSAFE))


def by_markdown_it(markdown: str) -> Page:
    """As markdown-it renders it with tables, raw HTML and links."""
    return Page(MarkdownIt("gfm-like").render(markdown))


RENDERERS = {"cmark-gfm": by_cmark, "markdown-it": by_markdown_it}


def assert_plain(page: Page) -> None:
    """Nothing that a service would make something of stands outside of code."""
    assert not page.open
    assert not set("@#`<>[]*_\\|&$~") & set(page.outside)
    assert "://" not in page.outside
    assert escape_text(page.outside.replace("\n", "")) == page.outside.replace("\n", "")
