"""A git-native ledger of flaky-test freezes: hooks that judge the staged change."""

__version__ = "0.1.0"
