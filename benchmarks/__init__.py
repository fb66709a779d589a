"""Benchmarks: they print figures and ratios; none of them decides whether the tests pass."""
