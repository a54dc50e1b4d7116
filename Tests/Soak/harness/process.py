"""Programs that run beside the driver, and never outlive it."""

import ctypes
import os
import signal
import subprocess

PR_SET_PDEATHSIG = 1
LIBC = ctypes.CDLL(None, use_errno=True)


def die_with_parent():
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def start(arguments, environment, log, **options):
    """Starts a program from the main thread: it would die with any other one."""
    with open(log, "ab") as file:
        return subprocess.Popen(
            arguments,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=file,
            preexec_fn=die_with_parent,
            **options,
        )


def resident(pid):
    """KiB in RAM."""
    with open(f"/proc/{pid}/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmRSS:"))


def descriptors(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))


def processor_seconds(pid):
    """What all its threads have used."""
    with open(f"/proc/{pid}/stat") as file:
        words = file.read().rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def children(pid):
    try:
        with open(f"/proc/{pid}/task/{pid}/children") as file:
            return [int(word) for word in file.read().split()]
    except OSError:
        return []


def sockets(port):
    """The rows of the kernel for the sockets with a TCP port of this machine."""
    with open("/proc/net/tcp") as file:
        rows = [line.split() for line in list(file)[1:]]
    return [row for row in rows if int(row[1].split(":")[1], 16) == port]


def listens(port):
    return any(row[3] == "0A" for row in sockets(port))


def has_port(pid, port):
    """Whether a process has a connection from a TCP port of this machine."""
    inodes = {f"socket:[{row[9]}]" for row in sockets(port)}
    for name in os.listdir(f"/proc/{pid}/fd"):
        try:
            if os.readlink(f"/proc/{pid}/fd/{name}") in inodes:
                return True
        except OSError:
            pass  # Closed meanwhile.
    return False
