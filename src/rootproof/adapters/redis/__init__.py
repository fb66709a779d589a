"""Redis: session context, canonical store, event bus, queue. Losing it loses no run."""
