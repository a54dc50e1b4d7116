"""HTTP/1.1 over a Unix socket, by hand: what arrives is looked at byte by byte, nothing is mended on the way."""

import asyncio
import json

from harness.waiting import DEADLINE


class Gone(Exception):
    """The connection broke off before the whole answer was there: what became of the request is not known."""


class Answer:
    def __init__(self, status, fields, body):
        self.status = status
        self.fields = fields
        self.body = body

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def version(self):
        """The version in the ETag."""
        return int(self.fields["etag"].strip('"'))

    def __str__(self):
        return f"{self.status} {self.body[:300]!r}"


class Connection:
    """A connection that is kept, for one request after the other."""

    def __init__(self, reader, writer):
        self.reader = reader
        self.writer = writer

    @classmethod
    async def open(cls, path):
        try:
            return cls(*await asyncio.open_unix_connection(path, limit=1 << 22))
        except OSError as error:
            raise Gone(f"connect: {error}") from error

    async def ask(self, method, path, body=None, fields=(), deadline=DEADLINE):
        head = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\n"
        head += "".join(f"{field}\r\n" for field in fields)
        if body is not None:
            head += f"Content-Length: {len(body)}\r\n"
        try:
            self.writer.write(head.encode() + b"\r\n" + (body or b""))
            async with asyncio.timeout(deadline):
                await self.writer.drain()
                return await self.answer(method)
        except TimeoutError as error:
            raise TimeoutError(f"{method} {path}: no answer in {deadline} s") from error
        except (OSError, asyncio.IncompleteReadError, ValueError) as error:
            raise Gone(f"{method} {path}: {error!r}") from error

    async def answer(self, method="GET"):
        head = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        status = int(head[0].split(" ")[1])
        fields = {}
        for line in head[1:]:
            name, colon, value = line.partition(":")
            if colon:
                fields[name.lower()] = value.strip()
        if method == "HEAD" or status in (204, 304):
            return Answer(status, fields, b"")
        if fields.get("transfer-encoding") == "chunked":
            return Answer(status, fields, await self.chunks())
        return Answer(status, fields, await self.reader.readexactly(int(fields.get("content-length", "0"))))

    async def chunks(self):
        body = b""
        while True:
            size = int((await self.reader.readuntil(b"\r\n")).split(b";")[0], 16)
            body += await self.reader.readexactly(size)
            await self.reader.readexactly(2)
            if size == 0:
                return body

    def close(self):
        self.writer.close()

    def abort(self):
        self.writer.transport.abort()


async def head(reader):
    """The status line and the fields of an answer."""
    return await reader.readuntil(b"\r\n\r\n")


async def lines(reader):
    """The lines of an answer that has no end, as they come, once its head has been read."""
    rest = b""
    while size := int((await reader.readuntil(b"\r\n")).split(b";")[0], 16):
        *whole, rest = (rest + await reader.readexactly(size)).split(b"\n")
        await reader.readexactly(2)
        for line in whole:
            yield line


async def ask(path, method, target, body=None, fields=(), deadline=DEADLINE):
    """One request over a connection of its own."""
    connection = await Connection.open(path)
    try:
        return await connection.ask(method, target, body, fields, deadline)
    finally:
        connection.close()
