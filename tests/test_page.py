"""The HTML of the page: its policy, what it escapes, what stands in it.

How a browser takes it is asked in `test_page_in_browser.py`.
"""

from __future__ import annotations

import base64
import hashlib
import re
import subprocess
import sys
from html.parser import HTMLParser

import pytest

from flakeledger.reporters.page import BEGINNING, page
from flakeledger.reporters.page_view import Untold
from made_views import HOSTILE, view

#: elements without an end
VOID = {"meta", "br", "input", "wbr"}


class Outline(HTMLParser):
    """Every element with its attributes, the texts, and whether each end belongs to the innermost open element."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.open: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    def count(self, tag: str) -> int:
        return sum(name == tag for name, _ in self.elements)


@pytest.mark.parametrize("count", [0, 1, 40])
def test_every_element_is_closed_and_the_same_view_gives_the_same_bytes(count: int) -> None:
    html = page(view(count))
    outline = Outline(html)
    assert outline.open == []
    assert html == page(view(count))
    assert html.startswith(BEGINNING)


def test_the_policy_allows_this_style_and_this_script_and_nothing_else() -> None:
    html = page(view(3))
    outline = Outline(html)
    policy = next(
        attributes["content"]
        for tag, attributes in outline.elements
        if tag == "meta" and attributes.get("http-equiv") == "Content-Security-Policy"
    )
    digests = {
        tag: base64.b64encode(hashlib.sha256(re.findall(f"<{tag}>(.*?)</{tag}>", html, re.DOTALL)[0].encode()).digest())
        for tag in ("script", "style")
    }
    assert policy == (
        f"default-src 'none'; script-src 'sha256-{digests['script'].decode()}'; "
        f"style-src 'sha256-{digests['style'].decode()}'; base-uri 'none'; form-action 'none'"
    )
    # the policy would refuse these in silence, and the page would look broken
    assert outline.count("script") == outline.count("style") == 1
    assert not [
        name for _, attributes in outline.elements for name in attributes if name == "style" or name[:2] == "on"
    ]


def test_nothing_is_fetched_from_anywhere() -> None:
    outline = Outline(page(view(40)))
    assert not {"link", "img", "iframe", "object", "embed", "base", "form", "image", "use"} & {
        tag for tag, _ in outline.elements
    }
    links = [attributes["href"] for _, attributes in outline.elements if "href" in attributes]
    assert links
    assert all(link is not None and link.startswith("#") for link in links)
    assert not [attributes for _, attributes in outline.elements if "src" in attributes]


def test_hostile_text_in_every_field_adds_no_element() -> None:
    kind = [tag for tag, _ in Outline(page(view(3, "plain"))).elements]
    outline = Outline(page(view(3, HOSTILE)))
    assert [tag for tag, _ in outline.elements] == kind
    told = "".join(outline.texts)
    assert "{{7*7}}{% raw %}${7*7} &lt;b&gt;" in told
    assert r"\u202egnp.exe\u202c \u2066x\u2069 שלום \x1b[31m\x00\u200b" in told
    assert not set("\x00\x1b\u200b\u202e\u2066") & set(told)


def test_what_a_file_says_stands_in_an_element_that_isolates_its_direction() -> None:
    html = page(view(2, "שלום"))
    inside = re.sub(r"<bdi>שלום</bdi>", "", re.sub(r"<title>.*?</title>", "", html))
    # in a chart every text is an element of its own, and so isolated
    assert re.findall(r"[^>]*שלום[^<]*", re.sub(r"<svg.*?</svg>", "", inside, flags=re.DOTALL)) == []


def test_a_long_text_is_folded_and_whole() -> None:
    html = page(view(1, "a" * 10_000))
    assert f'<summary><bdi>{"a" * 120}…</bdi> <span class="muted">(10,000 characters)</span></summary>' in html
    assert f"<bdi>{'a' * 10_000}</bdi>" in html
    assert '<details class="long">' not in page(view(1, "a" * 240))


def test_a_trend_that_cannot_be_told_is_told_so() -> None:
    html = page(view(1)._replace(trend=Untold("the clone is <shallow>", "git fetch --unshallow")))
    assert "The trend cannot be told: <bdi>the clone is &lt;shallow&gt;</bdi>" in " ".join(html.split())
    assert "<bdi>git fetch --unshallow</bdi>" in html
    assert "week by week" not in html


@pytest.mark.parametrize(("count", "said"), [(30, "to the end</figcaption>"), (31, ": the 30 that end first of 31<")])
def test_a_chart_says_when_it_shows_only_some(count: int, said: str) -> None:
    assert said in page(view(count))


def test_an_empty_ledger_has_a_page() -> None:
    told = " ".join("".join(Outline(page(view(0))).texts).split())
    assert "No test is frozen." in told
    assert "Nobody owns a freeze." in told
    assert "Nothing is wrong." in told
    assert Outline(page(view(0))).count("svg") == 1  # the trend: what was thawed stands in the history


def test_the_module_imports_none_of_the_packages_of_the_extra() -> None:
    code = "import sys; import flakeledger.cli.report; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"jinja2", "drawsvg"} & set(done.stdout.split())


def test_a_command_may_break_between_the_module_and_the_test() -> None:
    html = page(view(1))
    assert "flakeledger thaw tests/area_0/test_orders.py::<wbr>test_case_0000" in html
    assert "ledgers/freezes.yaml</bdi><wbr>:" in html


@pytest.mark.parametrize(
    ("count", "told"),
    [(0, "properties that only frozen tests protect"), (1, "property that only frozen tests protect")],
)
def test_the_count_of_unprotected_properties_says_what_is_counted(count: int, told: str) -> None:
    made = view(3)
    assert f"<dt>{told}</dt><dd>{count}</dd>" in page(made._replace(properties=made.properties[:count]))
