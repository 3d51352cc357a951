"""Findings as text, JSON or GitHub workflow commands."""
