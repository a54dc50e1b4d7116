"""What the doubles share: lines on standard output, commands on standard input, refusals, cuts, the clock, TLS.

Commands of each double, a line each, answered by `did …` (or by `what …` if the line cannot be understood):
  cut                               drop all connections at once
  refuse STATUS [COUNT [SECONDS]]   answer the next COUNT requests (without COUNT all, until `accept`) with STATUS, and
                                    with Retry-After if there are SECONDS
  accept                            end of `refuse`
  clock SECONDS | clock freeze | clock run   move the server's clock, stop it, let it go on
The process ends when standard input closes.
"""

import asyncio
import os
import ssl
import sys
import threading
import time

from aiohttp import WSMsgType, web


def tell(*words):
    """Writes a line of what was seen; words that are empty or None are left out."""
    # In one piece: other threads write too.
    print(" ".join(str(word) for word in words if word not in ("", None)) + "\n", end="", flush=True)


class Double:
    """A server of HTTP and WebSockets on 127.0.0.1."""

    def __init__(self, options):
        self.options, self.transports, self.refusals = options, set(), {}
        self.shift, self.frozen = 0.0, None

    def now(self):
        return self.frozen if self.frozen is not None else time.time() + self.shift

    def refused(self, path, which="all"):
        """None, or the status and the further headers of a refusal that was ordered."""
        if which not in self.refusals:
            return None
        status, count, retry = self.refusals.pop(which)
        if count != 1:
            self.refusals[which] = (status, max(count - 1, 0), retry)
        tell("refused", status, path)
        return status, {"Retry-After": retry} if retry else {}

    def cut(self):
        for transport in self.transports:
            if transport:
                transport.abort()
        self.transports.clear()

    def command(self, word, first="", rest=""):
        """The commands of every double; those of one double are tried before."""
        if word == "cut" and not first:
            self.cut()
        elif word == "refuse":
            count, _, retry = rest.partition(" ")
            self.refusals["all"] = (int(first), int(count or 0), retry)
        elif word == "accept":
            self.refusals.clear()
        elif word == "clock" and first == "freeze":
            self.frozen = self.now()
        elif word == "clock" and first == "run":
            self.frozen = None
        elif word == "clock":
            self.shift += float(first)
            self.frozen = self.frozen + float(first) if self.frozen is not None else None
        else:
            raise ValueError(word)

    def obey(self, line):
        try:
            self.command(*line.split(" ", 2))
            tell("did", line)
        except (ValueError, TypeError, KeyError):
            tell("what", line)

    def listen(self):
        """Takes commands from whoever has started this; without them the process is of no use."""
        loop = asyncio.get_running_loop()

        def read():
            for line in sys.stdin:
                if line.strip():
                    loop.call_soon_threadsafe(self.obey, line.strip())
            os._exit(0)

        threading.Thread(target=read, daemon=True).start()

    def tls(self):
        if not self.options.certificate:
            return None
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.options.certificate)
        return context

    async def serve(self, app):
        """Serves the app on a free port, and returns the port."""
        runner = web.AppRunner(app, access_log=None, handler_cancellation=True)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0, ssl_context=self.tls()).start()
        return runner.addresses[0][1]

    async def converse(self, ws, transport, every, within):
        """Reads a WebSocket to its end: pings, wants a pong by `every + within`, takes no message of more than 64 bytes."""
        ponged = time.monotonic()

        async def ping():
            due = ponged + every
            while not ws.closed:
                await asyncio.sleep(max(0.0, min(due, ponged + every + within) - time.monotonic()))
                if time.monotonic() >= ponged + every + within:
                    tell("silent")
                    transport.abort()
                    return
                if time.monotonic() >= due:
                    await ws.ping()
                    due += every

        task = asyncio.create_task(ping())
        try:
            async for message in ws:
                if message.type == WSMsgType.PONG:
                    ponged = time.monotonic()
                    tell("pong")
                elif message.type == WSMsgType.PING:
                    await ws.pong(message.data)
                elif message.type in (WSMsgType.TEXT, WSMsgType.BINARY):
                    tell("said", len(message.data))
                elif getattr(message.data, "code", None) == 1009:
                    tell("too long")
        except ConnectionError:
            pass
        finally:
            task.cancel()


def add_common_options(parser):
    parser.add_argument("--certificate", help="a PEM file with certificate and key, to speak TLS")
    parser.add_argument("--keepalive", type=float, default=45.0, help="seconds between pings (ntfy: also between keepalives)")
    parser.add_argument("--pong", type=float, default=15.0, help="how many seconds more than --keepalive a pong may take")
