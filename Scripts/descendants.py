"""What a program has started, and what outlives its parent: a process that runs tests takes it in, and can end it."""

import ctypes
import os
import signal
import time

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36


def adopt():
    """Makes each descendant that loses its parent a child of this process."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def take_in():
    """Adopts orphaned descendants, and ends this process with its own parent."""
    adopt()
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    # A shell that starts something in the background has it ignore these, and so would every program of a test.
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def children(pid):
    """Those of all threads."""
    found = []
    try:
        for thread in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{thread}/children") as file:
                found += map(int, file.read().split())
    except OSError:
        pass
    return found


def reap():
    """Takes the children that have ended off the system's list; whether there are others."""
    try:
        while os.waitpid(-1, os.WNOHANG) != (0, 0):
            pass
    except ChildProcessError:
        return False
    return True


def end_all():
    """Kills all that descend from this process; those of a child that is gone become its own."""
    while reap():
        for child in below(os.getpid()):
            try:
                os.kill(child, signal.SIGKILL)
            except ProcessLookupError:
                pass
        time.sleep(0.005)


def below(pid):
    found = children(pid)
    return found + [each for child in found for each in below(child)]
