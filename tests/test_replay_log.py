"""The replay log: strict JSON lines, each judged on its own."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flakeledger.model.clock import parse_instant
from flakeledger.store.replay_log import read_replays

PATH = "ledgers/replays.jsonl"
LINE = {
    "test": "tests/test_a.py::test_b[x]",
    "run_at": "2026-10-20T12:00:00Z",
    "env": "pinned-py311",
    "seeds": [3, 1, 2],
    "passed": 1,
    "total": 3,
}
GOOD = json.dumps(LINE)
FULL = LINE | {
    "id": "r1",
    "commit": "a" * 40,
    "isolation": "process",
    "seeded": True,
    "examples": "0" * 64,
    "failures": {"TimeoutError": 2},
    "outcomes": ["pass", "fail", "fail"],
    "touched": ["tests/data/a.json"],
    "versions": {"hypothesis": "6.170"},
    "plugins": ["xdist"],
    "suite": False,
    "duration_s": 1.25,
}


def _read(*lines: str) -> tuple[list[int], list[tuple[int, str]]]:
    replays, findings = read_replays("".join(f"{line}\n" for line in lines).encode(), PATH)
    assert all(finding.fix and finding.path == PATH and finding.column >= 1 for finding in findings)
    return [line.replay.line for line in replays], [(finding.line, finding.rule) for finding in findings]


def test_a_full_line_is_read() -> None:
    text = json.dumps(FULL)
    (line,), findings = read_replays(f"{text}\n".encode(), PATH)
    assert findings == []
    assert (line.text, line.seeds) == (text, FULL["seeds"])
    computed = {"line": 1, "at": parse_instant(str(FULL["run_at"])), "unsettled": 0, "touched": ("tests/data/a.json",)}
    assert line.replay._asdict() == computed | {
        name: FULL[name] for name in ("test", "run_at", "env", "passed", "total", "id", "seeded", "failures")
    }


def test_what_is_absent_is_none() -> None:
    ((_, _, replay),), _ = read_replays(f"{GOOD}\n".encode(), PATH)
    assert (replay.id, replay.seeded, replay.failures) == (None, None, {})


@pytest.mark.parametrize(
    ("change", "unsettled"),
    [
        ({}, 0),  # nothing says how the two others ended
        ({"failures": {"E": 2}}, 0),
        ({"failures": {"E": 1}}, 1),
        ({"outcomes": ["pass", "fail", "fail"]}, 0),
        ({"outcomes": ["pass", "skipped", "rejected"]}, 2),
        ({"outcomes": ["pass", "skipped", "fail"], "failures": {"E": 1}}, 1),
        ({"outcomes": ["pass", "fail", "fail"], "failures": {"E": 1}}, 0),  # one exception without a name
        ({"passed": 3}, 0),
    ],
)
def test_runs_that_neither_passed_nor_failed_are_counted(change: dict[str, object], unsettled: int) -> None:
    ((_, _, replay),), findings = read_replays(f"{_changed(**change)}\n".encode(), PATH)
    assert findings == []
    assert replay.unsettled == unsettled


def test_an_empty_log_is_fine() -> None:
    assert read_replays(b"", PATH) == ([], [])


def _changed(**change: object) -> str:
    return json.dumps(LINE | change)


def _without(name: str) -> str:
    return json.dumps({key: value for key, value in LINE.items() if key != name})


#: line -> column, part of the message
MALFORMED: list[tuple[str, int, str]] = [
    ("", 1, "empty line"),
    (" ", 1, "no JSON"),
    ("{", 2, "no JSON"),
    ("[]", 1, "a JSON object"),
    ("null", 1, "a JSON object"),
    (GOOD + " ", len(GOOD) + 1, "after the object"),
    (GOOD + GOOD, len(GOOD) + 1, "after the object"),
    (GOOD + "\r", len(GOOD) + 1, "carriage return"),
    (GOOD[:-1] + ', "test": "x"}', 2, "`test` stands twice"),
    (GOOD[:-1] + ', "failures": {"A": 1, "A": 1}}', len(GOOD) + 15, "`A` stands twice"),
    (GOOD.replace('"passed": 1', '"passed": NaN'), 1, "NaN"),
    (GOOD.replace('"passed": 1', '"passed": -Infinity'), 1, "-Infinity"),
    (GOOD.replace('"passed": 1', '"passed": 1.0'), GOOD.index('"passed"') + 1, "without a point"),
    (GOOD.replace('"passed": 1', '"passed": true'), GOOD.index('"passed"') + 1, "a number"),
    (GOOD.replace('"passed": 1', '"passed": -1'), GOOD.index('"passed"') + 1, "a number from 0"),
    (GOOD.replace('"passed": 1', '"passed": "1"'), GOOD.index('"passed"') + 1, "a number"),
    (GOOD.replace('"passed": 1', '"passed": ' + "9" * 5000), 1, "thousands of digits"),
    (GOOD.replace('"total": 3', '"total": ' + "9" * 30), GOOD.index('"total"') + 1, "a number"),
    (_changed(seeds=[1, 2.0, 3]), GOOD.index('"seeds"') + 1, "whole numbers"),
    (_changed(seeds=[1, True, 3]), GOOD.index('"seeds"') + 1, "whole numbers"),
    (_changed(seeds=[1, 2, 2**64]), GOOD.index('"seeds"') + 1, "64 bits"),
    (_changed(seeds="1,2,3"), GOOD.index('"seeds"') + 1, "list of whole numbers"),
    (GOOD.replace("[3, 1, 2]", "[" * 100_000), 1, "nested too deep"),
    (_changed(test="/etc/passwd::t"), 2, "relative to the root"),
    (_changed(test="a.py::t[x"), 2, "bracket without its partner"),
    (_changed(test=""), 2, "empty"),
    (_changed(run_at="2026-10-20T12:00:00"), GOOD.index('"run_at"') + 1, "needs its zone"),
    (_changed(run_at="2026-10-20"), GOOD.index('"run_at"') + 1, "an instant"),
    (_changed(env="a b"), GOOD.index('"env"') + 1, "a name is"),
    (_changed(env=None), GOOD.index('"env"') + 1, "a text"),
    (_changed(seed=1), len(GOOD) + 2, "did you mean `seeds`?"),
    (_changed(zzz=1), len(GOOD) + 2, "unknown field `zzz`"),
    (_changed(failures={"A": 0}), len(GOOD) + 2, "counts from 1"),
    (_changed(failures={"A": 1.0}), len(GOOD) + 2, "counts from 1"),
    (_changed(failures=["A"]), len(GOOD) + 2, "counts from 1"),
    (_changed(examples="0" * 63), len(GOOD) + 2, "SHA-256"),
    (_changed(commit="HEAD"), len(GOOD) + 2, "commit id"),
    (_changed(seeded=1), len(GOOD) + 2, "true or false"),
    (_changed(duration_s=-1), len(GOOD) + 2, "seconds"),
    (_changed(duration_s=1e300), len(GOOD) + 2, "seconds"),
    (GOOD[:-1] + ', "duration_s": 1e999}', len(GOOD) + 2, "seconds"),
    (_changed(touched=[1]), len(GOOD) + 2, "a text"),
    (_changed(touched="a"), len(GOOD) + 2, "list of texts"),
    (_changed(versions={"a": 1}), len(GOOD) + 2, "a text"),
    (_changed(versions=["a"]), len(GOOD) + 2, "object of texts"),
    *((_without(name), 1, f"no `{name}`") for name in LINE),
]


@pytest.mark.parametrize(("line", "column", "message"), MALFORMED)
def test_a_line_that_cannot_be_believed_is_left_out(line: str, column: int, message: str) -> None:
    data = f"{GOOD}\n{line}\n{GOOD}\n".encode()
    replays, (finding,) = read_replays(data, PATH)
    assert finding[:4] == (PATH, 2, column, "replay-malformed")
    assert message in finding.message
    assert finding.fix
    assert [one.replay.line for one in replays] == [1, 3]


@pytest.mark.parametrize(
    ("change", "field", "message"),
    [
        ({"total": 4}, "total", "there are 3 seeds"),
        ({"seeds": [1, 1, 2]}, "seeds", "a seed stands twice"),
        ({"passed": 4}, "passed", "more than the total"),
        ({"failures": {"A": 2, "B": 1}}, "failures", "more failures than the 2"),
        ({"outcomes": ["pass"]}, "outcomes", "1 outcomes of 3 seeds"),
    ],
)
def test_numbers_that_disagree_are_left_out(change: dict[str, object], field: str, message: str) -> None:
    line = _changed(**change)
    replays, (finding,) = read_replays(f"{line}\n".encode(), PATH)
    assert replays == []
    assert finding[:4] == (PATH, 1, line.index(f'"{field}"') + 1, "replay-inconsistent")
    assert message in finding.message


def test_fewer_failures_than_seeds_that_did_not_pass_are_fine() -> None:
    assert _read(_changed(failures={"A": 1}), _changed(seeds=[], passed=0, total=0)) == ([1, 2], [])


def test_a_last_line_without_newline_is_read_and_found() -> None:
    replays, (finding,) = read_replays(f"{GOOD}\n{GOOD}".encode(), PATH)
    assert [line.replay.line for line in replays] == [1, 2]
    assert finding[:4] == (PATH, 2, len(GOOD) + 1, "replay-malformed")


def test_identical_lines_are_one_replay_written_twice() -> None:
    named = _changed(id="r1")
    assert _read(GOOD, GOOD, named, named) == ([1, 2, 3, 4], [])


def test_one_id_on_two_lines_is_a_duplicate() -> None:
    assert _read(_changed(id="r1"), _changed(id="r2"), _changed(id="r1", passed=2)) == (
        [1, 2, 3],
        [(3, "replay-duplicate")],
    )


def test_the_end_of_a_log_is_read_with_what_stands_above_it() -> None:
    above = [_changed(id="r1"), GOOD]
    known, _ = read_replays("".join(f"{line}\n" for line in above).encode(), PATH)
    end = [_changed(id="r1", passed=2), "x", GOOD]
    identified = {line.replay.id: (line.replay.line, line.text) for line in known if line.replay.id is not None}
    replays, findings = read_replays("".join(f"{line}\n" for line in end).encode(), PATH, 3, identified)
    together = read_replays("".join(f"{line}\n" for line in above + end).encode(), PATH)
    assert (known + replays, findings) == together
    assert [(finding.line, finding.rule) for finding in findings] == [(3, "replay-duplicate"), (4, "replay-malformed")]


def test_conflicts_bytes_and_marks_are_found_and_the_rest_is_read() -> None:
    lines = [GOOD, "<<<<<<< HEAD", GOOD, "=======", GOOD, ">>>>>>> main", GOOD, "é\u200b", GOOD]
    data = b"\xef\xbb\xbf" + "".join(f"{line}\n" for line in lines).encode() + b'"\xff"\n'
    replays, findings = read_replays(data, PATH)
    assert [line.replay.line for line in replays] == [1, 7, 9]
    assert [(finding.line, finding.rule) for finding in findings] == [
        (1, "replay-malformed"),
        (2, "conflict-marker"),
        (8, "replay-malformed"),
        (10, "replay-malformed"),
    ]


@settings(max_examples=200)
@given(st.data())
def test_whatever_the_edit_every_line_is_read_or_found(data: st.DataObject) -> None:
    text = f"{json.dumps(FULL)}\n{GOOD}\n"
    start = data.draw(st.integers(0, len(text)))
    edit = data.draw(
        st.sampled_from(['"', "{", "}", "[", "]", ",", "\\", "1", "-", "e9", "\n", "\r", "null", "é", "\x00", ""])
    )
    text = text[:start] + edit + text[start + data.draw(st.integers(0, 5)) :]
    replays, findings = read_replays(text.encode(), PATH)
    lines = set(range(1, text.count("\n") + (not text.endswith("\n")) + 1))
    assert {line.replay.line for line in replays} | {finding.line for finding in findings} == lines
    for line in replays:
        assert json.loads(line.text)["total"] == len(line.seeds)
