"""Payloads of every kind of malice, by every way in: each has a clear answer, nothing crashes, hangs, leaks or acts for them."""

import asyncio
import glob
import gzip
import json
import os
import socket

from harness.runner import Runner
from harness.verdict import hold
from harness.waiting import until

# How many payloads are received in processes of their own; all other ways take all of them.
SMOKE, DEEP = 12, 400

JSON = ["Content-Type: application/json"]
PNG = b"\x89PNG\r\n\x1a\n"
# MiB more than before, at most, once all is over.
GROWTH = 120

FILE = """\
version: 1
app: {{ id: com.example.soak, group: com.example.soak }}
environment: dev
environments:
  dev:
    backend: embedded
    notifications: {{ streams: {{ far: {{ url: "http://127.0.0.1:{port}/stream" }} }} }}
network: {{ retries: 0 }}
push:
  registrars:
    ups: {{ type: unifiedPush, url: https://push.example.com, variantId: tasks, variantSecret: known-to-all }}
notifications:
  permission: granted
  parallel: 32
  maxWaiting: 100000
  sinks: [console, terminal]
  media: {{ hosts: [127.0.0.1], maxSize: 1MiB, timeout: 2s }}
  streams: {{ far: {{ url: stream, authenticated: false }} }}
  handlers:
    note: {{ on: any, retries: 0, log: {{ level: notice, text: "{{{{ id }}}} {{{{ title }}}} {{{{ body }}}}" }} }}
    tell: {{ on: presentable, retries: 0, timeout: 20s,
            exec: [sh, -c, 'printf "%s\\0%s\\0" "$1" "$2" >> "{home}/arguments"', --, "{{{{ id }}}}", "{{{{ title }}}}"] }}
    show: {{ on: presentable, present: [banner, badge, list] }}
backends: {{ listen: "127.0.0.1:{backend}" }}
api: {{ limits: {{ rate: 1000000 }} }}
"""

SHELL = ["$(touch pwned)", "`touch pwned`", "; touch pwned #", "| touch pwned", "&& touch pwned", "'; touch pwned; '", '"$(id)"',
         "\n touch pwned", "--version", "-c", "{{ id }}", "%s%n%x", "../../../../etc/passwd", "~root", "*"]
STRANGE = ["", " ", "\x00", "a\x00b", "\x1b]0;owned\x07\x1b[31mred", "\r\n\r\nid: 9\r\ndata: {}\r\n", "\u202egnp.exe", "\u2066\u2069", "\ufeff",
           "\U0001f469\u200d\U0001f467" * 50, "a\u0301" * 2_000, "x" * 60_000, "<b>&amp;<script>", "\u0085\u2028\u2029", "\x7f\x9b31m"]
OTHER = [None, True, False, -1, 0, 1e308, -1e308, 0.1, 2**31, -2**31 - 1, 2**53 + 1, 2**63, -2**63, 2**64, 10**400, [], {}, [[[[]]]], {"a": 1},
         [None, 1, "a"], [{"label": 1}, {"label": None}, {}, 7], {"title": 1, "body": [1]}, [{"label": "x" * 9_000, "link": "file:///etc/passwd"}] * 9]
LINKS = ["file:///etc/passwd", "javascript:alert(1)", "http://169.254.169.254/latest/meta-data/", "http://[::1]:1/", "http://0x7f000001/",
         "http://localhost:1/a.png", "http://10.0.0.1/a.png", "gopher://x/", "https://", "//x", "data:image/png;base64,AAAA", "x" * 5_000]
FIELDS = ["_ac_push", "_uid", "_title", "_body", "_media", "_buttons", "_click-url", "_soundless", "aerogear-push-id", "alert", "sound", "badge", "aps",
          "aps.alert", "aps.alert.title", "aps.alert.body", "aps.badge", "aps.sound", "aps.content-available", "aps.mutable-content", "aps.category",
          "scheduleId", "content_available", "type", "title", "subtitle", "body", "image", "link", "buttons", "extra", "data", "notification", "custom"]


def payloads(port):
    """What a server might send, were it hostile, broken or somebody else's."""
    number = 0
    for field in FIELDS:
        for value in SHELL + STRANGE + OTHER + LINKS:
            number += 1
            payload = {"n": number, "aerogear-push-id": f"h{number}", "aps": {"alert": {"title": f"t{number}", "body": "b"}}}
            where, *path = payload, *field.split(".")
            for name in path[:-1]:
                where = where.setdefault(name, {})
            where[path[-1]] = value
            if field == "_ac_push" or field.startswith("_"):
                payload.setdefault("_ac_push", "1")
            yield payload
    for name in ("endless", "html", "bomb", "short", "drip", "loop", "metadata", "file", "large", "reset"):
        link = f"http://127.0.0.1:{port}/{name}"
        yield {"_ac_push": "1", "_uid": f"picture-{name}", "_title": name, "_body": "b", "_media": link}


