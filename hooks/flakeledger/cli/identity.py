"""Who types, as git's configuration knows: the owners that `@me` stands for.

Invariants:
* Configuration alone is read, no commit and no environment: `user.email`, `user.name` and `flakeledger.me`.
* A name is an owner only as it stands: no handle is guessed from an address, but for the addresses that GitHub and
  GitLab hand out instead of a real one, which hold it (docs.github.com "Setting your commit email address",
  docs.gitlab.com "Change your commit email").
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from flakeledger.model.errors import CannotTell
from flakeledger.rules.freezes import is_owner
from flakeledger.store.git import Git

ME = "@me"
KEY = "flakeledger.me"
_HANDED_OUT = (
    re.compile(r"(?:\d+\+)?([\w-]+)@users\.noreply\.github\.com", re.ASCII | re.IGNORECASE),
    re.compile(r"\d+-([\w.-]+)@users\.noreply\.gitlab\.com", re.ASCII | re.IGNORECASE),
)


def me(git: Git) -> tuple[str, ...]:
    """The owners that `@me` stands for. CannotTell when git knows nobody, or `flakeledger.me` is no owner."""
    found = tuple(dict.fromkeys(_owners(git)))
    if not found:
        raise CannotTell(
            "git knows nobody here, so who @me is cannot be told",
            f"git config {KEY} @NAME   # or git config user.email, or name the owner: --owner @NAME",
        )
    return found


def _owners(git: Git) -> Iterator[str]:
    for value in git.configs(KEY):
        if not is_owner(value):
            raise CannotTell(f"{KEY} in git's configuration is `{value}`, which is no owner", f"git config {KEY} @NAME")
        yield value
    email, name = git.config("user.email") or "", git.config("user.name") or ""
    if is_owner(email):
        yield email
    yield from (f"@{found[1]}" for pattern in _HANDED_OUT if (found := pattern.fullmatch(email)))
    if is_owner(f"@{name}"):
        yield f"@{name}"
