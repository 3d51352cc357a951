"""Every test runs with a home, a git configuration and an environment of its own, and draws the same each time."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from world import Templates

FIXED_ENVIRONMENT = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_AUTHOR_NAME": "Finley",
    "GIT_AUTHOR_EMAIL": "finley@example.org",
    "GIT_COMMITTER_NAME": "Finley",
    "GIT_COMMITTER_EMAIL": "finley@example.org",
    "LC_ALL": "C.UTF-8",
    "TZ": "UTC",
}
# a test that draws examples passes or fails wherever it runs: the same ones each time, however slow the machine is, and
# none that an earlier run left behind; looking for new ones is the task of tests/fuzz
settings.register_profile(
    "steady", database=None, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("steady")
#: what tells a continuous-integration service apart; a test that wants one of these sets it itself
SERVICE_VARIABLES = ("CI", "GITHUB_", "GITLAB_", "CI_", "PRE_COMMIT", "PREK", "__TOX_")
#: what would make a program of a test run otherwise on a machine that sets it
PYTHON_VARIABLES = ("PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED")


@pytest.fixture(scope="session", autouse=True)
def unbiased() -> Iterator[None]:
    """An environment without what a service, a hook's caller or the machine sets; for fixtures of every scope."""
    with pytest.MonkeyPatch.context() as patch:
        for name in list(os.environ):
            if name.startswith(("GIT_", "GITHEAD_", *SERVICE_VARIABLES, *PYTHON_VARIABLES)):
                patch.delenv(name)
        yield


@pytest.fixture(autouse=True)
def isolated(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty HOME with a git configuration of its own; gives the HOME."""
    home = tmp_path_factory.mktemp("home")
    config = home / ".gitconfig"
    config.write_text('[init]\n\tdefaultBranch = main\n[protocol "file"]\n\tallow = always\n')
    for name, value in FIXED_ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / ".config"))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    monkeypatch.delenv("NO_COLOR", raising=False)
    return home


def git(where: Path, *arguments: str, environment: dict[str, str] | None = None) -> str:
    """What a real git prints, without its last newline; a failure is a test failure."""
    done = subprocess.run(
        ["git", *arguments],
        cwd=where,
        capture_output=True,
        text=True,
        env=os.environ | (environment or {}),
        check=False,
    )
    assert done.returncode == 0, f"git {' '.join(arguments)}: {done.stdout}{done.stderr}"
    return done.stdout.removesuffix("\n")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """An empty real repository on branch main."""
    where = tmp_path / "repository"
    where.mkdir()
    git(where, "init", "-q")
    return where


@pytest.fixture(scope="session")
def templates(tmp_path_factory: pytest.TempPathFactory) -> Templates:
    """Repositories that tests of many modules start from, each made once in a session."""
    from world import Templates  # it imports this module

    return Templates(tmp_path_factory.mktemp("templates"))
