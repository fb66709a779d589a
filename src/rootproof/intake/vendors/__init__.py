"""One small module a family of payloads: `read(body)` gives what it holds, or None where it is not of that family."""
