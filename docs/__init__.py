"""The page of the rules, packaged: reports explain a rule in its words."""
