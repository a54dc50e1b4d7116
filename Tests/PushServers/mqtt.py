"""Ways to a broker of MQTT that are worse than a direct one, and brokers that send what no broker may.

`mqtt.py PORT` tells `ready WEBSOCKET RELAY HOSTILE DENYING CASES CUT`: a WebSocket and a TCP port that lead to the broker at
PORT, a port with a broker that is wrong in another way at each connection, and one that denies all topics. Commands: `silent` keeps the relay's
connections open and passes nothing on, `cut` ends them.
"""

import asyncio
import sys

from websockets.asyncio.server import serve
from websockets.exceptions import ConnectionClosed

silent = False
writers = set()


def tell(*words):
    print(*words, flush=True)


async def copy(reader, write, end):
    try:
        while data := await reader.read(65536):
            if silent:
                continue
            await write(data)
    except (OSError, asyncio.CancelledError):
        pass
    finally:
        if not silent:
            end()


async def relay(reader, writer, port):
    other_reader, other_writer = await asyncio.open_connection("127.0.0.1", port)
    writers.update({writer, other_writer})
    tell("relayed")

    def send(to):
        async def write(data):
            to.write(data)
            await to.drain()

        return write

    await asyncio.gather(
        copy(reader, send(other_writer), other_writer.close), copy(other_reader, send(writer), writer.close)
    )


async def websocket(socket, port):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    tell("websocket", socket.subprotocol)
    back = asyncio.create_task(copy(reader, socket.send, lambda: asyncio.create_task(socket.close())))
    try:
        async for message in socket:
            if isinstance(message, str):
                tell("text")
                break
            writer.write(message)
            await writer.drain()
    except ConnectionClosed:
        pass
    writer.close()
    await back
    tell("closed", socket.close_code)


def text(value):
    data = value.encode()
    return len(data).to_bytes(2, "big") + data


ACCEPTED = b"\x20\x03\x00\x00\x00"
SUBSCRIBED = b"\x90\x04\x00\x04\x00\x01"
READY = ACCEPTED + SUBSCRIBED


def message(body, kind=0x32):
    return bytes([kind, len(body)]) + body


# What is sent after CONNECT, in version 5.
CASES = [
    b"",
    b"\x20",
    ACCEPTED[:3],
    b"\x20\x03\x00\x87\x00",
    b"\x20\x03\x01\x87\x00",
    b"\x20\x03\x02\x00\x00",
    b"\x20\x09\x00\x00\x06\x22\xff\xff\x22\xff\xff",
    b"\x20\x05\x00\x00\x02\x7f\x00",
    b"\xff\xff\xff\xff\xff\xff",
    b"\x30\xff\xff\xff\x7f" + b"x" * 70_000,
    b"HTTP/1.1 400 Bad Request\r\nContent-Length: 100\r\n\r\n" + b"x" * 100,
    SUBSCRIBED,
    ACCEPTED + ACCEPTED,
    ACCEPTED + b"\x90\x05\x00\x04\x00\x01\x01",
    ACCEPTED + b"\x90\x04\x00\x09\x00\x01",
    ACCEPTED + b"\x90\x03\x00\x04\x00",
    READY + SUBSCRIBED,
    READY + message(text("a") + b"\x00\x01\x00" + b"two", 0x34),
    READY + message(text("a") + b"\x00\x00\x00" + b"no id"),
    READY + message(text("#") + b"\x00\x01\x00" + b"wildcard"),
    READY + message(text("") + b"\x00\x01\x03\x23\x00\x01" + b"alias"),
    READY + message(b"\x00\x01\xff" + b"\x00\x01\x00" + b"no UTF-8"),
    READY + message(text("a") + b"\x00\x01\xff" + b"long properties"),
    READY + b"\x10\x00",
    READY + b"\x62\x02\x00\x01",
    READY + b"\xf0\x00",
    READY + b"\xd0\x01\x00",
    bytes(range(256)) * 4,
]

# The first ones end with the connection; the others wait for what the client says to it.
CUT = 4

number = 0


async def hostile(reader, writer):
    global number
    case, number = number % len(CASES), number + 1
    try:
        await reader.read(65536)
        tell("begun", case)
        writer.write(CASES[case])
        await writer.drain()
        if case < CUT:
            writer.write_eof()
        await reader.read(65536)
    except OSError:
        pass
    finally:
        tell("case", case)
        writer.close()


async def deny(reader, writer):
    """Accepts a client and refuses its topics."""
    connect = await reader.read(65536)
    is_new = connect[8] == 5
    writer.write(ACCEPTED + b"\x90\x04\x00\x04\x00\x87" if is_new else b"\x20\x02\x00\x00\x90\x03\x00\x04\x80")
    await reader.read(65536)
    tell("denied")
    writer.close()


async def main():
    global silent
    port = int(sys.argv[1])
    sockets = await serve(lambda s: websocket(s, port), "127.0.0.1", 0, subprotocols=["mqtt"])
    relays = await asyncio.start_server(lambda r, w: relay(r, w, port), "127.0.0.1", 0)
    wrong = await asyncio.start_server(hostile, "127.0.0.1", 0)
    denying = await asyncio.start_server(deny, "127.0.0.1", 0)
    ports = [server.sockets[0].getsockname()[1] for server in (sockets, relays, wrong, denying)]
    tell("ready", *ports, len(CASES), CUT)
    commands = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(commands), sys.stdin)
    while line := (await commands.readline()).decode().strip():
        if line == "silent":
            silent = True
        elif line == "pass":
            silent = False
        elif line == "cut":
            for writer in writers:
                writer.close()
        tell("did", line)


asyncio.run(main())
