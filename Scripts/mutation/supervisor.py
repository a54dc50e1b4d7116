#!/usr/bin/python3
"""Runs one test program, watches what it prints, and ends everything that it has started.

The argument is an order in JSON, the answer is printed as JSON. Processes that lose their parent become children of
this one, which is why each run has a supervisor of its own: whatever is left below it belongs to the run.
"""

import json
import os
import random
import re
import select
import shutil
import signal
import string
import subprocess
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import descendants  # noqa: E402

ISSUE = re.compile(rb"recorded an issue")
COLOUR = re.compile(rb"\x1b\[[0-9;]*m")


def main():
    descendants.take_in()
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    folder = short_folder()
    try:
        answer = run(json.loads(sys.argv[1]), folder)
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        descendants.end_all()
        shutil.rmtree(folder, ignore_errors=True)
    print(json.dumps(answer))


def short_folder():
    """For temporary files: paths of sockets in it may have 107 bytes."""
    letters = string.ascii_letters + string.digits
    while True:
        path = "/tmp/" + "".join(random.choices(letters, k=3))
        try:
            os.mkdir(path)
            # As /tmp itself is: some tests run programs as another user.
            os.chmod(path, 0o1777)
            return path
        except FileExistsError:
            continue


def run(order, folder):
    """Ends at the first issue, or when the time is over, or when nothing was printed for too long."""
    started = time.monotonic()
    environment = {**os.environ, "TMPDIR": folder}
    program = subprocess.Popen(
        order["command"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=environment,
        start_new_session=True,
    )
    watched = Watched(order, program, started)
    with open(order["log"], "wb") as log:
        reason = watched.until_end(log)
    status = program.poll()
    return {
        "reason": reason,
        "status": status,
        "seconds": time.monotonic() - started,
        "silence": watched.longest_silence,
        "issue": watched.issue,
    }


class Watched:
    """What a program has printed so far, and when."""

    def __init__(self, order, program, started):
        self.order = order
        self.program = program
        self.started = started
        self.heard = started
        self.longest_silence = 0.0
        self.issue = ""
        self.line = b""

    def until_end(self, log):
        output = self.program.stdout.fileno()
        is_open = True
        while True:
            readable = is_open and select.select([output], [], [], 0.05)[0]
            if not is_open:
                time.sleep(0.05)
            now = time.monotonic()
            self.longest_silence = max(self.longest_silence, now - self.heard)
            if readable:
                part = os.read(output, 65536)
                is_open = bool(part)
                self.heard = now
                log.write(part)
                if self.hear(part):
                    return "issue"
            elif self.program.poll() is not None:
                return "exit"
            if reason := self.overdue(now):
                return reason

    def hear(self, part):
        """Whether the run need not go on."""
        lines = (self.line + part).split(b"\n")
        self.line = lines.pop()
        for line in lines:
            if not self.issue and ISSUE.search(line):
                self.issue = COLOUR.sub(b"", line).decode(errors="replace").strip()
        return bool(self.issue) and self.order["stops_at_issue"]

    def overdue(self, now):
        limit, silence = self.order["limit"], self.order["silence"]
        if limit and now - self.started > limit:
            return "time"
        if silence and now - self.heard > silence:
            return "silence"
        return None


if __name__ == "__main__":
    main()
