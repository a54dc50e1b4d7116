"""Servers of WebSockets: a real one, of the package `websockets`, and one that breaks the rules byte by byte.

What they see goes to standard output, a line each. `sockets.py [CERTIFICATE]`; the ports are on the first line.
"""

import asyncio
import base64
import hashlib
import http
import json
import os
import ssl
import struct
import sys
import threading
from collections import Counter
from urllib.parse import urlsplit

from websockets.asyncio.server import serve
from websockets.exceptions import ConnectionClosed

visits = Counter()
open_now = Counter()


def tell(*words):
    print(*words, flush=True)


# The real one.


def check(connection, request):
    path = urlsplit(request.path).path
    if path == "/token" and request.headers.get("Authorization") != "Bearer token-2":
        tell("refused", request.headers.get("Authorization"))
        return connection.respond(http.HTTPStatus.UNAUTHORIZED, "not you\n")
    if path == "/busy":
        answer = connection.respond(http.HTTPStatus.SERVICE_UNAVAILABLE, "later\n")
        answer.headers["Retry-After"] = "70"
        tell("busy")
        return answer
    if path == "/elsewhere":
        tell("elsewhere")
        return connection.respond(http.HTTPStatus.NOT_FOUND, "")
    return None


def choose(connection, offered):
    return next((name for name in offered if name == "tasks.v1"), None)


async def tasks(ws, visit):
    if visit > 1:
        tell("resumed", ws.request.headers.get("Last-Event-ID"))
        await ws.send('{"id":"3","kind":"c"}')
        await ws.wait_closed()
        return
    tell("greeted", await ws.recv())
    await ws.send('{"id":"1","kind":"a","text":"ü"}')
    await ws.send(iter(['{"id":"2",', '"ki', 'nd":"b"}']))
    await (await ws.ping())
    tell("pong")
    await ws.send("no json")
    for _ in range(2):
        tell("said", await ws.recv())
    await ws.close(1001, "restart")


async def wrapped(ws, visit):
    tell("query", urlsplit(ws.request.path).query)
    if visit > 1:
        tell("first", await ws.recv())
    await ws.send('{"type":"welcome"}')
    await ws.send('{"meta":{"id":%d},"data":{"kind":"c"}}' % (6 + visit))
    if visit == 1:
        tell("said", await ws.recv())
        await ws.close(1000)
    await ws.wait_closed()


async def token(ws, visit):
    tell("let in", ws.request.headers.get("Authorization"))
    await ws.send('{"id":"t1"}')
    await ws.wait_closed()


async def stay(ws, visit):
    await ws.send('{"id":"stay-%d"}' % visit)
    await ws.wait_closed()


async def binary(ws, visit):
    await ws.send(b'{"id":"b1"}')
    await ws.send(b"\xff\x01")
    await ws.wait_closed()


async def policy(ws, visit):
    await ws.close(1008, "not for you")


async def later(ws, visit):
    await ws.send('{"id":"l%d"}' % visit)
    await ws.close(1013)


async def many(ws, visit):
    """A thousand messages, then a close."""
    for number in range(1000):
        await ws.send(json.dumps({"id": f"{visit}-{number}", "kind": "m"}))
    await ws.close(1001)


async def real(ws):
    path = urlsplit(ws.request.path).path
    visits[path] += 1
    headers = ws.request.headers
    tell("open", path, ws.subprotocol, headers.get("X-Client"), headers.get("X-Api-Key"))
    try:
        await globals()[path.strip("/")](ws, visits[path])
    except ConnectionClosed:
        pass
    await ws.wait_closed()
    tell("closed", path, ws.close_code)


# The one that breaks the rules.


def text(data):
    data = data if isinstance(data, bytes) else data.encode()
    return bytes([0x81, len(data)]) + data


