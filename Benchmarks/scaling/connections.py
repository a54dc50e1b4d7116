"""Connections: idle ones, and busy ones."""

from contextlib import ExitStack

from programs import FOLDER, Corewire, caddy, nginx

from .clients import MANY, MOST, crowd, descriptors, loaded, request, series, settled
from .report import Curve

VALUE = "/v1/state/n/k"


def connections(thorough):
    """Memory of idle connections over TCP and the Unix socket; small answers with many connections."""
    curve = Curve("connections", "Connections to the local API", "connections")
    curve.linear = ["memory, idle", "time of an answer"]
    seconds = 5 if thorough else 2
    sizes = [size for size in [1, 10, 100, 1000, 3000, MOST] if size + 200 < descriptors()]
    if sizes[-1] < MOST:
        curve.note(f"the limit of open files, {descriptors():,}, allows no more connections")
    with Corewire(FOLDER / "tcp", limits=MANY) as corewire:
        corewire.ask("PUT", VALUE, b"hello")

        def beside(size):
            load = loaded(f"{corewire.url}{VALUE}", 32, seconds, corewire.token)
            curve.add("answers", "/s", "corewire, 32 busy, others idle", size, load.rate)
            curve.add("time of an answer", "ms", "32 busy, others idle, p99", size, load.p99)

        idle(curve, "corewire, TCP", corewire.process, corewire.port, sizes, beside)
        busy(curve, corewire, sizes, seconds)
    with Corewire(FOLDER / "unix", limits=MANY) as corewire:
        corewire.ask("PUT", VALUE, b"hello")

        def reconnecting(size):
            rate = series(corewire.socket, 16, 5000, "GET", VALUE, "", "Connection: close").rate
            curve.add("answers", "/s", "corewire, a connection each, others idle", size, rate)

        idle(curve, "corewire, Unix socket", corewire.process, corewire.socket, sizes, reconnecting)
    with ExitStack() as stack:
        first = stack.enter_context(nginx(FOLDER / "nginx", "location / { return 200 'hello'; }", connections=MOST + 100))
        second = stack.enter_context(caddy(FOLDER / "caddy", "respond `hello`"))
        for name, peer in [("nginx", first), ("Caddy", second)]:
            idle(curve, name, peer.process, peer.port, sizes)
            for size in sizes:
                curve.add("answers", "/s", f"{name}, all busy", size, loaded(peer.url, size, seconds).rate)
    return curve


def idle(curve, line, process, place, sizes, work=None):
    """Memory with idle connections, and what work says while they are open."""
    before = settled(process)
    for size in sizes:
        kept = min(size, MOST - 40)
        with crowd(place, kept, request(place, "/livez")) as crowded:
            crowded.reached(1)
            memory = settled(process)
            curve.add("memory, idle", "MiB", line, size, memory)
            if size >= 100:
                curve.add("memory for a connection", "KiB", line, size, max(0.01, (memory - before) * 1024 / kept))
            if work:
                work(size)


def busy(curve, corewire, sizes, seconds):
    for size in sizes:
        load = loaded(f"{corewire.url}{VALUE}", size, seconds, corewire.token)
        curve.add("answers", "/s", "corewire, all busy", size, load.rate)
        curve.add("time of an answer", "ms", "all busy, p50", size, load.p50)
        curve.add("time of an answer", "ms", "all busy, p99", size, load.p99)
        if load.failed:
            curve.note(f"{load.failed:,} requests failed with {size:,} busy connections")
