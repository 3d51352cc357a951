"""`flakeledger decide`: may this citation stay? Of one record, or of every citation of the repository.

Invariants:
* Alone (`--ledger` and `--contract`), standard output holds exactly one decision, or nothing where none can be made.
* Alone, the answer is a function of the arguments and the bytes of the files that they name: no clock, no environment,
  no network, no repository and no git is asked.
* 0 only for `allow_cite`. A rejection says on standard error what takes the reference out; nothing is edited.
"""

from __future__ import annotations

import argparse
import sys

from flakeledger.cli.named_file import LARGEST_MODULE, LARGEST_RECORD, of_contract, read_named
from flakeledger.model.canonical import contract_digest
from flakeledger.model.citation_record import CitationRecord, read_record
from flakeledger.model.clock import window_end
from flakeledger.model.errors import CannotTell
from flakeledger.precommit.arguments import instant
from flakeledger.verdicts.decision import REMEDIES, Claim, Decision, decide

EXAMPLES = """\
  flakeledger decide --now 2026-10-11T00:00:00Z   # of the staged tree
  flakeledger decide --now 2026-10-11T00:00:00Z --rev HEAD~3 --format json
  flakeledger decide --ledger record.json --contract order.json \\
      --now 2026-10-11T00:00:00Z
  flakeledger decide --ledger record.json --contract order.json \\
      --test tests/test_orders.py --now 2026-10-11T00:00:00Z"""

_CONTRACT_FIX = (
    "a contract is one JSON object with `schema`, without floats and without what names a run: mend it there"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of both forms."""
    parser.add_argument(
        "--now", type=instant, required=True, metavar="INSTANT", help="decide for this time: 2026-10-11T00:00:00Z"
    )
    whole = parser.add_argument_group("every citation of the repository")
    whole.add_argument("--rev", metavar="REV", help="of this revision (default: of the staged tree)")
    whole.add_argument("--format", choices=["json", "text"], help="how to print (default: text)")
    alone = parser.add_argument_group("one record, outside of any repository")
    alone.add_argument(
        "--ledger", metavar="FILE", help="the record: a JSON object of texts, each of which may be absent"
    )
    alone.add_argument("--contract", metavar="FILE", help="the contract whose digest `fixture_hash` must be")
    alone.add_argument("--test", metavar="FILE", help="the module that must name the property")


def run(arguments: argparse.Namespace) -> int:
    """Decide: 0 when every citation may stay, 1 when one must go; CannotTell for bad usage and bad input."""
    if arguments.ledger is None and arguments.contract is None and arguments.test is None:
        return _run_in_repository(arguments)
    if arguments.ledger is None or arguments.contract is None:
        raise CannotTell(
            "a record is decided with its contract", "flakeledger decide --ledger FILE --contract FILE --now INSTANT"
        )
    if arguments.rev is not None or arguments.format is not None:
        raise CannotTell(
            "--rev and --format are for the citations of a repository",
            "flakeledger decide --ledger FILE --contract FILE --now INSTANT   # without them",
        )
    decision = _decide_alone(arguments.ledger, arguments.contract, arguments.test, arguments.now)
    print(decision, flush=True)
    if decision == "allow_cite":
        return 0
    print(f"    fix: {REMEDIES[decision]}", file=sys.stderr)
    return 1


def _run_in_repository(arguments: argparse.Namespace) -> int:
    from flakeledger.cli.decide_tree import run as run_in_repository  # alone, nothing of a repository is imported

    arguments.format = arguments.format or "text"
    return run_in_repository(arguments)


def _decide_alone(ledger: str, contract: str, module: str | None, now: int) -> Decision:
    record = read_record(read_named(ledger, LARGEST_RECORD), ledger)
    digest = of_contract(contract, contract_digest, _CONTRACT_FIX)
    named = None if module is None else _named_in(module)
    return decide(_claim(record, digest, named), now)


def _claim(record: CitationRecord, digest: str, named: frozenset[str] | None) -> Claim:
    """The claim of a record; `named` are the properties that the test module names, None where none was given."""
    return Claim(
        property_id=record.property_id,
        cited_property_id=record.cited_property_id,
        is_named=named is None or record.property_id in named,
        fixtures_match=record.fixture_hash == digest,
        end=None if record.expires_at is None else window_end(record.expires_at),
        runner_class=record.runner_class,
        cited_runner_class=record.cited_runner_class,
        failure_class=record.failure_class,
    )


def _named_in(path: str) -> frozenset[str]:
    """The properties that a test module names, found as in a tree. CannotTell when it cannot be read or parsed."""
    from flakeledger.repo.ids import is_python
    from flakeledger.repo.modules import module_facts, named_properties

    data = read_named(path, LARGEST_MODULE)
    if not is_python(path):
        return frozenset(named_properties(data.decode(errors="replace")))
    facts = module_facts(data)
    if facts.problem is not None:
        raise CannotTell(
            f"{path} cannot be parsed: {facts.problem}", "--test FILE   # with a module that this Python can parse"
        )
    return facts.property_ids
