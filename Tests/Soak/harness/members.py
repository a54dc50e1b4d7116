"""Processes of one app in folders of their own that share one store, and a server that notes all that arrives."""

import json

from harness.listening import Listening
from harness.runner import Home, Runner

FILE = """\
version: 1
app: {{ id: com.example.soak }}
environment: dev
environments: {{ dev: {{ baseUrl: "http://127.0.0.1:{port}" }} }}
network: {{ timeout: 60s }}
background:
  retry: {{ attempts: 1000, min: 100ms, max: 1s }}
  queue: {{ maxRequests: 1000000, maxSize: 1GiB, parallel: {parallel}, remember: 30d }}
api: {{}}
"""

JSON = ["Content-Type: application/json"]


def member(home, number, port, parallel):
    """A runner of the app whose lock lies elsewhere, so that there may be several."""
    return Runner(
        Home(f"{home.path}/{number}"),
        file=FILE.format(port=port, parallel=parallel),
        state=f"{home.path}/state",
    )


class Away(Exception):
    """The runner or its store is not able to take the request now: whether it has is not known."""


async def post(runner, lane, number, id):
    """Posts a request; whether it was new. Throws Gone where the runner is."""
    body = json.dumps({"path": f"/lane/{lane}", "lane": lane, "id": id, "text": str(number)}).encode()
    answer = await runner.ask("POST", "/v1/outbox", body, JSON)
    if answer.status in (408, 503, 507):
        raise Away(answer)
    if answer.status not in (200, 202):
        raise RuntimeError(f"the outbox answered {answer}")
    return answer.json["new"]


class Server(Listening):
    """Answers 201; now and then as servers do that are not well."""

    def __init__(self, random, troubles=0.0):
        super().__init__()
        self.random = random
        self.troubles = troubles
        # Of each id: how often it came, and how often it came although a good answer had been given.
        self.seen, self.answered, self.repeated = {}, set(), 0
        # Of each lane the number that came last, and those that came after a later one.
        self.last, self.misplaced = {}, []
        # Of each request the id it came with first, and those that came with another one.
        self.ids, self.renamed = {}, []
        self.hold = None

    async def once(self, reader, writer):
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        fields = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:])}
        body = await reader.readexactly(int(fields.get("content-length", "0")))
        lane, id, number = head[0].split(" ")[1].rsplit("/", 1)[-1], fields["request-id"], int(body)
        self.note(lane, id, number)
        if self.hold:
            await self.hold(id)
        chance = self.random.random()
        if chance < self.troubles / 2:
            return False
        status = "503 Service Unavailable" if chance < self.troubles else "201 Created"
        writer.write(f"HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n".encode())
        await writer.drain()
        if status[0] == "2":
            self.answered.add(id)
        return True

    def note(self, lane, id, number):
        self.seen[id] = self.seen.get(id, 0) + 1
        if id in self.answered:
            self.repeated += 1
        if self.ids.setdefault((lane, number), id) != id:
            self.renamed.append((lane, number, id))
        if number < self.last.get(lane, -1):
            self.misplaced.append((lane, number))
        self.last[lane] = max(number, self.last.get(lane, -1))


async def waiting(runner):
    return (await runner.ask("GET", "/v1/outbox?limit=1")).json["waiting"]


async def sent(runner):
    """How many requests this run of it has sent, by its own account."""
    for line in (await runner.ask("GET", "/metrics")).body.decode().splitlines():
        if line.startswith("corewire_outbox_requests") and 'outcome="sent"' in line:
            return int(float(line.split(" ")[1]))
    return 0
