"""The page in a real browser: what people see, do and hear, with hostile text and with 5,000 rows.

Invariants:
* One headless Chromium, with an empty profile, for the whole module; each test has a context of its own.
* Whatever a page logs, requests or throws is a failure of the test that opened it.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Literal

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]  # the package has no types
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from flakeledger.reporters.page import page
from growing import assert_linear
from made_views import FILTER, HOSTILE, SORT, view

Scheme = Literal["light", "dark"]
#: what a visitor's browser prefers, how wide it is, whether it runs scripts
Look = tuple[Scheme, int, bool]
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
WIDE, PHONE = 1280, 390
#: how a page looks to someone: the scheme and the width
LOOKS: list[tuple[Scheme, int]] = [("light", WIDE), ("dark", WIDE), ("light", PHONE), ("dark", PHONE)]
ROW = "#table-freezes tbody tr"


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """Chromium with a home of its own."""
    program = shutil.which("chromium") or shutil.which("google-chrome")
    assert program is not None, "these tests need a browser: apt-get install -y --no-install-recommends chromium"
    home = tmp_path_factory.mktemp("browser")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(
            executable_path=program, args=list(FLAGS), env={**os.environ, "HOME": str(home)}
        )
        yield started
        started.close()


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of pages, as `report` writes them."""
    folder = tmp_path_factory.mktemp("pages")
    for name, made in {"empty": view(0), "few": view(8), "some": view(40), "many": view(5000)}.items():
        (folder / f"{name}.html").write_text(page(made), encoding="utf-8")
    (folder / "hostile.html").write_text(page(view(8, HOSTILE)), encoding="utf-8")
    (folder / "long.html").write_text(page(view(8, f"{HOSTILE} " + "long " * 2000)), encoding="utf-8")
    return folder


class Visit:
    """Pages that one person opens, and what those pages do behind their back."""

    def __init__(self, context: BrowserContext, folder: Path) -> None:
        self.context = context
        self.folder = folder
        self.noises: list[str] = []
        self.requests: list[str] = []
        self.refusals: list[str] = []

    def open(self, name: str) -> Page:
        """A page of the folder in a new tab."""
        tab = self.context.new_page()
        tab.on("console", lambda message: self.noises.append(message.text))
        tab.on("pageerror", lambda error: self.noises.append(str(error)))
        tab.on("dialog", lambda dialog: self.noises.append(dialog.message))
        tab.on("requestfinished", lambda request: self.requests.append(request.url))
        tab.on("requestfailed", lambda request: self.refusals.append(str(request.failure)))
        tab.goto((self.folder / f"{name}.html").as_uri())
        return tab


@pytest.fixture
def visit(browser: Browser, pages: Path, request: pytest.FixtureRequest) -> Iterator[Visit]:
    """A visit with a light and wide window, or with what the test's parameter says: (scheme, width, script)."""
    look: Look = getattr(request, "param", ("light", WIDE, True))
    scheme, width, script = look
    context = browser.new_context(
        color_scheme=scheme, viewport={"width": width, "height": 844}, java_script_enabled=script
    )
    context.set_default_timeout(10_000)
    visit = Visit(context, pages)
    yield visit
    context.close()
    assert visit.noises == visit.refusals == []
    assert [url for url in visit.requests if not url.startswith(pages.as_uri())] == []


def first_cells(tab: Page, column: int, table: str = "table-freezes") -> list[str]:
    """The texts of a column, of the rows that are shown."""
    rows = tab.locator(f"#{table} tbody tr:not([hidden])")
    return [str(text) for text in rows.evaluate_all(f"rows => rows.map(row => row.cells[{column}].textContent.trim())")]


# what everybody gets


@pytest.mark.parametrize(
    ("name", "visit"),
    [
        *(("few", (scheme, width, True)) for scheme, width in LOOKS),
        ("empty", ("light", WIDE, True)),
        ("hostile", ("dark", PHONE, True)),
    ],
    indirect=["visit"],
)
def test_axe_finds_nothing(name: str, visit: Visit) -> None:
    tab = visit.open(name)
    for closed in tab.locator("details:not([open]) > summary").all()[:3]:
        closed.click()
    found = Axe().run(tab)
    assert found.violations_count == 0, found.generate_report()
    assert len(found.response["passes"]) > 20


@pytest.mark.parametrize("name", ["few", "hostile", "long"])
def test_nothing_is_wider_than_the_window(name: str, visit: Visit) -> None:
    tab = visit.open(name)
    tab.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
    for width in (320, PHONE, 768, WIDE):
        tab.set_viewport_size({"width": width, "height": 844})
        assert tab.evaluate("document.documentElement.scrollWidth") == width


