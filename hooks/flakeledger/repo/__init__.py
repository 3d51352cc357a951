"""What the repository says: its ledger, its test code, its base and its change."""
