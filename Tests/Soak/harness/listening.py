"""A server on a port of its own, whose connections are answered one request after the other."""

import asyncio


class Listening:
    """What it answers is said by `once`, which tells whether the connection is kept for another request."""

    def __init__(self):
        self.connections = set()

    async def open(self):
        self.server = await asyncio.start_server(self.serve, "127.0.0.1", 0, backlog=512)
        self.port = self.server.sockets[0].getsockname()[1]
        return self

    async def close(self):
        self.server.close()
        for writer in list(self.connections):
            writer.transport.abort()

    async def serve(self, reader, writer):
        self.connections.add(writer)
        try:
            while await self.once(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            self.connections.discard(writer)
            writer.close()
