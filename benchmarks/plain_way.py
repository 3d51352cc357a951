"""The plain way to check ledgers, to hold the product against: load, hash and loop, with nothing clever.

Loads every ledger with `yaml.safe_load`, hashes every fixture from disk, and looks for each test, property, fixture
and replay in plain loops over dictionaries. It judges less than `flakeledger check-ledgers` does.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from datetime import date, datetime
from pathlib import Path
from typing import Any

import yaml


def load(root: Path, name: str) -> list[dict[str, Any]]:
    """The rows of one ledger."""
    rows: list[dict[str, Any]] = yaml.safe_load((root / "ledgers" / name).read_text(encoding="utf-8")) or []
    return rows


def problems(root: Path, now: datetime) -> list[str]:
    """Everything that is wrong."""
    policy = yaml.safe_load((root / "ledgers/policy.yaml").read_text(encoding="utf-8"))
    runners = {runner["name"] for runner in policy["runners"]}
    fixtures = {row["id"]: row for row in load(root, "fixtures.yaml")}
    properties = {row["id"]: row for row in load(root, "properties.yaml")}
    freezes = load(root, "freezes.yaml")
    lines = (root / "ledgers/replays.jsonl").read_text(encoding="utf-8").splitlines()
    replays = {replay["test"]: replay for replay in map(json.loads, lines)}
    found = []
    digests = {}
    for name, row in fixtures.items():
        digests[name] = hashlib.sha256((root / row["path"]).read_bytes()).hexdigest()
        if digests[name] != row["sha256"]:
            found.append(f"{name} drifted")
    modules: dict[str, str] = {}
    for row in freezes:
        path, _, name = row["test"].partition("::")
        if path not in modules:
            modules[path] = (root / path).read_text(encoding="utf-8")
        if not re.search(rf"def {name}\b", modules[path]):
            found.append(f"{row['test']} is gone")
        if row["property_id"] not in properties or row["test"] not in properties[row["property_id"]]["tests"]:
            found.append(f"{row['test']} is not bound")
        expires = row["expires"] if isinstance(row["expires"], date) else date.fromisoformat(row["expires"])
        if now.date() > expires:
            found.append(f"{row['test']} expired")
        if row["runner_class"] not in runners:
            found.append(f"{row['test']} has no runner")
        found += [f"{name} changed" for name, pin in row["fixture_hashes"].items() if digests.get(name) != pin]
        replay = replays.get(row["test"])
        if replay is None or (now - datetime.fromisoformat(replay["run_at"])).days > 14:
            found.append(f"{row['test']} has no fresh replay")
    return found


def main() -> int:
    """Judge the repository in this folder at the instant that is given."""
    found = problems(Path.cwd(), datetime.fromisoformat(sys.argv[1]))
    print(*found, f"{len(found)} problems", sep="\n")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
