"""`python -m rootproof`."""

from rootproof.entrypoints.cli.main import run

if __name__ == "__main__":
    run()
