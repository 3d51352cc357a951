"""The documentation says what the product does: names both ways, tables against tables, and every example run."""

from __future__ import annotations

import configparser
import contextlib
import io
import json
import re
import subprocess
from pathlib import Path

import pytest
import yaml

from flakeledger import __version__
from flakeledger.cli.main import COMMANDS, main
from flakeledger.model.canonical import digest
from flakeledger.model.fields import (
    FIXTURE_FIELDS,
    FREEZE_FIELDS,
    PROPERTY_FIELDS,
    REPLAY_FIELDS,
    FieldTable,
    check_row,
)
from flakeledger.model.ledger_paths import FIXTURES, FREEZES, POLICY, PROPERTIES, REPLAYS
from flakeledger.model.policy import CLASSES
from flakeledger.model.policy_fields import LIMIT_FIELDS, PATH_FIELDS, POLICY_FIELDS, RUNNER_FIELDS, PolicyField
from flakeledger.model.policy_reading import build_policy
from flakeledger.rules.table import READING_RULES, RULE_NAMES
from flakeledger.store.formatter import format_rows
from flakeledger.store.reader import read_policy, read_replays, read_rows
from pages import PAGES, ROOT, Block, blocks, blocks_of, headings, prose, run_session, sections, shows, steps

DOCS = ROOT / "docs"
BLOCKS = [block for page in PAGES for block in blocks(page)]
#: `console` is run, `diff` and `text` are compared by test_rule_examples.py or are drawings, the others must parse;
#: `javascript` is for readers whose machine has Node, which ours need not have
LANGUAGES = {"diff", "console", "sh", "yaml", "json", "jsonl", "python", "javascript", "text"}


def place(block: Block) -> str:
    return f"{block.page}:{block.line}"


def of(*languages: str) -> list[Block]:
    return [block for block in BLOCKS if block.language in languages]


# names


def test_every_rule_has_its_entry_in_the_order_of_the_table() -> None:
    assert headings(DOCS / "rules.md") == list(RULE_NAMES)


@pytest.mark.parametrize("rule", RULE_NAMES)
def test_an_entry_says_what_why_how_it_looks_and_how_it_is_repaired(rule: str) -> None:
    entry = sections(DOCS / "rules.md")[rule]
    for part in ("**Means.** ", "**Why.** ", "**Fix.** ", "```text\n"):
        assert entry.count(part) >= 1, f"{rule} lacks {part}"
    assert f" {rule}: " in entry or f"{rule.replace('-', ' ')}: " in entry, f"{rule} shows no message"


def test_every_command_has_its_section_with_its_help() -> None:
    page = sections(DOCS / "commands.md")
    documented = [name.removeprefix("flakeledger ") for name in page if name.startswith("flakeledger ")]
    assert documented == list(COMMANDS)
    for name in COMMANDS:
        assert f"$ flakeledger {name} --help\n" in page[f"flakeledger {name}"]


def hook_ids() -> list[str]:
    manifest = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    return [hook["id"] for hook in manifest]


def test_every_hook_id_is_in_the_readme() -> None:
    assert re.findall(r"(?m)^\| `([\w-]+)` \|", prose(ROOT / "README.md")) == hook_ids()


def test_every_command_is_in_the_readme_in_the_order_of_the_table() -> None:
    listed = re.findall(r"(?m)^\| `flakeledger ([\w-]+)` \|", prose(ROOT / "README.md"))
    assert listed == [name for name in COMMANDS if name not in hook_ids()]


def calls(page: Path) -> list[tuple[str, str]]:
    """The commands that a page tells its reader to run, inline and in blocks: name and what follows it."""
    texts = re.findall(r"`([^`\n]+)`", prose(page))
    for block in blocks(page):
        lines = block.text.replace("\\\n> ", " ").splitlines()
        if block.language == "console":
            texts += [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]
        elif block.language in ("sh", "yaml"):
            texts += [line.strip().removeprefix("- ").removeprefix("run: ") for line in lines]
    found = [re.match(r"flakeledger ([a-z][a-z-]*)([^#|;&]*)", text) for text in texts]
    return [(call[1], call[2]) for call in found if call]


