"""Runs a program, and takes in everything that it leaves behind: says what that was, and ends it.

usage: python3 -IS Scripts/contain.py PROGRAM [ARGUMENT ...]

Ends with the program's status; with 99 where that is 0 and something was left behind.
"""

import os
import resource
import signal
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import descendants  # noqa: E402

# How long programs that were told to end may take to be gone.
GRACE = 60
LEFT_BEHIND = 99


def contain(arguments):
    descendants.take_in()
    main = os.posix_spawn(arguments[0], arguments, os.environ, setsigmask=[])
    signal.signal(signal.SIGTERM, lambda *_: descendants.end_all() or os._exit(128 + signal.SIGTERM))
    status = None
    while status is None:
        pid, raw = os.wait()
        if pid == main:
            status = os.waitstatus_to_exitcode(raw)
    left = wait_for_children(GRACE)
    for pid in left:
        print(f"left behind: {command_line(pid)}", flush=True)
    descendants.end_all()
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"used {usage.ru_utime + usage.ru_stime:.1f} s of processor time", flush=True)
    sys.exit((128 - status if status < 0 else status) or (LEFT_BEHIND if left else 0))


def wait_for_children(seconds):
    """The children that are still there after some seconds."""
    end = time.monotonic() + seconds
    while descendants.reap():
        if time.monotonic() > end:
            return descendants.children(os.getpid())
        time.sleep(0.01)
    return []


def command_line(pid):
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return file.read().replace(b"\0", b" ").decode(errors="replace").strip()[:200]
    except OSError:
        return str(pid)


if __name__ == "__main__":
    contain(sys.argv[1:])
