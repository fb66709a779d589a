"""One file a revision, oldest first by number. A released revision never changes."""
