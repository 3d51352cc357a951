"""The charts of the page, as SVG that stands inside of HTML.

Invariants:
* No colour, font, script or address is in the SVG: classes alone, which the style of the page gives their look in
  light, in dark and in print. So nothing of it is refused by the page's Content-Security-Policy.
* Whatever a colour says, a word or a shape beside it says, too; every number of a chart stands in a table as well.
* A chart has at most 30 rows, and the page says so: the soonest ends stand first.
* Text from files is escaped before it is drawn, and attributes hold nothing but our own words and numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from flakeledger.model.clock import DAY, format_date
from flakeledger.repo.trend import Week
from flakeledger.reporters.escape import escape_text
from flakeledger.reporters.page_view import ShownFreeze

if TYPE_CHECKING:
    from drawsvg import Drawing

MOST_ROWS = 30
#: in units of the drawing; on a phone a unit is a fifth smaller than a pixel, and the text stays readable
_WIDTH = 400
_MARGIN = 6
_FONT = 14
_ROW = 44
_BAR = 12
_AXIS = 30
#: characters that fit into a row: a test and what is said of it
_LETTERS = 44
_PLOT = _WIDTH - 2 * _MARGIN
_PANEL = 72
_WIDEST_BAR = 40


class _Chart:
    """A drawing that grows from top to bottom."""

    def __init__(self, height: float, caption: str) -> None:
        from drawsvg import Drawing  # two starts of Python: only `report` pays for it

        self.drawing: Drawing = Drawing(_WIDTH, height, role="img", aria_labelledby=caption)

    def text(self, words: str, x: float, y: float, kind: str = "", anchor: str = "start") -> None:
        from drawsvg import Text

        self.drawing.append(Text(escape_text(words), _FONT, x, y, text_anchor=anchor, class_=f"label {kind}".strip()))

    def box(self, kind: str, x: float, y: float, width: float, height: float) -> None:
        from drawsvg import Rectangle

        self.drawing.append(Rectangle(round(x, 1), round(y, 1), round(width, 1), round(height, 1), class_=kind))

    def line(self, kind: str, *points: float) -> None:
        from drawsvg import Lines

        self.drawing.append(Lines(*(round(point, 1) for point in points), class_=kind))

    def dot(self, kind: str, x: float, y: float) -> None:
        from drawsvg import Circle

        self.drawing.append(Circle(round(x, 1), round(y, 1), 5, class_=kind))

    def svg(self) -> str:
        # inside of HTML there is neither an XML declaration nor another namespace, and nothing is defined
        return str(self.drawing.as_svg(header="")).replace("<defs>\n</defs>\n", "").strip()


class Scale(NamedTuple):
    """From values to places on the horizontal axis."""

    low: float
    high: float

    def x(self, value: float) -> float:
        """Where a value stands, between the margins."""
        part = (value - self.low) / (self.high - self.low)
        return _MARGIN + _PLOT * min(max(part, 0.0), 1.0)


def timeline(freezes: Sequence[ShownFreeze], now: int, caption: str) -> str:
    """The windows of the first rows, with a mark at `now`; `caption` is the id of the element that names the chart."""
    shown = freezes[:MOST_ROWS]
    days = [day for row in shown for day in (row.start, row.end) if day is not None]
    scale = Scale(min([now - DAY, *days]), max([now + DAY, *days]))
    chart = _rows(shown, caption, lambda row: row.left)
    bottom = _ROW * len(shown)
    for number, row in enumerate(shown):
        top = _bar_top(number)
        _window(chart, scale, row, now, top)
        chart.line("now", scale.x(now), top - 4, scale.x(now), top + _BAR + 4)  # no line goes through the words
    _axis(chart, bottom, format_date(int(scale.low)), format_date(int(scale.high)))
    _middle(chart, "now", scale.x(now), bottom + 20)
    return chart.svg()


def _window(chart: _Chart, scale: Scale, row: ShownFreeze, now: int, top: float) -> None:
    """The window as a bar: filled up to now, outlined after it. One without an end is dashed up to the margin."""
    start = scale.x(scale.low if row.start is None else row.start)
    end = scale.x(scale.high if row.end is None else row.end)
    until = min(max(scale.x(now), start), end)
    chart.box(f"past {row.state.replace(' ', '-')}", start, top, max(until - start, 1), _BAR)
    if end > until:
        chart.box(f"rest {row.state.replace(' ', '-')}", until, top, end - until, _BAR)


def pass_rates(freezes: Sequence[ShownFreeze], caption: str) -> str:
    """The pass rate of the newest replay of each of the first rows, and the rates that it leaves possible."""
    shown = [row for row in freezes[:MOST_ROWS] if row.replayed is not None]
    scale = Scale(0.0, 1.0)
    chart = _rows(shown, caption, _rate_text)
    for number, row in enumerate(shown):
        if row.replayed is not None:
            top = _bar_top(number)
            chart.box("track", scale.x(0), top, _PLOT, _BAR)
            chart.box(
                "interval", scale.x(row.replayed.at_least), top, scale.x(1) - scale.x(row.replayed.at_least), _BAR
            )
            if row.replayed.pass_rate is not None:
                chart.dot("point", scale.x(row.replayed.pass_rate), top + _BAR / 2)
    _axis(chart, _ROW * len(shown), "0 % pass", "100 % pass")
    return chart.svg()


def _rate_text(row: ShownFreeze) -> str:
    assert row.replayed is not None
    replay = row.replayed.replay
    return f"{replay.passed}/{replay.total}, at least {100 * row.replayed.at_least:.1f} %"


def bands(counts: Sequence[tuple[str, int]], caption: str) -> str:
    """How many freezes are in each band, as bars with their numbers."""
    scale = Scale(0, max([1, *(count for _, count in counts)]))
    chart = _Chart(_ROW * len(counts), caption)
    for number, (name, count) in enumerate(counts):
        top = _ROW * number
        chart.text(name, _MARGIN, top + 18)
        chart.text(str(count), _WIDTH - _MARGIN, top + 18, anchor="end")
        chart.box("track", _MARGIN, _bar_top(number), _PLOT, _BAR)
        chart.box("amount", _MARGIN, _bar_top(number), scale.x(count) - _MARGIN, _BAR)
    return chart.svg()


def weeks(found: Sequence[Week], caption: str) -> str:
    """The open freezes at the end of each week as a line, and below it how many were opened and thawed in the week."""
    chart = _Chart(4 * _AXIS + 3 * _PANEL, caption)
    step = _PLOT / max(len(found), 1)
    middles = [_MARGIN + step * (number + 0.5) for number in range(len(found))]
    most = max([1, *(week.open for week in found)])
    _panel(chart, f"open at the end of the week, at most {most}", 0)
    floor = _AXIS + _PANEL
    points = [(x, floor - _PANEL * week.open / most) for x, week in zip(middles, found, strict=True)]
    if len(points) > 1:
        chart.line("open-line", *(value for point in points for value in point))
    if points:
        chart.dot("point", *points[-1])
    moved = max([1, *(max(week.opened, week.thawed) for week in found)])
    _movement(chart, "opened", [week.opened for week in found], moved, floor)
    _movement(chart, "thawed", [week.thawed for week in found], moved, 2 * floor)
    if found:
        _ends(chart, 3 * floor, f"week of {found[0].start}", f"week of {found[-1].start}")
    return chart.svg()


def _panel(chart: _Chart, title: str, top: float) -> None:
    chart.text(title, _MARGIN, top + 20)
    chart.line("axis", _MARGIN, top + _AXIS + _PANEL, _WIDTH - _MARGIN, top + _AXIS + _PANEL)


def _movement(chart: _Chart, kind: str, counts: Sequence[int], most: int, top: float) -> None:
    """One bar a week, all of a height that both panels share."""
    _panel(chart, f"{kind} in a week, at most {max([0, *counts])}", top)
    step = _PLOT / max(len(counts), 1)
    width = min(step * 0.7, _WIDEST_BAR)
    for number, count in enumerate(counts):
        height = _PANEL * count / most
        if count:
            left = _MARGIN + step * (number + 0.5) - width / 2
            chart.box(kind, left, top + _AXIS + _PANEL - height, width, height)


def _rows(shown: Sequence[ShownFreeze], caption: str, told: Callable[[ShownFreeze], str]) -> _Chart:
    """A chart with a line of text for each freeze: its test at the left, what is told of it at the right."""
    chart = _Chart(_ROW * len(shown) + _AXIS, caption)
    for number, row in enumerate(shown):
        said = told(row)
        name = row.freeze.test or f"line {row.freeze.places.line}"
        chart.text(_short(name, _LETTERS - len(said)), _MARGIN, _ROW * number + 18)
        chart.text(said, _WIDTH - _MARGIN, _ROW * number + 18, "said", "end")
    return chart


def _short(test: str, room: int) -> str:
    """The end of a test id, which tells tests apart, cut to so many characters."""
    name = escape_text(test.rpartition("::")[2] or test)
    return name if len(name) <= room else f"{name[: room - 1]}…"


def _bar_top(number: int) -> float:
    return _ROW * number + 25


def _axis(chart: _Chart, top: float, left: str, right: str) -> None:
    chart.line("axis", _MARGIN, top + 4, _WIDTH - _MARGIN, top + 4)
    _ends(chart, top, left, right)


def _ends(chart: _Chart, top: float, left: str, right: str) -> None:
    """What stands at the two ends of an axis, below its line."""
    chart.text(left, _MARGIN, top + 20, "said")
    chart.text(right, _WIDTH - _MARGIN, top + 20, "said", "end")


def _middle(chart: _Chart, words: str, x: float, y: float) -> None:
    """A word under its place, unless it would stand on what the axis says at its ends."""
    if _WIDTH * 0.25 < x < _WIDTH * 0.75:
        chart.text(words, x, y, "said", "middle")
