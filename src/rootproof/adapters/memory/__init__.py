"""Adapters that keep everything in the process: the reference for the contract suites, and what tests and demos use."""
