"""One module per ledger and per kind of change; each rule is a pure function that gives findings."""
