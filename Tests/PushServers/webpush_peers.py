"""Peers of an autopush server for tests: receivers of the package `websockets`, and `pywebpush` as the sender.

`webpush_peers.py WEBSOCKET-URL`; the first line on standard output is `ready`. Commands, a line each, answered by `did …`:
  open NAME [mute]              connect a receiver; a mute one answers no pings
  hello NAME [UAID]
  register NAME CHANNEL [KEY]   with the VAPID key of this name
  ack NAME VERSION...
  say NAME TEXT                 send any text
  binary NAME TEXT              send the text as a binary message
  cut NAME                      drop the connection without a closing handshake
  push NAME ENDPOINT OPTIONS    send with pywebpush to the keys of a receiver; OPTIONS are JSON: its arguments, `key`
                                instead of `vapid_private_key`, and `times` (`{number}` in the
                                data is replaced)
  subscription NAME ENDPOINT    write `subscription NAME` and the Base64 of the subscription's JSON
Written besides: `hello NAME STATUS UAID`, `registered NAME CHANNEL STATUS [ENDPOINT]`,
`notified NAME CHANNEL VERSION [CONTENT]`, `said NAME TEXT` (any other text), `closed NAME CODE [REASON]`,
`pushed STATUS ERRNO|LOCATION`.
"""

import asyncio
import base64
import json
import os
import sys

import http_ece
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from py_vapid import Vapid
from pywebpush import WebPushException, webpush
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed
from websockets.frames import Opcode

from common import tell

receivers, vapids = {}, {}


def text_of(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def bytes_of(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def point_of(key):
    return key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)


def vapid(name):
    if name not in vapids:
        vapids[name] = Vapid()
        vapids[name].generate_keys()
    return vapids[name]


class Receiver:
    """A WebSocket with the keys of its subscriptions."""

    def __init__(self, name):
        self.name, self.ws, self.channels = name, None, {}
        self.key, self.auth = ec.generate_private_key(ec.SECP256R1()), os.urandom(16)

    async def open(self, is_mute):
        self.ws = await connect(sys.argv[1], ping_interval=None)
        send_frame = self.ws.protocol.send_frame
        self.ws.protocol.send_frame = lambda frame: None if is_mute and frame.opcode is Opcode.PONG else send_frame(frame)
        asyncio.create_task(self.listen(self.ws))

    async def listen(self, ws):
        try:
            async for text in ws:
                self.take(text)
        except ConnectionClosed:
            pass
        tell("closed", self.name, ws.close_code, ws.close_reason)

    def take(self, text):
        message = json.loads(text)
        match message.get("messageType"):
            case "hello":
                assert message["use_webpush"] is True and message["broadcasts"] == {}, text
                tell("hello", self.name, message["status"], message["uaid"])
            case "register":
                tell("registered", self.name, message["channelID"], message["status"], message["pushEndpoint"])
            case "notification":
                self.channels[message["version"]] = message["channelID"]
                tell("notified", self.name, message["channelID"], message["version"], self.content(message))
            case _:
                tell("said", self.name, text)

    def content(self, message):
        if "data" not in message:
            return ""
        headers, data = message["headers"], bytes_of(message["data"])
        if headers["encoding"] == "aes128gcm":
            return http_ece.decrypt(data, private_key=self.key, auth_secret=self.auth).decode()
        salt, dh = headers["encryption"].split("salt=")[1], headers["crypto_key"].split("dh=")[1].split(";")[0]
        return http_ece.decrypt(
            data, salt=bytes_of(salt), private_key=self.key, dh=bytes_of(dh), auth_secret=self.auth, version="aesgcm"
        ).decode()

    def subscription(self, endpoint):
        return {"endpoint": endpoint, "keys": {"p256dh": text_of(point_of(self.key)), "auth": text_of(self.auth)}}

    async def say(self, message):
        await self.ws.send(json.dumps(message))


async def push(receiver, endpoint, options):
    key, times = options.pop("key", None), options.pop("times", 1)
    if key:
        options["vapid_private_key"] = vapid(key)
        options.setdefault("vapid_claims", {"sub": "mailto:ada@example.com"})
    data = options.pop("data", None)
    for number in range(times):
        text = data and data.replace("{number}", str(number + 1))
        try:
            response = await asyncio.to_thread(webpush, receiver.subscription(endpoint), text, **options)
            tell("pushed", response.status_code, response.headers["Location"])
        except WebPushException as error:
            tell("pushed", error.response.status_code, error.response.json()["errno"])


async def obey(line):
    word, name, *rest = line.split(" ", 2)
    rest = rest[0] if rest else ""
    receiver = receivers.setdefault(name, Receiver(name))
    match word:
        case "open":
            await receiver.open(rest == "mute")
        case "hello":
            await receiver.say({"messageType": "hello", "use_webpush": True} | ({"uaid": rest} if rest else {}))
        case "register":
            channel, _, key = rest.partition(" ")
            key = {"key": text_of(point_of(vapid(key).private_key))} if key else {}
            await receiver.say({"messageType": "register", "channelID": channel} | key)
        case "ack":
            updates = [{"channelID": receiver.channels[v], "version": v, "code": 100} for v in rest.split()]
            await receiver.say({"messageType": "ack", "updates": updates})
        case "say":
            await receiver.ws.send(rest)
        case "binary":
            await receiver.ws.send(rest.encode())
        case "cut":
            receiver.ws.transport.abort()
        case "push":
            endpoint, _, options = rest.partition(" ")
            await push(receiver, endpoint, json.loads(options))
        case "subscription":
            tell("subscription", name, base64.b64encode(json.dumps(receiver.subscription(rest)).encode()).decode())
        case _:
            raise ValueError(word)
    tell("did", line)


async def main():
    tell("ready")
    reader = asyncio.StreamReader(limit=1 << 22)
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while line := (await reader.readline()).decode().rstrip("\n"):
        await obey(line)


if __name__ == "__main__":
    asyncio.run(main())
