"""How long `rootproof --help` takes and how much memory it needs, as a whole process, beside an empty interpreter."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time

ROUNDS = 9
_HELP = (
    "import resource, sys; from rootproof.entrypoints.cli.main import main; main(['--help']); "
    "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)"
)
_EMPTY = "import resource, sys; print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)"


def measure(code: str) -> tuple[float, float]:
    """Median seconds and MB of a process that runs `code`."""
    seconds: list[float] = []
    megabytes: list[float] = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        seconds.append(time.perf_counter() - started)
        megabytes.append(int(done.stderr.split()[-1]) / 1024)
    return statistics.median(seconds), statistics.median(megabytes)


def main() -> None:
    """Print both."""
    seconds, megabytes = measure(_HELP)
    empty_s, empty_mb = measure(_EMPTY)
    print(f"rootproof --help     {seconds:.3f} s, {megabytes:.0f} MB")
    print(f"python -c pass       {empty_s:.3f} s, {empty_mb:.0f} MB")
    print(f"ratio                {seconds / empty_s:.1f}x the empty interpreter")


if __name__ == "__main__":
    main()
