"""One module per command; main.py holds the table of commands."""
