"""A double of an ntfy server (https://ntfy.sh, version 2.13) for tests, on 127.0.0.1.

Written from ntfy's documentation, not from any client. It publishes by POST and PUT (headers
or JSON) and is read by /json, /sse, /raw and /ws. Its quirks are meant: a stream subscribes first, then writes `open`, then
the backlog, so a live message may come before older ones, and once more in the backlog; a `since` that is an id means the
row number; an unknown id brings the whole cache; messages of one second come in any order when several topics are read.

What it sees goes to standard output, a line each; the first is `ready PORT`. Commands, beside those of common.py:
  live TOPIC TEXT      publish TEXT between `open` and the backlog of the next stream of TOPIC
  fill TOPIC COUNT [FIRST]   publish COUNT messages (`1`, `2`, …, or from FIRST on)
  spoil TOPIC HEX      put these bytes into the cache of TOPIC, which are written as they are, where a message would be
  event TOPIC JSON     write this event to the streams of TOPIC, with id, time, event and topic added where they are missing
  hold | release       keep what falls due unpublished, as between two looks of the server | publish it
  forget               empty the cache (messages that are still to fall due stay)
  cut after N [half]   drop each stream and poll after N messages [and half of the next one]; `cut never` ends that
  restart              drop all connections and forget who has subscribed (see 507)
"""

import argparse
import asyncio
import json
import random
import re
import string
from email.utils import formatdate

from aiohttp import web

from common import Double, add_common_options, tell
from ntfy_messages import NAMES, PRIORITIES, TOPIC, Gate, Refusal, compose, is_yes, param, read_json, seconds

CACHE_SECONDS = 12 * 3600
KINDS = {"json": "application/x-ndjson", "sse": "text/event-stream", "raw": "text/plain"}


class Subscriber:
    """One connection that reads."""

    def __init__(self, server, request, topics, write):
        self.server, self.request, self.topics, self.write = server, request, topics, write
        self.lock, self.count, self.cut = asyncio.Lock(), 0, False
        self.filters = {name: param(request, name) for name in ("id", "message", "title")}
        levels = [level.strip().lower() for level in param(request, "priority").split(",") if level.strip()]
        if any(level not in PRIORITIES for level in levels):
            raise Refusal(40007)
        self.levels = {PRIORITIES[level] for level in levels}
        self.tags = {tag.strip() for tag in param(request, "tags").split(",") if tag.strip()}

    def wants(self, event):
        if event["event"] != "message":
            return True
        same = all(not value or value == event.get(name, "") for name, value in self.filters.items())
        return same and (not self.levels or event.get("priority", 3) in self.levels) and self.tags <= set(event.get("tags", []))

    async def send(self, event):
        async with self.lock:
            if self.cut or not self.wants(event):
                return
            is_message = event["event"] == "message"
            try:
                if is_message and self.server.cut_after and self.count >= self.server.cut_after[0]:
                    if self.server.cut_after[1]:
                        await self.write(event, half=True)
                    self.cut = True
                    tell("cut", ",".join(self.topics), self.count)
                    self.request.transport.close()  # What has been written still arrives; the end of the answer does not.
                    return
                self.count += is_message
                await self.write(event)
            except ConnectionError:
                self.cut = True


