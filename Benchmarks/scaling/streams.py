"""Clients that hold event streams."""

import time
from statistics import median

from programs import FOLDER, Corewire, processor_time

from .clients import MANY, crowd, request, settled
from .report import Curve

SIZES = [1, 10, 100, 1000, 5000]


def streams(thorough):
    """Memory of event streams, and the time until an event has reached all of them."""
    curve = Curve("streams", "Event streams", "streams")
    curve.linear = ["memory", "processor time without events", "until an event is at the first", "until an event is at all"]
    rounds = 30 if thorough else 10
    for line, path, mark, cause in [
        ("changes of a namespace", "/v1/state/fan?watch", "\nevent: put", put),
        ("events", "/v1/events?name=state.cleared", "\nevent: state.cleared", clear),
    ]:
        with Corewire(FOLDER / line.split()[0], limits=MANY) as corewire:
            before = settled(corewire.process)
            for size in SIZES:
                with crowd(corewire.socket, size, request(corewire.socket, path, "Accept: text/event-stream"), mark) as crowded:
                    crowded.answered()
                    memory = settled(corewire.process)
                    curve.add("memory", "MiB", line, size, memory)
                    if size >= 100:
                        curve.add("memory for a stream", "KiB", line, size, max(0.01, (memory - before) * 1024 / size))
                        used = idle(corewire.process, 10 if thorough else 4)
                        curve.add("processor time without events", "ms/s", line, size, used)
                    first, last = zip(*(arrivals(corewire, crowded, cause, number) for number in range(rounds)))
                    curve.add("until an event is at the first", "ms", line, size, median(first))
                    curve.add("until an event is at all", "ms", line, size, median(last))
                    curve.add("events delivered", "/s", line, size, size / median(last) * 1000)
    return curve


def idle(process, seconds):
    """Milliseconds of a processor in each second."""
    before = processor_time(process)
    time.sleep(seconds)
    return (processor_time(process) - before) / 1e6 / seconds


def put(corewire, number):
    begin = time.monotonic()
    corewire.ask("PUT", "/v1/state/fan/k", f"{number}".encode())
    return begin


def clear(corewire, number, namespace="fan"):
    corewire.ask("PUT", f"/v1/state/{namespace}/k", f"{number}".encode())
    begin = time.monotonic()
    corewire.ask("DELETE", f"/v1/state/{namespace}")
    return begin


def arrivals(corewire, crowded, cause, number):
    """Milliseconds from a request to its event at the first stream, and at the last."""
    begin = cause(corewire, number)
    return tuple((when - begin) * 1000 for when in crowded.reached(number + 1))
