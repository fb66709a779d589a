"""One adapter a tool: parses the typed request, binds it to the projector, injects what no model may choose."""
