"""Secrets of runners that share a database are in no table of it, no file and no log of the server, and no log of theirs.

The server logs all statements with their parameters, and the runners log all they can. Values that are no secrets are found in
the tables, the files and the log of the server, so that what looks for them is known to find them.
"""

import asyncio
import base64
import json
import secrets as random
import subprocess

from harness import issuer as issuers
from harness.database import Database, servers
from harness.group import LEASE
from harness.listening import Listening
from harness.members import JSON
from harness.runner import Home, Runner
from harness.searching import files, found
from harness.verdict import hold
from harness.waiting import until

# How often each kind of data is written.
SMOKE, DEEP = 2, 200

LOGS = ["log_statement = all", "log_min_messages = info", "log_min_error_statement = info"]
MORE = """\
baseUrl: "http://127.0.0.1:{port}"
network: {{}}
background: {{ retry: {{ attempts: 1000, min: 1h, max: 1h }} }}
notifications: {{ permission: granted, handlers: {{ show: {{ on: presentable, present: [list] }} }} }}
persistence:
  key: {key}
  store:
    url: "{url}"
    password: {password}
    shares: [auth, state, outbox, tasks, notifications]
    giveUpAfter: {lease}s
    migrate: never
  namespaces: {{ hidden: {{ encrypted: true }} }}
api: {{}}
"""


ACCESS = """\
local all all trust
host all postgres 127.0.0.1/32 trust
host all all 127.0.0.1/32 scram-sha-256
"""


class Answering(Listening):
    """Answers some requests with a secret, and does not answer the others."""

    secret = b""

    async def once(self, reader, writer):
        head = await reader.readuntil(b"\r\n\r\n")
        if b"/waits" in head:
            return False
        fields = dict(line.lower().split(b":", 1) for line in head.split(b"\r\n")[1:] if line)
        await reader.readexactly(int(fields.get(b"content-length", 0)))
        fields = b"Content-Type: text/plain\r\nContent-Length: %d\r\n\r\n" % len(self.secret)
        writer.write(b"HTTP/1.1 200 OK\r\n" + fields + self.secret)
        await writer.drain()
        return True


async def run(run):
    made = Made()
    issuer, server = await issuers.Issuer().start(), await Answering().open()
    issuer.lifetime = 1
    server.secret = made.secret("the body of an answer")
    key = random.token_bytes(32)
    made.secrets["the key"], made.secrets["the key in the file"] = key, base64.b64encode(key)
    password = made.secret("the password").decode()
    database = Database(run.home)
    try:
        await database.make()
        database.sql(f"ALTER ROLE corewire PASSWORD '{password}'")
        with open(database.server.data / "pg_hba.conf", "w") as file:
            file.write(ACCESS)
        await asyncio.to_thread(database.server.set, *LOGS)
        text = base64.b64encode(key).decode()
        more = MORE.format(port=server.port, key=text, url=database.url(), password=password, lease=LEASE)
        text = issuers.services(issuer, "com.example.soak").replace("api: {}\n", more)
        runners = [Runner(Home(f"{run.home.path}/{number}"), file=text) for number in range(2)]
        database.migrate(runners[0].config)
        for runner in runners:
            await runner.start()
            answer = await runner.ask("PUT", "/v1/log/levels", b'{"level":"debug"}', JSON)
            hold(answer.status == 200, f"the log level was answered with {answer}")
        await issuers.sign_in(runners[0])
        for number in range(run.times):
            await write(made, runners[number % 2])
            await issuers.token(runners[number % 2], "1s")
        await until(lambda: all_sent(runners[0], run.times), "requests are sent")
        database.sql("CHECKPOINT")
        search(run, made, issuer, database, runners)
        # One that is not let in is told so, without its password.
        await refused(run, text, password)
        for runner in runners:
            await runner.stop()
    finally:
        database.remove()
        issuer.close()
        await server.close()


class Made:
    """Secrets by what they are, and what is none."""

    def __init__(self):
        self.secrets, self.others = {}, {}

    def secret(self, name):
        return self.secrets.setdefault(f"{name} ({len(self.secrets)})", f"canary-{random.token_hex(16)}".encode())

    def other(self, name):
        return self.others.setdefault(f"{name} ({len(self.others)})", f"canary-{random.token_hex(16)}".encode())


async def write(made, runner):
    async def ask(method, path, body, fields=()):
        answer = await runner.ask(method, path, body, fields)
        hold(answer.status in (200, 201, 202), f"{method} {path} was answered with {answer}")

    name = random.token_hex(6)
    await ask("PUT", f"/v1/state/plain/{name}", made.other("a value"))
    await ask("PUT", f"/v1/state/hidden/{name}", made.secret("an encrypted value"))
    for path in ("waits", "arrives"):
        request = {
            "lane": f"{path}-{name}",
            "path": f"/{path}?q={made.secret('a path').decode()}",
            "headers": {"X-Private": made.secret("a header field").decode()},
            "text": made.secret("a body").decode(),
        }
        await ask("POST", "/v1/outbox", json.dumps(request).encode(), JSON)
    note = {"title": made.secret("a title").decode(), "data": {"private": made.secret("data").decode()}}
    await ask("POST", "/v1/notifications", json.dumps(note).encode(), JSON)


async def all_sent(runner, count):
    """Whether those that are not answered wait alone."""
    return (await runner.ask("GET", "/v1/outbox?limit=1")).json["waiting"] == count


def search(run, made, issuer, database, runners):
    tokens = [*issuer.access_tokens, *issuer.refresh_tokens]
    made.secrets |= {f"token {number}": token.encode() for number, token in enumerate(tokens)}
    place = ["-h", database.server.folder, "-p", str(database.port), "-U", "postgres", "postgres"]
    dump = subprocess.run([servers.programs() / "pg_dump", *place], capture_output=True, check=True).stdout
    queries = repr(database.sql("SELECT query, application_name FROM pg_stat_activity")).encode()
    with open(database.log, "rb") as file:
        log = file.read()
    places = [("the tables", dump), ("the statements", queries), ("the log of the server", log)]
    places += [(path, text) for path, text in files(database.server.data)]
    for place in (dump, log, b"".join(text for _, text in files(database.server.data))):
        hold(len(found(made.others, [("a place", place)])) == len(made.others), "what is no secret is not found")
    places += [place for runner in runners for place in files(f"{runner.home.path}/log")]
    seen = found(made.secrets, places)
    hold(not seen, f"{len(seen)} secrets are in clear: {seen[:5]}")
    run.figures["secrets"], run.figures["places"] = len(made.secrets), len(places)
    run.figures["bytes searched"] = sum(len(text) for _, text in places)
    run.figures["found"] = 0


async def refused(run, text, password):
    runner = Runner(Home(f"{run.home.path}/refused"), file=text.replace(password, password + "x"))
    runner.spawn()
    hold(not await runner.ready(), "a runner with another password starts")
    status = await runner.ended()
    hold(status == 74 and "the database refuses the connection" in runner.tail(), f"{status}:\n{runner.tail()}")
    hold(password not in runner.tail(), "the password is in the log")
