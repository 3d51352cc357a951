"""The charts: well-formed SVG without references, with the right numbers at the right places."""

from __future__ import annotations

from collections.abc import Callable
from xml.etree.ElementTree import Element, fromstring

import pytest

from flakeledger.reporters.page_charts import MOST_ROWS, bands, pass_rates, timeline, weeks
from made_views import HOSTILE, NOW, shown, trend_of, view

SVG = "{http://www.w3.org/2000/svg}"
#: how high a capital letter is above its line, in units of a drawing whose letters have 14
CAPITALS = 10
DRAWN: dict[str, Callable[[], str]] = {
    "timeline": lambda: timeline(view(40, HOSTILE).freezes, NOW, "caption"),
    "rates": lambda: pass_rates(view(40, HOSTILE).freezes, "caption"),
    "bands": lambda: bands(view(40).ages, "caption"),
    "weeks": lambda: weeks(trend_of(60).weeks, "caption"),
}


def boxes(svg: Element, kind: str) -> list[tuple[float, float]]:
    """Where each box of a kind begins, and how wide it is."""
    found = [box for box in svg.iter(f"{SVG}rect") if kind in box.attrib["class"].split()]
    return [(float(box.attrib["x"]), float(box.attrib["width"])) for box in found]


def words(svg: Element) -> list[str]:
    return [text.text or "" for text in svg.iter(f"{SVG}text")]


@pytest.mark.parametrize("name", DRAWN)
def test_a_chart_has_a_name_and_neither_colours_nor_references(name: str) -> None:
    svg = fromstring(DRAWN[name]())  # our own text
    assert svg.attrib["role"] == "img"
    assert svg.attrib["aria-labelledby"] == "caption"
    allowed = {"x", "y", "width", "height", "class", "font-size", "text-anchor", "d", "cx", "cy", "r"}
    for element in svg.iter():
        assert element is svg or set(element.attrib) <= allowed, element.attrib
        assert element.tag.removeprefix(SVG) in {"svg", "text", "rect", "path", "circle"}


@pytest.mark.parametrize("name", DRAWN)
def test_everything_lies_inside(name: str) -> None:
    svg = fromstring(DRAWN[name]())
    width, height = (float(part) for part in svg.attrib["viewBox"].split()[2:])
    for element in svg.iter(f"{SVG}rect"):
        left, top, wide, high = (float(element.attrib[one]) for one in ("x", "y", "width", "height"))
        assert 0 <= left <= left + wide <= width, element.attrib
        assert 0 <= top <= top + high <= height, element.attrib
    for element in svg.iter(f"{SVG}text"):
        assert 0 < float(element.attrib["y"]) <= height


@pytest.mark.parametrize("name", DRAWN)
def test_nothing_is_drawn_over_words(name: str) -> None:
    svg = fromstring(DRAWN[name]())
    areas = [[float(box.attrib[one]) for one in ("x", "y", "width", "height")] for box in svg.iter(f"{SVG}rect")]
    for text in svg.iter(f"{SVG}text"):
        baseline = float(text.attrib["y"])
        crossing = [area for area in areas if area[1] < baseline and area[1] + area[3] > baseline - CAPITALS]
        assert not crossing, f"{text.text} at {baseline}: {crossing}"


def test_a_window_is_filled_up_to_now() -> None:
    rows = [shown(4)]  # 4 days old, 12 days left
    svg = fromstring(timeline(rows, NOW, "caption"))
    ((start, past),) = boxes(svg, "past")
    ((middle, rest),) = boxes(svg, "rest")
    assert start == 6
    assert start + past == pytest.approx(middle, abs=0.2)
    assert rest / past == pytest.approx(12 / 4, rel=0.01)
    assert words(svg)[:2] == ["test_case_0004", "12 days left"]


def test_a_window_without_an_end_goes_up_to_the_margin() -> None:
    svg = fromstring(timeline([shown(0), shown(4)], NOW, "caption"))
    left, width = boxes(svg, "rest")[0]
    assert left + width == pytest.approx(394, abs=0.2)
    assert words(svg)[1] == "no end"


def test_an_expired_window_has_no_rest() -> None:
    svg = fromstring(timeline([shown(1)], NOW, "caption"))
    assert len(boxes(svg, "expired")) == 1
    assert boxes(svg, "rest") == []


def test_a_rate_stands_on_the_interval_that_its_replay_leaves() -> None:
    svg = fromstring(pass_rates([shown(1), shown(5)], "caption"))
    ((left, width),) = boxes(svg, "interval")  # 19 of 20, at least 85 %; the other one was not replayed
    assert left == pytest.approx(6 + 388 * 0.85, abs=0.1)
    assert left + width == pytest.approx(394, abs=0.1)
    (dot,) = svg.iter(f"{SVG}circle")
    assert float(dot.attrib["cx"]) == pytest.approx(6 + 388 * 0.95, abs=0.1)
    assert words(svg)[:2] == ["test_case_0001", "19/20, at least 85.0 %"]


def test_bands_are_as_long_as_their_numbers_say() -> None:
    svg = fromstring(bands([("young", 3), ("old", 12), ("none", 0)], "caption"))
    assert [width for _, width in boxes(svg, "amount")] == [97.0, 388.0, 0.0]
    assert words(svg) == ["young", "3", "old", "12", "none", "0"]


def test_a_week_without_a_movement_has_no_bar() -> None:
    found = trend_of(6).weeks
    svg = fromstring(weeks(found, "caption"))
    assert len(boxes(svg, "opened")) == sum(week.opened > 0 for week in found)
    assert len(boxes(svg, "thawed")) == sum(week.thawed > 0 for week in found)
    assert "open at the end of the week, at most 5" in words(svg)
    assert "opened in a week, at most 2" in words(svg)


def test_only_the_first_rows_are_drawn() -> None:
    svg = fromstring(timeline(view(500).freezes, NOW, "caption"))
    assert len(boxes(svg, "past")) == MOST_ROWS


def test_a_long_name_is_cut_where_it_would_meet_what_is_said() -> None:
    row = shown(4, "tests/test_x.py::" + "n" * 200)
    assert words(fromstring(timeline([row], NOW, "caption")))[0] == "n" * 31 + "…"