@pytest.mark.parametrize("visit", [("light", WIDE, False)], indirect=True)
def test_without_a_script_everything_is_there_and_nothing_that_would_do_nothing(visit: Visit) -> None:
    tab = visit.open("some")
    assert tab.locator(f"{ROW}:visible").count() == 40
    assert tab.locator("button:visible, input:visible, select:visible").count() == 0
    assert tab.locator("svg:visible").count() == 4


@pytest.mark.parametrize("name", ["hostile", "long"])
def test_text_of_files_stays_text(name: str, visit: Visit) -> None:
    tab = visit.open(name)
    assert tab.evaluate("window.hacked") is None
    assert tab.locator("script").count() == tab.locator("style").count() == 1
    assert tab.locator("img, main b, svg svg").count() == 0
    assert "{{7*7}}" in first_cells(tab, 1)[0]
    assert "\u202e" not in tab.content()


def test_what_is_injected_later_is_stopped_by_the_policy(visit: Visit) -> None:
    tab = visit.open("few")
    tab.evaluate(
        """() => {
            const script = document.createElement("script");
            script.textContent = "window.hacked = true";
            const image = document.createElement("img");
            image.src = "https://example.org/x.png";
            document.body.append(script, image);
        }"""
    )
    assert tab.evaluate("window.hacked") is None
    assert len(visit.noises) == 2
    assert all("Content Security Policy" in noise for noise in visit.noises)
    assert visit.refusals == ["csp"]
    visit.noises.clear()
    visit.refusals.clear()


# sorting and filtering


def test_a_heading_sorts_both_ways_and_says_so(visit: Visit) -> None:
    tab = visit.open("some")
    for column, heading in enumerate(["Test", "Owner", "Age", "Window", "Last replay", "Verdict"]):
        cell = tab.locator("#table-freezes thead th").nth(column)
        before = cell.get_attribute("aria-sort")
        orders = []
        for _ in range(2):
            cell.get_by_role("button", name=heading, exact=True).click()
            orders.append((cell.get_attribute("aria-sort"), first_cells(tab, column)))
        (first, up), (second, down) = sorted(orders)
        assert (first, second) == ("ascending", "descending"), heading
        assert orders[0][0] != before, heading
        assert tab.locator("#table-freezes [aria-sort]").count() == 1
        assert sorted(up) == sorted(down)
        assert up != down, heading
        for order in (up, down):
            known = [text for text in order if text != "none"]
            assert order[: len(known)] == known, "rows without a value stand last"
        if heading in ("Test", "Owner", "Verdict"):
            assert up == sorted(up)
            assert down == sorted(down, reverse=True)


def test_numbers_are_sorted_as_numbers(visit: Visit) -> None:
    tab = visit.open("some")
    tab.get_by_role("button", name="Age", exact=True).click()
    ages = [int(text.split()[0]) for text in first_cells(tab, 2)]
    assert ages == sorted(ages)
    assert max(ages) >= 10


def test_a_search_keeps_the_rows_that_hold_every_word(visit: Visit) -> None:
    tab = visit.open("some")
    controls = tab.get_by_role("search", name="Filter the frozen tests")
    table = {"case_0007": 1, "@owner-1": 8, "CASE_0006": 1, "@owner-1 case_0006": 1, "of no such name": 0, "": 40}
    for searched, shown in table.items():
        controls.get_by_label("Search").fill(searched)
        controls.get_by_text(f"{shown} of 40 frozen tests", exact=True).wait_for()
        assert len(first_cells(tab, 0)) == shown


def test_filters_are_joined(visit: Visit) -> None:
    tab = visit.open("some")
    controls = tab.get_by_role("search", name="Filter the frozen tests")
    controls.get_by_label("Verdict").select_option("void")
    controls.get_by_text("5 of 40 frozen tests", exact=True).wait_for()
    controls.get_by_label("Window").select_option("expired")
    controls.get_by_text("1 of 40 frozen tests", exact=True).wait_for()
    assert set(first_cells(tab, 5)) == {"void"}
    assert first_cells(tab, 3)[0].startswith("expired")


def test_findings_have_filters_of_their_own(visit: Visit) -> None:
    tab = visit.open("some")
    tab.get_by_role("search", name="Filter the findings").get_by_label("Level").select_option("warning")
    tab.get_by_text("1 of 2 findings", exact=True).wait_for()
    assert first_cells(tab, 0, "table-findings") == ["freeze-expiring"]
    assert len(first_cells(tab, 0)) == 40


# colours


