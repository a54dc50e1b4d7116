"""Clients in great numbers: crowds that stay connected, and series of requests."""

import re
import resource
import subprocess
import threading
import time
from contextlib import contextmanager
from statistics import median
from typing import NamedTuple

from programs import FOLDER, ROOT, resident, told, until

# The most that 'api.limits' may say; connections stay open although they are idle.
MANY = "connections: 10000, connectionsPerUser: 10000, idle: 1h"
MOST = 10_000
JSON = "Content-Type: application/json"


def prepare_clients():
    """Compiles the clients, and raises the limit of open files, which they and the runner inherit."""
    for name in ["crowd", "series"]:
        subprocess.run(["cc", "-O2", "-o", FOLDER / name, ROOT / f"Benchmarks/scaling/{name}.c"], check=True)
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def descriptors():
    return resource.getrlimit(resource.RLIMIT_NOFILE)[0]


def request(place, path, *fields, method="GET"):
    """A request without a body, as a crowd sends it."""
    host = "localhost" if isinstance(place, str) else f"127.0.0.1:{place}"
    return "".join(f"{text}\r\n" for text in [f"{method} {path} HTTP/1.1", f"Host: {host}", *fields, ""])


class Crowd:
    """Connections that are open at the same time, each with one request."""

    def __init__(self, process):
        self.process, self.lines = process, []

    def line(self, key, limit=60):
        """The words after a key, once the crowd has printed it."""
        late = threading.Timer(limit, self.process.kill)
        late.start()
        try:
            while not (found := [line for line in self.lines if line[0] == key]):
                text = self.process.stdout.readline()
                if not text:
                    raise SystemExit(f"error: the crowd ended before '{key}', or that took more than {limit} s")
                self.lines.append(text.split())
        finally:
            late.cancel()
        return found[0][1:]

    def sent(self):
        return float(self.line("sent")[0])

    def answered(self):
        """When the last connection has received its first bytes."""
        return float(self.line("answered")[0])

    def reached(self, times):
        """When the mark had arrived so many times at the first connection, and when at all."""
        return tuple(map(float, self.line(str(times))))


@contextmanager
def crowd(place, count, request, mark="HTTP/1.1 200"):
    command = [str(part) for part in [FOLDER / "crowd", place, count, mark, request]]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        yield Crowd(process)
    finally:
        process.kill()
        process.wait()


class Series(NamedTuple):
    rate: float
    p50: float
    p99: float
    size: int


def series(place, connections, count, method, path, body="", *fields, first=0):
    """Numbered requests one after the other on each connection: how many a second, and the milliseconds for an answer."""
    command = [FOLDER / "series", place, min(connections, count), first, count, method, path, body, *fields]
    run = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    if run.returncode:
        raise SystemExit(f"error: {method} {path}: {run.stderr.strip()}")
    rate, p50, p99, size = run.stdout.split()
    return Series(float(rate), float(p50), float(p99), int(size))


class Load(NamedTuple):
    rate: float
    p50: float
    p99: float
    failed: int


def loaded(url, connections, seconds, token=None):
    """wrk: requests a second, milliseconds for an answer, and how many failed."""
    fields = ["-H", f"Authorization: Bearer {token}"] if token else []
    threads = f"-t{min(2, connections)}"
    text = told("wrk", threads, f"-c{connections}", f"-d{seconds}s", "--timeout", "10s", "--latency", *fields, url)
    failed = sum(map(int, re.findall(r"(?:connect|read|write|timeout) (\d+)", text)))
    failed += int((re.search(r"Non-2xx or 3xx responses: (\d+)", text) or [0, 0])[1])
    return Load(float(re.search(r"Requests/sec:\s+([\d.]+)", text)[1]), percentile(text, 50), percentile(text, 99), failed)


def percentile(text, part):
    """Milliseconds of wrk's table of latencies."""
    number, unit = re.search(rf"^\s+{part}%\s+([\d.]+)(us|ms|s|m)$", text, re.M).groups()
    return float(number) * {"us": 0.001, "ms": 1, "s": 1000, "m": 60_000}[unit]


def settled(process, pause=0.1, within=0.25, limit=10):
    """The memory of a process in MiB, once it has stopped changing."""
    seen = [resident(process)]

    def is_still():
        seen.append(resident(process))
        return len(seen) > 4 and max(seen[-4:]) - min(seen[-4:]) < within

    end = time.monotonic() + limit
    until(lambda: is_still() or time.monotonic() > end, "the end of changes of memory", limit + 1, pause)
    return median(seen[-4:])
