"""An idle runner: how often it wakes up, and what it writes."""

import re
import time
from contextlib import ExitStack
from pathlib import Path

from programs import FOLDER, Corewire, caddy, default_file, family, processor_time, resident, until

from .clients import MANY, crowd, request
from .report import Curve


def idle(thorough):
    """Runners that nothing asks, beside Caddy, in the same time: what an hour costs, by the time since they were ready."""
    minutes = [1, 10, 30] if thorough else [1, 2]
    curve = Curve("idle", "An idle runner", "minutes")
    curve.linear = []
    with ExitStack() as stack:
        small = stack.enter_context(Corewire(FOLDER / "small"))
        local = stack.enter_context(default_file(FOLDER / "local"))
        watched = stack.enter_context(Corewire(FOLDER / "watched", limits=MANY))
        peer = stack.enter_context(caddy(FOLDER / "caddy", "respond `hello`"))
        until(local.access_token, "a token")
        for path, count in [("/v1/events", 5), ("/v1/state/n?watch", 5)]:
            streams = crowd(watched.socket, count, request(watched.socket, path, "Accept: text/event-stream"))
            stack.enter_context(streams).answered()
        processes = {"a small file": small, "a small file, 10 streams": watched, "configs/local.yaml": local, "Caddy": peer}
        meters = {name: Meter(each.process) for name, each in processes.items()}
        begin = time.monotonic()
        for point in minutes:
            while (now := time.monotonic()) < begin + point * 60:
                for meter in meters.values():
                    meter.read()
                time.sleep(min(1, begin + point * 60 - now))
            for name, meter in meters.items():
                hours = meter.restart() / 3600
                curve.add("wake-ups in an hour", "1/h", name, point, meter.wakes / hours)
                curve.add("processor time in an hour", "s", name, point, meter.nanoseconds / 1e9 / hours)
                curve.add("written to the disk in an hour", "KiB", name, point, meter.written / 1024 / hours)
                curve.add("memory", "MiB", name, point, resident(processes[name].process))
    return curve


class Meter:
    """Counts of a process and those it has started, read each second, since those of a thread end with it."""

    def __init__(self, process):
        self.process, self.last, self.total = process, {}, {}
        self.read()
        self.restart()

    def read(self):
        for pid in family(self.process):
            self.count(f"{pid} written", int(found(r"^write_bytes: (\d+)", Path(f"/proc/{pid}/io"))))
            for task in Path(f"/proc/{pid}/task").iterdir():
                try:
                    wakes = int(found(r"^voluntary_ctxt_switches:\s+(\d+)", task / "status"))
                except OSError:
                    continue
                self.count(f"{task.name} wakes", wakes)

    def count(self, key, value):
        kind = key.split()[1]
        self.total[kind] = self.total.get(kind, 0) + value - self.last.get(key, 0)
        self.last[key] = value

    def restart(self):
        """Begins again; the seconds since the last time. The counts until now are kept."""
        now = time.monotonic()
        seconds = now - getattr(self, "begin", now)
        self.wakes, self.written = (self.total.get(kind, 0) for kind in ["wakes", "written"])
        used = processor_time(self.process)
        self.nanoseconds, self.used = used - getattr(self, "used", used), used
        self.begin, self.total = now, {}
        return seconds


def found(pattern, path):
    return re.search(pattern, path.read_text(), re.M)[1]
