"""Apps that are connected: each has a token, a namespace and an event stream."""

import time
from contextlib import ExitStack
from statistics import median

from programs import FOLDER, STORE, Corewire

from .clients import MANY, crowd, request, series, settled
from .report import Curve
from .streams import clear

SIZES = [1, 10, 100, 1000]
ALLOW = "allow: { secret-in-clear: of this measurement }\n"


def apps(thorough):
    """Apps of 'api.apps' over TCP: an event stream and a connection with requests each."""
    curve = Curve("apps", "Connected apps, each with a token of its own and an event stream", "apps")
    curve.linear = ["memory", "until an event is at all", "until all are connected"]
    for size in SIZES:
        entries = ", ".join(f"a{number}: {{ token: {token(number)}, namespaces: [n] }}" for number in range(size))
        api = f", apps: {{ {entries} }}"
        corewire = Corewire(FOLDER / f"apps{size}", ALLOW + STORE, limits=MANY, api=api)
        curve.add("start", "ms", "corewire", size, min(started(corewire) for _ in range(3)))
        with corewire, ExitStack() as stack:
            corewire.ask("PUT", "/v1/state/n/k", b"hello")
            before, begin = settled(corewire.process), time.monotonic()
            # The tokens are those of the first app and the last one, between which all others are.
            ask = request(corewire.port, "/v1/events?name=state.cleared", "Accept: text/event-stream", bearer(0))
            streams = stack.enter_context(crowd(corewire.port, size, ask, "\nevent: state.cleared"))
            streams.answered()
            ask = request(corewire.port, "/v1/state/n/k", bearer(size - 1))
            stack.enter_context(crowd(corewire.port, size, ask)).reached(1)
            curve.add("until all are connected", "ms", "corewire", size, (time.monotonic() - begin) * 1000)
            memory = settled(corewire.process)
            curve.add("memory", "MiB", "corewire", size, memory)
            if size >= 100:
                curve.add("memory for an app", "KiB", "corewire", size, max(0.01, (memory - before) * 1024 / size))
            for name, number in [("first app of the file", 0), ("last app of the file", size - 1)]:
                answer = series(corewire.port, 1, 500, "GET", "/v1/state/n/k", "", bearer(number))
                curve.add("a stored value", "ms", name, size, answer.p50)
            times = []
            for number in range(20 if thorough else 10):
                begin = clear(corewire, number, "n")
                times.append((streams.reached(number + 1)[1] - begin) * 1000)
            curve.add("until an event is at all", "ms", "corewire", size, median(times))
    return curve


def started(corewire):
    milliseconds = corewire.start_telling(60)
    corewire.stop()
    return milliseconds


def token(number):
    return f"{number:08}" * 5


def bearer(number):
    return f"Authorization: Bearer {token(number)}"
