"""Make the pictures of the documentation: the shop of `flakeledger demo`, a quarter of a year later.

    pip install -e '.[test]' && python docs/pictures/make.py

Invariants:
* Everything is real: a repository, the commands, a terminal's output, a browser. Only the dates are fixed, so that
  the same flakeledger and the same browser make the same pictures.
* The user's own git configuration does not matter, and nothing outside of this folder and a temporary one is written.
"""

from __future__ import annotations

import html
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from datetime import date, timedelta
from pathlib import Path
from typing import Literal, NamedTuple

from playwright.sync_api import Browser, sync_playwright

from flakeledger.cli import demo_shop as shop
from flakeledger.model.ledger_paths import FIXTURES, FREEZES, POLICY, PROPERTIES, REPLAYS

HERE = Path(__file__).parent
DAY_0 = date(2026, 1, 5)
TODAY = 74
NOW = f"{DAY_0 + timedelta(days=TODAY)}T12:00:00Z"
LARGEST = 200_000
#: the tests that the shop gains, by module, with the property that they protect
PARTS = {
    "checkout": (
        "PROP-CHECKOUT",
        "an order is paid once, whatever the customer clicks",
        ("double_click", "slow_bank", "retry"),
    ),
    "stock": ("PROP-STOCK", "stock never falls below zero", ("last_item", "parallel_orders", "recount", "reservation")),
    "mail": ("PROP-MAIL", "every order is confirmed by exactly one mail", ("confirmation", "resend", "bounce")),
    "search": ("PROP-SEARCH", "a product is found by every word of its name", ("umlauts", "reindex", "typing")),
}
#: property and fixture of the shop's own tests are those of the demo
OWNERS = {"checkout": "@finley", "stock": "@casey", "mail": "@shop/messaging", "search": "@robin"}


class Frozen(NamedTuple):
    """A freeze: its test, the days on which it begins, ends and is thawed (None: never), and what its replay passed."""

    part: str
    name: str
    begins: int
    days: int
    thawed: int | None
    passed: int | None
    reason: str


FREEZES_OF_THE_SHOP = (
    Frozen("search", "reindex", 2, 28, 16, 20, "waits for the index of a neighbour"),
    Frozen("mail", "bounce", 5, 21, 19, 20, "the mail server of the test closes early"),
    Frozen("checkout", "slow_bank", 9, 30, 30, 20, "the bank's sandbox answers late"),
    Frozen("stock", "recount", 17, 30, 41, 20, "two recounts meet on a busy machine"),
    Frozen("search", "umlauts", 31, 30, 58, 20, "the collation differs between images"),
    Frozen("mail", "resend", 38, 30, None, None, "the queue is not empty at the start"),
    Frozen("checkout", "double_click", 46, 30, None, 17, "the second click overtakes the first one"),
    Frozen("stock", "parallel_orders", 52, 30, None, 20, "the lock is taken too late on slow disks"),
    Frozen("stock", "reservation", 58, 30, None, 0, "reservations end while the test sleeps"),
    Frozen("checkout", "retry", 60, 21, None, 19, "the retry counts its own timeout"),
    Frozen("checkout", "slow_bank", 63, 30, None, 20, "the bank's sandbox answers late again"),
    Frozen("search", "typing", 66, 30, None, 18, "depends on the order of keystrokes"),
    Frozen("mail", "confirmation", 72, 3, None, None, "two mails since the upgrade of the queue"),
)


def day(number: int) -> str:
    """The date of a day of the story."""
    return (DAY_0 + timedelta(days=number)).isoformat()


class Shop:
    """The repository of the shop at a place."""

    def __init__(self, root: Path) -> None:
        """An empty repository."""
        self.root = root
        self.root.mkdir()
        kept = {name: value for name, value in os.environ.items() if name in ("PATH", "LANG", "TMPDIR")}
        self.environment = kept | {
            "HOME": str(root.parent),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
        }
        self.run("git", "init", "-q", "--template=", "--initial-branch=main")

    def run(self, *command: str, **environment: str) -> None:
        """Run a command at the root."""
        subprocess.run(
            command, cwd=self.root, env=self.environment | environment, check=True, stdout=subprocess.DEVNULL
        )

    def write(self, path: str, text: str) -> None:
        """Write a file."""
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")

    def commit(self, message: str, number: int) -> None:
        """Commit everything on the morning of a day."""
        at = f"{day(number)}T08:00:00Z"
        names = {f"GIT_{who}_NAME": "Finley" for who in ("AUTHOR", "COMMITTER")}
        mails = {f"GIT_{who}_EMAIL": "finley@example.org" for who in ("AUTHOR", "COMMITTER")}
        self.run("git", "add", "-A")
        self.run("git", "commit", "-qm", message, GIT_AUTHOR_DATE=at, GIT_COMMITTER_DATE=at, **names, **mails)


def test_id(part: str, name: str) -> str:
    """The id of a test of the story."""
    return f"tests/test_{part}.py::test_{name}"


def open_shop(root: Path) -> Shop:
    """The shop of the demo with more tests, as its ledgers stood on day 0."""
    made = Shop(root)
    files = shop.FILES | {f"tests/test_{part}.py": _module(part) for part in PARTS}
    for path, text in files.items():
        made.write(path, text)
    made.run(str(Path(sys.executable).with_name("flakeledger")), "init")
    policy = (made.root / POLICY).read_text(encoding="utf-8")
    made.write(POLICY, policy.replace("level: keyed", "level: ledger"))
    made.write(FIXTURES, shop.fixture_rows())
    made.write(PROPERTIES, shop.PROPERTY_ROWS + "".join(_property(part) for part in PARTS))
    made.commit("Open the shop", 0)
    return made


