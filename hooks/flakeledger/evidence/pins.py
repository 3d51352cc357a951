"""What the tree says to freezes whose tests fail, asked of a process of its own while the tests run.

`elsewhere` and `disk_ledger` are how: `property_facts.py` asks its own question in the same way.

Invariants:
* The process has the environment that pytest started with, and none of what a test under way has replaced: a faked
  file system, clock, environment or current folder changes no answer.
* What starts it was looked up before the first test ran; nothing of the checked tree is imported by it.
* The tree is what is on disk, as git would store it; a ledger that is not wholly readable gives no answer.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from json import dumps, loads
from subprocess import PIPE, Popen
from typing import TYPE_CHECKING, Any

from flakeledger.evidence.excuses import TreeFacts
from flakeledger.model.errors import CannotTell
from flakeledger.model.records import Freeze
from flakeledger.rules.freeze_witnesses import WitnessFacts

if TYPE_CHECKING:
    from flakeledger.model.policy import Policy
    from flakeledger.repo.ledger import Ledger

_FIX = "flakeledger check   # run it here, and repair what it reports"


def ask(
    root: str, environment: Mapping[str, str], freezes: Sequence[Freeze], python: str = sys.executable
) -> list[TreeFacts]:
    """What the tree on disk says to each of the freezes.

    CannotTell without git, and when a ledger cannot be read. `python` is the interpreter that looks.
    """
    found = elsewhere(__name__, root, environment, [freeze[1:] for freeze in freezes], python)
    return [
        TreeFacts(tuple(void), flipped, None if witness is None else WitnessFacts._make(witness))
        for void, flipped, witness in found
    ]


def elsewhere(
    module: str, root: str, environment: Mapping[str, str], question: object, python: str = sys.executable
) -> Any:
    """What the `main` of a module of ours, in a process of its own, answers to a question, which is JSON.

    CannotTell where no process can be started, where it breaks, and when it says so itself.
    """
    asked = dumps({"root": root, "question": question})
    # -P: modules of the checked tree must not stand in for ours
    command = [python, "-P", "-c", f"from {module} import main; main()"]
    try:
        process = Popen(command, cwd=root, env=dict(environment), stdin=PIPE, stdout=PIPE, stderr=PIPE)
    except OSError as error:
        raise CannotTell(f"no process can be started: {error}", _FIX) from error
    out, errors = process.communicate(asked.encode())
    if process.returncode:
        last = errors.decode(errors="replace").strip().rpartition("\n")[2]
        raise CannotTell(f"the process that reads the ledgers ended with {process.returncode}: {last}", _FIX)
    answer = loads(out.rpartition(b"\n")[2])  # a sitecustomize may have printed something before
    if "cannot_tell" in answer:
        raise CannotTell(*answer["cannot_tell"])
    return answer["facts"]


def answer_with(facts: Callable[[str, Any], object]) -> None:
    """Answer the question on standard input, on standard output. `facts` is given the root and the question."""
    asked = loads(sys.stdin.buffer.read())
    try:
        answer: dict[str, object] = {"facts": facts(asked["root"], asked["question"])}
    except CannotTell as error:
        answer = {"cannot_tell": [error.reason, error.fix, error.place]}
    sys.stdout.write(dumps(answer))


def main() -> None:
    """Answer what `ask` asks."""
    answer_with(_facts)


@contextmanager
def disk_ledger(root: str) -> Iterator[tuple[Ledger, Policy]]:
    """The ledger of the files on disk, and its policy. CannotTell when one of them cannot be read as a whole."""
    from flakeledger.repo.repository import open_repository
    from flakeledger.repo.situation import INDEX

    with open_repository(root, os.environ, from_disk=True) as repository:
        if os.path.realpath(repository.git.root) != os.path.realpath(root):
            fix = f"run pytest with --rootdir={repository.git.root}, where its ledgers belong"
            raise CannotTell(f"{root} is not the root of its repository", fix)
        ledger = repository.ledger(repository.tree(INDEX))
        wrong = next((finding for finding in ledger.findings if finding.level == "error"), None)
        if wrong is not None:
            place = f"{wrong.path}:{wrong.line}:{wrong.column}"
            raise CannotTell(f"{wrong.rule}: {wrong.message}", wrong.fix, place)
        if ledger.policy is None:
            raise CannotTell("there is no policy", "git checkout HEAD -- ledgers/policy.yaml")
        yield ledger, ledger.policy


def _facts(root: str, rows: Sequence[Sequence[object]]) -> list[TreeFacts]:
    from flakeledger.evidence.excuses import tree_facts
    from flakeledger.model.rows import Places

    nowhere = Places(1, 1, {})
    with disk_ledger(root) as (ledger, policy):
        return [tree_facts(ledger, Freeze._make((nowhere, *row)), policy) for row in rows]
