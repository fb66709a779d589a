"""One projector a tool: raw output in, bounded and redacted view out, fail closed."""
