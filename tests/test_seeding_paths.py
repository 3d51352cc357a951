"""What belongs to the working tree, and so is not seen by a test, and what does not."""

from __future__ import annotations

import sys

import pytest

from flakeledger.evidence.seeding_paths import is_foreign, lead_to_worktree


def session(root: str) -> dict[str, str]:
    return {"root": root, "worktree": f"{root}/tmp/own/tree/app", "scratch": f"{root}/tmp/own/scratch"}


@pytest.mark.parametrize(
    ("path", "prefix", "foreign"),
    [
        ("/usr/src/app", "/usr", True),
        ("/usr/src/app/src", "/usr", True),
        ("/usr/src/app/src/package.egg", "/usr", True),
        ("/usr/src/application", "/usr", False),
        ("/usr/lib/python3", "/usr", False),
        ("/usr/src/app/.venv/lib/python3.11", "/usr/src/app/.venv", False),
        ("/usr/src/app/.venv/lib/python3.11", "/usr", True),
        ("/usr/src/app/.tox/py/lib/python3.11/site-packages/x", "/usr", False),
        ("/usr/src/app/lib/python3.11/dist-packages", "/usr/src/app", False),
        ("/usr/src/app/src", "/usr/src/app", True),
        ("/usr/src/app/tmp/own/tree/app/src", "/usr", False),
        ("/usr/src/app/tmp/own/scratch/tmp", "/usr", False),
        ("/usr/src/app/tmp/other", "/usr", True),
    ],
)
def test_what_is_foreign(monkeypatch: pytest.MonkeyPatch, path: str, prefix: str, foreign: bool) -> None:
    for name in ("prefix", "exec_prefix"):
        monkeypatch.setattr(sys, name, prefix)
    monkeypatch.setattr("os.path.realpath", lambda path: path)
    assert is_foreign(path, session("/usr/src/app")) == foreign


def test_only_what_leads_to_the_working_tree_is_led_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", ["", "/app/src", "/elsewhere", "/app", "/app/venv/site-packages"])
    monkeypatch.setenv("PYTHONPATH", "/before")
    lead_to_worktree({"root": "/app", "worktree": "/tree", "scratch": "/own"})
    assert sys.path == ["", "/tree/src", "/elsewhere", "/tree", "/app/venv/site-packages"]
    import os

    assert os.environ["PYTHONPATH"] == os.pathsep.join(["/before", "/tree/src", "/tree"])