RAW = [
    b"", b" ", b"\xef\xbb\xbf{}", b"\xff\xfe\x00", b'{"payload":{"a":"\xff\xfe"}}', b'{"payload":{"a":"\xed\xa0\x80"}}', b'{"payload":{"a":"\\ud800"}}',
    b'{"payload":{"\x00":1}}', b'{"payload":{"a":"\x00"}}', b'{"payload":{"a":1,"a":2}}', b'{"payload":{},"payload":{}}', b'{"title":"a","title":"b"}',
    b'{"payload":' + b'{"a":' * 100_000 + b"1" + b"}" * 100_000 + b"}", b"[" * 500_000, b'{"payload":{"a":' + b"[" * 40 + b"]" * 40 + b"}}",
    b'{"payload":{"a":1e999999}}', b'{"payload":{"a":-}}', b'{"payload":{"a":01}}', b'{"payload":{"a":NaN}}', b'{"payload":{"a":1,}}', b'{"payload":{"a":' + b"9" * 50_000 + b"}}",
    b'{"payload":{"a":"' + b"x" * 1_000_000 + b'"}}', b'{"payload":{' + b",".join(b'"k%d":%d' % (n, n) for n in range(60_000)) + b"}}",
    b'{"title":"a","id":"' + b"i" * 10_240 + b'"}', b'{"payload":{"aerogear-push-id":"' + b"i" * 10_240 + b'","alert":"x"}}',
    b'{"payload":{"a":1},"carrier":"' + b"c" * 10_240 + b'"}', b'{"payload":7}', b'{"payload":null}', b"7", b'"x"', b"null", b"[]", b'{"payload":{}',
    b'{"title":"a","badge":1e3}', b'{"title":"a","badge":-1}', b'{"title":"a","badge":99999999999999999999}', b'{"title":"a","data":[]}', b'{"title":"a","buttons":{}}',
    b'{"title":"a","expires":"-1s"}', b'{"title":"a","expires":"99999999999999999999d"}', b'{"title":["a"]}', b'{"silent":"yes"}', b'{"title":"a"}{"title":"b"}',
]


