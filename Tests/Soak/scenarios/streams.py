"""Servers that end their streams all the time, in every way there is: what they sent is handled once, and in its order."""

import asyncio
import base64
import hashlib
import json
import struct
import urllib.parse

from harness.listening import Listening
from harness.runner import Runner
from harness.verdict import hold
from harness.waiting import DEADLINE, until

# How many connections end.
SMOKE, DEEP = 80, 10_000

# So many of each kind, which is as many as a file may have.
STREAMS = 8
# So many ends to a kill of the runner in the first half, and how many notifications it has in hand at one.
ENDS_A_KILL, PARALLEL = 500, 16
# What the last runner may have more at the end than when all its streams had been made again once.
MORE_DESCRIPTORS, MORE_KIB = 20, 40 * 1_024
GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

FILE = """\
version: 1
app: {{ id: com.example.soak, group: com.example.soak }}
environment: dev
environments: {{ dev: {{ baseUrl: "http://127.0.0.1:{port}" }} }}
notifications:
  permission: granted
  parallel: {parallel}
  maxWaiting: 100000
  inbox: {{ entries: 100000 }}
  handlers:
    note: {{ on: presentable, present: [list], post: handled, retryAfter: 1s }}
  streams:
{streams}
api: {{ limits: {{ rate: 1000000 }} }}
"""
EVENTS = "    e{0}: {{ url: events/e{0} }}\n"
SOCKET = """\
    w{0}:
      type: webSocket
      url: socket/w{0}
      id: meta.id
      payload: data
      resume: {{ query: after }}
      acknowledge: '{{"ack":{{{{ meta.id | json }}}}}}'
"""


class Feed:
    """A stream as its server knows it."""

    def __init__(self, name):
        self.name = name
        # How many it has sent whole at some time, and the last that the runner has said is on its disk.
        self.sent = self.acknowledged = 0
        self.ends = 0

    def event(self, number):
        return json.dumps({"title": f"{self.name}:{number}"})

    def message(self, number):
        return json.dumps({"meta": {"id": str(number)}, "data": json.loads(self.event(number))}).encode()

    def begin(self, after):
        """The number of the next event, for a runner that says which it had last."""
        last = int(after or 0)
        hold(last <= self.sent, f"{self.name} goes on after {last}, and {self.sent} were sent")
        hold(last >= self.acknowledged, f"{self.name} goes on after {last}, and had acknowledged {self.acknowledged}")
        return last + 1


class Server(Listening):
    """Every connection ends after a few events; once no more are to be ended, they stay."""

    def __init__(self, random, ends):
        super().__init__()
        self.random, self.left = random, ends
        self.feeds = {f"{kind}{number}": Feed(f"{kind}{number}") for kind in "ew" for number in range(STREAMS)}
        self.handled = {}
        self.faults = []

    @property
    def ends(self):
        return sum(feed.ends for feed in self.feeds.values())

    async def once(self, reader, writer):
        try:
            return await self.answer(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            raise
        except Exception as fault:
            # A promise that was not kept ends the scenario, and not only the connection.
            self.faults.append(fault)
            return False

    async def answer(self, reader, writer):
        """Whether the connection is kept for another request."""
        head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        fields = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:])}
        target = urllib.parse.urlsplit(head[0].split(" ")[1])
        kind, _, name = target.path[1:].partition("/")
        if kind == "handled":
            told = json.loads(await reader.readexactly(int(fields["content-length"])))
            id = told["id"]
            self.handled[id] = self.handled.get(id, 0) + 1
            writer.write(b"HTTP/1.1 204 No Content\r\n\r\n")
            await writer.drain()
            return True
        feed = self.feeds[name]
        if self.left > 0 and self.random.random() < 0.05:
            self.end(feed)
            status = self.random.choice(["503 Service Unavailable", "502 Bad Gateway"])
            writer.write(f"HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n".encode())
            return True
        if kind == "events":
            await self.events(feed, feed.begin(fields.get("last-event-id")), writer)
        else:
            after = dict(urllib.parse.parse_qsl(target.query)).get("after")
            await self.socket(feed, feed.begin(after), fields, reader, writer)
        return False

    def next(self, feed, number, is_last):
        """The numbers of a few events, or in the end of all that the runner may have missed."""
        count = feed.sent - number + 1 if is_last else self.random.randrange(4)
        feed.sent = max(feed.sent, number + count - 1)
        return range(number, number + count)

    def end(self, feed):
        self.left -= 1
        feed.ends += 1

    async def events(self, feed, number, writer):
        def send(text):
            writer.write(f"{len(text):x}\r\n{text}\r\n".encode())

        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
        is_last = self.left <= 0
        if self.random.random() < 0.8:
            send("retry: 20\n\n")
        for number in self.next(feed, number, is_last):
            send(f"id: {number}\ndata: {feed.event(number)}\n\n")
        await writer.drain()
        await self.stay(feed, writer, is_last)
        way = self.random.choice(["whole", "cut", "half", "reset"])
        if way == "whole":
            writer.write(b"0\r\n\r\n")
        elif way == "half":
            # An event is one when the empty line behind it is there.
            send(f"id: {feed.sent + 1}\ndata: {feed.event(feed.sent + 1)}\n")
        await writer.drain()
        if way == "reset":
            writer.transport.abort()

    async def socket(self, feed, number, fields, reader, writer):
        proof = base64.b64encode(hashlib.sha1((fields["sec-websocket-key"] + GUID).encode()).digest()).decode()
        writer.write(
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Accept: {proof}\r\n\r\n".encode()
        )
        is_last = self.left <= 0
        hearing = asyncio.create_task(self.hear(feed, reader))
        try:
            for number in self.next(feed, number, is_last):
                writer.write(frame(1, feed.message(number)))
            await writer.drain()
            await self.stay(feed, writer, is_last)
            way = self.random.choice(["whole", "going", "cut", "half", "reset"])
            if way in ("whole", "going"):
                writer.write(frame(8, struct.pack(">H", 1000 if way == "whole" else 1001)))
            elif way == "half":
                writer.write(frame(1, feed.message(feed.sent + 1))[:-5])
            await writer.drain()
            if way == "reset":
                writer.transport.abort()
            if way in ("whole", "going"):
                await asyncio.wait_for(hearing, DEADLINE)
        finally:
            hearing.cancel()

    async def hear(self, feed, reader):
        try:
            while True:
                first, second = await reader.readexactly(2)
                size = second & 127
                hold(second & 128 and size < 126, f"{feed.name}: a frame of the runner's with {first:x} {second:x}")
                mask = await reader.readexactly(4)
                text = bytes(byte ^ mask[index % 4] for index, byte in enumerate(await reader.readexactly(size)))
                if first == 0x81:
                    feed.acknowledged = max(feed.acknowledged, int(json.loads(text)["ack"]))
                elif first & 15 == 8:
                    return
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        except Exception as fault:
            self.faults.append(fault)

    async def stay(self, feed, writer, is_last):
        """For a moment, or for good."""
        await asyncio.sleep(self.random.random() * 0.05)
        while is_last and not writer.is_closing():
            await asyncio.sleep(0.5)
        self.end(feed)