@pytest.mark.parametrize("visit", [(scheme, WIDE, True) for scheme in ("light", "dark")], indirect=True)
def test_the_colours_follow_the_system_until_somebody_chooses(visit: Visit) -> None:
    def ground(tab: Page) -> int:
        return int(tab.evaluate("Number(getComputedStyle(document.documentElement).backgroundColor.match(/\\d+/)[0])"))

    tab = visit.open("some")
    before = ground(tab)
    button = tab.locator("#theme")
    names = {True: "Light colours", False: "Dark colours"}
    is_dark = before < 128
    assert button.inner_text() == names[is_dark]
    button.click()
    assert (ground(tab) < 128) is not is_dark
    assert button.inner_text() == names[not is_dark]
    tab.reload()
    assert (ground(tab) < 128) is not is_dark, "the choice is kept"


def test_print_is_light_and_without_controls(visit: Visit) -> None:
    tab = visit.open("some")
    tab.evaluate("document.documentElement.dataset.theme = 'dark'")
    tab.emulate_media(media="print")
    colour = "getComputedStyle(document.documentElement).backgroundColor"
    assert tab.evaluate(colour) == "rgb(255, 255, 255)"
    assert tab.locator("input:visible, select:visible, #theme:visible, nav:visible").count() == 0
    assert tab.locator(f"{ROW}:visible").count() == 40


# keyboard


def test_the_keyboard_reaches_and_does_everything(visit: Visit) -> None:
    tab = visit.open("some")
    tab.keyboard.press("Tab")
    skip = tab.locator(".skip")
    assert skip.evaluate("one => one === document.activeElement && one.getBoundingClientRect().left >= 0")
    tab.keyboard.press("Enter")
    assert tab.evaluate("document.activeElement.id") == "freezes"
    reached: list[str] = []
    for _ in range(12):
        tab.keyboard.press("Tab")
        reached.append(
            str(tab.evaluate("document.activeElement.tagName + ' ' + document.activeElement.textContent.trim()"))
        )
        assert tab.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid", reached[-1]
    assert [one.split()[0] for one in reached[:3]] == ["INPUT", "SELECT", "SELECT"]
    headings = ["Test", "Owner", "Age", "Window", "Last replay", "Verdict"]
    assert reached[3:9] == [f"BUTTON {name}" for name in headings]
    assert reached[9].startswith("SUMMARY")
    tab.keyboard.press("Enter")
    assert tab.evaluate("document.activeElement.parentElement.open")


# size


def test_5000_rows_are_shown_sorted_and_filtered(visit: Visit) -> None:
    tab = visit.open("many")
    assert tab.evaluate("document.documentElement.dataset.ready") == "true"
    assert tab.locator(ROW).count() == 5000
    tab.evaluate(SORT)
    shown = "document.querySelectorAll('#table-freezes tbody tr:not([hidden])')"
    owners = f"Array.from({shown}, row => row.cells[1].textContent)"
    assert set(tab.evaluate(f"{owners}.slice(0, 1000)")) == {"@owner-0"}
    tab.evaluate(FILTER, "@owner-3 case_4")
    assert tab.locator(".filters [role=status]").first.text_content() == "200 of 5,000 frozen tests"
    assert tab.evaluate(owners) == ["@owner-3"] * 200


class Watched:
    """A tab, and what its thread has worked: others on the same machine do not count."""

    def __init__(self, visit: Visit, name: str) -> None:
        self.tab = visit.open(name)
        self._session = visit.context.new_cdp_session(self.tab)
        self._session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def seconds(self) -> float:
        metrics = {one["name"]: one["value"] for one in self._session.send("Performance.getMetrics")["metrics"]}
        return float(metrics["TaskDuration"])


def many(visit: Visit, number: int) -> Path:
    """A page of so many rows, in the folder."""
    file = visit.folder / f"rows-{number}.html"
    file.write_text(page(view(number)), encoding="utf-8")
    return file


def test_a_page_is_ready_in_linear_time(visit: Visit) -> None:
    """How soon one of 5,000 rows is ready is a bar of `benchmarks/page_in_browser.py`."""
    took: list[float] = []

    def work(number: int) -> Callable[[], object]:
        file = many(visit, number)

        def opened() -> None:
            watched = Watched(visit, "few")  # a new one each time: what is opened again gets another thread
            begin = watched.seconds()
            watched.tab.goto(file.as_uri())
            took.append(watched.seconds() - begin)
            assert took[-1] > 0

        return opened

    assert_linear(work, 5000, lambda: sum(took))


@pytest.mark.parametrize("script", [SORT, FILTER], ids=["sorted", "filtered"])
def test_rows_are_sorted_and_filtered_in_linear_time(script: str, visit: Visit) -> None:
    tabs: list[Watched] = []

    def work(number: int) -> Callable[[], object]:
        tabs.append(Watched(visit, many(visit, number).stem))
        return partial(tabs[-1].tab.evaluate, script, "@owner-3 case_4")

    assert_linear(work, 5000, lambda: sum(one.seconds() for one in tabs))
