"""strace, which does something to a program at the system call it is told."""

import collections
import os

from harness import process
from harness.tools import need
from harness.waiting import DEADLINE, until

# What changes files, or asks the disk to confirm it.
CHANGES = "write,pwrite64,writev,pwritev,ftruncate,fallocate,fsync,fdatasync,unlink,unlinkat,rename,renameat,renameat2"
# What makes them as well.
MAKING = CHANGES + ",openat,mkdir,fchmod,fchmodat"
CONFIRMATIONS = "fsync,fdatasync"


def words(calls, deed, paths, log, watched=()):
    """The command that does it, but for whom. Only calls that name one of the files count, in each thread for itself.

    Calls that are watched are in the log too, with the files and addresses that they name.
    """
    named = [word for path in paths for word in ("-P", path)]
    traced = ",".join([calls, *watched])
    options = ["-yy"] if watched else []
    return [need("strace"), "-f", "-qq", "-o", log, *options, *named, "-e", f"trace={traced}", "-e", f"inject={calls}:{deed}"]


class Tracer:
    """Holds a program that runs, until it is let go or ends."""

    def __init__(self, runner, calls, deed, paths, watched=()):
        self.runner = runner
        self.log = f"{runner.home.path}/log/strace"
        self.process = process.start(
            [*words(calls, deed, paths, self.log, watched), "-p", str(runner.pid)], dict(os.environ), self.log + ".errors"
        )

    async def attached(self):
        await until(self.is_attached, f"strace does not attach: {self.errors}")
        return self

    def is_attached(self):
        """Whether every thread is held."""
        try:
            tasks = os.listdir(f"/proc/{self.runner.pid}/task")
            return all(self.is_held(task) for task in tasks)
        except FileNotFoundError:
            return False  # A thread that has ended meanwhile.

    def is_held(self, task):
        with open(f"/proc/{self.runner.pid}/task/{task}/status") as file:
            return any(line.split()[1] == str(self.process.pid) for line in file if line.startswith("TracerPid:"))

    @property
    def errors(self):
        with open(self.log + ".errors") as file:
            return file.read()[-500:]

    def let_go(self):
        # Asked to end, it would wait for each thread to stop; one that dies just then never does.
        self.process.kill()
        self.ended()

    def ended(self):
        """Waits for its end, which follows that of the program."""
        self.process.wait(DEADLINE)


def counted(log):
    """How many calls the thread made that made most."""
    with open(log, errors="replace") as file:
        threads = collections.Counter(line.split()[0] for line in file if "(" in line and "<... " not in line)
    return max(threads.values(), default=0)