def options(command: str) -> set[str]:
    out = io.StringIO()
    with contextlib.redirect_stdout(out), pytest.raises(SystemExit):
        main([command, "--help"])
    return set(re.findall(r"(?<!\S)\[?(--[a-z-]+)", out.getvalue()))


def test_pages_call_only_commands_and_options_that_there_are() -> None:
    called = sorted({(page.name, *call) for page in PAGES for call in calls(page)})
    assert {name for _, name, _ in called} >= COMMANDS.keys()
    known = {name: options(name) for name in COMMANDS}
    for page, name, rest in called:
        assert name in known, f"{page} calls flakeledger {name}"
        for option in re.findall(r"(?<!\S)(--[a-z-]+)", rest):
            assert option in known[name], f"{page} calls flakeledger {name} {option}"


def test_every_module_is_in_the_architecture_once_and_every_module_that_it_names_exists() -> None:
    page = DOCS / "architecture.md"
    paths = [path for path in (ROOT / "hooks" / "flakeledger").glob("*/*.py") if path.name != "__init__.py"]
    modules = sorted(f"{path.parent.name}/{path.name}" for path in paths)
    wings = "|".join({path.parent.name for path in paths})
    pattern = rf"`((?:{wings})/\w+\.py)`"
    assert sorted(re.findall(pattern, sections(page)["The rooms"])) == modules
    assert set(re.findall(pattern, page.read_text())) == set(modules)


def test_the_changelog_speaks_of_this_version() -> None:
    assert headings(ROOT / "CHANGELOG.md")[0].split()[0] == __version__


def test_every_dependency_at_run_time_is_explained() -> None:
    config = configparser.ConfigParser()
    config.read(ROOT / "setup.cfg")
    required = re.findall(r"(?m)^([\w.-]+)", config["options"]["install_requires"].strip())
    explained = [name for name in headings(DOCS / "dependencies.md") if name in required]
    assert sorted(explained) == sorted(required)


def test_every_variable_that_is_read_is_documented() -> None:
    found = {
        name
        for path in (ROOT / "hooks").rglob("*.py")
        for name in re.findall(r"\"((?:GITHUB|CI|PRE_COMMIT|GITHEAD)_\w+|NO_COLOR)\"", path.read_text())
    }
    page = (DOCS / "commands.md").read_text()
    assert found
    assert [name for name in sorted(found) if f"`{name}" not in page] == []


#: commands whose answer is all there is to know about: nothing is judged
WITHOUT_LIMITS = {"schema", "demo", "completion", "help"}


@pytest.mark.parametrize("command", [name for name in COMMANDS if name not in WITHOUT_LIMITS])
def test_a_command_says_where_its_limits_stand(command: str) -> None:
    assert re.search(r"(?m)^\*\*Limits\.\*\* .*\(limits\.md#", sections(DOCS / "commands.md")[f"flakeledger {command}"])


def test_every_limit_is_linked_from_a_command_or_about_all_of_them() -> None:
    linked = set(re.findall(r"\(limits\.md#([\w-]+)\)", (DOCS / "commands.md").read_text()))
    assert anchors(DOCS / "limits.md") - linked == {"limits", "bounds-of-the-reader"}


def test_the_readme_leads_to_the_limits_and_to_the_index() -> None:
    text = prose(ROOT / "README.md")
    assert "](docs/limits.md)" in text
    assert "](docs/README.md)" in text


def test_the_index_leads_to_every_page() -> None:
    pages = {page.name for page in DOCS.glob("*.md")} - {"README.md"}
    linked = set(re.findall(r"\]\(([\w-]+\.md)\)", (DOCS / "README.md").read_text()))
    assert linked == pages


@pytest.mark.parametrize(
    "word", [*CLASSES, *sorted({name.partition("-")[0] for name in RULE_NAMES if name not in READING_RULES})]
)
def test_a_word_of_a_rule_or_a_class_is_in_the_glossary(word: str) -> None:
    glossary = sections(DOCS / "concepts.md")["The words"]
    entries = re.findall(r"(?m)^\| ([^|]+) \|", glossary)
    assert any(word in re.split(r"\W+", entry) for entry in entries) or f"`{word}`" in glossary


