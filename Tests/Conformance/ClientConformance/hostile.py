"""An HTTP server that answers as its caller asks it to, byte by byte, and mostly wrongly.

What it sees goes to its standard output, a line each; `go NAME` on its standard input opens a gate, and `mark N` is told
back, behind all that was seen before.
"""

import asyncio
import gzip
import json
import socket
import ssl
import struct
import sys
from urllib.parse import parse_qsl, urlsplit

gates = {}
connections = 0


def gate(name):
    return gates.setdefault(name, asyncio.Event())


def tell(*words):
    print(*words, flush=True)


class Connection:
    def __init__(self, reader, writer):
        global connections
        connections += 1
        self.number = connections
        self.reader, self.writer = reader, writer
        self.target = ""

    async def send(self, data):
        self.writer.write(data if isinstance(data, bytes) else data.encode("latin-1"))
        await self.writer.drain()

    async def answer(self, body, status="200 OK", *fields):
        body = body if isinstance(body, bytes) else body.encode()
        head = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *fields]
        await self.send("\r\n".join(head).encode() + b"\r\n\r\n" + (b"" if self.method == "HEAD" else body))

    def field(self, name):
        return next((v for n, v in self.fields if n.lower() == name), None)

    async def read_head(self):
        line = (await self.reader.readuntil(b"\n")).decode("latin-1").rstrip("\r\n")
        self.method, self.target, _ = line.split(" ", 2)
        url = urlsplit(self.target)
        self.path, self.query = url.path, dict(parse_qsl(url.query, keep_blank_values=True))
        self.fields = []
        while line := (await self.reader.readuntil(b"\n")).decode("latin-1").rstrip("\r\n"):
            name, value = line.split(":", 1)
            self.fields.append((name, value.strip()))

    async def body_parts(self):
        if self.field("transfer-encoding") == "chunked":
            while size := int(await self.reader.readuntil(b"\n"), 16):
                yield await self.reader.readexactly(size)
                await self.reader.readexactly(2)
            await self.reader.readuntil(b"\n")
        else:
            left = int(self.field("content-length") or 0)
            while left:
                part = await self.reader.read(min(left, 65536))
                if not part:
                    raise asyncio.IncompleteReadError(b"", left)
                left -= len(part)
                yield part

    async def read_body(self):
        return b"".join([part async for part in self.body_parts()])

    def reset(self):
        raw = self.writer.get_extra_info("socket")
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.writer.transport.abort()

    async def until_closed(self):
        """Waits until the other side has gone."""
        try:
            while await self.reader.read(65536):
                pass
        except ConnectionError:
            pass
        tell("closed", self.query.get("name", ""))

    # What is asked for by the path; true keeps the connection.

    async def hello(self):
        await self.read_body()
        await self.answer("hello", "200 OK", "Content-Type: text/plain")
        return True

    async def echo(self):
        body = await self.read_body()
        seen = dict(method=self.method, target=self.target, fields=self.fields, connection=self.number,
                    length=len(body), body=body[:1000].decode("latin-1"))
        await self.answer(json.dumps(seen))
        return True

    async def raw(self):
        """Sends what the query says, and closes or goes silent."""
        await self.read_body()
        await self.send(self.query["bytes"])
        if self.query.get("then") == "reset":
            self.reset()
        elif self.query.get("then") == "wait":
            await self.until_closed()

    async def drip(self):
        await self.read_body()
        for byte in b"HTTP/1.1 200 OK\r\nX-Slow: yes\r\nContent-Length: 5\r\n\r\nhello":
            await self.send(bytes([byte]))
            await asyncio.sleep(0)
        return True

    async def black_hole(self):
        tell("asked", self.query.get("name", ""))
        await self.until_closed()

    async def gated(self):
        """The head and half the body at once, the rest when the gate opens."""
        await self.read_body()
        await self.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello")
        tell("half", self.query["name"])
        waits = [asyncio.ensure_future(w) for w in (gate(self.query["name"]).wait(), self.reader.read(1))]
        done, left = await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        for wait in left:
            wait.cancel()
        if waits[1] in done:
            tell("closed", self.query["name"])
            return False
        await self.send("world")

    async def late(self):
        """Answers when the gate opens."""
        await self.read_body()
        tell("asked", self.query["name"])
        await gate(self.query["name"]).wait()
        await self.answer("late")
        return True

    async def endless_fields(self):
        await self.read_body()
        await self.send("HTTP/1.1 200 OK\r\n")
        await self.flood(b"X-Field: and another\r\n")

    async def endless_line(self):
        await self.read_body()
        await self.send("HTTP/1.1 200 OK\r\nX-Field: ")
        await self.flood(b"a" * 1000)

    async def endless_interim(self):
        await self.read_body()
        await self.flood(b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n")

    async def endless_trailers(self):
        await self.read_body()
        await self.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n")
        await self.flood(b"X-Trailer: and another\r\n")

    async def endless_body(self):
        await self.read_body()
        await self.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        await self.flood(b"1000\r\n" + b"x" * 4096 + b"\r\n")

    async def flood(self, what):
        try:
            while True:
                await self.send(what * 10)
                await asyncio.sleep(0)
        except ConnectionError:
            tell("closed", self.query.get("name", ""))

    async def redirect(self):
        await self.read_body()
        await self.answer("elsewhere", self.query.get("status", "302") + " Moved", "Location: " + self.query["to"])
        return True

    async def loop(self):
        count = int(self.query.get("count", 0)) + 1
        tell("looped", count)
        await self.answer("", "302 Found", f"Location: /loop?count={count}")
        return True

    async def large(self):
        """So many bytes, each telling its place."""
        left = int(self.query["count"])
        await self.send(f"HTTP/1.1 200 OK\r\nContent-Length: {left}\r\n\r\n")
        block = bytes(range(251)) * 261
        while left:
            part = block[: min(left, len(block))]
            await self.send(part)
            left -= len(part)
        return True

    async def swallow(self):
        """Reads a body, once the gate is open where one is named, and tells how long it was and whether it was right."""
        if "name" in self.query:
            tell("asked", self.query["name"])
            await gate(self.query["name"]).wait()
        count, isRight = 0, True
        async for part in self.body_parts():
            for offset in range(0, len(part), 4096):
                isRight = isRight and part[offset] == (count + offset) % 251
            count += len(part)
        await self.answer(f"{count} {isRight}", "200 OK")
        return True

    async def twoway(self):
        """Answers before the body has come, and sends each part back."""
        await self.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        async for part in self.body_parts():
            await self.send(b"%x\r\n%s\r\n" % (len(part), part))
        await self.send("0\r\n\r\n")
        return True

    async def broken_off(self):
        """Tells whether the body came to its end."""
        tell("asked", self.query["name"])
        try:
            body = await self.read_body()
            tell("whole", self.query["name"], len(body))
            await self.answer("whole")
        except (asyncio.IncompleteReadError, ConnectionError, ValueError):
            tell("torn", self.query["name"])

    async def refuse(self):
        """A final answer to the head alone."""
        await self.answer("no", "413 Content Too Large", "Connection: close")
        await self.until_closed()

    async def expectation_failed(self):
        if self.field("expect"):
            await self.answer("not that", "417 Expectation Failed")
        else:
            body = await self.read_body()
            await self.answer(f"{len(body)}")
        return True

    async def continues(self):
        tell("expects", self.query["name"], self.field("expect"))
        await self.send("HTTP/1.1 100 Continue\r\n\r\n")
        return await self.echo()

    async def switch(self):
        """Leaves HTTP for a protocol that turns every line round, until a line says what else."""
        tell("switching", self.field("connection"), self.field("upgrade"), self.field("transfer-encoding"))
        if not self.query.get("at-once"):
            # Nothing may come before the answer.
            try:
                early = await asyncio.wait_for(self.reader.read(1), 0.05)
                tell("trouble early", early)
            except asyncio.TimeoutError:
                pass
        head = "HTTP/1.1 101 Switching Protocols\r\nConnection: keep-alive, Upgrade\r\nUpgrade: turned\r\n\r\n"
        await self.send(head + self.query.get("first", ""))
        while line := await self.reader.readline():
            word = line.decode().strip()
            if word == "half":
                await self.send("bye")
                self.writer.write_eof()
                await self.until_closed()
                return
            if word == "reset":
                return self.reset()
            await self.send(word[::-1] + "\n")
        tell("turned", self.query.get("name", ""))

    async def half_close(self):
        await self.read_body()
        await self.send("HTTP/1.1 200 OK\r\n\r\nuntil the end")
        self.writer.write_eof()
        await self.until_closed()

    async def gzip(self):
        await self.read_body()
        body = gzip.compress(b"hello " * 1000)
        await self.answer(body, "200 OK", "Content-Encoding: gzip", "X-Asked: " + str(self.field("accept-encoding")))
        return True

    async def once(self):
        """Answers the first request of a connection and hangs up on the next, with nothing said."""
        await self.read_body()
        tell("attempt", self.query["name"], self.method)
        if getattr(self, "hasAnswered", False):
            return False
        self.hasAnswered = True
        await self.answer("once")
        return True

    async def serve(self):
        tell("connection", self.number)
        try:
            while True:
                await self.read_head()
                handler = getattr(self, self.path.strip("/").replace("-", "_"), None)
                if handler is None:
                    await self.read_body()
                    await self.answer("nothing here", "404 Not Found")
                elif not await handler():
                    break
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        except Exception as error:
            tell("trouble", repr(error))
        finally:
            self.writer.close()
            tell("gone", self.number)


async def proxy(reader, writer):
    """A CONNECT proxy that leads every name to this machine, and wants a password from who asks for `locked`."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    method, target, _ = head.split("\r\n")[0].split(" ", 2)
    tell("proxy", method, target, "secret" if "x-secret" in head.lower() else "clean")
    if target.startswith("locked"):
        writer.write(b"HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\nContent-Length: 0\r\n\r\n")
    elif method == "CONNECT":
        upstream = await asyncio.open_connection("127.0.0.1", int(target.rsplit(":", 1)[1]))
        writer.write(b"HTTP/1.1 200 Connection Established\r\n\r\n")
        await asyncio.gather(copy(reader, upstream[1]), copy(upstream[0], writer))
    else:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nby proxy!")
    writer.close()


async def copy(reader, writer):
    try:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
        writer.write_eof()
    except (ConnectionError, OSError):
        pass


async def mute(reader, writer):
    """Accepts and says nothing, so that no handshake ever ends."""
    tell("accepted")
    try:
        while await reader.read(65536):
            pass
    except ConnectionError:
        pass
    tell("unaccepted")
    writer.close()


async def listen():
    lines = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    while line := (await lines.readline()).decode().split():
        if line[0] == "mark":
            tell(*line)
        else:
            gate(line[1]).set()


async def main():
    async def serve(reader, writer):
        await Connection(reader, writer).serve()

    servers = [
        await asyncio.start_server(serve, "127.0.0.1", 0, backlog=2048),
        await asyncio.start_server(proxy, "127.0.0.1", 0),
        await asyncio.start_server(mute, "127.0.0.1", 0),
    ]
    if len(sys.argv) > 2:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[2])
        servers.append(await asyncio.start_server(serve, "127.0.0.1", 0, ssl=context))
    keep = await asyncio.start_unix_server(serve, sys.argv[1])
    tell("ready", *[server.sockets[0].getsockname()[1] for server in servers])
    await listen()


asyncio.run(main())
