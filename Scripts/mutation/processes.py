"""Starts programs so that nothing of what they start themselves outlives them."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading

SUPERVISOR = os.path.join(os.path.dirname(os.path.abspath(__file__)), "supervisor.py")
# What runs at this moment, to be ended when this program is.
running = set()
lock = threading.Lock()
is_stopping = threading.Event()


class Stopped(Exception):
    """This program was told to end."""


class SupervisorError(Exception):
    pass


def stop():
    is_stopping.set()
    with lock:
        for process in running:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGTERM)


@contextlib.contextmanager
def started(command, **options):
    """A process in a session of its own."""
    with lock:
        if is_stopping.is_set():
            raise Stopped
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True, **options)
        running.add(process)
    try:
        yield process
    finally:
        with lock:
            running.discard(process)
        if is_stopping.is_set():
            raise Stopped


def run(command, cwd, output):
    with started(command, cwd=cwd, stdout=output, stderr=subprocess.STDOUT) as process:
        return process.wait()


def supervise(command, cwd, variables, log, silence=None, limit=None, stops_at_issue=True):
    """Runs a test program below a supervisor, and gives what that tells of it."""
    order = {
        "command": command,
        "log": log,
        "silence": silence,
        "limit": limit,
        "stops_at_issue": stops_at_issue,
    }
    # The supervisor has the variables as well: a program that outlives its parent finds them there.
    environment = {**os.environ, **variables}
    told = subprocess.PIPE
    with started(
        [sys.executable, SUPERVISOR, json.dumps(order)], cwd=cwd, stdout=told, env=environment
    ) as process:
        output, _ = process.communicate()
    if process.returncode in (128 + signal.SIGTERM, -signal.SIGTERM, -signal.SIGKILL):
        # Ended from outside, as a shutdown does: there is no result, and the rest has to end as well.
        stop()
        raise Stopped
    if process.returncode != 0:
        raise SupervisorError(f"the supervisor of {' '.join(command)} ended with {process.returncode}")
    return json.loads(output)
