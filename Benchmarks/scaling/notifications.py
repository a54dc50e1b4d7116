"""Notifications in the list."""

import time

from programs import FOLDER, Corewire, asked, until

from .clients import JSON, series, settled
from .report import Curve
from .stores import size_of, starts

SECTIONS = """\
environments: { dev: { baseUrl: "https://dev.example.com" } }
notifications:
  permission: granted
  parallel: 64
  maxWaiting: 1000000
  inbox: { entries: 100000 }
  handlers: { show: { on: presentable, present: [list] } }
"""
BODY = '{"title":"Hello","body":"' + "a" * 300 + '"}'


def notifications(_thorough):
    """Notifications of 300 bytes, each on the disk when it is confirmed. The list holds at most 100,000."""
    curve = Curve("notifications", "Notifications in the list", "notifications")
    curve.linear = ["memory", "size of the store"]
    corewire, filled = Corewire(FOLDER / "notifications", SECTIONS), 0
    for size in [100, 1000, 10_000, 100_000]:
        with corewire:
            begin, count = time.monotonic(), size - filled
            fill = series(corewire.socket, 64, count, "POST", "/v1/notifications", BODY, JSON)
            handled(corewire, count)
            curve.add("rate", "/s", "posts, 64 at a time", size, fill.rate)
            curve.add("rate", "/s", "posts until their handlers have ended", size, count / (time.monotonic() - begin))
            filled = size + 100
            post = series(corewire.socket, 1, 100, "POST", "/v1/notifications", BODY, JSON)
            handled(corewire, count + 100)
            curve.add("time of a request", "ms", "post", size, post.p50)
            page = series(corewire.socket, 1, 30, "GET", "/v1/notifications?limit=50")
            curve.add("time of a request", "ms", "the first page of 50", size, page.p50)
            last = series(corewire.socket, 1, 10, "GET", last_page(corewire))
            curve.add("time of a request", "ms", "the last page", size, last.p50)
            unread, expected = asked(corewire.local(), "GET", "/v1/notifications?limit=1")["unread"], min(filled, 100_000)
            if unread != expected:
                curve.note(f"{expected:,} notifications should be in the list, {unread:,} are")
            curve.add("memory", "MiB", "after filling", size, settled(corewire.process))
        starts(curve, corewire, size)
        curve.add("size of the store", "MiB", "corewire", size, size_of(corewire.folder / "state"))
    return curve


def handled(corewire, count):
    """Waits until so many have been handled since the start; asks seldom, since the answer costs the runner time."""
    name = 'notifications_total{outcome="handled"}'
    until(lambda: corewire.metric(name) >= count, "the end of the notifications", 600, 0.1 if count < 20_000 else 0.25)


def last_page(corewire):
    """The path of the last page, found by way of all pages before it."""
    path, connection = "/v1/notifications?limit=200", corewire.local()
    while after := asked(connection, "GET", path).get("next"):
        path = f"/v1/notifications?limit=200&after={after}"
    return path.replace("limit=200", "limit=50")
