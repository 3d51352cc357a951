"""Every `sh` block of the pages is run, in a repository like the one that its page speaks of.

Invariants:
* A block that is new fails here until it is said what it starts from, or why no machine of ours can run it.
* The repository is the shop of the first steps, made by the commands of that page.
* Every command of a block must succeed; one whose comment names another exit code must end with that one.
* The output of the import is compared. Days in it may be any days: the command reads the clock.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from pages import PAGES, ROOT, Block, blocks, run_session, shows, steps

FIRST_STEPS = ROOT / "docs" / "getting-started.md"
REFUND = "tests/test_orders.py::test_partial_refund"


def instant_of(days: int) -> str:
    """The instant so many days from now: these blocks read the clock."""
    return f"{datetime.now(UTC) + timedelta(days=days):%Y-%m-%dT%H:%M:%SZ}"


FROZEN = f"""\
flakeledger freeze {REFUND} --owner @finley --reason 'times out when busy' --now {instant_of(-2)}
git add -A
git commit -qm 'Freeze the refund test'
"""
SEEDS = ",".join(map(str, range(1, 21)))
REPLAYED = f"""\
echo '{{"test":"{REFUND}","run_at":"{instant_of(0)}","env":"local","seeds":[{SEEDS}],'\\
'"passed":18,"total":20,"failures":{{"TimeoutError":2}}}}' >> ledgers/replays.jsonl
"""
NARROWER = "sed -i.old 's/100_000/100/' tests/strategies.py && rm tests/strategies.py.old\n"
ORIGIN = "git clone -q --bare . ../origin.git\ngit remote add origin ../origin.git\ngit fetch -q origin\n"
FREEZE = f"flakeledger freeze {REFUND} --owner @finley --reason 'times out when busy'\n"
IMPORT = (
    'recipes.md: flakeledger import quarantine.txt --owner "@finley" --days 3 --dry-run   '
    "# exit code 1: there is work to do"
)

#: the first line of a block -> what makes the repository that it starts from, out of the shop with its property
STARTS = {
    "README.md: flakeledger init": 'git reset -q --hard "$(git rev-list --max-parents=0 HEAD)"',
    "README.md: flakeledger lock --add tests/data/orders.json": "printf '' > ledgers/fixtures.yaml",
    f'README.md: flakeledger freeze {REFUND} --owner "@finley" --reason "times out when busy"': "",
    "commands.md: mkdir -p .schemas": "",
    "evidence.md: flakeledger replay --due --shard 2/4 --out shard-2.jsonl": FROZEN,
    "gate.md: flakeledger oracle --base origin/main --head feature": (
        f"{ORIGIN}git switch -qc feature\n"
        "sed -i.old 's/<= paid/< paid + 1/' tests/test_orders.py\ngit commit -qam feature"
    ),
    "getting-started.md: pre-commit install": "",
    "recipes.md: prek install": "",
    "recipes.md: git restore --staged -- ledgers/freezes.yaml": f"{FREEZE}{NARROWER}git add -A",
    "recipes.md: git switch -c freeze-the-refund-test origin/main": (
        f"{ORIGIN}git switch -qc my-branch\n{FREEZE}{NARROWER}git add -A\ngit commit -qm both"
    ),
    IMPORT: (
        f"{FROZEN}printf '%s\\n' '# flaky since May' tests/test_orders.py::test_total tests/test_orders.py::test_gone"
        " > quarantine.txt\n"
    ),
    "recipes.md: flakeledger lock               # exit code 1: who owns the freeze, and until when": (
        f'{FROZEN}sed -i.old \'s/1250/1250, "currency": "EUR"/\' tests/data/orders.json\nrm tests/data/orders.json.old'
    ),
    f'recipes.md: flakeledger freeze {REFUND} --owner "@finley" --reason "times out when the machine is busy"': (
        f"{FROZEN}{NARROWER}flakeledger thaw {REFUND}\ngit add -A\ngit commit -qm narrower\n{REPLAYED}"
    ),
    f"recipes.md: flakeledger freeze {REFUND} --renew": f"{FROZEN}{REPLAYED}",
    "recipes.md: flakeledger review --format json | jq -r"
    " '.freezes[] | select(.may_go) | \"\\(.owner)\\t\\(.test)\\t\\(.reason)\"'": FROZEN,
    "recipes.md: git log --grep='^Freeze-Decision: PROP-014 '"
    " --format='%h %as %s %(trailers:key=Freeze-Decision,valueonly,separator=%x2C )'": "",
    "recipes.md: flakeledger init --merge-driver": "",
    "recipes.md: echo 'ledgers/replays.jsonl text eol=lf merge=union' >> .gitattributes": "",
    "recipes.md: git fetch --no-tags origin main": (
        f"{ORIGIN}git switch -qc feature\necho '# half cents' >> shop.py\ngit commit -qam feature"
    ),
    "report.md: flakeledger report --out build/flakeledger": "",
}
#: those that no test can run: the first line -> what it would take
ELSEWHERE = {
    "README.md: pip install '.[pre-commit]' && flakeledger demo": "a registry",
    "README.md: pip install -e '.[test]' && pytest": "a registry, and this very run",
    "evidence.md: pip install 'flakeledger[dask]'                  # here, and on each host, with pytest"
    " and what the tests need": "several hosts",
    "gate.md: git fetch origin main": "the digest of a witness that differs for everybody",
    "getting-started.md: pip install 'flakeledger[pre-commit]'": "a registry",
    "recipes.md: node --test --test-reporter=junit --test-reporter-destination=junit.xml || [ $? -eq 1 ]": "Node",
    "report.md: pip install 'flakeledger[report]'": "a registry",
}
_DAY = re.compile(r"\b2[0-9]{3}-[01][0-9]-[0-3][0-9]\b")
_EXIT = re.compile(r"^(.*?) +# exit code ([0-9]+).*$", re.MULTILINE)


def name_of(block: Block) -> str:
    return f"{block.page}: {block.text.partition(chr(10))[0]}"


BLOCKS = {name_of(block): block for page in PAGES for block in blocks(page) if block.language == "sh"}


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The shop with its property and no freeze, as the first steps make it; made once."""
    where = tmp_path_factory.mktemp("template")
    page = where / "first-steps.md"
    page.write_text(FIRST_STEPS.read_text(encoding="utf-8").partition("\n## The first freeze")[0], encoding="utf-8")
    return where