def _module(part: str) -> str:
    identity, statement, names = PARTS[part]
    tests = "".join(f"\n\ndef test_{name}():\n    assert True\n" for name in names)
    return f'"""{statement.capitalize()}. property_id: {identity}"""\n{tests}'


def _property(part: str) -> str:
    identity, statement, names = PARTS[part]
    tests = "".join(f"    - {test_id(part, name)}\n" for name in names)
    return f'\n- id: {identity}\n  statement: "{statement}"\n  fixtures: [ORDERS]\n  tests:\n{tests}'


def tell(made: Shop) -> None:
    """The freezes and thaws of the story, a commit for each day on which something happens."""
    replays = ""
    for number in range(1, TODAY + 1):
        opened = [one for one in FREEZES_OF_THE_SHOP if one.begins == number]
        thawed = [one for one in FREEZES_OF_THE_SHOP if one.thawed == number]
        if not opened and not thawed:
            continue
        replays += "".join(_replay(one) for one in opened if one.passed is not None)
        standing = [one for one in FREEZES_OF_THE_SHOP if one.begins <= number < (one.thawed or TODAY + 1)]
        made.write(FREEZES, "\n".join(map(_row, standing)))
        made.write(REPLAYS, replays)
        made.commit(
            ", ".join([*(f"Freeze {one.name}" for one in opened), *(f"Thaw {one.name}" for one in thawed)]), number
        )


def _row(one: Frozen) -> str:
    return (
        f'- test: {test_id(one.part, one.name)}\n  owner: "{OWNERS[one.part]}"\n'
        f"  frozen_on: {day(one.begins)}\n  expires: {day(one.begins + one.days)}\n"
        f'  reason: "{one.reason}"\n  property_id: {PARTS[one.part][0]}\n  replay_env: local\n'
    )


def _replay(one: Frozen) -> str:
    assert one.passed is not None
    line = {
        "test": test_id(one.part, one.name),
        "run_at": f"{day(max(one.begins, TODAY - 6) if one.thawed is None else one.begins)}T07:30:00Z",
        "env": "local",
        "seeds": list(range(1, 21)),
        "passed": one.passed,
        "total": 20,
    }
    return json.dumps(line | ({"failures": {"TimeoutError": 20 - one.passed}} if one.passed < 20 else {})) + "\n"


# what is seen


Scheme = Literal["light", "dark"]
#: picture -> scheme, width and height of the window
PAGES: dict[str, tuple[Scheme, int, int]] = {
    "page-light.png": ("light", 1280, 1150),
    "page-dark.png": ("dark", 1280, 1150),
    "page-phone.png": ("light", 390, 1300),
}
_COLUMNS = "136"
_TERMINAL = """<!doctype html><meta charset="utf-8"><style>
body { margin: 0; background: #14181f; color: #e6e9ee; display: inline-block; padding: 16px 20px; }
pre { font: 13px/1.5 "DejaVu Sans Mono", monospace; margin: 0; }
.c1 { font-weight: bold; } .c31 { color: #ff9c9c; } .c32 { color: #7bd88f; } .c33 { color: #f0c27c; }
</style><pre>"""


def terminal(made: Shop) -> str:
    """What `flakeledger status` shows in a terminal, as a page."""
    command = f"stty cols {_COLUMNS}; flakeledger status --now {NOW}"
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["script", "-qec", command, os.devnull],
        cwd=made.root,
        env=made.environment | {"PATH": path, "COLUMNS": _COLUMNS, "TERM": "xterm-256color", "LANG": "C.UTF-8"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=True,
    )
    shown = html.escape(f"$ flakeledger status\n{done.stdout}".replace("\r", ""))
    coloured = re.sub("\x1b\\[0?m", "</span>", re.sub("\x1b\\[([1-9][0-9]*)m", r'<span class="c\1">', shown))
    return f"{_TERMINAL}{coloured}</pre>"


def take(browser: Browser, address: str, picture: Path, scheme: Scheme, width: int, height: int) -> None:
    """A picture of the upper part of a page."""
    context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
    tab = context.new_page()
    tab.goto(address)
    tab.screenshot(path=picture)
    context.close()


def main() -> int:
    """Make all pictures: 0; 1 when one is too large to be looked at in passing."""
    program = shutil.which("chromium")
    if program is None:
        sys.stderr.write("the pictures need a browser: apt-get install -y --no-install-recommends chromium\n")
        return 2
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        made = open_shop(Path(folder) / "shop")
        tell(made)
        out = Path(folder) / "page"
        made.run(str(Path(sys.executable).with_name("flakeledger")), "report", "--out", str(out), "--now", NOW)
        (out / "terminal.html").write_text(terminal(made), encoding="utf-8")
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        for name, look in PAGES.items():
            take(browser, (out / "index.html").as_uri(), HERE / name, *look)
        take(browser, f"{(out / 'index.html').as_uri()}#freezes", HERE / "page-table.png", "light", 1280, 880)
        tab = browser.new_page(viewport={"width": 1200, "height": 400})
        tab.goto((out / "terminal.html").as_uri())
        tab.locator("body").screenshot(path=HERE / "status.png")
        browser.close()
    sizes = {path.name: path.stat().st_size for path in sorted(HERE.glob("*.png"))}
    return int(any(size > LARGEST for size in sizes.values()))


if __name__ == "__main__":
    sys.exit(main())