# tables


def table(section: str) -> dict[str, list[str]]:
    """The rows of the tables of a section whose first cell is a name in backquotes: name -> other cells."""
    found = re.findall(r"(?m)^\| `([\w.]+)` \|(.*)\|$", section)
    rows = {name: [cell.strip() for cell in cells.split("|")] for name, cells in found}
    assert len(rows) == len(found)
    return rows


@pytest.mark.parametrize(
    "fields", [FREEZE_FIELDS, FIXTURE_FIELDS, PROPERTY_FIELDS, REPLAY_FIELDS], ids=lambda fields: fields.ledger
)
def test_the_tables_of_fields_are_those_of_the_product(fields: FieldTable) -> None:
    rows = table(sections(DOCS / "formats.md")[fields.ledger])
    documented = [(name, cells[1]) for name, cells in rows.items()]
    assert documented == [(field.name, field.needed_at or "-") for field in fields.fields]


def policy_keys(prefix: str, fields: tuple[PolicyField, ...]) -> dict[str, PolicyField]:
    return {prefix + field.name: field for field in fields}


POLICY_KEYS = (
    policy_keys("", POLICY_FIELDS)
    | policy_keys("paths.", PATH_FIELDS)
    | policy_keys("limits.", LIMIT_FIELDS)
    | policy_keys("runners.", RUNNER_FIELDS)
)


def test_every_key_of_the_policy_is_documented() -> None:
    assert sorted(table(sections(DOCS / "formats.md")["policy.yaml"])) == sorted(POLICY_KEYS)


@pytest.mark.parametrize("key", POLICY_KEYS)
def test_a_key_of_the_policy_has_its_default_and_its_bounds(key: str) -> None:
    default, floor, ceiling, _ = table(sections(DOCS / "formats.md")["policy.yaml"])[key]
    field = POLICY_KEYS[key]
    assert (floor, ceiling) == tuple("" if bound is None else str(bound) for bound in (field.floor, field.ceiling))
    if field.required:
        assert default == "required"
    elif field.default is not None:
        assert yaml.safe_load(default.strip("`")) == json.loads(json.dumps(field.default))


# blocks


def test_only_known_languages_are_used() -> None:
    assert [place(block) for block in BLOCKS if block.language not in LANGUAGES] == []


@pytest.mark.parametrize("block", of("yaml"), ids=place)
def test_yaml_parses(block: Block) -> None:
    assert yaml.safe_load(block.text) is not None


LEDGER_TABLES = {FREEZES: FREEZE_FIELDS, FIXTURES: FIXTURE_FIELDS, PROPERTIES: PROPERTY_FIELDS}


@pytest.mark.parametrize("block", [block for block in of("yaml") if block.path in LEDGER_TABLES], ids=place)
def test_ledgers_are_what_the_product_reads(block: Block) -> None:
    path = block.path or ""
    rows, findings = read_rows(block.text.encode(), path)
    assert rows
    assert [*findings, *(found for row in rows for found in check_row(LEDGER_TABLES[path], row, path)[1])] == []


@pytest.mark.parametrize("block", [block for block in of("yaml") if block.path in LEDGER_TABLES], ids=place)
def test_ledgers_are_in_the_layout_that_the_formatter_gives_them(block: Block) -> None:
    assert format_rows(block.text.encode(), block.path or "").decode() == block.text


@pytest.mark.parametrize("block", [block for block in of("yaml") if block.path == POLICY], ids=place)
def test_policies_are_what_the_product_reads(block: Block) -> None:
    node, findings = read_policy(block.text.encode(), POLICY)
    assert node is not None
    assert [*findings, *build_policy(node, POLICY)[1]] == []


@pytest.mark.parametrize("block", of("jsonl"), ids=place)
def test_logs_are_what_the_product_reads(block: Block) -> None:
    replays, findings = read_replays(block.text.encode(), REPLAYS)
    assert replays
    assert findings == []


