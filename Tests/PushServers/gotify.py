"""A double of a Gotify server (version 3.0) for tests, on 127.0.0.1.

Written from Gotify's documentation, not from any client. Applications publish with their
token (`A…`) by POST /message; clients read with theirs (`C…`): live by the WebSocket /stream, which says no hello, resumes
nothing and takes no text of more than 64 bytes; what came while they were away by GET /message?limit=&since=, which pages
downwards: ids LESS than `since`, newest first. A token that is missing or unknown is answered with 401, the token of the
other kind with 403.

What it sees goes to standard output, a line each; the first is `ready PORT APPLICATION-TOKEN CLIENT-TOKEN`. Commands, beside
those of common.py:
  publish JSON       publish a message as an application would, and send it live
  quiet N [TEXT]     store N messages (`TEXT 1`, `TEXT 2`, …) and send none of them
  spoil JSON         store this object as a message, with the next id, without looking at it
  between JSON       publish this message live in the middle of the next GET /message, after its page has been read
  reset              lose all messages, and count from 1 again
  delete ID          take a message away, as another client of the user would
  renew              begin again as a server that was set up again: no messages, ids from 1, all connections dropped
  cut after N        drop each stream after N messages; `cut never` ends that
"""

import argparse
import asyncio
import base64
import datetime
import json
from hmac import compare_digest

from aiohttp import web

from common import Double, add_common_options, tell

NAMES = {400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed",
         429: "Too Many Requests", 500: "Internal Server Error", 502: "Bad Gateway", 503: "Service Unavailable"}
WORDS = {
    401: "you need to provide a valid access token or user credentials to access this api",
    403: "you are not allowed to access this api", 404: "page not found",
}


def failure(status, words=None, headers=None):
    body = {"error": NAMES.get(status, "Error"), "errorCode": status, "errorDescription": words or WORDS.get(status, "refused")}
    return web.json_response(body, status=status, headers=headers)


class Refusal(Exception):
    """An answer with an error."""

    def __init__(self, status, words=None):
        super().__init__(status)
        self.status, self.words = status, words


class Stream:
    """One WebSocket that reads."""

    def __init__(self, server, request, ws):
        self.server, self.request, self.ws, self.count, self.lock = server, request, ws, 0, asyncio.Lock()

    async def send(self, message):
        async with self.lock:
            try:
                await self.ws.send_str(json.dumps(message, ensure_ascii=False))
            except ConnectionError:
                return
            self.count += 1
            if self.server.cut_after is not None and self.count >= self.server.cut_after:
                self.request.transport.close()


