"""Stopped over and over with requests in flight: each is answered in full, the new ones are refused, all streams end."""

import asyncio
import os
import signal

from harness import http
from harness.listening import Listening
from harness.runner import Runner
from harness.verdict import hold
from harness.waiting import until

SMOKE, DEEP = 4, 200
REQUESTS = 12
FILE = """\
version: 1
app: {{ id: com.example.soak }}
environment: dev
environments: {{ dev: {{ baseUrl: "http://127.0.0.1:{port}" }} }}
network: {{ retries: 0, timeout: 60s }}
persistence: {{}}
api: {{}}
"""


async def run(run):
    server = await Held().open()
    run.figures["requests in flight"] = run.figures["refused"] = run.figures["streams ended"] = 0
    for number in range(run.times):
        await once(run, Runner(run.home, file=FILE.format(port=server.port)), server, number)
    await server.close()


async def once(run, runner, server, number):
    await runner.start()
    server.begin()
    put = await runner.ask("PUT", f"/v1/state/soak/{number}", b"kept", ["Content-Type: text/plain"])
    hold(put.status == 201, f"a value was answered with {put}")
    events = await subscribe(runner)
    stream = asyncio.create_task(last_event(events))
    paths = [f"/{number}-{index}" for index in range(REQUESTS)]
    asked = [asyncio.create_task(runner.ask("GET", f"/v1/network{path}")) for path in paths]
    await until(lambda: is_there(server, REQUESTS), "all requests have arrived")
    # Half of them have had the beginning of their answers.
    early = set(run.random.sample(paths, REQUESTS // 2))
    server.release_heads(early)
    os.kill(runner.pid, signal.SIGTERM)
    await until(lambda: is_stopping(runner), "it says that it stops")
    refused = await runner.ask("GET", "/v1/state/soak/0")
    hold(refused.status == 503 and b"stopping" in refused.body, f"a new request was answered with {refused}")
    run.figures["refused"] += 1
    server.release_all()
    for path, answer in zip(paths, await asyncio.gather(*asked)):
        hold(answer.status == 200 and answer.body == server.body(path), f"{path} was answered with {answer}")
        run.figures["requests in flight"] += 1
    last = await stream
    hold(last == b"event: runner.stopping", f"the stream of events ended with {last}")
    run.figures["streams ended"] += 1
    status = await runner.ended()
    hold(status == 0, f"it stopped with status {status}:\n{runner.tail()}")
    await runner.start()
    for kept in range(number + 1):
        answer = await runner.ask("GET", f"/v1/state/soak/{kept}")
        hold(answer.status == 200, f"what was written before a stop is answered with {answer}")
    await runner.stop()


async def is_there(server, count):
    return len(server.waiting) == count


async def is_stopping(runner):
    answer = await runner.ask("GET", "/readyz")
    return answer.status == 503 and b"stopping" in answer.body


async def subscribe(runner):
    """A connection whose stream of events has begun."""
    connection = await runner.connect()
    connection.writer.write(b"GET /v1/events HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n")
    head = await http.head(connection.reader)
    hold(head.startswith(b"HTTP/1.1 200 "), f"the stream of events was answered with {head}")
    return connection


async def last_event(connection):
    """The last event of the stream, once that has ended."""
    last = b""
    async for line in http.lines(connection.reader):
        if line.startswith(b"event:"):
            last = line
    connection.close()
    return last


class Held(Listening):
    """Holds every request until it is told to answer; some it begins to answer before."""

    def begin(self):
        self.waiting = {}
        self.heads = {}
        self.all = asyncio.Event()

    def body(self, path):
        return path.encode() * 5_000

    def release_heads(self, paths):
        for path in paths:
            self.heads[path].set()

    def release_all(self):
        for head in self.heads.values():
            head.set()
        self.all.set()

    async def once(self, reader, writer):
        head = await reader.readuntil(b"\r\n\r\n")
        path = head.split(b" ")[1].decode()
        self.heads[path] = asyncio.Event()
        self.waiting[path] = writer
        body = self.body(path)
        await self.heads[path].wait()
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n" % len(body))
        writer.write(body[:10_000])
        await writer.drain()
        await self.all.wait()
        writer.write(body[10_000:])
        await writer.drain()
        return True
