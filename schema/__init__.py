"""The JSON Schemas of the ledgers, for editors; generated from the field tables."""
