"""The canonical layout: the same rows and comments, the same text whoever wrote it, and once is enough."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from flakeledger.model.errors import CannotTell
from flakeledger.model.fields import FREEZE_FIELDS
from flakeledger.model.ledger_paths import FIXTURES, FREEZES, PROPERTIES
from flakeledger.store.formatter import format_rows
from outside import judge_formatted, see

HOME = Path(__file__).parent
STYLED = sorted((HOME / "styled").glob("*.yaml"))
PATHS = {"freezes": FREEZES, "fixtures": FIXTURES, "properties": PROPERTIES}
CANONICAL = f"""\
# head
- test: a.py::test_1  # why
  owner: "@finley"
  frozen_on: 2026-10-20
  reason: "it is slow"
  fixture_hashes:
    FX-1: {"4f" * 32}
  renewed: 1

# of b
- test: "b.py::test_2[x-1]"
  owner: "@robin"
"""


@pytest.mark.parametrize("file", STYLED, ids=lambda file: file.stem)
def test_a_styled_ledger_keeps_its_rows_and_comments(file: Path) -> None:
    before, path = file.read_bytes(), PATHS[file.name.partition("-")[0]]
    after = format_rows(before, path)
    judge_formatted(before, after)
    assert format_rows(after, path) == after
    for row in see(after).rows:
        known = [name for name in row.fields if name in FREEZE_FIELDS.by_name]
        assert path != FREEZES or known == [field.name for field in FREEZE_FIELDS.fields if field.name in known]


@pytest.mark.parametrize(
    "before",
    [
        CANONICAL,
        CANONICAL.removesuffix("\n"),
        CANONICAL + "\n\n",
        CANONICAL.replace("\n# of b", "  \n# of b  "),
        CANONICAL.replace("  # why", " # why"),
        CANONICAL.replace('"', "'"),
        CANONICAL.replace('"it is slow"', "it is slow"),
        CANONICAL.replace("2026-10-20", "'2026-10-20'"),
        CANONICAL.replace("renewed: 1", '"renewed": "1"'),
        CANONICAL.replace("  ", "    ").replace("    # why", "  # why").replace("- ", "-   "),
        "".join(f"   {line}\n" if line else "\n" for line in CANONICAL.split("\n")[:-1]),
        CANONICAL.replace("- test", "-\n  test"),
        CANONICAL.replace('  owner: "@finley"\n', "").replace("  renewed", '  owner: "@finley"\n  renewed'),
        CANONICAL.replace("    FX-1", "          FX-1"),
    ],
)
def test_whatever_it_looked_like(before: str) -> None:
    assert see(before.encode()).values == see(CANONICAL.encode()).values
    assert format_rows(before.encode(), FREEZES).decode() == CANONICAL
    windows = format_rows(before.replace("\n", "\r\n").encode(), FREEZES)
    assert windows.decode() == CANONICAL.replace("\n", "\r\n")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", ""),
        ("\n\n", ""),
        ("# c  \n\n", "# c\n"),
        ("[]", "[]\n"),
        ("- # of the row\n  id: A\n", "- # of the row\n  id: A\n"),
        ("- statement: x\n  # of the id\n  id: A\n", '- # of the id\n  id: A\n  statement: "x"\n'),
        ("- id: A\n  tests: [ a , 'b[1]' ] # c\n", '- id: A\n  tests: [a, "b[1]"]  # c\n'),
        ("- id: A\n  tests: [a, # c\n    b]\n", "- id: A\n  tests:\n    - a  # c\n    - b\n"),
        ("- id: A\n  tests: [\n    a,\n    b]\n", "- id: A\n  tests: [a, b]\n"),
        (
            "- id: A\n  tests: # of all\n  # of a\n  - a\n  -   'b' # of b\n",
            "- id: A\n  tests:  # of all\n    # of a\n    - a\n    - b  # of b\n",
        ),
        ("- id: A\n  tests: [ # of all\n  a ] # end\n", "- id: A\n  # end\n  tests: [a]  # of all\n"),
        ("- id: A\n\n  # c\n\n  tests: []\n", "- id: A\n  # c\n  tests: []\n"),
        ("- id: A\n  owner:   # none\n", "- id: A\n  owner:  # none\n"),
        ("-   id: A\n    statement: |3 # c\n        a\n       b\n", "- id: A\n  statement: |2  # c\n     a\n    b\n"),
        ("-   id: A\n    statement: >-\n       a\n\n         b\n", "- id: A\n  statement: >-\n    a\n\n      b\n"),
        ("- id: A\n  statement: 'a\n\n    b'\n", '- id: A\n  statement: "a\\nb"\n'),
        ("- id: A\n  odd: 1\n  statement: ~\n", '- id: A\n  statement: "~"\n  odd: "1"\n'),
        ("  - id: A\n    # in A\n  # at the dash\n # near\n", "- id: A\n  # in A\n# at the dash\n# near\n"),
    ],
)
def test_the_layout_of(before: str, after: str) -> None:
    assert format_rows(before.encode(), PROPERTIES).decode() == after
    assert format_rows(after.encode(), PROPERTIES).decode() == after


def test_nothing_is_formatted_that_cannot_be_read() -> None:
    with pytest.raises(CannotTell, match="cannot be read, so it is not edited") as refused:
        format_rows(b"- test: a\n  owner: @finley\n", FREEZES)
    assert refused.value.place == "ledgers/freezes.yaml:2:10"


def test_the_examples_of_the_documentation_are_canonical() -> None:
    """What people copy is what the hook leaves alone."""
    readme = (HOME.parent / "README.md").read_text(encoding="utf-8")
    example = readme.partition("# part of ledgers/freezes.yaml\n")[2].partition("```")[0]
    assert yaml.safe_load(example)
    assert format_rows(example.encode(), FREEZES).decode() == example
