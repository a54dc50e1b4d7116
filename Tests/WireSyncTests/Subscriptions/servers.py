"""Servers of subscriptions: scripted ones over `websockets`, ariadne's handlers, and event streams.

What they see goes to standard output, a line each; the ports are on the first line.
"""

import asyncio
import http
import json
import os
import sys
import threading
from collections import Counter
from urllib.parse import urlsplit

from ariadne import QueryType, SubscriptionType, make_executable_schema
from ariadne.asgi import GraphQL
from ariadne.asgi.handlers import GraphQLTransportWSHandler, GraphQLWSHandler
from ariadne.contrib.sse import GraphQLHTTPSSEHandler
from websockets.asyncio.server import serve
from websockets.exceptions import ConnectionClosed

visits = Counter()
# Waited for by name: a task that waits for what nothing else refers to is collected as garbage.
never = asyncio.Event()
tickers = set()


def tell(*words):
    print(*words, flush=True)


# Scripted ones, by path.


def check(connection, request):
    path = urlsplit(request.path).path
    if path == "/forbidden":
        tell("forbidden")
        return connection.respond(http.HTTPStatus.FORBIDDEN, "not you\n")
    if path == "/unavailable":
        tell("unavailable")
        return connection.respond(http.HTTPStatus.SERVICE_UNAVAILABLE, "later\n")
    return None


def choose(connection, offered):
    path = urlsplit(connection.request.path)
    if path.path == "/legacy" or path.query == "legacy":
        return "graphql-ws" if "graphql-ws" in offered else None
    if path.path == "/ariadne-legacy":
        return "graphql-ws"
    return "graphql-transport-ws" if "graphql-transport-ws" in offered else next(iter(offered), None)


class Peer:
    def __init__(self, ws, visit):
        self.ws, self.visit = ws, visit
        self.older = ws.subprotocol == "graphql-ws"

    async def send(self, kind, id=None, payload=None):
        message = {"type": kind}
        if id is not None:
            message["id"] = id
        if payload is not None:
            message["payload"] = payload
        await self.ws.send(json.dumps(message))

    async def next(self, id, value):
        await self.send("data" if self.older else "next", id, {"data": {"n": value}})

    async def begin(self):
        message = json.loads(await self.ws.recv())
        assert message["type"] == "connection_init", message
        tell("init", self.ws.request.headers.get("Authorization"), json.dumps(message.get("payload")))

    async def acknowledge(self):
        await self.begin()
        await self.send("connection_ack")
        if self.older:
            await self.send("ka")

    async def subscribed(self):
        while True:
            message = json.loads(await self.ws.recv())
            if message["type"] in ("subscribe", "start"):
                tell("subscribe", message["id"], message["payload"]["query"])
                return message["id"]
            tell(message["type"], message.get("id"))


async def talk(peer):
    await peer.acknowledge()
    while True:
        id = await peer.subscribed()
        for value in (1, 2):
            await peer.next(id, value)
        await peer.send("complete", id)


legacy = talk


async def stay(peer):
    await peer.acknowledge()
    while True:
        await peer.next(await peer.subscribed(), peer.visit)


async def failing(peer):
    await peer.acknowledge()
    id = await peer.subscribed()
    error = {"message": "no such field"}
    await peer.send("error", id, error if peer.older else [error])
    await peer.ws.wait_closed()


async def token(peer):
    await peer.begin()
    if peer.ws.request.headers.get("Authorization") != "Bearer token-2":
        if peer.older:
            await peer.send("connection_error", None, {"message": "expired"})
            await peer.ws.wait_closed()
        await peer.ws.close(4401, "Unauthorized")
        return
    await peer.send("connection_ack")
    await peer.next(await peer.subscribed(), 1)
    await peer.ws.wait_closed()


async def drop(peer):
    """Is cut off after the first event of each connection but the third."""
    await peer.acknowledge()
    await peer.next(await peer.subscribed(), peer.visit)
    if peer.visit < 3:
        await asyncio.sleep(0.01)
        peer.ws.transport.abort()
    await peer.ws.wait_closed()