class Server(Double):
    """The messages of one user with one application, and who reads them."""

    def __init__(self, options):
        super().__init__(options)
        self.messages, self.last_id, self.streams, self.opened = [], 0, [], 0
        self.cut_after, self.between = None, []

    def check(self, request, wanted):
        """Lets a token of the wanted kind pass: `app` or `client`; a client's also as user name and password."""
        scheme, _, value = request.headers.get("Authorization", "").partition(" ")
        bearer = value.strip() if scheme.lower() == "bearer" else ""
        token = request.headers.get("X-Gotify-Key") or request.query.get("token") or bearer
        kinds = {"app": self.options.app, "client": self.options.client}
        kind = next((name for name, known in kinds.items() if compare_digest(token.encode(), known.encode())), None)
        if kind is None and not token and scheme.lower() == "basic" and self.options.user:
            try:
                given = base64.b64decode(value, validate=True)
            except ValueError:
                given = b""
            kind = "client" if compare_digest(given, self.options.user.encode()) else None
        if kind != wanted:
            raise Refusal(403 if kind else 401)

    @web.middleware
    async def guard(self, request, handler):
        self.transports.add(request.transport)
        try:
            if ordered := self.refused(request.path):
                return failure(ordered[0], headers=ordered[1])
            return await handler(request)
        except Refusal as refusal:
            tell("denied", refusal.status, request.path)
            return failure(refusal.status, refusal.words)
        except (web.HTTPNotFound, web.HTTPMethodNotAllowed):
            return failure(404)

    # Publishing.

    def store(self, given):
        """The message as it is kept; raises Refusal if it is none."""
        if not isinstance(given, dict) or not isinstance(given.get("message"), str) or not given["message"]:
            raise Refusal(400, "Field 'message' is required")
        if not isinstance(given.get("priority", 0), int) or not isinstance(given.get("extras") or {}, dict):
            raise Refusal(400, "json: cannot unmarshal")
        self.last_id += 1
        moment = datetime.datetime.fromtimestamp(self.now(), datetime.UTC)
        message = {
            "id": self.last_id, "appid": 1, "message": given["message"], "title": str(given.get("title") or "") or "double",
            "priority": given.get("priority", 0),
        }
        message |= {"extras": given["extras"]} if given.get("extras") else {}
        message["date"] = moment.isoformat().replace("+00:00", "Z")
        self.messages.append(message)
        return message

    def publish(self, given):
        message = self.store(given)
        tell("publish", message["id"])
        for stream in self.streams:
            asyncio.create_task(stream.send(message))
        return message

    async def post(self, request):
        self.check(request, "app")
        if request.content_type == "application/json":
            try:
                given = await request.json()
            except ValueError:
                raise Refusal(400, "invalid character") from None
        else:
            given = {name: value for name, value in (dict(request.query) | dict(await request.post())).items() if name != "token"}
            try:
                given["priority"] = int(given.get("priority") or 0)
            except ValueError:
                raise Refusal(400, "strconv.ParseInt: invalid syntax") from None
            given.pop("extras", None)
        return web.json_response(self.publish(given))

    # Reading.

    def number(self, request, name, default, least, most):
        text = request.query.get(name, "")
        if not text:
            return default
        if not text.isascii() or not text.isdigit() or not least <= int(text) <= most:
            raise Refusal(400, f"Field '{name}' must be between {least} and {most}")
        return int(text)

    async def page(self, request):
        self.check(request, "client")
        limit = self.number(request, "limit", 100, 1, 200)
        since = self.number(request, "since", 0, 0, 2**63)
        found = [message for message in reversed(self.messages) if not since or message["id"] < since]
        page, paging = found[:limit], {}
        if len(found) > limit:
            paging["next"] = f"{request.scheme}://{request.host}/message?limit={limit}&since={page[-1]['id']}"
        paging |= {"since": page[-1]["id"] if len(found) > limit else 0, "size": len(page), "limit": limit}
        tell("page", f"limit={request.query.get('limit', '')}", f"since={request.query.get('since', '')}", len(page))
        while self.between:
            self.publish(self.between.pop(0))
            await asyncio.sleep(0.05)
        return web.json_response({"paging": paging, "messages": page})

    async def delete(self, request):
        self.check(request, "client")
        text = request.match_info["id"]
        if not text.isascii() or not text.isdigit():
            raise Refusal(400, "invalid id")
        self.remove(int(text))
        tell("delete", text)
        return web.Response()

    def remove(self, number):
        kept = [message for message in self.messages if message["id"] != number]
        if len(kept) == len(self.messages):
            raise Refusal(404, "message does not exist")
        self.messages = kept

    async def stream(self, request):
        self.check(request, "client")
        if request.headers.get("Upgrade", "").lower() != "websocket":
            raise Refusal(400, "the client is not using the websocket protocol")
        ws = web.WebSocketResponse(autoping=False, max_msg_size=65, compress=False)
        await ws.prepare(request)
        self.opened += 1
        number, stream = self.opened, Stream(self, request, ws)
        self.streams.append(stream)
        tell("stream", number)
        try:
            await self.converse(ws, request.transport, self.options.keepalive, self.options.pong)
        finally:
            self.streams.remove(stream)
            tell("closed", number, ws.close_code)
        return ws

    def command(self, word, first="", rest=""):
        try:
            if word in ("publish", "between"):
                given = json.loads(f"{first} {rest}")
                self.publish(given) if word == "publish" else self.between.append(given)
            elif word == "quiet":
                for number in range(int(first)):
                    self.store({"message": f"{rest} {number + 1}".strip()})
            elif word == "spoil":
                self.last_id += 1
                self.messages.append({"id": self.last_id} | json.loads(f"{first} {rest}"))
            elif word == "reset":
                self.messages, self.last_id = [], 0
            elif word == "delete":
                self.remove(int(first))
            elif word == "renew":
                self.messages, self.last_id = [], 0
                self.cut()
            elif word == "cut" and first == "after":
                self.cut_after = int(rest)
            elif word == "cut" and first == "never":
                self.cut_after = None
            else:
                super().command(word, first, rest)
        except Refusal:
            raise ValueError(word) from None


async def main():
    parser = argparse.ArgumentParser()
    add_common_options(parser)
    parser.add_argument("--app", default="AoOn7dq.m2vXzK1", help="the application's token")
    parser.add_argument("--client", default="CkT4_wq.81bLpZr", help="the client's token; those of version 3 begin with gtfy")
    parser.add_argument("--user", help="NAME:PASSWORD, for Basic")
    server = Server(parser.parse_args())
    app = web.Application(middlewares=[server.guard])
    app.router.add_post("/message", server.post)
    app.router.add_get("/message", server.page)
    app.router.add_delete("/message/{id}", server.delete)
    app.router.add_get("/stream", server.stream)
    tell("ready", await server.serve(app), server.options.app, server.options.client)
    server.listen()
    await asyncio.get_running_loop().create_future()


if __name__ == "__main__":
    asyncio.run(main())
