"""What the core needs from outside, one small Protocol a file."""
