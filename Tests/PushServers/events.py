"""A server of event streams for tests, on 127.0.0.1, which rejects longer values of Last-Event-ID with status 431.

A stream begins with the events after the one of Last-Event-ID; without the field, or with an unknown id, with all of them.
What it sees goes to standard output, a line each; the first is `ready PORT`. Commands, beside those of common.py:
  send ID JSON         send an event
  long COUNT JSON      send an event whose id has COUNT letters
"""

import argparse
import asyncio

from aiohttp import web

from common import Double, add_common_options, tell

LONGEST = 4_096


class Server(Double):
    """The events, and the streams that are open."""

    def __init__(self, options):
        super().__init__(options)
        self.events, self.streams = [], []

    async def read(self, request):
        self.transports.add(request.transport)
        last = request.headers.get("Last-Event-ID", "")
        if len(last) > LONGEST:
            tell("rejected", len(last))
            return web.Response(status=431)
        tell("stream", f"after={last}")
        answer = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await answer.prepare(request)
        ids = [id for id, _ in self.events]
        waiting = asyncio.Queue()
        for event in self.events[ids.index(last) + 1 if last in ids else 0 :]:
            waiting.put_nowait(event)
        self.streams.append(waiting)
        try:
            while True:
                id, data = await waiting.get()
                await answer.write(f"id: {id}\ndata: {data}\n\n".encode())
        finally:
            self.streams.remove(waiting)
            tell("closed")

    def command(self, word, first="", rest=""):
        if word in ("send", "long"):
            event = (first if word == "send" else "x" * int(first), rest)
            self.events.append(event)
            for waiting in self.streams:
                waiting.put_nowait(event)
        else:
            super().command(word, first, rest)


async def main():
    parser = argparse.ArgumentParser()
    add_common_options(parser)
    server = Server(parser.parse_args())
    app = web.Application()
    app.router.add_get("/stream", server.read)
    tell("ready", await server.serve(app))
    server.listen()
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main())
