"""Clients of GraphQL over WebSocket: one of the package `websockets`, and one that breaks the rules byte by byte.

`clients.py PORT SCENARIO [SUBPROTOCOL]` writes what it has seen to standard output, a line each.
"""

import asyncio
import json
import os
import socket
import struct
import sys

from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

port, scenario = int(sys.argv[1]), sys.argv[2]
name = sys.argv[3] if len(sys.argv) > 3 else "graphql-transport-ws"
older = name == "graphql-ws"
url = f"ws://127.0.0.1:{port}/graphql"


def tell(*words):
    print(*words, flush=True)


def text(value):
    return json.dumps(value, separators=(",", ":"))


def start(number, query):
    return text({"id": str(number), "type": "start" if older else "subscribe", "payload": {"query": query}})


async def hear(ws):
    tell(await ws.recv())


async def admitted(ws):
    await ws.send(text({"type": "connection_init", "payload": {"token": "right"}}))
    while json.loads(await ws.recv())["type"] != ("ka" if older else "connection_ack"):
        pass


async def until_closed(ws):
    try:
        while True:
            await ws.recv()
    except ConnectionClosed:
        tell("closed", ws.close_code, ws.close_reason)


async def talk():
    async with connect(url, subprotocols=[name]) as ws:
        tell("speaks", ws.subprotocol)
        await ws.send(text({"type": "connection_init", "payload": {"token": "right"}}))
        await hear(ws)
        if older:
            await hear(ws)
        await ws.send(start(1, "count 3"))
        for _ in range(4):
            await hear(ws)
        await ws.send(start(2, "refused"))
        await hear(ws)
        # One that goes on is ended, and another one with its id begins.
        await ws.send(start(3, "forever"))
        await hear(ws)
        await ws.send(text({"id": "3", "type": "stop" if older else "complete"}))
        await ws.send(start(3, "count 1"))
        await hear(ws)
        await hear(ws)
        await (await ws.ping())
        tell("pong")


async def many():
    """Fragments, and a thousand subscriptions at once."""
    async with connect(url, subprotocols=[name]) as ws:
        await admitted(ws)
        for number in range(1000):
            await ws.send(iter([start(number, "count 3")[:20], start(number, "count 3")[20:]]))
        seen = {}
        while sum(kinds[-1] == "complete" for kinds in seen.values()) < 1000:
            message = json.loads(await ws.recv())
            seen.setdefault(message["id"], []).append(message["type"])
        kind = "data" if older else "next"
        tell(all(kinds == [kind] * 3 + ["complete"] for kinds in seen.values()))


async def fanout():
    """Three hundred large results that are there at once."""
    async with connect(url, subprotocols=[name], max_size=None) as ws:
        await admitted(ws)
        for number in range(300):
            await ws.send(start(number, "burst 300"))
        ended = 0
        while ended < 300:
            ended += json.loads(await ws.recv())["type"] == "complete"
        tell(ended)


async def sizes():
    """Results that are larger than what may wait, and larger than what is sent."""
    async with connect(url, subprotocols=[name], max_size=None) as ws:
        await admitted(ws)
        for number, query in enumerate(["size 3000000", "size 5000000", "count 1"]):
            await ws.send(start(number, query))
        seen = {"0": [], "1": [], "2": []}
        while not all(kinds and kinds[-1] in ("complete", "error") for kinds in seen.values()):
            message = json.loads(await ws.recv())
            seen[message["id"]].append(message["type"])
        for kinds in seen.values():
            tell(*kinds)


async def closes(*texts):
    async with connect(url, subprotocols=[name]) as ws:
        for message in texts:
            await ws.send(message)
        await until_closed(ws)


async def wrong():
    await closes(text({"type": "connection_init", "payload": {"token": "wrong"}}))


async def silent():
    await closes()


async def large():
    await closes(text({"type": "connection_init", "payload": {"x": "x" * 100_000}}))


async def binary():
    await closes(b"\x00")


async def other():
    async with connect(url, subprotocols=[name]) as ws:
        await until_closed(ws)


async def leaves():
    """Begins one that goes on, and waits for the server to go."""
    async with connect(url, subprotocols=[name]) as ws:
        await admitted(ws)
        await ws.send(start(1, "forever"))
        await ws.recv()
        tell("running")
        await until_closed(ws)


# The one that breaks the rules.


def opened(small=False):
    sock = socket.socket()
    if small:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    sock.connect(("127.0.0.1", port))
    sock.sendall(
        (
            "GET /graphql HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
            "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
            f"Sec-WebSocket-Protocol: {name}\r\n\r\n"
        ).encode()
    )
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        head += sock.recv(1)
    tell(head.split(b" ")[1].decode())
    return sock


def served():
    """How many connections the server is done with."""
    with socket.create_connection(("127.0.0.1", port)) as sock:
        sock.sendall(b"GET /served HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
        answer = b""
        while part := sock.recv(4096):
            answer += part
    return int(answer.split(b"\r\n\r\n")[1])


def frame(data, opcode=1, masked=True):
    size = len(data)
    bit = 0x80 if masked else 0
    head = bytes([0x80 | opcode, bit | size]) if size < 126 else bytes([0x80 | opcode, bit | 126]) + struct.pack(">H", size)
    return head + (b"\0\0\0\0" if masked else b"") + data


def rest(sock):
    """The code of the close that comes, and whether the connection is then ended."""
    data = b""
    while part := sock.recv(65536):
        data += part
    at = data.rfind(b"\x88")
    tell("code", struct.unpack(">H", data[at + 2 : at + 4])[0] if at >= 0 else None)


async def unmasked():
    sock = opened()
    sock.sendall(frame(b"{}", masked=False))
    rest(sock)


async def claims():
    """A frame that claims to be larger than anything."""
    sock = opened()
    sock.sendall(b"\x81\xff" + struct.pack(">Q", 1 << 62) + b"\0\0\0\0x")
    rest(sock)


async def stubborn():
    """Does not answer the close."""
    sock = opened()
    sock.sendall(frame(text({"type": "connection_init", "payload": {"token": "wrong"}}).encode()))
    rest(sock)


async def deaf():
    """Asks for more than it reads."""
    sock = opened(small=True)
    sock.sendall(frame(text({"type": "connection_init", "payload": {"token": "right"}}).encode()))
    for number in range(4):
        sock.sendall(frame(start(number, "flood").encode()))
    while served() == 0:
        await asyncio.sleep(0.02)
    tell("given up")


async def pinging():
    """Asks for pongs, and reads none."""
    sock = opened(small=True)
    sock.sendall(frame(text({"type": "connection_init", "payload": {"token": "right"}}).encode()))
    sock.settimeout(20)
    ping = frame(text({"type": "ping", "payload": {"x": "x" * 5000}}).encode())
    try:
        while True:
            sock.sendall(ping * 8)
    except OSError as error:
        tell("ended", type(error).__name__)


async def gone():
    """Is cut off in the middle of a subscription."""
    sock = opened()
    sock.sendall(frame(text({"type": "connection_init", "payload": {"token": "right"}}).encode()))
    sock.sendall(frame(start(1, "forever").encode()))
    while b"forever" not in sock.recv(65536):
        pass
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    sock.close()
    tell("cut")


asyncio.run(globals()[scenario]())
