"""Requests that wait for their answers."""

import asyncio
import threading
import time
from contextlib import contextmanager

from programs import FOLDER, Corewire, until

from .clients import JSON, MANY, crowd, request, settled
from .report import Curve

SECTIONS = """\
environments: {{ dev: {{ baseUrl: "{url}" }} }}
persistence: {{}}
network: {{ limits: {{ maxConcurrent: 1000, maxWaiting: 100000 }}, timeout: 5m, retries: 0 }}
background: {{ tasks: {{ hold: {{ exec: [sleep, 1h], timeLimit: 2h }} }} }}
"""
SIZES = [1, 10, 100, 1000, 5000, 9900]
# The runner opens no more connections to a server of HTTP/1.1.
HELD = 32


class Slow:
    """A server that answers when it is told to."""

    def __init__(self):
        self.held, self.may_answer, self.loop = 0, None, asyncio.new_event_loop()
        self.port = None

    def serve(self):
        asyncio.set_event_loop(self.loop)
        self.may_answer = asyncio.Event()
        server = self.loop.run_until_complete(asyncio.start_server(self.one, "127.0.0.1", 0, backlog=4096))
        self.port = server.sockets[0].getsockname()[1]
        self.loop.run_forever()
        server.close()
        for task in (tasks := asyncio.all_tasks(self.loop)):
            task.cancel()
        self.loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
        self.loop.close()

    async def one(self, reader, writer):
        try:
            while await reader.readuntil(b"\r\n\r\n"):
                self.held += 1
                await self.may_answer.wait()
                self.held -= 1
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
                await writer.drain()
        except (asyncio.IncompleteReadError, asyncio.CancelledError, ConnectionError):
            pass
        finally:
            writer.close()

    def answer(self, whether):
        self.loop.call_soon_threadsafe(self.may_answer.set if whether else self.may_answer.clear)


@contextmanager
def slow_server():
    slow = Slow()
    thread = threading.Thread(target=slow.serve, daemon=True)
    thread.start()
    try:
        until(lambda: slow.port, "the slow server")
        yield slow
    finally:
        slow.loop.call_soon_threadsafe(slow.loop.stop)
        thread.join()


def waiting(_thorough):
    """Memory of requests that wait, for a server and for the end of a task; and the time until all are answered."""
    curve = Curve("waiting", "Requests that wait for their answers", "requests")
    curve.linear = ["memory", "until all are answered"]
    with slow_server() as slow, Corewire(
        FOLDER / "corewire", SECTIONS.format(url=f"http://127.0.0.1:{slow.port}"), limits=MANY
    ) as corewire:
        for_server(curve, corewire, slow)
    with Corewire(FOLDER / "tasks", SECTIONS.format(url="http://127.0.0.1:9"), limits=MANY) as corewire:
        for_task(curve, corewire)
    return curve


def for_server(curve, corewire, slow):
    line, before = "for a server", settled(corewire.process)
    for size in SIZES:
        slow.answer(False)
        with crowd(corewire.socket, size, request(corewire.socket, "/v1/network/slow")) as crowded:
            until(lambda: in_flight(corewire, "network") >= size and slow.held >= min(size, HELD), "the requests", 60, 0.05)
            added(curve, corewire, line, size, before)
            begin = time.monotonic()
            slow.answer(True)
            curve.add("until all are answered", "ms", line, size, (crowded.reached(1)[1] - begin) * 1000)


def for_task(curve, corewire):
    line, before = "for a task", settled(corewire.process)
    ask = request(corewire.socket, "/v1/tasks/hold/run?wait", JSON, "Content-Length: 2", method="POST") + "{}"
    for size in SIZES:
        with crowd(corewire.socket, size, ask) as crowded:
            until(lambda: in_flight(corewire, "background") >= size, "the requests", 60, 0.05)
            added(curve, corewire, line, size, before)
            begin = time.monotonic()
            corewire.ask("DELETE", "/v1/tasks/hold/run")
            curve.add("until all are answered", "ms", line, size, (crowded.reached(1)[1] - begin) * 1000)


def in_flight(corewire, service):
    return corewire.metric(f'service_in_flight{{service="{service}"}}')


def added(curve, corewire, line, size, before):
    memory = settled(corewire.process)
    curve.add("memory", "MiB", line, size, memory)
    if size >= 100:
        curve.add("memory for a request", "KiB", line, size, max(0.01, (memory - before) * 1024 / size))
