"""Requests that wait in the outbox."""

import time

from programs import FOLDER, Corewire, asked, nginx, until

from .clients import JSON, series, settled
from .report import Curve
from .stores import size_of, starts

SECTIONS = """\
environments: {{ dev: {{ baseUrl: "{url}" }} }}
network: {{ limits: {{ maxConcurrent: 64 }} }}
background: {{ queue: {{ maxRequests: 10000000, maxSize: 64GiB, parallel: 64 }} }}
"""
# '%' is one of 64 lanes.
BODY = '{"path":"/x","lane":"l%","text":"' + "a" * 300 + '"}'


def outbox(thorough):
    """Requests of 300 bytes in 64 lanes, each on the disk when it is confirmed."""
    curve = Curve("outbox", "Requests that wait in the outbox", "requests")
    curve.linear = ["memory", "size of the store"]
    with nginx(FOLDER / "nginx", "location / { return 200 'hello'; }") as server:
        corewire, filled = Corewire(FOLDER / "outbox", SECTIONS.format(url=server.url)), 0
        with corewire:
            corewire.ask("POST", "/v1/outbox/pause")
        for size in [100, 1000, 10_000, 100_000] + ([1_000_000] if thorough else []):
            with corewire:
                fill = series(corewire.socket, 64, size - filled, "POST", "/v1/outbox", BODY, JSON, first=filled)
                curve.add("rate", "/s", "posts, 64 at a time", size, fill.rate)
                post = series(corewire.socket, 1, 100, "POST", "/v1/outbox", BODY, JSON)
                curve.add("time of a request", "ms", "post", size, post.p50)
                page = series(corewire.socket, 1, 30, "GET", "/v1/outbox?limit=100")
                curve.add("time of a request", "ms", "a page of 100", size, page.p50)
                curve.add("time of a request", "ms", "metrics", size, series(corewire.socket, 1, 30, "GET", "/metrics").p50)
                filled = waiting(corewire)
                if filled != size + 100:
                    curve.note(f"{size + 100:,} requests were confirmed, {filled:,} wait")
                curve.add("memory", "MiB", "after filling", size, settled(corewire.process))
            starts(curve, corewire, size)
            curve.add("size of the store", "MiB", "corewire", size, size_of(corewire.folder / "state"))
            with corewire:
                curve.add("rate", "/s", "sent", size, sent(corewire, filled))
                filled = waiting(corewire)
    return curve


def sent(corewire, filled):
    """Requests sent in a second, until a part has gone."""
    before, begin = total(corewire), time.monotonic()
    corewire.ask("POST", "/v1/outbox/resume")
    until(lambda: total(corewire) - before >= min(filled, 5000), "the end of sending", 120, 0.05)
    rate = (total(corewire) - before) / (time.monotonic() - begin)
    corewire.ask("POST", "/v1/outbox/pause")
    until(lambda: corewire.metric("outbox_active") == 0, "the last requests", 60, 0.05)
    return rate


def total(corewire):
    return corewire.metric('outbox_requests_total{outcome="sent"}')


def waiting(corewire):
    return asked(corewire.local(), "GET", "/v1/outbox?limit=1")["waiting"]
