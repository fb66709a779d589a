"""Records of several lines: stack traces and reports of many languages, each followed by a line that is not theirs."""
# ruff: noqa: E501 - log lines are as long as they are

from __future__ import annotations

import pytest

from rootproof.logs.parse import parse

NEXT = "2026-05-04 09:15:31,250 INFO io.quay.Main - next"
HEAD = "2026-05-04 09:15:30,250 ERROR io.quay.Main - lift failed"

# name, the lines of one record
TRACES: tuple[tuple[str, str], ...] = (
    ("java", f"{HEAD}\njava.io.IOException: torn\n\tat io.quay.Rope.lift(Rope.java:9)\n\tat io.quay.Main.main(Main.java:3) ~[quay.jar:1.0]\nCaused by: java.net.ConnectException: refused\n\t... 2 common frames omitted"),
    ("java suppressed", f"{HEAD}\nio.quay.RopeException: torn\n\tat a.b.C.d(C.java:1)\n\tSuppressed: java.io.IOException: close\n\t\tat a.b.C.e(C.java:2)\nCaused by: java.lang.NullPointerException\n\tat a.b.C.f(C.java:3)"),
    ("java without a package", f"{HEAD}\nRopeException: torn\n\tat a.b.C.d(C.java:1)"),
    ("java uncaught", 'Exception in thread "main" java.lang.RuntimeException: torn\n\tat a.b.C.main(C.java:1)\nCaused by: java.io.IOException: rope\n\tat a.b.C.x(C.java:2)'),
    ("kotlin coroutine", f"{HEAD}\nkotlinx.coroutines.JobCancellationException: gone; job=JobImpl{{Cancelled}}@7\n\tat a.b.C$d$1.invokeSuspend(C.kt:9)"),
    ("scala", f"{HEAD}\nscala.MatchError: 3 (of class java.lang.Integer)\n\tat quay.Rope$.lift(Rope.scala:9)"),
    ("root cause first", f"{HEAD}\njava.net.ConnectException: refused\n\tat a.b.C.d(C.java:1)\nWrapped by: java.io.IOException: torn\n\tat a.b.C.e(C.java:2)"),
    ("dotnet", f"{HEAD}\nSystem.InvalidOperationException: torn\n ---> System.Net.Sockets.SocketException (111): refused\n   at Quay.Rope.Lift() in /src/R.cs:line 9\n   --- End of inner exception stack trace ---\n   at Quay.Main.Run()"),
    ("dotnet unhandled", "Unhandled exception. System.ArgumentException: torn\n   at Quay.Rope.Lift()\n   at Quay.Main.Main()"),
    ("python", f"{HEAD}\nTraceback (most recent call last):\n  File \"/a.py\", line 1, in x\n    y()\n    ~^^\nValueError: torn"),
    ("python chained", f"{HEAD}\nTraceback (most recent call last):\n  File \"/a.py\", line 1, in x\n    y()\nKeyError: 'rope'\n\nThe above exception was the direct cause of the following exception:\n\nTraceback (most recent call last):\n  File \"/a.py\", line 3, in z\n    w()\nquay.errors.RopeError: torn"),
    ("python during handling", f"{HEAD}\nTraceback (most recent call last):\n  File \"/a.py\", line 1, in x\n    y()\nKeyError: 'rope'\n\nDuring handling of the above exception, another exception occurred:\n\nTraceback (most recent call last):\n  File \"/a.py\", line 3, in z\n    w()\nRuntimeError: torn"),
    ("python group", f"{HEAD}\n  + Exception Group Traceback (most recent call last):\n  |   File \"/a.py\", line 1, in x\n  |     y()\n  | ExceptionGroup: two (2 sub-exceptions)\n  +-+---------------- 1 ----------------\n    | ValueError: torn\n    +------------------------------------"),
    ("python alone", "Traceback (most recent call last):\n  File \"/a.py\", line 1, in x\n    y()\nZeroDivisionError: division by zero"),
    ("go panic", "panic: runtime error: invalid memory address or nil pointer dereference\n[signal SIGSEGV: segmentation violation code=0x1 addr=0x0 pc=0x4]\n\ngoroutine 1 [running]:\nmain.lift(0x0)\n\t/src/main.go:9 +0x1d\nmain.main()\n\t/src/main.go:3 +0x2e\nexit status 2"),
    ("go panic with goroutines", "panic: torn [recovered]\n\tpanic: torn\n\ngoroutine 7 [running]:\ngithub.com/quay/rope.(*Winch).Lift(0xc000010000)\n\t/src/w.go:9 +0x1d\ncreated by main.main in goroutine 1\n\t/src/main.go:3 +0x2e\n\ngoroutine 8 [chan receive]:\nmain.wait(...)\n\t/src/main.go:5"),
    ("rust panic", "thread 'main' panicked at src/main.rs:9:5:\nrope torn\nnote: run with `RUST_BACKTRACE=1` environment variable to display a backtrace"),
    ("rust backtrace", "thread 'main' panicked at 'torn', src/main.rs:9:5\nstack backtrace:\n   0: rust_begin_unwind\n             at /rustc/a/library/std/src/panicking.rs:5\n   1: quay::main"),
    ("node", "/srv/a.js:9\n    throw new Error('torn');\n    ^\n\nError: torn\n    at lift (/srv/a.js:9:11)\n    at node:internal/main:1:1 {\n  code: 'EROPE'\n}"),
    ("node after a header", f"{HEAD}\nError: torn\n    at lift (/srv/a.js:9:11)\n    at async main (/srv/a.js:3:1)"),
    ("ruby", f"{HEAD}\na.rb:9:in 'lift': torn (RuntimeError)\n\tfrom a.rb:3:in 'main'"),
    ("ruby frames without indent", f"{HEAD}\napp/models/rope.rb:9:in `lift'\napp/controllers/dock.rb:3:in `index'"),
    ("php", "PHP Fatal error:  Uncaught RuntimeException: torn in /a.php:9\nStack trace:\n#0 /b.php(3): lift()\n#1 {main}\n  thrown in /a.php on line 9"),
    ("laravel", '[2026-05-04 09:15:30] production.ERROR: torn {"exception":"[object] (RuntimeException(code: 0): torn at /a.php:9)\n[stacktrace]\n#0 /b.php(3): lift()\n#1 {main}\n\n[previous exception] [object] (PDOException(code: 1): x at /c.php:1)\n[stacktrace]\n#0 {main}\n"}'),
    ("elixir", "09:15:30.250 [error] GenServer Quay.Winch terminating\n** (RuntimeError) torn\n    (quay 1.0) lib/w.ex:9: Quay.Winch.lift/1\nLast message: :lift\nState: %{n: 3}"),
    ("gdb", f"{HEAD}\n#0  0x00007f in raise () from /lib/libc.so.6\n#1  0x00007f in abort ()\n#2  main () at a.c:9"),
    ("haskell", "quay: torn\nCallStack (from HasCallStack):\n  error, called at src/Main.hs:9:3 in main:Main"),
    ("indented sql", "2026-05-04 09:15:30.250 UTC [7] LOG:  duration: 3000 ms  statement: select *\n\tfrom dock\n\twhere n = 3"),
    ("json inside", f"{HEAD}\n  {{\n    \"n\": 3\n  }}"),
)  # fmt: skip


@pytest.mark.parametrize("text", [trace[1] for trace in TRACES], ids=[trace[0] for trace in TRACES])
def test_a_trace_is_one_record(text: str) -> None:
    lines = text.split("\n")
    records = list(parse([*lines, NEXT]))
    assert [record.lines for record in records] == [len(lines), 1]
    assert records[0].message.split("\n")[-1].strip() == lines[-1].strip()
    assert records[1].message == "next"


@pytest.mark.parametrize("text", [trace[1] for trace in TRACES], ids=[trace[0] for trace in TRACES])
def test_a_trace_inside_a_runtime_is_one_record(text: str) -> None:
    """Each line is in the envelope of a container runtime, and other lines of the other stream stand between."""
    stamp = "2026-05-04T09:15:30.250000000Z"
    lines = [f"{stamp} stderr F {line}" for line in [*text.split("\n"), NEXT]]
    lines.insert(1, f"{stamp} stdout F side")
    records = [record for record in parse(lines) if record.message != "side"]
    assert [record.lines for record in records] == [len(text.split("\n")), 1]
    assert records[-1].message == "next"
