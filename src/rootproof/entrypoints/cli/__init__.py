"""The command line. Modules here import nothing heavy: commands load what they need when they run."""
