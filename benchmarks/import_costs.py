"""What it costs to import each library that flakeledger needs, which docs/dependencies.md rests on.

Invariants:
* An import is a process that does nothing else; what starting Python alone takes in the same loop is taken away.
* Processor time is counted: it depends less than the clock on what else the machine does.
* What a library is imported with in the product is imported with it here.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from bars import Row, main
from timing import PYTHON, QUICK_RUNS, medians, process

RUNS = 25
#: what `evidence/secrets.py` imports
DETECTORS = (
    *("plugins.high_entropy_strings", "plugins.keyword", "plugins.aws", "plugins.basic_auth", "plugins.cloudant"),
    *("plugins.discord", "plugins.github_token", "plugins.ibm_cloud_iam", "plugins.ibm_cos_hmac", "plugins.jwt"),
    *("plugins.mailchimp", "plugins.npm", "plugins.private_key", "plugins.sendgrid", "plugins.slack"),
    *("plugins.softlayer", "plugins.square_oauth", "plugins.stripe", "plugins.twilio", "filters.heuristic"),
)
#: a package, and what the product imports of it
IMPORTS = {
    "PyYAML": "yaml",
    "pygit2": "pygit2",
    "PyYAML and pygit2 (F)": "pygit2, yaml",
    "wcwidth": "wcwidth",
    "tqdm": "tqdm",
    "plotille": "plotille",
    "junitparser, with defusedxml": "junitparser.xunit2, defusedxml.ElementTree",
    "shtab": "shtab",
    "bc-detect-secrets": ", ".join(f"detect_secrets.{name}" for name in DETECTORS),
    "ruamel.yaml": "ruamel.yaml",
    "Jinja2": "jinja2",
    "drawsvg": "drawsvg",
    "dask, distributed": "distributed",
}


def rows(folder: Path, quick: bool) -> Iterator[Row]:
    """A row for the start of Python, and one for each library."""
    works = {name: process(folder, PYTHON, "-I", "-c", f"import {what}") for name, what in IMPORTS.items()}
    alone, *others = medians(QUICK_RUNS if quick else RUNS, process(folder, PYTHON, "-I", "-c", ""), *works.values())
    yield Row("the start of Python", "none", f"{1000 * alone.processor:.0f} ms", None)
    for name, took in zip(works, others, strict=True):
        more = took.processor - alone.processor
        yield Row(
            f"import of {name}", "none", f"{1000 * more:.0f} ms, {more / alone.processor:.1f} starts of Python", None
        )


if __name__ == "__main__":
    sys.exit(main(__doc__, rows))
