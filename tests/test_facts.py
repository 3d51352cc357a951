"""Facts that outlive a run."""

from __future__ import annotations

from pathlib import Path

from flakeledger.repo.facts import Facts
from flakeledger.store.cache import Cache


def test_what_was_learnt_is_known_in_the_next_run(tmp_path: Path) -> None:
    cache = Cache(str(tmp_path))
    facts = Facts(cache, "digests", spare=10)
    assert facts.get("a") is None
    facts["a"] = [1, "x"]
    facts.save()
    again = Facts(cache, "digests", spare=10)
    assert dict(again) == {"a": [1, "x"]}
    assert Facts(cache, "modules", spare=10).get("a") is None


def test_nothing_is_written_when_nothing_was_learnt(tmp_path: Path) -> None:
    cache = Cache(str(tmp_path))
    first = Facts(cache, "digests", spare=10)
    first["a"] = 1
    first.save()
    (file,) = (tmp_path / "flakeledger").iterdir()
    before = file.stat().st_mtime_ns
    again = Facts(cache, "digests", spare=10)
    assert again["a"] == 1
    again.save()
    assert file.stat().st_mtime_ns == before


def test_of_what_was_not_used_only_the_newest_stay(tmp_path: Path) -> None:
    cache = Cache(str(tmp_path))
    first = Facts(cache, "digests", spare=2)
    for number in range(5):
        first[f"old-{number}"] = number
    first.save()
    second = Facts(cache, "digests", spare=2)
    assert second["old-0"] == 0
    second["new"] = 9
    second.save()
    assert list(Facts(cache, "digests", spare=2)) == ["old-3", "old-4", "old-0", "new"]


def test_a_value_that_is_no_mapping_is_no_fact(tmp_path: Path) -> None:
    cache = Cache(str(tmp_path))
    cache.save("digests", [1, 2])
    assert dict(Facts(cache, "digests", spare=2)) == {}
