"""The outside world, one module each: YAML and JSONL bytes, git, objects, the cache."""
