"""Logs as data: any log in, records, patterns and a timeline out. Pure but for `patterns_fast.mine_paths`.

Bytes become text in `decode`, lines become records in `parse` (`lines`, `formats`, `fields`, `headers`, `joining`),
messages become patterns in `patterns` (`masking`, `merging`, `slots`), and `timeline` chooses what to show.
"""
