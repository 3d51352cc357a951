"""What was measured, part by part, kept as JSON and written as one page.

Invariants:
* A part's file holds its rows, when, in which time and under which load they were measured, and on which machine.
* The page is a function of the parts' files: whatever is measured again replaces only its own part of the page.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

from bars import HEADS, Row, Rows, cells, table

LIBRARIES = ("flakeledger", "PyYAML", "pygit2", "ruamel.yaml", "pytest", "hypothesis", "numpy")
INTRODUCTION = """\
# Results

Every bar, measured by one command; do not edit this page, it is what the command writes:

```sh
python benchmarks/all.py --folder FOLDER
```

F is `python -c "import pygit2, yaml"` as a process, run alternately with what is measured beside it. Numbers are
medians. [README.md](README.md) says how all of it is measured, what the rows mean, and why a bar is missed.
"""


class Part(NamedTuple):
    """One benchmark: its name on the command line, the heading of its table, what is said below it, and its rows."""

    name: str
    title: str
    note: str
    rows: Rows


class Measured(NamedTuple):
    """What a part gave, with the UTC time of its start, its seconds and the load of the machine before and after."""

    rows: list[Row]
    when: str
    seconds: float
    loads: list[float]
    machine: dict[str, str]


def machine() -> dict[str, str]:
    """What this machine is, and the versions of what is measured."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    git = subprocess.run(["git", "--version"], capture_output=True, text=True, check=True).stdout.split()[2]
    libraries = ", ".join(f"{name} {version(name)}" for name in LIBRARIES)
    return {
        "processor": f"{os.cpu_count()} cores, {_processor()}",
        "memory": f"{memory:.0f} GiB",
        "system": platform.platform(),
        "versions": f"{platform.python_implementation()} {platform.python_version()}, git {git}, {libraries}",
    }


def _processor() -> str:
    """The model of the processor, as far as the system tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:  # not Linux
        lines = []
    models = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(models, platform.processor() or platform.machine())


def write(folder: Path, name: str, measured: Measured) -> None:
    """Keeps what a part gave."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.json").write_text(json.dumps(measured._asdict(), indent=1) + "\n", encoding="utf-8")


def read(folder: Path, parts: Iterable[Part]) -> dict[str, Measured]:
    """What the parts gave that were measured, by their names."""
    found = {}
    for part in parts:
        path = folder / f"{part.name}.json"
        if path.exists():
            kept = Measured(**json.loads(path.read_text(encoding="utf-8")))
            found[part.name] = kept._replace(rows=[Row(*row) for row in kept.rows])
    return found


def page(parts: Iterable[Part], measured: Mapping[str, Measured]) -> str:
    """The page."""
    known = [part for part in parts if part.name in measured]
    sections = (f"## {part.title}\n\n{_with_note(part, measured[part.name])}" for part in known)
    return "\n".join([INTRODUCTION, _summary(measured.values()), *_where(measured), *sections])


def _with_note(part: Part, measured: Measured) -> str:
    lines = table(HEADS, map(cells, measured.rows))
    return f"{lines}\n{part.note}" if part.note else lines


def _summary(measured: Iterable[Measured]) -> str:
    barred = [row for one in measured for row in one.rows if row.holds is not None]
    missed = [f"* missed: {row.work}: {row.measured}, {row.bar}\n" for row in barred if not row.holds]
    return f"{len(barred) - len(missed)} of {len(barred)} rows with a bar hold it.\n{''.join(missed)}"


def _where(measured: Mapping[str, Measured]) -> Iterator[str]:
    yield "## Machine and versions\n"
    by_machine: dict[str, list[str]] = {}
    for name, one in measured.items():
        by_machine.setdefault(json.dumps(one.machine), []).append(name)
    for text, names in by_machine.items():
        lines = {**json.loads(text), **({"parts": ", ".join(names)} if len(by_machine) > 1 else {})}
        yield table(("what", "which"), lines.items())
    runs = (
        (
            f"`--only {name}`",
            one.when,
            f"{one.seconds:.0f} s",
            " to ".join(f"{load:.1f}" for load in one.loads),
        )
        for name, one in measured.items()
    )
    yield table(("part", "measured at (UTC)", "took", "load of the machine"), runs)
