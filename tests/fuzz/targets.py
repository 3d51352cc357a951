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
    """One reader. `run` raises for what must not be; `corpus` names files of the tests whose texts are a beginning."""

    name: str
    run: Callable[[bytes], None]
    corpus: tuple[str, ...]


TARGETS = (
    Target("rows", rows, ("styled", "trees", "test_reader.py", "test_plain_yaml.py", "test_mistakes.py")),
    Target("policy", policy, ("trees", "test_policy.py", "test_policy_text.py")),
    Target("documents", documents, ("test_guard.py", "test_hook_config.py")),
    Target("replays", replays, ("trees", "test_replay_log.py", "test_replays.py")),
    Target("canonical", canonical_form, ("test_canonical.py", "data/canonical_vectors.json", "test_digest.py")),
    Target("witness", witness, ("made", "test_witness.py", "test_witness_command.py")),
    Target("arguments", arguments, ("made", "test_faithful.py", "test_readable.py")),
    Target("notes", notes, ("made", "test_note.py", "test_review_file.py", "test_citation_record.py")),
    Target(
        "python", python_module, ("test_python_skips.py", "test_modules.py", "test_citations.py", "test_oracles.py")
    ),
    Target("citations", citations, ("test_citations.py", "test_code_text.py")),
    Target("skips", skips, ("test_foreign_skips.py", "test_code_text.py")),
    Target("compared-skips", compared_skips, ("test_skip_texts.py", "test_skip_matching.py", "test_brought_skips.py")),
    Target("patterns", patterns, ("test_patterns.py",)),
    Target("owners", owners, ("test_owners.py",)),
    Target("lists", lists, ("test_import.py",)),
    Target("reports", reports, ("data/reports", "test_junit.py", "test_junit_failures.py")),
    Target("logs", logs, ("test_excerpt.py",)),
    Target("merges", merges, ("styled", "test_merge_driver.py", "test_merge.py")),
    Target("layouts", layouts, ("styled", "test_formatter.py", "test_format.py")),
    Target("edits", edits, ("styled", "test_editor.py", "test_splice.py")),
)
BY_NAME = {target.name: target for target in TARGETS}
