"""Where the ledgers lie. The place is fixed, so that nothing can point the checks elsewhere."""

from __future__ import annotations

LEDGERS = "ledgers/"
POLICY = "ledgers/policy.yaml"
FREEZES = "ledgers/freezes.yaml"
FIXTURES = "ledgers/fixtures.yaml"
PROPERTIES = "ledgers/properties.yaml"
REPLAYS = "ledgers/replays.jsonl"
#: folders of files named by digest and never edited
DIGEST_FOLDERS = ("ledgers/witnesses/", "ledgers/notes/", "ledgers/reviews/")
#: the file whose edit can switch this tool off
GUARD = ".pre-commit-config.yaml"
