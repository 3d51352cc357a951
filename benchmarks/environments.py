"""Virtual environments for what the benchmarks need and flakeledger does not, each with one package from the registry.

Invariants:
* An environment that was not finished is made anew; a finished one is kept, with the version that it has.
"""

from __future__ import annotations

import subprocess
import venv
from pathlib import Path
from typing import NamedTuple

from repositories import environment


class Program(NamedTuple):
    """The folder of an environment's scripts, and the version of its package."""

    scripts: Path
    version: str


def installed(folder: Path, name: str) -> Program:
    """The environment of a package in the folder; made if it is not there. CalledProcessError without a registry."""
    root = folder / name
    if not _version(root, name):
        venv.create(root, with_pip=True, clear=True)
        pip = [str(root / "bin/python"), "-m", "pip", "install", "-q", "--disable-pip-version-check", name]
        subprocess.run(pip, env=environment(), check=True, stdout=subprocess.DEVNULL)
    return Program(root / "bin", _version(root, name))


def _version(root: Path, name: str) -> str:
    """The version that is installed; the empty text if none is."""
    python = root / "bin/python"
    if not python.exists():
        return ""
    asked = [str(python), "-c", f"from importlib.metadata import version; print(version({name!r}))"]
    return subprocess.run(asked, env=environment(), check=False, capture_output=True, text=True).stdout.strip()
