"""The receiver's side of Mozilla's autopush (see autopush.py): the messages on a WebSocket."""

import asyncio
import dataclasses
import json
import re
import secrets
import time

from websockets.exceptions import ConnectionClosed

from autopush_endpoint import opaque, read_point
from common import tell

CHANNEL = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
BATCH, TOPIC_BATCH, STORED_LIMIT = 10, 11, 150


class Stop(Exception):
    """The end of a connection, by a close frame."""

    def __init__(self, code, reason):
        super().__init__(reason)
        self.code, self.reason = code, reason


@dataclasses.dataclass
class User:
    """What is kept of a uaid: its channels and the messages that wait."""

    channels: dict = dataclasses.field(default_factory=dict)
    stored: list = dataclasses.field(default_factory=list)
    seen: float = 0.0

    def store(self, notice):
        """Stores a message; one with a topic replaces an older one with the same."""
        same = [old for old in self.stored if notice.topic and (old.channel, old.topic) == (notice.channel, notice.topic)]
        if any(old.time > notice.time for old in same):
            return
        self.stored = [old for old in self.stored if old not in same] + [notice]


def field(message, name, kind, default=...):
    """A field of a message; a wrong one ends the connection as bad JSON does."""
    value = message.get(name)
    if value is None and default is None:
        return None
    if not isinstance(value, kind) or kind is int and isinstance(value, bool):
        raise Stop(1011, "Json")
    return value


def channel_of(message):
    channel = field(message, "channelID", str)
    if not CHANNEL.fullmatch(channel):
        raise Stop(1011, "SM")
    return channel


