"""A line between a runner and its database that can be disturbed.

Takes commands by line: `mute` swallows what the server sends, `hold` forwards nothing in either direction, `withhold` nothing to the
server, `slow` at most 6 MiB a second, `trickle` a byte a second of what the server sends, `pass` forwards all again, and `cut` ends
all connections; new ones are forwarded.
`strand` holds those that there are for good, also their ends, and forwards new ones.
"""

import asyncio
import sys

HOST, PORT = sys.argv[1], int(sys.argv[2])


class Line:
    def __init__(self):
        self.writers = set()
        self.is_muted = self.is_slow = self.is_trickling = False
        self.requests, self.answers = asyncio.Event(), asyncio.Event()
        self.open()

    def open(self):
        self.requests.set()
        self.answers.set()

    async def forward(self, reader, writer, is_answer):
        passes = self.answers if is_answer else self.requests
        try:
            while data := await reader.read(65536):
                if not passes.is_set():
                    print("held", flush=True)
                await passes.wait()
                while data and not (is_answer and self.is_muted):
                    count = 1 if is_answer and self.is_trickling else len(data)
                    writer.write(data[:count])
                    await writer.drain()
                    data = data[count:]
                    if data:
                        await asyncio.sleep(1)
                if self.is_slow:
                    await asyncio.sleep(0.01)
        except OSError:
            pass
        if passes not in (self.requests, self.answers):
            await passes.wait()
        writer.close()

    async def serve(self, reader, writer):
        try:
            server_reader, server_writer = await asyncio.open_connection(HOST, PORT)
        except OSError:
            writer.close()
            return
        pair = {writer, server_writer}
        self.writers |= pair
        await asyncio.gather(self.forward(reader, server_writer, False), self.forward(server_reader, writer, True))
        self.writers -= pair

    def obey(self, command):
        if command == "mute":
            self.is_muted = True
        elif command == "hold":
            self.requests.clear()
            self.answers.clear()
        elif command == "strand":
            self.requests.clear()
            self.answers.clear()
            self.requests, self.answers = asyncio.Event(), asyncio.Event()
            self.open()
        elif command == "withhold":
            self.requests.clear()
        elif command == "slow":
            self.is_slow = True
        elif command == "trickle":
            self.is_trickling = True
        elif command == "pass":
            self.is_muted = self.is_slow = self.is_trickling = False
            self.open()
        elif command == "cut":
            self.is_muted = False
            for writer in self.writers:
                writer.transport.abort()
            self.open()
        print("did", command, flush=True)


async def main():
    line = Line()
    server = await asyncio.start_server(line.serve, "127.0.0.1", 0)
    loop = asyncio.get_running_loop()
    loop.add_reader(0, lambda: [line.obey(text) for text in sys.stdin.readline().split()] or sys.exit(0))
    print("ready", server.sockets[0].getsockname()[1], flush=True)
    async with server:
        await server.serve_forever()


asyncio.run(main())
