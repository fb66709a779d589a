"""The agent-computer interface: typed requests in, bounded projections out."""
