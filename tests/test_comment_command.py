"""`flakeledger comment` on real repositories: what it says of each edit, and when it cannot tell."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from commands import noon, typed
from flakeledger.model.ledger_paths import FIXTURES, FREEZES, POLICY, PROPERTIES, REPLAYS
from flakeledger.reporters.comment import MARKER
from growing import assert_linear
from rendered import by_cmark
from steps import (
    Edit,
    add_unrelated_file,
    base,
    edit_conftest,
    edit_fixture,
    freeze,
    never_adopted,
    replay,
    set_freeze,
    set_policy,
    set_property,
    standing,
    standing_replayed,
    sub,
    together,
    unfreeze,
    write,
)
from world import CLOCK, ORDERS, REFUND, TESTS, Start, Templates, World, on, row_text


def commented(world: World, day: int, *arguments: str) -> tuple[int, str]:
    answer = typed(world, "comment", "--now", noon(day), *arguments)
    assert answer.out.startswith(f"{MARKER}\n**flakeledger ")
    assert answer.err == ""
    return answer.code, answer.out


def sections(text: str) -> dict[str, str]:
    """The text below each heading."""
    parts = re.split(r"(?m)^### (.+)\n", text)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def verdict(text: str) -> str:
    return text.split("\n")[1]


def rows(text: str) -> list[list[str]]:
    """The cells of the table of what happens to the ledgers, as people see them."""
    return by_cmark(sections(text)["What it does to the ledgers"]).rows[1:]


NEW = "tests/fixtures/new.json"


def add_new_fixture(world: World) -> None:
    world.write(NEW, "{}\n")
    world.add_fixture("FX-2", NEW)


def standing_with_a_new_fixture(world: World) -> None:
    standing(world)
    add_new_fixture(world)
    world.record("another fixture")


def remove_new_fixture(world: World) -> None:
    world.delete(NEW)
    world.remove_row(FIXTURES, "FX-2")


skip = sub(TESTS, "def test_total", "@pytest.mark.skip\ndef test_total")
#: where it starts, what is edited, the day; what the first two rows say, and why
CHANGES: list[tuple[str, Start, Edit, int, list[tuple[str, str, str]]]] = [
    (
        "opened",
        base,
        together(replay(1, 18, test=CLOCK), freeze(1, 20, CLOCK)),
        2,
        [
            (
                "freeze opened",
                CLOCK,
                "depends on the wall clock; 18/20 passed, failing 10.0 % (at most 28.3 %)",
            ),
            ("replay log edited", REPLAYS, "replays: 0 before, 1 now"),
        ],
    ),
    (
        "opened for a while",
        base,
        freeze(1, 3, CLOCK),
        2,
        [("freeze opened", CLOCK, "depends on the wall clock; not replayed")],
    ),
    (
        "renewed",
        standing_replayed,
        set_freeze(frozen_on=on(26), expires=on(50), renewed=1),
        26,
        [("freeze renewed", REFUND, "depends on the wall clock; 18/20 passed, failing")],
    ),
    (
        "renewed too early",
        standing,
        set_freeze(frozen_on=on(5), expires=on(30), renewed=1),
        5,
        [("refused by freeze-renewed: freeze renewed", REFUND, "depends on the wall clock; 18/20 passed, failing")],
    ),
    (
        "shortened",
        standing,
        set_freeze(expires=on(20)),
        2,
        [("freeze changed", REFUND, "fields: expires")],
    ),
    (
        "extended",
        standing,
        set_freeze(expires=on(31)),
        2,
        [("refused by freeze-extended, freeze-window: freeze changed", REFUND, "fields: expires")],
    ),
    (
        "thawed",
        standing,
        together(replay(3, 20), unfreeze()),
        4,
        [
            ("freeze thawed", REFUND, "thaw: its newest replay from pinned-py311 has 20/20 passed"),
            ("replay log edited", REPLAYS, "replays: 1 before, 2 now"),
        ],
    ),
    (
        "removed without reason",
        standing,
        unfreeze(),
        5,
        [("refused by thaw-unearned: freeze removed", REFUND, "delete_test: its newest replay from pinned-py311 has")],
    ),
    (
        "voided with a re-locked fixture",
        standing,
        together(edit_fixture, unfreeze()),
        2,
        [
            ("fixture re-locked", "FX-1", f"{ORDERS}; fields: sha256"),
            ("freeze removed", REFUND, "void: this change breaks fixture_hashes"),
        ],
    ),
    (
        "its test is gone",
        standing,
        together(
            write(
                TESTS, '"""property_id: PROP-1"""\ndef test_total():\n    assert 1\ndef test_clock():\n    assert 1\n'
            ),
            set_property(tests=[f"{TESTS}::test_total", CLOCK]),
            unfreeze(),
        ),
        2,
        [
            ("freeze removed", REFUND, "void: its test is gone"),
            ("property changed", "PROP-1", "fields: tests"),
        ],
    ),
    (
        "a fixture that comes",
        standing,
        add_new_fixture,
        2,
        [("fixture locked", "FX-2", NEW)],
    ),
    (
        "a fixture that goes with its file",
        standing_with_a_new_fixture,
        remove_new_fixture,
        2,
        [("fixture removed", "FX-2", NEW)],
    ),
    ("policy", standing, set_policy(max_freezes=40), 2, [("policy edited", POLICY, "")]),
    (
        "witness",
        standing,
        write("ledgers/witnesses/x.json", "{}\n"),
        2,
        [("witness edited", "ledgers/witnesses/x.json", "")],
    ),
]


@pytest.mark.parametrize(
    ("start", "edit", "day", "expected"), [case[1:] for case in CHANGES], ids=[case[0] for case in CHANGES]
)
def test_what_happens_to_each_row(
    start: Start, edit: Edit, day: int, expected: list[tuple[str, str, str]], templates: Templates, tmp_path: Path
) -> None:
    world = templates.start(tmp_path / "world", start, "keyed", "block")
    edit(world)
    world.record()
    code, text = commented(world, day, "--base", "main", "--head", "work")
    assert code == 0
    told = rows(text)
    assert [(row[0], row[1]) for row in told] == [(what, name) for what, name, _ in expected]
    for row, (_, _, why) in zip(told, expected, strict=True):
        assert row[4].startswith(why)
    refused = any("refused" in row[0] for row in told)
    assert ("refuses this change" in verdict(text)) is refused


def test_a_freeze_says_who_answers_for_it_and_how_long(templates: Templates, tmp_path: Path) -> None:
    world = templates.start(tmp_path / "world", base, "keyed", "block")
    freeze(1, 3, CLOCK)(world)
    world.record()
    assert rows(commented(world, 1, "--base", "main")[1])[0][2:4] == ["@finley", f"{on(1)} to {on(4)}"]


def test_a_freeze_that_fell_is_opened_again(templates: Templates, tmp_path: Path) -> None:
    world = templates.start(tmp_path / "world", standing, "keyed", "block")
    together(edit_fixture, unfreeze())(world)
    world.record()
    world.git("branch", "-f", "main")
    together(replay(2), freeze(2, 20))(world)
    world.record()
    text = commented(world, 2, "--base", "main")[1]
    assert rows(text)[0][:2] == ["freeze opened again", REFUND]
    assert "refuses nothing" in verdict(text)


def test_a_change_of_no_row_says_so(templates: Templates, tmp_path: Path) -> None:
    world = templates.start(tmp_path / "world", standing, "keyed", "block")
    add_unrelated_file(world)
    world.record()
    code, text = commented(world, 2, "--base", "main")
    assert (code, verdict(text)) == (0, "**flakeledger refuses nothing in this change**: 0 findings.")
    assert "It changes no row of the ledgers." in text
    assert sections(text) == {}


def test_what_ends_soon_and_who_owns_it(templates: Templates, tmp_path: Path) -> None:
    world = templates.start(tmp_path / "world", standing, "keyed", "block")
    add_unrelated_file(world)
    world.record()
    assert "What ends within 7 days" not in sections(commented(world, 23, "--base", "main")[1])
    for day, left in ((24, "7 days"), (30, "less than a day"), (31, "expired")):
        (_, row) = by_cmark(sections(commented(world, day, "--base", "main")[1])["What ends within 7 days"]).rows
        assert row[:4] == [REFUND, "@finley", on(30), left]
        assert row[4]


def test_a_skip_comes_with_the_row_to_paste_and_the_command(templates: Templates, tmp_path: Path) -> None:
    world = templates.start(tmp_path / "world", base, "keyed", "block")
    skip(world)
    world.record()
    code, text = commented(world, 2, "--base", "main")
    found = sections(text)
    assert code == 0
    assert "take it out, and run: flakeledger freeze" in found["What is refused"]
    assert "or write this row" not in found["What is refused"]
    assert (
        f'flakeledger freeze {TESTS}::test_total --reason "why it is not trusted"\n'
        in (found["Commands that write them"])
    )
    row = by_cmark(found["Rows to paste"]).code[-1]
    assert f"- test: {TESTS}::test_total\n" in row
    # pasted and filled in, it lacks nothing
    filled = row.replace('owner: "?"', 'owner: "@finley"').replace('reason: "?"', "reason: fails on Mondays only")
    assert "?" not in filled
    world.sub(TESTS, "@pytest.mark.skip\n", "")
    world.append(FREEZES, filled)
    world.git("add", "-A")
    assert world.judge_pull_request(2) == frozenset()


def test_the_adoption_names_what_it_brings(templates: Templates, tmp_path: Path) -> None:
    world = templates.start(tmp_path / "world", never_adopted, "keyed", "block")
    adopted = World.new(tmp_path / "adopted")
    for path in ("policy.yaml", "fixtures.yaml", "properties.yaml", "replays.jsonl", "freezes.yaml"):
        world.write(f"ledgers/{path}", adopted.read(f"ledgers/{path}"))
    freeze(1, 3, CLOCK)(world)
    world.record()
    code, text = commented(world, 1, "--base", "main")
    assert code == 0
    assert rows(text)[0][:2] == ["freeze adopted", CLOCK]
    assert "adoption" in sections(text)["Notes"]


def test_a_row_that_cannot_be_typed_is_refused_and_what_ends_soon_is_not_known(
    templates: Templates, tmp_path: Path
) -> None:
    world = templates.start(tmp_path / "world", standing, "keyed", "block")
    world.add_row(PROPERTIES, id="PROP-2", statement="s", fixtures=["FX-1"], uncovered_until="soon")
    world.record()
    code, text = commented(world, 2, "--base", "main")
    assert code == 0
    assert "refuses this change" in verdict(text)
    assert "what ends soon is not known" in sections(text)["Notes"]


def test_a_comment_on_thousands_of_refused_rows_takes_linear_time(templates: Templates, tmp_path: Path) -> None:
    """What it takes beyond their check is a bar of `benchmarks/bounds.py`."""
    fields = {"owner": "tbd", "frozen_on": on(0), "expires": on(20), "reason": "fails on Mondays only"}
    rest = {"property_id": "PROP-1", "replay_env": "local-fixture"}

    def work(number: int) -> Callable[[], object]:
        world = templates.start(tmp_path / f"world-{number}", base, "ledger", "block")
        world.write(FREEZES, "".join(row_text({"test": f"{TESTS}::test_{n}"} | fields | rest) for n in range(number)))
        world.record()
        code, text = commented(world, 2, "--base", "main")
        assert code == 0
        assert "refuses this change" in verdict(text)
        return partial(commented, world, 2, "--base", "main")

    assert_linear(work, 2000)


def unreadable(world: World) -> None:
    world.write(FREEZES, "- test: [\n")
    world.record()


@pytest.mark.parametrize(
    ("edit", "base", "said"),
    [
        (edit_conftest, "nowhere", "base unknown"),
        (unreadable, "main", "cannot be read as a whole"),
        (lambda world: world.delete(POLICY), "main", "policy-missing"),
    ],
)
def test_what_cannot_be_told_is_exit_2_and_a_comment(
    edit: Edit, base: str, said: str, templates: Templates, tmp_path: Path
) -> None:
    world = templates.start(tmp_path / "world", standing, "keyed", "block")
    edit(world)
    world.record()
    code, text = commented(world, 2, "--base", base)
    assert code == 2
    assert verdict(text).startswith("**flakeledger cannot tell what this change does**")
    assert said in by_cmark(text).text
    assert "changes no row" not in text


def test_outside_of_a_repository_there_is_a_comment_as_well(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    code, text = commented(World(tmp_path / "empty"), 2)
    assert code == 2
    assert "cannot tell" in verdict(text)


def test_text_of_a_ledger_mentions_nobody_and_links_nowhere(templates: Templates, tmp_path: Path) -> None:
    world = templates.start(tmp_path / "world", base, "keyed", "block")
    reason = "see @octocat | www.example.org <b>bold</b> [x](http://example.org) `code` #1"
    freeze(1, 3, CLOCK, reason=reason)(world)
    world.record()
    page = by_cmark(commented(world, 1, "--base", "main")[1])
    assert not page.tags & {"a", "b"}
    assert not set("@#|") & set(page.outside)
    (row,) = (row for row in page.rows if row[0] == "freeze opened")
    assert row[4].replace("`", "") == f"{reason.replace('`', '')}; not replayed"
