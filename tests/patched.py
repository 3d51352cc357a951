"""Patches for the gate: a shop with a property, a branch with an edit, a witness, and replays that are only told.

Invariants:
* Repositories are real. What the replays show is given, so that a patch may have any outcome; that they are asked for
  at all, and how often, is remembered.
* A command runs in this process at the root of the world, by its own parser.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from flakeledger.cli import gate, oracle
from flakeledger.cli.gate import MakeReplay
from flakeledger.model.errors import CannotTell
from flakeledger.model.witness import Witness, example_digest, example_of, witness_file
from flakeledger.repo.repository import Repository
from flakeledger.reporters.text import undecided
from flakeledger.rules.gating import Replay, Replayed
from flakeledger.rules.patches import Patch
from world import PRODUCT, REFUND, World

PROPERTY = "PROP-1"
FLIPPED = ("fail", "pass", "fail", "pass", "fail")


class Answered(NamedTuple):
    """A command's exit code and its two streams; `replays` are the witnesses that were replayed, and how often."""

    code: int
    out: str
    err: str
    replays: list[tuple[Witness, int]]

    @property
    def note(self) -> dict[str, Any]:
        """The note on standard output."""
        note = json.loads(self.out)
        assert isinstance(note, dict)
        return note

    @property
    def verdict(self) -> str:
        """What the note says, or "exit 2"; the exit code must say the same."""
        if self.code == 2:
            assert self.out == ""
            return "exit 2"
        assert self.code == (0 if self.note["freeze"] == "eligible_short" else 1)
        return str(self.note["freeze"])


def telling(outcomes: Sequence[str], replays: list[tuple[Witness, int]]) -> MakeReplay:
    """Replays that show these outcomes and remember that they were asked."""

    def make(_repository: Repository, _patch: Patch, _timeout: float) -> Replay:
        def replay(witness: Witness, runs: int) -> Replayed:
            replays.append((witness, runs))
            return Replayed(tuple(outcomes), "none: told")

        return replay

    return make


def run_gate(
    world: World, *arguments: str, witness: Path | None = None, outcomes: Sequence[str] = FLIPPED, base: str = "main"
) -> Answered:
    """The gate on what HEAD adds to a branch."""
    replays: list[tuple[Witness, int]] = []
    named = () if witness is None else ("--witness", str(witness))
    return _run(
        world,
        gate,
        ["--base", base, *named, *arguments],
        lambda parsed: gate.run_with(parsed, telling(outcomes, replays)),
        replays,
    )


def run_oracle(world: World, *arguments: str) -> Answered:
    """The oracle on what HEAD adds to main."""
    return _run(world, oracle, ["--base", "main", *arguments], oracle.run, [])


def _run(
    world: World,
    command: ModuleType,
    arguments: list[str],
    run: Callable[[argparse.Namespace], int],
    replays: list[tuple[Witness, int]],
) -> Answered:
    parser = argparse.ArgumentParser(prog=command.__name__.rpartition(".")[2])
    command.add_arguments(parser)
    parsed = parser.parse_args(arguments)
    out, err = io.StringIO(), io.StringIO()
    with contextlib.chdir(world.root), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = run(parsed)
        except CannotTell as error:  # as cli/main.py does
            err.write(undecided(parser.prog, error))
            code = 2
    return Answered(code, out.getvalue(), err.getvalue(), replays)


def a_witness(world: World, **changed: object) -> Witness:
    """A good witness of the refund's property for the tree as it lies here, with some fields changed."""
    with world.ledger() as ledger:
        generators = ledger.generator_hashes(PROPERTY)
    test = str(changed.get("test", REFUND))
    example = changed.pop("example", None) or example_of({"x": 7}, test)
    assert isinstance(example, dict)
    fields = {"example_sha256": example_digest(example), "generator_hashes": generators}
    witness = Witness(PROPERTY, REFUND, 32, example, shrink="complete", **fields)  # type: ignore[arg-type]
    return witness._replace(**changed)  # type: ignore[arg-type]  # tests change any field to anything


def saved(world: World, witness: Witness, name: str | None = None) -> Path:
    """The witness as a file outside of the repository, by default under the name of its digest."""
    file = witness_file(witness)
    folder = world.root.with_name(f"{world.root.name}-witnesses")
    folder.mkdir(exist_ok=True)
    path = folder / (name or f"{file.digest}.json")
    path.write_bytes(file.data)
    return path


def on_a_branch(world: World, edit: Callable[[World], object]) -> World:
    """The world on a branch called work that has this edit in one commit."""
    world.git("switch", "-q", "-c", "work")
    edit(world)
    world.record("patch")
    return world


def edit_product(world: World) -> None:
    """What an honest patch does."""
    world.append(PRODUCT, "\n\ndef refund():\n    return 0\n")
