"""What `init --merge-driver` adds: lines in `.gitattributes`, and the driver in this clone's git configuration.

Invariants:
* Lines are only added, below what stands: of two lines for one path git takes the last.
* The configuration is the clone's own; no other clone is changed, and that is said.
"""

from __future__ import annotations

from shutil import which

from flakeledger.cli.adoption import ATTRIBUTES, Plan, PlannedFile
from flakeledger.model.ledger_paths import LEDGERS, REPLAYS
from flakeledger.store.git import Git
from flakeledger.store.placing import read_regular

NAME = "flakeledger"
SETTINGS = {
    f"merge.{NAME}.name": "flakeledger: rows by key, replays by line",
    f"merge.{NAME}.driver": "flakeledger merge-driver %O %A %B %P",
}
_LINES = (f"{LEDGERS}*.yaml merge={NAME}", f"{REPLAYS} merge={NAME}")


def plan_merge_driver(git: Git, plan: Plan) -> dict[str, str]:
    """Add the lines to the plan; gives the settings that this clone lacks."""
    planned = next((one for one in plan.files if one.path == ATTRIBUTES), None)
    before = read_regular(git.root, ATTRIBUTES) if planned is None else planned.before
    text = (before or b"") if planned is None else planned.after
    after = _with_lines(text)
    if after != text:
        plan.files = [one for one in plan.files if one.path != ATTRIBUTES]
        plan.files.append(PlannedFile(ATTRIBUTES, before, after))
        plan.kept = [path for path in plan.kept if path != ATTRIBUTES]
    plan.advice.append("every clone registers the merge driver for itself: flakeledger init --merge-driver")
    if which("flakeledger") is None:
        plan.advice.append("flakeledger is not on PATH, and git will look for it there when it merges a ledger")
    return {name: value for name, value in SETTINGS.items() if git.config(name) != value}


def _with_lines(text: bytes) -> bytes:
    standing = [line.strip() for line in text.decode(errors="surrogateescape").splitlines()]
    end = b"\r\n" if b"\r\n" in text else b"\n"
    missing = b"".join(line.encode() + end for line in _LINES if line not in standing)
    return text + (end if missing and text and not text.endswith(b"\n") else b"") + missing