def frame(kind, payload):
    size = bytes([len(payload)]) if len(payload) < 126 else b"\x7e" + struct.pack(">H", len(payload))
    return bytes([0x80 | kind]) + size + payload


async def run(run):
    server = await Server(run.random, run.times).open()
    streams = "".join(EVENTS.format(number) + SOCKET.format(number) for number in range(STREAMS))
    runner = Runner(run.home, file=FILE.format(port=server.port, parallel=PARALLEL, streams=streams))
    await runner.start()
    kills = run.times // 2 // ENDS_A_KILL

    def ended(goal):
        if server.faults:
            raise server.faults[0]
        run.figures["connections that ended"] = server.ends
        return server.ends >= goal

    for number in range(kills):
        await until(lambda: ended(number * ENDS_A_KILL + ENDS_A_KILL // 2), "streams are made again", deadline=600)
        await runner.killed()
        await runner.start()
        run.figures["kills"] = number + 1
    former = server.ends
    await until(lambda: ended(min(run.times, former + 2 * STREAMS)), "streams are made again", deadline=600)
    resident, descriptors = runner.figures()
    await until(lambda: ended(run.times), "streams are made again", deadline=600)
    wanted = {f"{feed.name}:{number}" for feed in server.feeds.values() for number in range(1, feed.sent + 1)}
    await until(lambda: wanted <= set(server.handled), "all that was sent is handled", deadline=120)
    hold(set(server.handled) == wanted, f"{len(set(server.handled) - wanted)} were handled that were never sent whole")
    again = sum(server.handled.values()) - len(wanted)
    hold(again <= kills * PARALLEL, f"{again} were handled again, {kills * PARALLEL} were in hand at kills")
    now, open = runner.figures()
    hold(open <= descriptors + MORE_DESCRIPTORS, f"{open} descriptors, and {descriptors} before")
    hold(now <= resident + MORE_KIB, f"{now} KiB, and {resident} before")
    run.figures["notifications"] = len(wanted)
    run.figures["in hand at a kill, handled again"] = again
    run.figures["KiB more"] = now - resident
    await in_order(runner, wanted)
    run.figures["KiB more when all were listed"] = runner.figures()[0] - resident
    await runner.stop()
    await server.close()


async def in_order(runner, wanted):
    """All of them are listed once, those of each stream as it sent them."""

    async def listed():
        found, after = [], ""
        while True:
            page = (await runner.ask("GET", f"/v1/notifications?limit=200{after}")).json
            found += [entry["id"] for entry in page["notifications"]]
            if "next" not in page:
                # The last are posted while they are being listed.
                return found if len(found) >= len(wanted) else None
            after = f"&after={page['next']}"

    listed = await until(listed, "all that was sent is listed")
    hold(sorted(listed) == sorted(wanted), f"{len(listed)} are listed of {len(wanted)}")
    last = {}
    for id in reversed(listed):
        name, _, number = id.partition(":")
        hold(int(number) == last.get(name, 0) + 1, f"{id} is listed behind {name}:{last.get(name, 0)}")
        last[name] = int(number)
