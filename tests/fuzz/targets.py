"""The readers of what strangers write, as functions of bytes: what each must hold for every input.

Invariants:
* A target ends in silence, whatever the bytes: what the product itself refuses (`CannotTell`, `NotCanonical`, a
  refused pattern, a finding) is an answer. Any other exception is something that was found.
* What is demanded is true by the documents of the product: round trips, answers that layout does not move, a second
  reader that agrees. A target never repeats the product's own way.
* A target that takes several texts finds them in one input (`inputs.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from fuzz.code_targets import citations, compared_skips, python_module, skips
from fuzz.file_targets import arguments, canonical_form, lists, logs, notes, owners, patterns, reports, witness
from fuzz.ledger_targets import documents, edits, layouts, merges, policy, replays, rows


class Target(NamedTuple):
    """One reader. `run` raises for what must not be; `corpus` names files of the tests whose texts are a beginning.

    `smoke` is how often a smoke run executes it, the beginnings included: what takes some three seconds on a busy core.
    """

    name: str
    smoke: int
    run: Callable[[bytes], None]
    corpus: tuple[str, ...]


TARGETS = (
    Target("rows", 4_000, rows, ("styled", "trees", "test_reader.py", "test_plain_yaml.py", "test_mistakes.py")),
    Target(
        "policy", 8_000, policy, ("trees", "test_policy_checks.py", "test_policy_reading.py", "test_policy_text.py")
    ),
    Target("documents", 7_000, documents, ("test_guard.py", "test_hook_config.py")),
    Target("replays", 6_000, replays, ("trees", "test_replay_log.py", "test_replays.py")),
    Target("canonical", 50_000, canonical_form, ("test_canonical.py", "data/canonical_vectors.json", "test_digest.py")),
    Target("witness", 40_000, witness, ("made", "test_witness.py", "test_witness_command.py")),
    Target("arguments", 60_000, arguments, ("made", "test_faithful.py", "test_readable.py")),
    Target("notes", 15_000, notes, ("made", "test_note.py", "test_review_file.py", "test_citation_record.py")),
    Target(
        "python",
        2_500,
        python_module,
        ("test_python_skips.py", "test_modules.py", "test_citations.py", "test_oracles.py"),
    ),
    Target("citations", 8_000, citations, ("test_citations.py", "test_code_text.py")),
    Target("skips", 3_000, skips, ("test_foreign_skips.py", "test_code_text.py")),
    Target(
        "compared-skips",
        3_000,
        compared_skips,
        ("test_skip_texts.py", "test_skip_matching.py", "test_brought_skips.py"),
    ),
    Target("patterns", 5_000, patterns, ("test_patterns.py",)),
    Target("owners", 5_000, owners, ("test_owners.py",)),
    Target("lists", 4_000, lists, ("test_import.py",)),
    Target("reports", 7_000, reports, ("data/reports", "test_junit.py", "test_junit_failures.py")),
    Target("logs", 20_000, logs, ("test_excerpt.py",)),
    Target("merges", 1_500, merges, ("styled", "test_merge_driver.py", "test_merge.py")),
    Target("layouts", 3_000, layouts, ("styled", "test_formatter.py", "test_format.py")),
    Target("edits", 1_500, edits, ("styled", "test_editor.py", "test_splice.py")),
)
BY_NAME = {target.name: target for target in TARGETS}
