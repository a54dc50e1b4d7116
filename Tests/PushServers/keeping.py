"""A server of messages on a WebSocket, on 127.0.0.1, which keeps each until the client has acknowledged it.

`/messages` sends `{"id", "body"}`: all messages that it keeps, then those that arrive, until `{"ack": ID}`. The first line is
`ready PORT`. It tells `open NUMBER`, `sent ID`, `ack ID`. Commands, beside those of common.py:
  send ID BODY   send a message
"""

import argparse
import asyncio
import json

from aiohttp import web

from common import Double, add_common_options, tell


class Server(Double):
    def __init__(self, options):
        super().__init__(options)
        self.kept, self.sockets, self.opened = {}, set(), 0

    async def messages(self, request):
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        self.transports.add(request.transport)
        self.sockets.add(socket)
        self.opened += 1
        tell("open", self.opened)
        try:
            for id in list(self.kept):
                await self.send(socket, id)
            async for message in socket:
                id = json.loads(message.data)["ack"]
                tell("ack", id)
                self.kept.pop(id, None)
        finally:
            self.sockets.discard(socket)
        return socket

    async def send(self, socket, id):
        tell("sent", id)
        await socket.send_json({"id": id, "body": self.kept[id]})

    def command(self, word, first="", rest=""):
        if word != "send":
            return super().command(word, first, rest)
        self.kept[first] = rest
        for socket in self.sockets:
            asyncio.create_task(self.send(socket, first))


async def main():
    parser = argparse.ArgumentParser()
    add_common_options(parser)
    server = Server(parser.parse_args())
    app = web.Application()
    app.router.add_get("/messages", server.messages)
    tell("ready", await server.serve(app))
    server.listen()
    await asyncio.get_running_loop().create_future()


if __name__ == "__main__":
    asyncio.run(main())