def test_the_contracts_have_the_digest_that_the_page_names() -> None:
    section = sections(DOCS / "formats.md")["Canonical form"]
    found = [block for block in blocks_of(section, "formats.md") if block.language == "json"]
    assert len({block.text for block in found}) == 2
    assert {digest(block.text.encode()) for block in found} == set(re.findall(r"`([0-9a-f]{64})`", section))


@pytest.mark.parametrize("block", of("json", "jsonl"), ids=place)
def test_json_parses(block: Block) -> None:
    for text in block.text.splitlines() if block.language == "jsonl" else [block.text]:
        json.loads(text)


@pytest.mark.parametrize("block", of("python"), ids=place)
def test_python_compiles(block: Block) -> None:
    compile(block.text, place(block), "exec")


@pytest.mark.parametrize("block", of("sh"), ids=place)
def test_shell_is_well_formed(block: Block) -> None:
    done = subprocess.run(["bash", "-n"], input=block.text, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_resolves(page: Path) -> None:
    text = prose(page)
    targets = [target for target in re.findall(r"\]\(([^)\s]+)\)", text) if not target.startswith("https://")]
    for target in targets:
        path, _, anchor = target.partition("#")
        file = page.parent / path if path else page
        assert file.is_file(), f"{page.name} links to {target}"
        assert not anchor or anchor in anchors(file), f"{page.name} links to {target}"


def anchors(page: Path) -> set[str]:
    """The anchors that GitHub gives to the headings of a page."""
    found = re.findall(r"(?m)^#+ (.+)$", prose(page))
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in found}


# sessions


SESSIONS = [page for page in PAGES if any(block.language == "console" for block in blocks(page))]


@pytest.mark.parametrize("page", SESSIONS, ids=lambda page: page.name)
def test_what_a_page_shows_is_what_happens(page: Path, repository: Path) -> None:
    assert "\n".join(run_session(steps(page), repository)) == ""


@pytest.mark.parametrize(
    ("shown", "real", "fits"),
    [
        (("a",), "a\n", True),
        (("a",), "a\nb\n", False),
        (("b",), "a\nb\n", False),
        (("a", "..."), "a\n", True),
        (("a", "...", "d"), "a\nb\nc\nd\n", True),
        (("...", "b"), "a\nb\nc\n", False),
        (("...", "a") * 6, "a\n" * 2000, True),
        ((*(("...", "a") * 6), "b"), "a\n" * 2000, False),
        (("x ... z",), "x y z\n", True),
        (("x ... z",), "x y\nz\n", False),
        (("a.c",), "abc\n", False),
        (("a", "", "b"), "a\n  \nb\n", True),
    ],
)
def test_output_is_compared_whole(shown: tuple[str, ...], real: str, fits: bool) -> None:
    assert shows(shown, real) is fits


@pytest.mark.parametrize(
    ("console", "complaint"),
    [
        ("$ false\n", "`false` ended with 1, not 0"),
        ("$ true\n# exit 1\n", "`true` ended with 0, not 1"),
        ("$ echo one\n$ echo two\nthree\n", "session.md:3: `echo two` printed\ntwo\n"),
        ("$ cat <<'END'\n> one\n> END\none\n", ""),
        ("$ cd .. && false\n# exit 1\n$ test -d repository\n", ""),
    ],
)
def test_a_session_that_goes_otherwise_is_noticed(
    console: str, complaint: str, repository: Path, tmp_path: Path
) -> None:
    page = tmp_path / "session.md"
    page.write_text(f"```console\n{console}```\n")
    found = "\n".join(run_session(steps(page), repository))
    assert complaint in found
    assert bool(found) is bool(complaint)


def test_a_block_that_names_its_path_becomes_that_file(repository: Path, tmp_path: Path) -> None:
    text = "# new/file.yaml\nkey: $HOME\n"
    page = tmp_path / "session.md"
    page.write_text(f"```yaml\n{text}```\n```console\n$ cat new/file.yaml\n{text}```\n")
    assert run_session(steps(page), repository) == []
    assert (repository / "new" / "file.yaml").read_text() == text
