"""The queue: jobs through pydocket, in memory or on Redis."""
