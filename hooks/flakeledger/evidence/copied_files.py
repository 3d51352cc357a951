"""What is copied into the tests' interpreter: the package that runs there, and what it is to run.

Invariants:
* The files import the standard library, pytest and one another: flakeledger need not be installed there.
* A file that is right already is left alone, so that its bytecode stays good.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping

from flakeledger.model.errors import CannotTell

PACKAGE = "flakeledger_seeding"
FILES = (
    *(f"seeding_{name}.py" for name in ("plugin", "examples", "failures", "options", "paths", "seen", "witness")),
    *("faithful.py", "faithful_kinds.py", "faithful_leaves.py", "faithful_named.py"),
)


def install(package: str, settings: Mapping[str, object]) -> None:
    """Put our files and what is to be run where the tests' interpreter finds them. CannotTell when that cannot be."""
    from importlib.resources import files

    try:
        os.makedirs(package, exist_ok=True)
        own = {name: files("flakeledger.evidence").joinpath(name).read_bytes() for name in FILES}
        for name, data in (own | {"__init__.py": b"", "session.json": json.dumps(settings).encode()}).items():
            with open(f"{package}/{name}", "a+b") as file:
                file.seek(0)
                if file.read() != data:  # else the bytecode beside it is still good
                    file.truncate(0)
                    file.write(data)
    except OSError as error:
        raise CannotTell(
            f"{package} cannot be written: {error.strerror}", "point TMPDIR at a writable folder"
        ) from error
