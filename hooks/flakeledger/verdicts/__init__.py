"""The decision tables: data and pure functions, one screen each."""
