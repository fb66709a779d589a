"""`python -m rootproof`."""

import sys


def run() -> None:
    """The command line; stopped while it is still being loaded, it ends as quietly as later."""
    try:
        from rootproof.entrypoints.cli.main import run as command_line
    except KeyboardInterrupt:
        sys.exit(130)
    command_line()


if __name__ == "__main__":
    run()
