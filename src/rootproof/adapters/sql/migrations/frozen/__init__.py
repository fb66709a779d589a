"""What the revisions create and change, as it was when they were written: nothing here follows `schema.py`."""
