"""Reloads that restart services, and streams."""

import threading
import time
from statistics import median

from programs import FOLDER, Corewire, asked, until

from .report import Curve
from .waiting import slow_server

SECTIONS = {
    "persistence": "{}",
    "network": "{}",
    "background": "{ downloads: { directory: downloads } }",
    "notifications": "{ permission: granted, handlers: { show: { on: presentable, present: [list] } } }",
    "push": "{ providers: [webPush] }",
    "sync": "{ url: graphql, authenticated: false, cache: { policy: cacheFirst } }",
    "formatting": "{}",
    "security": "{}",
}


def restarts(thorough):
    """Forced reloads with more and more services; and with event streams that are opened again at a server."""
    curve = Curve("restarts", "Reloads that restart everything", "restarted")
    curve.linear = ["reload", "longest answer meanwhile"]
    with slow_server() as slow:
        head = f"environments: {{ dev: {{ baseUrl: 'http://127.0.0.1:{slow.port}' }} }}\n"
        for size in range(1, len(SECTIONS) + 1):
            sections = "".join(f"{name}: {text}\n" for name, text in list(SECTIONS.items())[:size])
            measured(curve, "services", size, head + sections, 20 if thorough else 8)
        for size in [1, 2, 4, 8, 16]:
            streams = ", ".join(f"s{number}: {{ url: stream/{number} }}" for number in range(size))
            sections = f"persistence: {{}}\nnotifications: {{ permission: granted, streams: {{ {streams} }} }}\n"
            measured(curve, "streams", size, head + sections, 20 if thorough else 8, lambda: slow.held >= size)
    return curve


def measured(curve, line, size, sections, rounds, holds=lambda: True):
    with Corewire(FOLDER / f"{line}{size}", sections) as corewire:
        until(holds, "the streams", 60)
        connection, is_over, waits = corewire.local(), threading.Event(), []

        def ask():
            mine = corewire.local()
            while not is_over.is_set():
                begin = time.perf_counter()
                asked(mine, "GET", "/v1/state")
                waits.append((time.perf_counter() - begin) * 1000)

        asker, times = threading.Thread(target=ask), []
        asker.start()
        try:
            for _ in range(rounds):
                begin = time.perf_counter()
                asked(connection, "POST", "/v1/reload", {"force": True})
                times.append((time.perf_counter() - begin) * 1000)
        finally:
            is_over.set()
            asker.join()
    curve.add("reload", "ms", line, size, median(times))
    curve.add("longest answer meanwhile", "ms", line, size, max(waits))
