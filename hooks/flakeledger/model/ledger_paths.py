"""Where the ledgers lie.

Invariants:
* The place is fixed, so that nothing can point the checks elsewhere; no other module spells it.
"""

from __future__ import annotations

LEDGERS = "ledgers/"
POLICY = "ledgers/policy.yaml"
FREEZES = "ledgers/freezes.yaml"
FIXTURES = "ledgers/fixtures.yaml"
PROPERTIES = "ledgers/properties.yaml"
REPLAYS = "ledgers/replays.jsonl"
WITNESSES = "ledgers/witnesses/"
NOTES = "ledgers/notes/"
REVIEWS = "ledgers/reviews/"
#: the ledgers that are lists of rows
ROW_LEDGERS = (FREEZES, FIXTURES, PROPERTIES)
#: folders of files named by digest and never edited
DIGEST_FOLDERS = (WITNESSES, NOTES, REVIEWS)
#: the file whose edit can switch this tool off
GUARD = ".pre-commit-config.yaml"