async def codes(reader, writer, path):
    """The codes of the closes that come, until the other end has gone; pings of one path are answered."""
    try:
        while head := await reader.readexactly(2):
            size = head[1] & 0x7F
            if size == 126:
                size = struct.unpack(">H", await reader.readexactly(2))[0]
            mask = await reader.readexactly(4)
            data = bytes(b ^ mask[i % 4] for i, b in enumerate(await reader.readexactly(size)))
            if head[0] & 0xF == 8:
                tell("code", path, struct.unpack(">H", data[:2])[0] if len(data) > 1 else None)
            elif head[0] & 0xF == 9:
                if path == "/pong":
                    writer.write(bytes([0x8A, len(data)]) + data)
                tell("ping", path)
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    tell("left", path)


async def hostile(reader, writer):
    head = (await reader.readuntil(b"\r\n\r\n")).decode()
    path = head.split(" ")[1]
    fields = dict(line.lower().split(": ", 1) for line in head.split("\r\n")[1:] if ": " in line)
    key = next(line.split(": ", 1)[1] for line in head.split("\r\n") if line.startswith("Sec-WebSocket-Key"))
    visits[path] += 1
    tell("asked", path, fields.get("sec-websocket-version"))
    proof = base64.b64encode(hashlib.sha1((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest()).decode()
    accept = f"Sec-WebSocket-Accept: {proof}\r\n"
    more = {
        "/wrong": "Sec-WebSocket-Accept: dGhlIHNhbXBsZSBub25jZQ==\r\n",
        "/none": "",
        "/twice": accept + accept,
        "/extension": accept + "Sec-WebSocket-Extensions: permessage-deflate\r\n",
        "/protocol": accept + "Sec-WebSocket-Protocol: other\r\n",
    }.get(path, accept)
    status = "200 OK" if path == "/plain" else "101 Switching Protocols"
    writer.write(f"HTTP/1.1 {status}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n{more}\r\n".encode())
    try:
        if path == "/half":
            writer.write(text('{"id":"h%d"}' % visits[path]))
            writer.write_eof()
        elif path == "/drip":
            for byte in text('{"id":"drip"}'):
                writer.write(bytes([byte]))
                await writer.drain()
                await asyncio.sleep(0)
        elif path == "/huge":
            writer.write(b"\x81\x7f" + struct.pack(">Q", 1 << 62) + b"x")
        elif path == "/fragments":
            writer.write(b"\x01\x00")
            while not reader.at_eof():
                writer.write(b"\x00\x40" + b"x" * 64)
                await writer.drain()
                if writer.transport.is_closing():
                    break
                await asyncio.sleep(0)
                if visits["closed " + path]:
                    break
        elif path == "/deaf":
            # Asks and asks, and never reads an answer.
            reader._transport.pause_reading()
            while not writer.transport.is_closing():
                writer.write((b"\x89\x7d" + b"p" * 125) * 400)
                await writer.drain()
        elif path == "/cut":
            writer.write(text('{"id":"c%d"}' % visits[path]))
            await writer.drain()
            sock = writer.get_extra_info("socket")
            sock.setsockopt(__import__("socket").SOL_SOCKET, __import__("socket").SO_LINGER, struct.pack("ii", 1, 0))
            writer.transport.abort()
        elif path == "/nocode":
            writer.write(text('{"id":"n%d"}' % visits[path]) + b"\x88\x00")
        elif path == "/text":
            writer.write(b"\x81\x02\xc3\x28")
        elif path == "/masked":
            writer.write(b"\x81\x81\x00\x00\x00\x00a")
        await writer.drain()
        await codes(reader, writer, path)
    except ConnectionError:
        tell("left", path)
    writer.close()


def end_with_the_caller():
    """Whoever has started this holds the other end of standard input, for as long as it lives."""
    sys.stdin.buffer.read()
    os._exit(0)


async def main():
    threading.Thread(target=end_with_the_caller, daemon=True).start()
    context = None
    servers = [await serve(real, "127.0.0.1", 0, process_request=check, select_subprotocol=choose)]
    servers.append(await asyncio.start_server(hostile, "127.0.0.1", 0))
    if len(sys.argv) > 1:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[1])
        servers.append(await serve(real, "127.0.0.1", 0, ssl=context, select_subprotocol=choose))
    tell("ready", *[next(iter(server.sockets)).getsockname()[1] for server in servers])
    await asyncio.get_running_loop().create_future()


asyncio.run(main())
