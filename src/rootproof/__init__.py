"""Rootproof: root cause, with proof. Importing this package does no work."""

__version__ = "0.1.0"
