"""Where this tool comes from: what pre-commit and continuous integration should install.

Invariants:
* An address that holds a password is refused, and so is one that an option would read as its own.
* An address on this machine is nobody else's: unasked, it is never written into a repository.
"""

from __future__ import annotations

import json
import re
from importlib import metadata
from typing import NamedTuple

from flakeledger import __version__
from flakeledger.model.errors import CannotTell

_PASSWORD = re.compile(r"[a-z+]+://[^/@]*:[^/@]*@", re.IGNORECASE)
_ADDRESS = re.compile(r"[A-Za-z0-9@~/.][!-~]*")
_REVISION = re.compile(r"[A-Za-z0-9][!-~]*")
_SHARED = ("https://", "http://", "ssh://", "git://")
_PINNED = f"flakeledger=={__version__}"


class ToolSource(NamedTuple):
    """`repo` and `rev` for pre-commit, or None where the hooks run the installed `command`."""

    repo: str | None
    rev: str
    command: str
    #: what pip installs in continuous integration
    requirement: str
    #: what a reader should know about it, or ""
    note: str


def installed_source(command: str = "flakeledger") -> ToolSource:
    """The source of the flakeledger that runs: a commit of a shared repository, else the command that is installed."""
    try:
        recorded = metadata.distribution("flakeledger").read_text("direct_url.json")
    except metadata.PackageNotFoundError:
        recorded = None
    return source_of_record(recorded, command)


def source_of_record(recorded: str | None, command: str) -> ToolSource:
    """The source that a `direct_url.json` (PEP 610) tells; None: installed from an index."""
    if recorded is None:
        return ToolSource(None, "", command, _PINNED, "")
    try:
        record = json.loads(recorded)
        version = record.get("vcs_info", {})
        url, kind, commit = record["url"], version.get("vcs"), version.get("commit_id", "")
    except (ValueError, AttributeError, KeyError):
        url = kind = commit = ""
    if kind == "git" and str(url).startswith(_SHARED) and commit and not _PASSWORD.match(url):
        return named_source(url, commit)
    note = (
        f"this flakeledger was installed from a folder, so the workflow installs {_PINNED}; "
        "say where it comes from with --repo URL --rev REV"
    )
    return ToolSource(None, "", command, _PINNED, note)


def named_source(repo: str, rev: str) -> ToolSource:
    """The source that the user names. CannotTell for an address with a password, and for what is no address."""
    if _PASSWORD.match(repo):
        raise CannotTell("the address holds a password, which a repository must not", "leave it out of --repo")
    if not _ADDRESS.fullmatch(repo):
        raise CannotTell("--repo is no address of a repository", "--repo https://example.org/flakeledger --rev v0.1.0")
    if not _REVISION.fullmatch(rev):
        raise CannotTell("--rev is no tag and no commit", "--rev v0.1.0")
    address = repo if "://" in repo else f"ssh://{repo.replace(':', '/', 1)}" if "@" in repo else f"file://{repo}"
    return ToolSource(repo, rev, "", f"flakeledger @ git+{address}@{rev}", "")