class Client:
    """One WebSocket."""

    def __init__(self, server, ws):
        self.server, self.ws, self.uaid = server, ws, None
        self.direct, self.batch, self.acked, self.sent = {}, {}, [], 0
        self.pinged, self.broadcasts = None, {}

    async def say(self, message):
        await self.ws.send(json.dumps(message, separators=(",", ":")))

    async def end(self, code, reason):
        await self.ws.close(code, reason)

    async def run(self):
        try:
            try:
                raw = await asyncio.wait_for(self.ws.recv(), self.server.options.hello)
            except TimeoutError:
                raise Stop(1011, "HelloTimeout") from None
            await self.hello(self.parse(raw))
            async for raw in self.ws:
                await self.take(self.parse(raw))
        except Stop as stop:
            tell("stop", stop.code, stop.reason)
            await self.end(stop.code, stop.reason)
        except ConnectionClosed:
            pass

    def parse(self, raw):
        if isinstance(raw, bytes):
            raise Stop(1003, "Binary")
        try:
            message = json.loads(raw)
        except ValueError:
            raise Stop(1011, "Json") from None
        if not isinstance(message, dict) or message and not isinstance(message.get("messageType"), str):
            raise Stop(1011, "Json")
        return message

    async def hello(self, message):
        if message.get("messageType") != "hello" or message.get("use_webpush") is not True:
            raise Stop(1011, "SM")
        asked, self.broadcasts = field(message, "uaid", str, None), dict(field(message, "broadcasts", dict, None) or {})
        known = self.server.user(asked) if asked and re.fullmatch(r"[0-9a-f]{32}", asked) else None
        self.uaid = asked if known else secrets.token_hex(16)
        tell("hello", self.uaid, "known" if known else "changed" if asked else "new")
        if known:
            known.seen = self.server.now()
            if ghost := self.server.clients.get(self.uaid):
                self.server.leave(ghost)
                tell("ghost", self.uaid)
                asyncio.create_task(ghost.end(1011, "SM"))
        answer = {"messageType": "hello", "uaid": self.uaid, "status": 200, "use_webpush": True}
        await self.say(answer | {"broadcasts": self.news()})
        self.server.clients[self.uaid] = self
        await self.send_stored()

    async def take(self, message):
        kinds = {"register": self.register, "unregister": self.unregister, "ack": self.ack, "nack": self.nack,
                 "broadcast_subscribe": self.subscribe}
        if not message:
            await self.ping()
        elif message["messageType"] == "hello":
            raise Stop(1011, "SM")
        elif message["messageType"] in kinds:
            await kinds[message["messageType"]](message)
        else:
            raise Stop(1011, "Json")

    async def ping(self):
        now = time.monotonic()
        if self.pinged is not None and now - self.pinged < self.server.options.ping_floor:
            raise Stop(1011, "ExcessivePing")
        self.pinged = now
        tell("ping")
        if not self.server.mute:
            await self.ws.send("{}")

    async def register(self, message):
        channel, key, status, endpoint = channel_of(message), field(message, "key", str, None), 200, ""
        try:
            point = read_point(key) if key else None
        except ValueError:
            status = 400
        status, self.server.register_status = self.server.register_status or status, None
        if status == 200:
            user = self.server.users.setdefault(self.uaid, User(seen=self.server.now()))
            user.channels[channel] = point
            token = opaque(96)
            self.server.tokens[token] = (self.uaid, channel, point)
            endpoint = f"{self.server.origin}/wpush/{'v2' if point else 'v1'}/{token}"
        tell("register", channel, "v2" if key else "v1", status)
        await self.say({"messageType": "register", "channelID": channel, "status": status, "pushEndpoint": endpoint})

    async def unregister(self, message):
        channel, code = channel_of(message), field(message, "code", int, None)
        if user := self.server.users.get(self.uaid):
            user.channels.pop(channel, None)
        tell("unregister", channel, code)
        await self.say({"messageType": "unregister", "channelID": channel, "status": 200})

    async def ack(self, message):
        updates, waited = field(message, "updates", list), bool(self.batch)
        for update in updates:
            if not isinstance(update, dict):
                raise Stop(1011, "Json")
            channel, version, code = channel_of(update), field(update, "version", str), field(update, "code", int, None)
            held = next((held for held in (self.direct, self.batch) if version in held and held[version].channel == channel), None)
            tell("ack", channel, version, code, *([] if held is not None else ["unknown"]))
            if held is None:
                continue
            notice = held.pop(version)
            if held is self.batch:
                self.acked.append(notice)
        gone = [notice for notice in self.acked if notice.topic or not self.batch or not self.server.options.by_batch]
        if user := self.server.users.get(self.uaid):
            user.stored = [notice for notice in user.stored if notice not in gone]
        self.acked = [notice for notice in self.acked if notice not in gone]
        if waited and not self.batch:
            await self.send_stored()

    async def nack(self, message):
        tell("nack", field(message, "version", str), field(message, "code", int, None))

    async def subscribe(self, message):
        self.broadcasts |= field(message, "broadcasts", dict)
        tell("broadcast_subscribe", *sorted(self.broadcasts))
        if news := self.news():
            await self.say({"messageType": "broadcast", "broadcasts": news})

    def news(self):
        """The broadcasts whose version the client does not have."""
        known = self.server.broadcasts
        news = {name: known[name] for name, version in self.broadcasts.items() if known.get(name, version) != version}
        self.broadcasts |= news
        return news

    async def send_stored(self):
        """The next batch, when nothing of the last is left: those with topics first."""
        user = self.server.users.get(self.uaid)
        if self.batch or not user:
            return
        now = self.server.now()
        user.stored = sorted((old for old in user.stored if old.time + old.ttl > now), key=lambda old: old.time)
        batch = [old for old in user.stored if old.topic][:TOPIC_BATCH] or user.stored[:BATCH]
        self.sent = self.sent + len(batch) if batch else 0
        if self.sent > STORED_LIMIT:
            tell("dropped", self.uaid)
            del self.server.users[self.uaid]
            raise Stop(1000, "UAID dropped")
        self.batch = {notice.version: notice for notice in batch}
        for notice in batch:
            tell("sent", notice.channel, notice.version, "stored")
            await self.say(notice.frame())

    async def keep_alive(self):
        """Pings, or sends a broadcast that is due instead; a pong must come soon."""
        try:
            while True:
                await asyncio.sleep(self.server.options.keepalive)
                if self.uaid and (news := self.news()):
                    await self.say({"messageType": "broadcast", "broadcasts": news})
                    continue
                await asyncio.wait_for(await self.ws.ping(), self.server.options.pong)
                tell("pong")
        except TimeoutError:
            tell("stop", 1011, "PongTimeout")
            await self.end(1011, "PongTimeout")
        except ConnectionClosed:
            pass