async def code(peer):
    """Closes with the code that the query of the path names; the second connection stays."""
    await peer.acknowledge()
    id = await peer.subscribed()
    if peer.visit == 1:
        await peer.ws.close(int(urlsplit(peer.ws.request.path).query), "because")
        return
    await peer.next(id, peer.visit)
    await peer.ws.wait_closed()


async def ticks(peer):
    """Everyone who has subscribed gets every tick."""
    await peer.acknowledge()
    mine = set()
    try:
        while True:
            message = json.loads(await peer.ws.recv())
            if message["type"] in ("subscribe", "start"):
                tell("subscribe", message["id"])
                mine.add((peer, message["id"]))
                tickers.add((peer, message["id"]))
    finally:
        tickers.difference_update(mine)


async def tick():
    number = 0
    while True:
        await asyncio.sleep(0.002)
        if not tickers:
            continue
        number += 1
        for peer, id in list(tickers):
            try:
                await peer.next(id, number)
            except ConnectionClosed:
                tickers.discard((peer, id))


async def silent(peer):
    """Does not acknowledge."""
    await peer.begin()
    await peer.ws.wait_closed()


async def flood(peer):
    await peer.acknowledge()
    id = await peer.subscribed()
    for number in range(20_000):
        await peer.next(id, number)
    tell("flooded")
    await peer.send("complete", id)
    await peer.ws.wait_closed()


async def unasked(peer):
    await peer.acknowledge()
    await peer.subscribed()
    for number in range(5_000):
        await peer.next(f"x{number}", number)
    await peer.ws.wait_closed()


async def nonsense(peer):
    await peer.acknowledge()
    await peer.subscribed()
    await peer.ws.send("no json")
    await peer.ws.wait_closed()


async def deep(peer):
    await peer.acknowledge()
    await peer.subscribed()
    await peer.ws.send("[" * 100_000)
    await peer.ws.wait_closed()


async def large(peer):
    await peer.acknowledge()
    await peer.next(await peer.subscribed(), "x" * 200_000)
    await peer.ws.wait_closed()


async def binary(peer):
    await peer.acknowledge()
    await peer.subscribed()
    await peer.ws.send(b"\x00\x01")
    await peer.ws.wait_closed()


async def scripted(ws):
    path = urlsplit(ws.request.path).path
    visits[path] += 1
    tell("open", path, ws.subprotocol)
    try:
        await globals()[path.strip("/")](Peer(ws, visits[path]))
    except ConnectionClosed:
        pass
    await ws.wait_closed()
    tell("closed", path, ws.close_code)


# Ariadne's, over a bridge from ASGI.

query, subscription = QueryType(), SubscriptionType()


@subscription.source("count")
async def count(_, info, to):
    for number in range(1, to + 1):
        yield number


@subscription.source("forever")
async def forever(_, info):
    tell("ariadne begins")
    try:
        yield 0
        await never.wait()
    finally:
        tell("ariadne ends")


count_field = subscription.field("count")(lambda number, info, to: number)
forever_field = subscription.field("forever")(lambda number, info: number)
schema = make_executable_schema(
    "type Query { hello: String } type Subscription { count(to: Int!): Int! forever: Int! }", query, subscription
)
apps = {
    "/ariadne": GraphQL(schema, websocket_handler=GraphQLTransportWSHandler()),
    "/ariadne-legacy": GraphQL(schema, websocket_handler=GraphQLWSHandler()),
    "/ariadne-sse": GraphQL(schema, http_handler=GraphQLHTTPSSEHandler()),
}


async def ariadne(ws):
    path = urlsplit(ws.request.path).path
    tell("open", path, ws.subprotocol)
    scope = {
        "type": "websocket", "path": path, "raw_path": path.encode(), "query_string": b"", "root_path": "",
        "headers": [(name.lower().encode(), value.encode()) for name, value in ws.request.headers.raw_items()],
        "subprotocols": [ws.subprotocol], "scheme": "ws", "server": ("127.0.0.1", 1), "client": ("127.0.0.1", 2),
    }  # fmt: skip
    has_begun = False

    async def receive():
        nonlocal has_begun
        if not has_begun:
            has_begun = True
            return {"type": "websocket.connect"}
        try:
            return {"type": "websocket.receive", "text": await ws.recv()}
        except ConnectionClosed:
            return {"type": "websocket.disconnect", "code": ws.close_code or 1006}

    async def send(message):
        try:
            if message["type"] == "websocket.send":
                await ws.send(message["text"])
            elif message["type"] == "websocket.close":
                await ws.close(message.get("code", 1000), message.get("reason") or "")
        except ConnectionClosed:
            pass

    try:
        await apps[path](scope, receive, send)
    except RuntimeError:
        # The handler of the older protocol cannot end a source that waits.
        pass
    await ws.wait_closed()
    tell("closed", path, ws.close_code)


