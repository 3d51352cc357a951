"""The least that a cold check can do: read the events of every ledger, read every fixture's blob and hash it.

Prints nothing; `python floor.py events` does the first part, `python floor.py bytes` the second, no argument both.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from pathlib import Path

import yaml

LEDGERS = ("policy", "freezes", "fixtures", "properties")


def read_events(root: Path) -> None:
    """Let libyaml parse every ledger, and json every line of the log; nothing is done with what comes."""
    for name in LEDGERS:
        for _ in yaml.parse((root / f"ledgers/{name}.yaml").read_bytes(), Loader=yaml.CSafeLoader):
            pass
    for line in (root / "ledgers/replays.jsonl").read_text(encoding="utf-8").splitlines():
        json.loads(line)


def hash_bytes(root: Path) -> None:
    """Hash the blob of every fixture: what git stores is what is locked."""
    listed = subprocess.run(
        ["git", "ls-files", "-s", "tests/fixtures"], cwd=root, capture_output=True, text=True, check=True
    )
    oids = [line.split()[1] for line in listed.stdout.splitlines()]
    with subprocess.Popen(
        ["git", "cat-file", "--batch"], cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for oid in oids:
            process.stdin.write(f"{oid}\n".encode())
            process.stdin.flush()
            size = int(process.stdout.readline().split()[2])
            hashlib.sha256(process.stdout.read(size)).hexdigest()
            process.stdout.read(1)
        process.stdin.close()


def main() -> None:
    """Do the parts that are asked for, in this folder."""
    parts = sys.argv[1:] or ["events", "bytes"]
    if "events" in parts:
        read_events(Path.cwd())
    if "bytes" in parts:
        hash_bytes(Path.cwd())


if __name__ == "__main__":
    main()
