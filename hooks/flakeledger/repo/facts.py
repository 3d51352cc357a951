"""Facts by key that outlive a run: a mapping over one value of the cache.

Invariants:
* Loaded when first asked, saved only when something was learnt.
* It stays small: of the facts that a run did not use, only the newest `spare` are kept.
"""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from functools import cached_property

from flakeledger.store.cache import Cache


class Facts(MutableMapping[str, object]):
    """What is known under one name of the cache. Values are JSON and are replaced, never changed in place."""

    def __init__(self, cache: Cache, name: str, spare: int) -> None:
        """Reads nothing yet."""
        self._cache = cache
        self._name = name
        self._spare = spare
        self._used: set[str] = set()
        self._learnt = False

    @cached_property
    def _known(self) -> dict[str, object]:
        loaded = self._cache.load(self._name)
        return loaded if isinstance(loaded, dict) else {}

    def recall(self) -> None:
        """Load what is known, now."""
        _ = self._known

    def __getitem__(self, key: str) -> object:
        """The fact; KeyError when nothing is known."""
        value = self._known[key]
        self._used.add(key)
        return value

    def __setitem__(self, key: str, value: object) -> None:
        """Learn a fact."""
        self._known[key] = value
        self._used.add(key)
        self._learnt = True

    def __delitem__(self, key: str) -> None:
        """Forget a fact."""
        del self._known[key]
        self._learnt = True

    def __iter__(self) -> Iterator[str]:
        """The keys, oldest first."""
        return iter(self._known)

    def __len__(self) -> int:
        """How many facts are known."""
        return len(self._known)

    def save(self) -> None:
        """Keep what was learnt, and what this run used, for the next run."""
        if self._learnt:
            unused = [key for key in self._known if key not in self._used][-self._spare :]
            used = [key for key in self._known if key in self._used]
            self._cache.save(self._name, {key: self._known[key] for key in (*unused, *used)})
            self._learnt = False
