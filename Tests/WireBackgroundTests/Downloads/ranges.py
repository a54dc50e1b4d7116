"""A server of files that does to each request what a script in its own address says, a step a request.

The content of a file is made of its seed. What was asked goes to standard output, a line each; `go NAME` on standard input
opens a gate.
"""

import asyncio
import json
import random
import re
import socket
import struct
import sys
from urllib.parse import parse_qs, unquote, urlsplit

gates = {}
steps = {}


def gate(name):
    return gates.setdefault(name, asyncio.Event())


def tell(*words):
    print(*words, flush=True)


def content(seed, size):
    return random.Random(seed).randbytes(size)


async def body(writer, data, step):
    """Sends as much as the step lets, in the way it wants."""
    end = step.get("cut", len(data))
    wait, pace = step.get("wait"), step.get("drip", 65536)
    for start in range(0, end, pace):
        if wait and start >= wait["at"]:
            tell("waits", wait["for"])
            await gate(wait["for"]).wait()
            wait = None
        part = data[start : min(start + pace, end)]
        writer.write(b"%x\r\n%s\r\n" % (len(part), part) if step.get("chunked") else part)
        await writer.drain()
        if step.get("drip"):
            await asyncio.sleep(0)
    if step.get("chunked") and "cut" not in step:
        writer.write(b"0\r\n\r\n")
        await writer.drain()
    return end == len(data) and not step.get("reset") and not step.get("close")


async def serve(reader, writer):
    try:
        while True:
            line = (await reader.readuntil(b"\n")).decode("latin-1").split()
            fields = {}
            while text := (await reader.readuntil(b"\n")).decode("latin-1").strip():
                name, _, value = text.partition(":")
                fields[name.strip().lower()] = value.strip()
            url = urlsplit(line[1])
            script = json.loads(parse_qs(url.query).get("script", ["[{}]"])[0])
            number = steps.get(line[1], 0)
            steps[line[1]] = number + 1
            step = script[min(number, len(script) - 1)]
            shown = [fields.get(name, "-") for name in ("range", "if-range", "authorization")]
            tell("asked", unquote(url.path), "|".join(shown))
            if not await answer(writer, url, fields, step):
                if step.get("reset"):
                    raw = writer.get_extra_info("socket")
                    raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    writer.transport.abort()
                break
    except (asyncio.IncompleteReadError, asyncio.CancelledError, ConnectionError):
        pass
    finally:
        writer.close()


async def answer(writer, url, fields, step):
    size, seed = step.get("size", 300_000), step.get("seed", 1)
    data = content(seed, size)
    tag = step.get("etag", f'"{seed}"')
    modified = step.get("modified")
    status, first = 200, 0
    wanted = re.fullmatch(r"bytes=(\d+)-", fields.get("range", ""))
    condition = fields.get("if-range")
    if wanted and step.get("ranges", True) and condition in (None, tag, modified):
        first = int(wanted[1])
        status = 206 if first < size else 416
    status = step.get("status", status)
    if step.get("ignore_condition") and wanted:
        first, status = int(wanted[1]), 206 if int(wanted[1]) < size else 416
    head = [f"HTTP/1.1 {status} X", "Date: Sun, 06 Nov 2033 08:49:37 GMT", *step.get("fields", [])]
    if status == 416 and "range" not in step:
        head += [f"Content-Range: bytes */{size}", "Content-Length: 0"]
        data = b""
    elif status in (200, 206):
        data = data[first:]
        if tag:
            head.append(f"ETag: {tag}")
        if modified:
            head.append(f"Last-Modified: {modified}")
        if status == 206:
            head.append("Content-Range: " + step.get("range", f"bytes {first}-{size - 1}/{size}"))
        if step.get("chunked"):
            head.append("Transfer-Encoding: chunked")
        else:
            head.append(f"Content-Length: {step.get('length', len(data))}")
    else:
        data = b"no"
        head.append("Content-Length: 2")
        if step.get("again"):
            head.append(f"Location: {url.geturl()}")
    writer.write("\r\n".join(head).encode("latin-1") + b"\r\n\r\n")
    await writer.drain()
    return await body(writer, data, step)


async def commands():
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while line := (await reader.readline()).decode().split():
        if line[0] == "mark":
            tell(*line)
        else:
            gate(line[1]).set()


async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    tell("ready", server.sockets[0].getsockname()[1])
    await commands()
    server.close()


asyncio.run(main())
