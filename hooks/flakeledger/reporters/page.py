"""The page of `report`: a view as one HTML file that needs nothing else.

Invariants:
* Nothing is asked of a network and nothing but our own script runs: the Content-Security-Policy of the page allows
  one style and one script, by their digests, and nothing else.
* Every text is escaped: hidden characters by `escape_text`, markup by the engine, which escapes whatever it is not
  told to leave. Only charts, style and script are left as they are, and those are ours.
* Without a script the whole page is there. The script only sorts, filters and changes the colours.
* The same view gives the same bytes.
* The packages of the extra `report` are imported by `page`, not by this module.
"""

from __future__ import annotations

import base64
import hashlib
from typing import TYPE_CHECKING

from flakeledger import __version__
from flakeledger.model.clock import format_date, format_instant
from flakeledger.reporters.escape import escape_text
from flakeledger.reporters.page_view import Untold, View
from flakeledger.verdicts.rates import percent

if TYPE_CHECKING:
    from jinja2 import Template

#: what `page` imports: the packages of the extra `report`
ENGINES = ("drawsvg", "jinja2")
#: how a page of ours begins; `report` replaces no other file
BEGINNING = '<!doctype html>\n<html lang="en">\n<head>\n<meta name="generator" content="flakeledger '
#: a longer text is folded, and so much of it is shown
_LONGEST, _FOLDED = 240, 120
_POLICY = "default-src 'none'; script-src {script}; style-src {style}; base-uri 'none'; form-action 'none'"


def page(view: View) -> str:
    """The HTML of a view. The packages of `ENGINES` must be there."""
    from flakeledger.reporters.page_charts import MOST_ROWS

    style, script = _packaged("page.css"), _packaged("page.js")
    told = not isinstance(view.trend, Untold)
    return _template().render(
        view=view,
        trend=view.trend if told else None,
        untold=None if told else view.trend,
        charts=_charts(view),
        style=style,
        script=script,
        policy=_POLICY.format(script=_source(script), style=_source(style)),
        version=__version__,
        beginning=BEGINNING,
        longest=_LONGEST,
        folded=_FOLDED,
        most_rows=MOST_ROWS,
    )


def _charts(view: View) -> dict[str, str]:
    """The charts by name; an empty text for one that would show nothing."""
    from flakeledger.reporters import page_charts

    replayed = any(row.replayed is not None for row in view.freezes[: page_charts.MOST_ROWS])
    found = () if isinstance(view.trend, Untold) else view.trend.weeks
    return {
        "timeline": page_charts.timeline(view.freezes, view.now, "caption-timeline") if view.freezes else "",
        "rates": page_charts.pass_rates(view.freezes, "caption-rates") if replayed else "",
        "ages": page_charts.bands(view.ages, "caption-ages") if view.freezes else "",
        "weeks": page_charts.weeks(found, "caption-weeks") if found else "",
    }


def _template() -> Template:
    from jinja2 import Environment, StrictUndefined

    environment = Environment(
        autoescape=True, finalize=_shown, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters.update(date=format_date, instant=format_instant, percent=percent, number=_number)
    return environment.from_string(_packaged("page.html.jinja"))


def _shown(value: object) -> object:
    """Whatever the template prints: text of files without hidden characters. What is marked as safe is ours."""
    return escape_text(value) if type(value) is str else value


def _number(value: int) -> str:
    """`5,000`."""
    return f"{value:,}"


def _packaged(name: str) -> str:
    """A file beside this module; its line ends are newlines, as an HTML parser reads them."""
    from importlib.resources import files

    return files("flakeledger.reporters").joinpath(name).read_text(encoding="utf-8")


def _source(text: str) -> str:
    """How a Content-Security-Policy names an inline text by its digest."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
