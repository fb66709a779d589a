"""Grounding: every claim of a report is checked, by code alone, against the evidence it cites."""
