"""How long the page of `flakeledger report` with 5,000 rows takes until it can be used, and to sort and filter them.

Invariants:
* Each time a context of its own opens the page from disk, in headless Chromium: nothing of an earlier visit is left.
  The time goes from the order to open it to the moment at which its script is done and says so.
* Rows are sorted and filtered in a page that was opened before, until they are laid out anew; to filter them contains
  the fifth of a second in which the page waits whether more is typed.
* The page is what `report` writes for the tests' made-up freezes. A browser is needed: `apt-get install chromium`.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from playwright.sync_api import Browser, sync_playwright

from bars import Row, main
from flakeledger.reporters.page import page
from made_views import FILTER, SORT, view
from timing import QUICK_RUNS, RUNS, Work, medians

FREEZES, FEWER_FREEZES = 5_000, 500
BAR_SECONDS = 2.0
FLAGS = ("--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-sync")


def rows(folder: Path, quick: bool) -> Iterator[Row]:
    """The bar."""
    number, runs = (FEWER_FREEZES, QUICK_RUNS) if quick else (FREEZES, RUNS)
    file = folder / f"page-{number}.html"
    file.write_text(page(view(number)), encoding="utf-8")
    program = shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        raise SystemExit("this benchmark needs a browser: apt-get install -y --no-install-recommends chromium")
    with sync_playwright() as playwright:
        known: dict[str, str | float | bool] = {**os.environ, "HOME": str(folder)}
        browser = playwright.chromium.launch(executable_path=program, args=list(FLAGS), env=known)
        shown = browser.new_context().new_page()
        shown.goto(file.as_uri())
        works = {
            "to interactive": Work(partial(visit, browser, file.as_uri(), number)),
            "sorted": Work(partial(shown.evaluate, SORT)),
            "filtered": Work(partial(shown.evaluate, FILTER, "@owner-3 case_4")),
        }
        times = medians(runs, *works.values())
        browser.close()
    for what, took in zip(works, times, strict=True):
        work = f"the page of `report`, {number:,} rows, {what}"
        yield Row(work, f"at most {BAR_SECONDS:g} s", f"{took.clock:.2f} s", took.clock <= BAR_SECONDS)


def visit(browser: Browser, address: str, number: int) -> None:
    """Opens the page until it is ready."""
    context = browser.new_context()
    tab = context.new_page()
    tab.goto(address)
    assert tab.evaluate("document.documentElement.dataset.ready") == "true"
    assert tab.evaluate("document.querySelectorAll('#table-freezes tbody tr').length") == number
    context.close()


if __name__ == "__main__":
    sys.exit(main(__doc__, rows))
