"""The pages of the documentation: their blocks, and the sessions that they show.

Invariants:
* A page's `console` blocks, and the blocks that are files, are one session in one fresh repository, run top to bottom.
* What a page shows is what is printed: without `...` the whole output must be equal, line by line.
* A session needs no network: what needs one is in `sh` blocks, which test_shell_blocks.py runs where it can.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
PAGES = (ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md")))
_FENCE = "```"
_PROMPT, _MORE = "$ ", "> "
#: the first line of a block that is a file: a comment that holds its path
_PATH_COMMENT = re.compile(r"# ([\w./-]*\.\w+)")
_EXIT = re.compile(r"# exit ([0-9]+)")
_END = "--- flakeledger docs: end of a command: "


class Block(NamedTuple):
    """A fenced block. `line` is the line of its first line of text, from 1; `page` is the name of its page."""

    page: str
    line: int
    language: str
    text: str

    @property
    def path(self) -> str | None:
        """The path that the block says it is the file of."""
        found = _PATH_COMMENT.fullmatch(self.text.partition("\n")[0])
        return found[1] if found and self.language != "console" else None


class Step(NamedTuple):
    """A command of a session, or the writing of a file (then `shown` is None)."""

    where: str
    shell: str
    shown: tuple[str, ...] | None
    code: int


def blocks(page: Path) -> list[Block]:
    """The fenced blocks of a page, in order."""
    return list(blocks_of(page.read_text(encoding="utf-8"), page.name))


def blocks_of(markdown: str, page: str) -> Iterator[Block]:
    """The fenced blocks of a text of the page of this name."""
    language: str | None = None
    start, text = 0, ""
    for number, line in enumerate(markdown.splitlines(), start=1):
        if language is None and line.startswith(_FENCE):
            language, start, text = line.removeprefix(_FENCE), number + 1, ""
        elif language is not None and line == _FENCE:
            yield Block(page, start, language, text)
            language = None
        elif language is not None:
            text += line + "\n"
    assert language is None, f"{page}: the block at line {start} is not closed"


def prose(page: Path) -> str:
    """The text of a page without its fenced blocks."""
    return re.sub(r"(?ms)^```.*?^```$", "", page.read_text(encoding="utf-8"))


def headings(page: Path) -> list[str]:
    """The second-level headings of a page, without backquotes."""
    return [line.replace("`", "") for line in re.findall(r"(?m)^## (.+)$", prose(page))]


def sections(page: Path) -> dict[str, str]:
    """The text below each second-level heading, blocks included."""
    parts = re.split(r"(?m)^## (.+)$", page.read_text(encoding="utf-8"))
    return {name.replace("`", ""): text for name, text in zip(parts[1::2], parts[2::2], strict=True)}


def steps(page: Path) -> list[Step]:
    """The session of a page."""
    found: list[Step] = []
    for block in blocks(page):
        if block.path is not None:
            found.append(_file(block, block.path))
        elif block.language == "console":
            found += _commands(block)
    return found


def _file(block: Block, path: str) -> Step:
    shell = f"mkdir -p '{Path(path).parent}'\ncat > '{path}' <<'{_END}'\n{block.text}{_END}"
    return Step(f"{block.page}:{block.line}", shell, None, 0)


def _commands(block: Block) -> Iterator[Step]:
    parts = re.split(r"(?m)^(?=\$ )", block.text)
    assert not parts[0], f"{block.page}:{block.line}: a console block begins with a command"
    line = block.line
    for part in parts[1:]:
        lines = part.splitlines()
        end = next((n for n, text in enumerate(lines[1:], 1) if not text.startswith(_MORE)), len(lines))
        shell = "\n".join([lines[0].removeprefix(_PROMPT), *(text.removeprefix(_MORE) for text in lines[1:end])])
        below = lines[end:]
        codes = [int(found[1]) for text in below if (found := _EXIT.fullmatch(text))]
        shown = tuple(text for text in below if not _EXIT.fullmatch(text))
        yield Step(f"{block.page}:{line}", shell, shown, codes[0] if codes else 0)
        line += len(lines)


def shows(shown: tuple[str, ...], real: str) -> bool:
    """Whether the real output is what is shown: a line `...` stands for any lines, `...` in a line for any text.

    Each `...` stands for as few lines as it can: no more steps than lines that are shown times lines that are real.
    """
    lines = re.sub(r"(?m) +$", "", real).split("\n")
    if lines.pop():
        return False
    here = there = 0
    gap: tuple[int, int] | None = None
    while there < len(lines):
        if here < len(shown) and shown[here] == "...":
            gap = here, there
            here += 1
        elif here < len(shown) and _shows_line(shown[here], lines[there]):
            here, there = here + 1, there + 1
        elif gap is not None:
            gap = gap[0], gap[1] + 1
            here, there = gap[0] + 1, gap[1]
        else:
            return False
    return all(line == "..." for line in shown[here:])


def _shows_line(shown: str, real: str) -> bool:
    return re.fullmatch(".*".join(map(re.escape, shown.split("..."))), real) is not None


def run_session(found: list[Step], where: Path) -> list[str]:
    """Run the steps in one shell; gives a sentence for each that did not do what its page shows."""
    script = "".join(f"{step.shell}\nprintf '\\n%s%s\\n' '{_END}' $?\n" for step in found)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = os.environ | {"PATH": path, "COLUMNS": "80", "TMPDIR": str(where.parent)}
    done = subprocess.run(
        ["bash", "--noprofile", "--norc"],
        input=script,
        cwd=where,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        check=False,
    )
    answers = re.split(rf"\n{_END}([0-9]+)\n", done.stdout)
    assert len(answers) == 2 * len(found) + 1, f"the session of {found[0].where} broke off:\n{done.stdout}"
    return [
        complaint
        for step, output, code in zip(found, answers[0::2], answers[1::2], strict=False)
        if (complaint := _complaint(step, output, int(code)))
    ]


def _complaint(step: Step, output: str, code: int) -> str:
    if code != step.code:
        return f"{step.where}: `{step.shell}` ended with {code}, not {step.code}:\n{output}"
    if step.shown and not shows(step.shown, output):
        return f"{step.where}: `{step.shell}` printed\n{output}\nbut the page shows\n" + "\n".join(step.shown)
    return ""
