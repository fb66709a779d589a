"""Ways in: the command line now; HTTP, worker and MCP later."""