def shop(template: Path) -> Path:
    where = template / "shop"
    if not where.exists():
        assert run_session(steps(template / "first-steps.md"), template) == []
    return where


def run(script: str, where: Path) -> subprocess.CompletedProcess[str]:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail"],
        input=script,
        cwd=where,
        env=os.environ | {"PATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        check=False,
    )


def test_every_block_is_run_or_says_what_it_would_take() -> None:
    assert sorted([*STARTS, *ELSEWHERE]) == sorted(BLOCKS)


@pytest.mark.parametrize("name", STARTS)
def test_a_block_does_what_its_page_says(name: str, template: Path, tmp_path: Path) -> None:
    where = shutil.copytree(shop(template), tmp_path / "shop")
    made = run(STARTS[name], where)
    assert made.returncode == 0, made.stdout
    done = run(_EXIT.sub(r"\1 || [ $? -eq \2 ]", BLOCKS[name].text), where)
    assert done.returncode == 0, done.stdout


def test_an_output_below_a_block_is_what_is_printed(template: Path, tmp_path: Path) -> None:
    page = next(page for page in PAGES if page.name == BLOCKS[IMPORT].page)
    found = blocks(page)
    shown = _DAY.sub("DAY", found[found.index(BLOCKS[IMPORT]) + 1].text)
    where = shutil.copytree(shop(template), tmp_path / "shop")
    done = run(STARTS[IMPORT] + BLOCKS[IMPORT].text, where)
    assert done.returncode == 1
    assert shows(("...", *shown.splitlines()), _DAY.sub("DAY", done.stdout)), done.stdout
