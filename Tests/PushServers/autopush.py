"""A double of Mozilla's push service (autopush-rs 1.83) for tests, on 127.0.0.1.

Written from descriptions of the protocol, not from any client. The WebSocket (autopush_client.py)
has a port of its own, path `/`; the senders' endpoints (autopush_endpoint.py) another. As the real one, it keeps a uaid only
from the first register on, gives another uaid with status 200 for one that it does not know, sends what it has stored in
batches of 10 (topics first, up to 11), the next batch when all of the last are acknowledged, drops a user who has more than
150 stored, holds direct messages until they are acknowledged, and stores them when the connection ends.

What it sees goes to standard output, a line each; the first is `ready WEBSOCKET-PORT ENDPOINT-PORT`. Commands, beside those of
common.py (where `refuse` is for the handshake):
  drop uaid             forget all users; their connections stay
  close CODE [REASON]   close all connections with this code
  no pong | pong        answer no ping, neither `{}` nor a frame | answer them again
  register STATUS       answer the next register with this status
  broadcast NAME VERSION   a new version of a broadcast; it goes out instead of the next ping
  refuse-push STATUS [COUNT [SECONDS]]   `refuse` for the endpoints; 503 has Retry-After 120 if there are no SECONDS
"""

import argparse
import asyncio
import http
from urllib.parse import urlsplit

from websockets.asyncio.server import serve
from websockets.exceptions import ConnectionClosed
from websockets.frames import Opcode

from autopush_client import Client
from autopush_endpoint import Endpoint
from common import Double, add_common_options, tell

RECORD_SECONDS = 60 * 86400


class Server(Double):
    """The users, and who is connected."""

    def __init__(self, options):
        super().__init__(options)
        self.users, self.tokens, self.clients, self.open, self.broadcasts = {}, {}, {}, set(), {}
        self.mute, self.register_status, self.origin = False, None, ""

    def user(self, uaid):
        user = self.users.get(uaid)
        if user and self.now() - user.seen > RECORD_SECONDS:
            del self.users[uaid]
            return None
        return user

    async def take(self, uaid, notice):
        """Sends a message to who is connected, and stores it for who is not."""
        if client := self.clients.get(uaid):
            client.direct[notice.version] = notice
            try:
                await client.say(notice.frame())
            except ConnectionClosed:
                pass  # It is stored when the connection has ended.
            return "direct"
        if notice.ttl == 0:
            return "lost"
        self.users[uaid].store(notice)
        return "stored"

    def take_back(self, version):
        for user in self.users.values():
            user.stored = [notice for notice in user.stored if notice.version != version]
        for client in self.open:
            client.direct.pop(version, None)

    def leave(self, client):
        """Stores what was sent directly and is not acknowledged; not what had a TTL of 0."""
        if self.clients.get(client.uaid) is client:
            del self.clients[client.uaid]
        waiting, client.direct = [notice for notice in client.direct.values() if notice.ttl], {}
        for notice in waiting:
            if user := self.users.get(client.uaid):
                user.store(notice)
                tell("kept", notice.version)

    def check(self, connection, request):
        if ordered := self.refused(request.path):
            answer = connection.respond(http.HTTPStatus(ordered[0]), "refused\n")
            for name, value in ordered[1].items():
                answer.headers[name] = value
            return answer
        return None if urlsplit(request.path).path == "/" else connection.respond(http.HTTPStatus.NOT_FOUND, "")

    async def connected(self, ws):
        send_frame = ws.protocol.send_frame
        ws.protocol.send_frame = lambda frame: None if self.mute and frame.opcode is Opcode.PONG else send_frame(frame)
        client = Client(self, ws)
        self.open.add(client)
        self.transports.add(ws.transport)
        tell("open", ws.subprotocol or "")
        alive = asyncio.create_task(client.keep_alive())
        try:
            await client.run()
            await ws.wait_closed()
        finally:
            alive.cancel()
            self.open.discard(client)
            self.leave(client)
            tell("closed", client.uaid, ws.close_code, ws.close_reason)

    def command(self, word, first="", rest=""):
        if (word, first) == ("drop", "uaid"):
            self.users.clear()
        elif word == "close":
            for client in list(self.open):
                asyncio.create_task(client.end(int(first), rest))
        elif (word, first) == ("no", "pong") or word == "pong":
            self.mute = word == "no"
        elif word == "register":
            self.register_status = int(first)
        elif word == "broadcast":
            self.broadcasts[first] = rest
        elif word == "refuse-push":
            count, _, retry = rest.partition(" ")
            self.refusals["push"] = (int(first), int(count or 0), retry)
        else:
            super().command(word, first, rest)


async def main():
    parser = argparse.ArgumentParser()
    add_common_options(parser)
    parser.set_defaults(keepalive=300.0, pong=4.0)
    parser.add_argument("--hello", type=float, default=5.0, help="seconds within which hello must come")
    parser.add_argument("--ping-floor", type=float, default=45.0, help="seconds that must lie between two pings of the client")
    parser.add_argument("--by-batch", action="store_true", help="forget what was stored only when all of its batch is acknowledged")
    server = Server(parser.parse_args())
    port = await server.serve(Endpoint(server).app())
    server.origin = f"{'https' if server.options.certificate else 'http'}://127.0.0.1:{port}"

    def choose(_, offered):
        return "push-notification" if "push-notification" in offered else None

    sockets = await serve(
        server.connected, "127.0.0.1", 0, process_request=server.check, select_subprotocol=choose,
        compression=None, ping_interval=None, close_timeout=1, ssl=server.tls(),
    )
    tell("ready", next(iter(sockets.sockets)).getsockname()[1], port)
    server.listen()
    await asyncio.get_running_loop().create_future()


if __name__ == "__main__":
    asyncio.run(main())