class Server(Double):
    """The topics, the cache and the handlers."""

    def __init__(self, options):
        super().__init__(options)
        self.rows, self.last_row, self.files, self.subscribers, self.live = [], 0, {}, [], []
        self.cut_after, self.seen, self.gate, self.held = None, set(), Gate(options), False

    @staticmethod
    def new_id(size=12):
        return "".join(random.choices(string.ascii_letters + string.digits, k=size))

    @web.middleware
    async def guard(self, request, handler):
        self.transports.add(request.transport)
        try:
            if ordered := self.refused(request.path):
                status, headers = ordered
                codes = {404: 40401, 413: 41301, 507: 50701}
                body = Refusal(codes.get(status, status * 100 + 1), status).body
                return web.json_response(body, status=status, headers=headers)
            if self.options.limits:
                self.gate.count()
            return await handler(request)
        except Refusal as refusal:
            tell("denied", refusal.body["code"], request.path)
            return web.json_response(refusal.body, status=refusal.status)
        except (web.HTTPNotFound, web.HTTPMethodNotAllowed):
            return web.json_response(Refusal(40401).body, status=404)

    # Publishing.

    async def publish(self, request):
        body = await request.read()
        fields = {name: param(request, name) for name in NAMES}
        if (topic := request.match_info.get("topic")) is None:
            topic, body, given = read_json(body)
            fields |= given  # The headers still count where the JSON says nothing.
        self.gate.allow(request, [topic], write=True)
        text, due, keep, more = compose(self, request, topic, body, fields)
        message, _ = self.add(topic, text, due, keep, **more)
        tell("publish", topic, message["id"], due and f"due={due}")
        return web.json_response(message)

    def add(self, topic, text, due=None, keep=True, **more):
        """Puts a message into the cache and, unless it is to fall due later, writes it to the streams."""
        moment = int(due or self.now())
        message = {"id": self.new_id(), "time": moment} | ({"expires": moment + CACHE_SECONDS} if keep else {})
        message |= {"event": "message", "topic": topic, "message": text} | {name: value for name, value in more.items() if value}
        self.last_row += 1
        if keep:
            self.rows.append({"row": self.last_row, "message": message, "out": due is None})
        return message, self.deliver(message) if due is None else []

    def deliver(self, event):
        return [asyncio.create_task(sub.send(event)) for sub in self.subscribers if event["topic"] in sub.topics]

    async def fall_due(self):
        while True:
            await asyncio.sleep(0.05)
            for row in self.rows:
                if not self.held and not row["out"] and row["message"]["time"] <= self.now():
                    row["out"] = True
                    tell("due", row["message"]["topic"], row["message"]["id"])
                    self.deliver(row["message"])

    # Reading.

    def since(self, text, poll):
        text = text or ("all" if poll else "none")
        if text in ("all", "none", "latest"):
            return text, None
        if re.fullmatch(r"[A-Za-z0-9]{12}", text):
            return "id", text
        if text.isdigit():
            return "time", int(text)
        if (span := seconds(text)) is not None:
            return "time", int(self.now() - span)
        raise Refusal(40008)

    def backlog(self, topics, since, scheduled):
        """The cached messages after `since`, by second; when there are several topics, in any order within a second."""
        self.rows = [row for row in self.rows if row["message"]["expires"] > self.now()]
        rows = [row for row in self.rows if row["message"]["topic"] in topics and (row["out"] or scheduled)]
        rows.sort(key=lambda row: (row["message"]["time"], row["row"]))
        kind, value = since
        if kind == "none":
            return []
        if kind == "latest":
            rows = list({row["message"]["topic"]: row for row in rows if row["out"]}.values())
        elif kind == "id":
            known = next((row["row"] for row in self.rows if row["message"]["id"] == value), 0)
            rows = [row for row in rows if row["row"] > known]
        elif kind == "time":
            rows = [row for row in rows if row["message"]["time"] >= value]
        if len(topics) > 1:
            random.Random(len(rows)).shuffle(rows)
            rows.sort(key=lambda row: row["message"]["time"])
        return [row["message"] for row in rows]

    def event(self, name, topics):
        return {"id": self.new_id(), "time": int(self.now()), "event": name, "topic": ",".join(topics)}

    async def feed(self, sub, since, scheduled, way):
        """`open`, the live messages that were ordered, the backlog, then on HTTP a keepalive now and then."""
        await sub.send(self.event("open", sub.topics))
        for entry in [entry for entry in self.live if entry[0] in sub.topics]:
            self.live.remove(entry)
            message, tasks = self.add(*entry)
            tell("live", entry[0], message["id"])
            await asyncio.gather(*tasks)
        for message in self.backlog(sub.topics, since, scheduled):
            await sub.send(message)
        while way != "ws" and not sub.cut:
            await asyncio.sleep(self.options.keepalive)
            await sub.send(self.event("keepalive", sub.topics))

    def date(self):
        return {"Date": formatdate(self.now(), usegmt=True)}

    async def read(self, request):
        topics, way = request.match_info["topics"].split(","), request.match_info["way"]
        if not all(TOPIC.fullmatch(topic) for topic in topics):
            raise Refusal(40401)
        self.gate.allow(request, topics)
        if way == "auth":
            tell("auth", ",".join(topics))
            return web.json_response({"success": True})
        poll, scheduled = is_yes(param(request, "poll")), is_yes(param(request, "scheduled"))
        since = self.since(param(request, "since"), poll)
        if way == "ws" and request.headers.get("Upgrade", "").lower() != "websocket":
            raise Refusal(40016)
        if self.options.limits and not poll and len(self.subscribers) >= 30:
            raise Refusal(42903)
        if way == "ws":
            answer = web.WebSocketResponse(autoping=False, max_msg_size=65, compress=False)
        else:
            answer = web.StreamResponse(headers={"Content-Type": KINDS[way] + "; charset=utf-8", "Cache-Control": "no-cache"} | self.date())

        async def write(event, half=False):
            if "spoilt" in event:
                return await (answer.send_bytes if way == "ws" else answer.write)(event["spoilt"])
            line = json.dumps(event, ensure_ascii=False, separators=(",", ":"))
            if way == "ws":
                return None if half else await answer.send_str(line)
            if way == "raw":
                line = event.get("message", "").replace("\n", " ") if event["event"] == "message" else ""
            elif way == "sse":
                line = ("" if event["event"] == "message" else f"event: {event['event']}\n") + f"data: {line}\n"
            data = (line + "\n").encode()
            return await answer.write(data[: len(data) // 2] if half else data)

        sub = Subscriber(self, request, topics, write)
        tell("poll" if poll else "stream", ",".join(topics), "since=" + param(request, "since"), way)
        await answer.prepare(request)
        if poll:
            for message in self.backlog(topics, since, scheduled):
                await sub.send(message)
            if way == "ws":
                await answer.close()
            return answer
        self.subscribers.append(sub)
        self.seen.update(topics)
        feed = asyncio.create_task(self.feed(sub, since, scheduled, way))
        try:
            await (self.converse(answer, request.transport, self.options.keepalive, self.options.pong) if way == "ws" else feed)
        finally:
            feed.cancel()
            self.subscribers.remove(sub)
            tell("closed", ",".join(topics), way)
        return answer

    async def file(self, request):
        body, kind = self.files.get(request.match_info["key"], (None, None))
        if body is None:
            raise Refusal(40401)
        return web.Response(body=body, headers={"Content-Type": kind})

    async def tell_kind(self, request):
        """What a sender asks to know whether this is a UnifiedPush server."""
        if is_yes(param(request, "up")):
            return web.json_response({"unifiedpush": {"version": 1}})
        raise Refusal(40401)

    def command(self, word, first="", rest=""):
        if word == "live" and first:
            self.live.append((first, rest))
        elif word == "fill":
            count, _, begin = rest.partition(" ")
            for number in range(int(count)):
                self.add(first, str(number + int(begin or 1)))
        elif word == "spoil":
            self.add(first, "", spoilt=bytes.fromhex(rest))
        elif word == "event":
            self.deliver(self.event("message", [first]) | json.loads(rest))
        elif word in ("hold", "release"):
            self.held = word == "hold"
        elif word == "forget":
            self.rows = [row for row in self.rows if not row["out"]]
        elif word == "cut" and first == "after":
            self.cut_after = (int(rest.split(" ")[0]), rest.endswith(" half"))
        elif word == "cut" and first == "never":
            self.cut_after = None
        elif word == "restart":
            self.seen.clear()
            self.cut()
        else:
            super().command(word, first, rest)


async def main():
    parser = argparse.ArgumentParser()
    add_common_options(parser)
    parser.add_argument("--token", help="the access token; without --token and --user everything is open")
    parser.add_argument("--user", help="NAME:PASSWORD, for Basic")
    parser.add_argument("--up-write", action="store_true", help="let anyone write to topics that begin with `up`")
    parser.add_argument("--limits", action="store_true", help="the limits of a default server: requests, streams, auth failures")
    server = Server(parser.parse_args())
    app = web.Application(middlewares=[server.guard], client_max_size=64 << 20)
    topic = "/{topic:[-_A-Za-z0-9]{1,64}}"
    for method in ("POST", "PUT"):
        app.router.add_route(method, "/", server.publish)
        app.router.add_route(method, topic, server.publish)
    app.router.add_get(topic, server.tell_kind)
    app.router.add_get("/file/{key}", server.file)
    app.router.add_get("/{topics}/{way:json|sse|raw|ws|auth}", server.read)
    tell("ready", await server.serve(app))
    server.listen()
    await server.fall_due()


if __name__ == "__main__":
    asyncio.run(main())