# Event streams, in HTTP/1.0: what ends them is the end of the connection.

HEAD = "HTTP/1.0 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\n\r\n"


async def bridge(path, head, body, writer):
    scope = {
        "type": "http", "method": "POST", "path": path, "raw_path": path.encode(), "query_string": b"",
        "root_path": "", "scheme": "http", "http_version": "1.0", "server": ("127.0.0.1", 1),
        "client": ("127.0.0.1", 2),
        "headers": [tuple(part.strip().encode() for part in line.lower().split(":", 1)) for line in head if ":" in line],
    }  # fmt: skip
    has_body = False

    async def receive():
        nonlocal has_body
        if not has_body:
            has_body = True
            return {"type": "http.request", "body": body, "more_body": False}
        await never.wait()

    async def send(message):
        if message["type"] == "http.response.start":
            names = [(name.decode(), value.decode()) for name, value in message["headers"]]
            # Parts are not framed here: the end of the connection ends the last one.
            fields = "".join(f"{name}: {value}\r\n" for name, value in names if name != "transfer-encoding")
            writer.write(f"HTTP/1.0 {message['status']} X\r\n{fields}\r\n".encode())
        else:
            writer.write(message.get("body", b""))
            await writer.drain()

    await apps[path](scope, receive, send)


async def stream(reader, writer):
    head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
    path = head[0].split(" ")[1]
    fields = dict(line.lower().split(": ", 1) for line in head if ": " in line)
    body = await reader.readexactly(int(fields.get("content-length", 0)))
    visits[path] += 1
    tell("asked", path, fields.get("authorization"), fields.get("accept", "").split(",")[0], body.decode())
    event = lambda value: 'event: next\ndata: {"data":{"n":%d}}\n\n' % value
    try:
        if path == "/ariadne-sse":
            await bridge(path, head, body, writer)
        elif path == "/cut":
            writer.write((HEAD + ":\n\n" + event(visits[path])).encode())
            if visits[path] == 3:
                writer.write(b"event: complete\ndata:\n\n")
        elif path == "/errors":
            text = '{"errors":[{"message":"no such field"}]}'
            writer.write(
                f"HTTP/1.0 400 X\r\nContent-Type: application/graphql-response+json\r\n\r\n{text}".encode()
            )
        elif path == "/page":
            writer.write(b"HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n<p>")
        elif path == "/token" and fields.get("authorization") != "bearer token-2":
            writer.write(b"HTTP/1.0 401 X\r\n\r\n")
        elif path == "/nonsense":
            writer.write((HEAD + "event: next\ndata: x\n\n").encode())
        elif path == "/large":
            writer.write((HEAD + "event: next\ndata: " + "x" * 200_000).encode())
        else:
            writer.write((HEAD + event(visits[path])).encode())
            await writer.drain()
            await reader.read()
        await writer.drain()
    except ConnectionError:
        pass
    tell("left", path)
    writer.close()


def end_with_the_caller():
    sys.stdin.buffer.read()
    os._exit(0)


async def main():
    threading.Thread(target=end_with_the_caller, daemon=True).start()
    servers = [
        await serve(scripted, "127.0.0.1", 0, process_request=check, select_subprotocol=choose),
        await serve(ariadne, "127.0.0.1", 0, select_subprotocol=choose),
        await asyncio.start_server(stream, "127.0.0.1", 0),
    ]
    tell("ready", *[next(iter(server.sockets)).getsockname()[1] for server in servers])
    await tick()


asyncio.run(main())
