"""One module per hook id: parse arguments, check, report, return 0, 1 or 2."""