class Server:
    """Sends a stream of hostile events, and pictures that are none."""

    def __init__(self):
        self.events, self.streams, self.asked = [], 0, []

    async def open(self):
        server = await asyncio.start_server(self.serve, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        return server

    async def serve(self, reader, writer):
        try:
            path = (await reader.readuntil(b"\r\n\r\n")).split(b" ")[1].decode()
            self.asked.append(path)
            await getattr(self, path.lstrip("/"))(writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async def answer(self, writer, body, *fields, status="200 OK"):
        writer.write("\r\n".join([f"HTTP/1.1 {status}", *fields, "Connection: close", "", ""]).encode() + body)
        await writer.drain()

    async def stream(self, writer):
        self.streams += 1
        await self.answer(writer, b"", "Content-Type: text/event-stream")
        if self.streams == 1:
            # The first breaks off in the midst of an event that has no end.
            writer.write(b"id: 0\ndata: " + b"x" * 3_000_000)
            return await writer.drain()
        for number, event in enumerate(self.events):
            writer.write(b"id: e%d\ndata: %s\n\n" % (number, event))
            await writer.drain()
        await asyncio.sleep(1_000)

    async def endless(self, writer):
        await self.answer(writer, PNG, "Content-Type: image/png")
        while True:
            writer.write(b"\0" * 65_536)
            await writer.drain()

    async def drip(self, writer):
        await self.answer(writer, PNG, "Content-Type: image/png")
        while True:
            writer.write(b"\0")
            await writer.drain()
            await asyncio.sleep(0.2)

    async def html(self, writer):
        await self.answer(writer, b"<html>no picture</html>", "Content-Type: image/png")

    async def bomb(self, writer):
        await self.answer(writer, gzip.compress(PNG + b"\0" * (200 << 20)), "Content-Type: image/png", "Content-Encoding: gzip")

    async def short(self, writer):
        await self.answer(writer, PNG, "Content-Type: image/png", "Content-Length: 100000")

    async def large(self, writer):
        await self.answer(writer, PNG, "Content-Type: image/png", "Content-Length: 99999999999999999999")

    async def reset(self, writer):
        writer.transport.abort()

    async def loop(self, writer):
        await self.answer(writer, b"", "Location: /loop", "Content-Length: 0", status="302 Found")

    async def metadata(self, writer):
        await self.answer(writer, b"", "Location: http://169.254.169.254/", "Content-Length: 0", status="302 Found")

    async def file(self, writer):
        await self.answer(writer, b"", "Location: file:///etc/passwd", "Content-Length: 0", status="302 Found")


async def run(run):
    server = Server()
    listening = await server.open()
    every = list(payloads(server.port))
    if run.times <= SMOKE:
        # Others from run to run; but always those with commands in them, and all pictures.
        is_always = lambda payload: "n" not in payload or payload["n"] % 56 < len(SHELL) and "title" in payload
        every = [payload for payload in every if is_always(payload) or run.random.random() < 0.25]
    server.events = [json.dumps(payload).encode() for payload in every] + [raw.replace(b"\n", b"") for raw in RAW]
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        backend = probe.getsockname()[1]
    runner = await Runner(run.home, file=FILE.format(home=run.home.path, port=server.port, backend=backend)).start()
    before = runner.figures()
    figures = dict.fromkeys(("posted", "refused", "sent by the registry", "received"), 0)

    async def post(path, body):
        answer = await runner.ask("POST", path, body, JSON)
        # The registry says in its own words why it refuses.
        is_refused = answer.status == 502 and answer.json["type"].endswith(":refused")
        is_clear = is_refused or answer.status in (200, 201, 202, 400, 409, 413, 422)
        hold(is_clear, f"{body[:200]!r} was answered with {answer}")
        if answer.status >= 400:
            hold(answer.json.get("title") and "detail" in answer.json, f"{body[:200]!r} was answered with {answer}")
        return answer.status < 400

    for body in [json.dumps({"payload": payload}).encode() for payload in every] + RAW:
        figures["posted" if await post("/v1/notifications", body) else "refused"] += 1
    for value in SHELL + STRANGE + OTHER + LINKS:
        for name in ("title", "body", "image", "sound", "link", "badge", "data", "categories", "aliases", "buttons", "ttl", "variant"):
            body = {"via": "ups", "title": "t", "body": "b"} | {name: value}
            figures["sent by the registry"] += await post("/v1/backends/push", json.dumps(body).encode())
    pushes = [json.dumps(payload) for payload in every] + [raw.decode(errors="surrogateescape") for raw in RAW if b"\0" not in raw and len(raw) < 100_000]
    for push in run.random.sample(pushes, min(run.times, len(pushes))):
        status = await receive(runner, push)
        hold(status in (0, 1), f"{push[:200]!r} was received with {status}")
        figures["received"] += status == 0
    await until(lambda: server.streams > 1, "the stream is asked for again")

    async def is_over():
        shown = await runner.ask("GET", "/v1/notifications?state=waiting&limit=1")
        return not shown.json["notifications"]

    await until(is_over, "all are handled", deadline=600)
    hold((await runner.ask("GET", "/readyz")).status == 200, "it is not ready any more")
    after = runner.figures()
    hold(after[0] - before[0] < GROWTH << 10, f"{(after[0] - before[0]) >> 10} MiB were not given back")
    hold(after[1] - before[1] < 40, f"{after[1] - before[1]} descriptors are open that were not")
    hold(not glob.glob(f"{run.home.path}/**/pwned", recursive=True) and not os.path.exists("pwned"), "a command of a sender was run")
    hold("/metadata" in server.asked and "/file" in server.asked, "the pictures were not asked for")
    pictures = glob.glob(f"{run.home.path}/state/**/notifications/*", recursive=True)
    hold(not pictures, f"what is no picture was kept: {pictures}")
    judge(run.home.path, runner.log)
    run.figures["payloads"] = len(every) + len(RAW)
    run.figures.update(figures)
    run.figures["MiB more"] = (after[0] - before[0]) >> 10
    await runner.stop()
    listening.close()


async def receive(runner, push):
    child = await asyncio.create_subprocess_exec(
        runner.program, "receive", "--config", runner.config, "--within", "4s", env=runner.environment,
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL,
    )
    await asyncio.wait_for(child.communicate(push.encode(errors="surrogateescape")), 60)
    return child.returncode


def judge(home, log):
    """Arguments arrived as they were sent; nothing that was written can change a terminal."""
    with open(f"{home}/arguments", "rb") as file:
        words = file.read().decode().split("\0")
    titles = set(words[1::2])
    for title in SHELL:
        # What would be an option is none of the program's, and the rest is as it was.
        hold(title in titles, f"{title!r} did not arrive as it was sent")
    with open(log, "rb") as file:
        text = file.read()
    for mark in (b"\x1b", b"\x07", b"\x00", b"\r", "\u202e".encode(), "\u2066".encode(), b"\xc2\x9b"):
        hold(mark not in text, f"{mark!r} was written to the log, near {text[max(0, text.find(mark) - 80):][:160]!r}")
