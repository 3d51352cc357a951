"""The entry in `.pre-commit-config.yaml`: every byte that stood there stays, in every style that people write."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest
import yaml

from flakeledger.cli.hook_config import HOOKS, INSTALLED_TYPES, hook_config
from flakeledger.cli.tool_source import ToolSource, named_source, source_of_record
from flakeledger.repo.guard import GUARDS, hooks

HOME = Path(__file__).parent.parent
#: pre-commit's own reader, which has no types
load_config = importlib.import_module("pre_commit.clientlib").load_config
LOCAL = source_of_record(None, "flakeledger")
REMOTE = named_source("https://example.org/flakeledger", "0123456")

RUFF = """\
repos:
  - repo: https://example.org/ruff
    rev: v1
    hooks:
      - id: ruff
"""

#: a style -> a text that can be extended
STYLES = {
    "plain": RUFF,
    "no final newline": RUFF.removesuffix("\n"),
    "carriage returns": RUFF.replace("\n", "\r\n"),
    "dashes in the first column": RUFF.replace("\n  ", "\n"),
    "wide": "repos:\n-   repo: https://example.org/ruff\n    rev: v1\n    hooks:\n    -   id: ruff\n",
    "heading, comments, document start": f"# ours\n---\nfail_fast: false\n\n{RUFF}# the end\n",
    "another key follows": f"{RUFF}\n# about the service\nexclude: ^docs/\n",
    "a comment inside the last entry": f"{RUFF}      # - id: ruff-format\n\nexclude: ^docs/\n",
    "a comment after the key": RUFF.replace("repos:", "repos:   # all of them"),
    "every key is there": f"""\
default_install_hook_types: [pre-commit, pre-merge-commit, pre-push, prepare-commit-msg]
ci:
  skip: [format-ledgers, check-ledgers, check-change]
{RUFF}""",
    "another service setting": f"ci:\n  autofix_prs: false\n{RUFF}",
    "some types only": f"{RUFF}default_install_hook_types: [pre-commit]\n",
    "a local entry": f"""{RUFF}\
  - repo: local
    hooks:
      - id: x
        name: x
        language: system
        entry: |
          a
          # b
""",
    "odd characters": RUFF.replace("id: ruff", 'id: ruff\n        name: "\u00fc \u2713"'),
    "an anchor": f"""{RUFF.replace("rev: v1", "rev: &one v1")}\
  - repo: https://example.org/b
    rev: *one
    hooks: [{{id: b}}]
""",
}


@pytest.mark.parametrize("source", [LOCAL, REMOTE], ids=["local", "remote"])
@pytest.mark.parametrize("style", STYLES)
def test_every_byte_stays_and_pre_commit_reads_the_rest(style: str, source: ToolSource, tmp_path: Path) -> None:
    before = STYLES[style].encode()
    after = hook_config(before, source).text
    assert after is not None
    assert _keeps_every_byte(before, after)
    assert set(hooks(after)) == set(GUARDS)
    file = tmp_path / "config.yaml"
    file.write_bytes(after)
    loaded = load_config(str(file))
    ours = loaded["repos"][-1]
    assert [hook["id"] for hook in ours["hooks"]] == list(HOOKS)
    assert loaded["repos"][:-1] == _loaded(before, tmp_path)["repos"]


def _loaded(data: bytes, folder: Path) -> dict[str, list[object]]:
    file = folder / "before.yaml"
    file.write_bytes(data)
    loaded: dict[str, list[object]] = load_config(str(file))
    return loaded


def _keeps_every_byte(before: bytes, after: bytes) -> bool:
    """Whether `after` is `before` with text put in at one place and at the end."""
    shared = next((n for n, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), len(before))
    return any(before[at:] in after[at:] for at in range(shared, -1, -1))


def test_the_line_ends_of_the_file_are_kept() -> None:
    after = hook_config(STYLES["carriage returns"].encode(), LOCAL).text or b""
    assert after.count(b"\n") == after.count(b"\r\n") > RUFF.count("\n")


def test_a_heading_stays_above_its_key() -> None:
    after = (hook_config(STYLES["another key follows"].encode(), LOCAL).text or b"").decode()
    assert "\n\n# about the service\nexclude: ^docs/\n" in after
    assert after.index("check-change") < after.index("# about the service")


@pytest.mark.parametrize(
    "before",
    [
        "",
        "repos: []\n",
        "{repos: [{repo: local, hooks: []}]}\n",
        "repos: [{repo: https://example.org/a, rev: v1, hooks: [{id: a}]}]\n",
        "repos:\n  - [\n",
        "- repo: x\n",
        f"{RUFF}...\n",
        RUFF.replace("repos", '"repos"'),
        "\ufeff" + RUFF.replace("repos:", "repos :"),
        'x: "\n  repos:\n"\n',
    ],
)
def test_what_cannot_be_extended_is_left_alone_and_the_entry_is_printed(before: str) -> None:
    found = hook_config(before.encode(), REMOTE)
    if found.text is None:
        assert "paste this" in found.advice[0]
        assert "- repo: https://example.org/flakeledger\n" in found.advice[0]
    else:
        assert set(hooks(found.text)) == set(GUARDS)
        assert before.encode() in found.text or _keeps_every_byte(before.encode(), found.text)


def test_bytes_that_are_no_text_are_left_alone() -> None:
    assert hook_config(b"repos:\n  - \xff\n", LOCAL).text is None


def test_a_file_that_has_the_hooks_is_kept() -> None:
    first = hook_config(None, LOCAL).text
    assert first is not None
    assert hook_config(first, REMOTE).text is None
    assert hook_config(first, LOCAL) == (None, ())


def test_a_file_with_the_checks_alone_is_kept_and_needs_no_more_types() -> None:
    first = (hook_config(None, LOCAL).text or b"").decode()
    start = first.index("    - id: record-decisions")
    checks = first[:start].rstrip(" ").replace(", prepare-commit-msg", "")
    assert hook_config(checks.encode(), LOCAL) == (None, ())


def test_half_of_the_hooks_is_said() -> None:
    half = RUFF.replace("id: ruff", "id: check-ledgers").encode()
    found = hook_config(half, LOCAL)
    assert found.text is None
    assert "has no hook check-change" in found.advice[0]


def test_a_new_file_installs_every_stage_and_spares_the_service(tmp_path: Path) -> None:
    for source, skipped in ((LOCAL, ["format-ledgers", *GUARDS]), (REMOTE, ["check-change"])):
        found = hook_config(None, source)
        assert found.advice == ()
        loaded = yaml.safe_load(found.text or b"")
        assert loaded["default_install_hook_types"] == list(INSTALLED_TYPES)
        assert loaded["ci"] == {"skip": skipped}
        file = tmp_path / "config.yaml"
        file.write_bytes(found.text or b"")
        load_config(str(file))


@pytest.mark.parametrize("path", [None, ".pre-commit-config.yaml"], ids=["what init writes", "our own"])
def test_a_local_entry_runs_every_hook_as_the_manifest_has_it(path: str | None) -> None:
    text = hook_config(None, LOCAL).text if path is None else (HOME / path).read_bytes()
    manifest = yaml.safe_load((HOME / ".pre-commit-hooks.yaml").read_bytes())
    local = {hook["id"]: hook for hook in yaml.safe_load(text or b"")["repos"][0]["hooks"]}
    told = {"name", "description", "language", "minimum_pre_commit_version"}
    for hook in manifest:
        assert local[hook["id"]].items() >= {key: hook[key] for key in hook.keys() - told}.items()
        assert local[hook["id"]].keys() - hook.keys() == set()


def test_a_revision_of_digits_stays_a_text() -> None:
    loaded = yaml.safe_load(hook_config(None, REMOTE).text or b"")
    assert loaded["repos"][0]["rev"] == "0123456"


@pytest.mark.parametrize(
    ("style", "advice"),
    [
        ("another service setting", "add format-ledgers, check-ledgers, check-change to `skip:`"),
        ("some types only", "let default_install_hook_types hold"),
        ("every key is there", None),
        ("plain", None),
    ],
)
def test_a_key_that_stands_is_not_edited_but_talked_about(style: str, advice: str | None) -> None:
    said = hook_config(STYLES[style].encode(), LOCAL).advice
    assert (not said) if advice is None else (advice in said[0])
