"""200 apps listen, a quarter of them slow or dead: the others get everything, in its order and in time, and memory is bounded."""

import asyncio
import json
import socket
import time

from harness.http import head, lines
from harness.runner import Runner
from harness.verdict import hold
from harness.waiting import until

# How many notifications.
SMOKE, DEEP = 20, 2_000

APPS, BAD = 200, 50
# The seconds an app has to answer: far more than those take that are well, however slow the machine.
TIMEOUT, LATE = 30, 120
TEXT = "x" * 20_000
JSON = ["Content-Type: application/json"]
# What one app may keep waiting, and what the rest of the program may take besides, in MiB.
ROOM, BESIDES = 1, 150

FILE = """\
version: 1
app: { id: com.example.soak, group: com.example.soak }
notifications:
  permission: granted
  maxWaiting: 100000
  inbox: { entries: 100000 }
  handlers:
    note: { on: any, log: { level: debug, text: "{{ id }}" } }
api: { limits: { connections: 600, connectionsPerUser: 600, rate: 1000000, receive: 120s } }
"""


class App:
    """An app that listens; what it does with what it hears depends on its kind."""

    def __init__(self, runner, name, kind):
        self.runner, self.name, self.kind = runner, name, kind
        self.seen, self.times, self.ended = [], [], False
        self.ready = asyncio.Event()

    async def listen(self):
        self.raw = socket.socket(socket.AF_UNIX)
        if self.kind == "dead":
            # So little that soon nothing more fits.
            self.raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self.raw.setblocking(False)
        loop = asyncio.get_running_loop()
        await loop.sock_connect(self.raw, self.runner.socket)
        path = f"/v1/notifications/stream?handler={self.name}&on=any&timeout={TIMEOUT}s"
        await loop.sock_sendall(self.raw, f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        if self.kind == "dead":
            # Reads until it is in, and never again.
            head = b""
            while b"event: ready" not in head:
                head += await loop.sock_recv(self.raw, 4096)
            self.ready.set()
            return
        reader, writer = await asyncio.open_connection(sock=self.raw, limit=1 << 22)
        try:
            await self.hear(reader, writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        self.ended = True

    async def hear(self, reader, writer):
        await head(reader)
        async for line in lines(reader):
            if line == b"event: ready":
                self.ready.set()
                if self.kind == "half":
                    # Says that it has nothing more to say, and answers nothing.
                    writer.write_eof()
            if not line.startswith(b"data: {\"id\""):
                continue
            told = json.loads(line[6:])
            self.seen.append(told["id"])
            self.times.append(time.monotonic())
            if self.kind == "slow":
                await asyncio.sleep(3 * TIMEOUT)
            if self.kind in ("good", "slow"):
                path = f"/v1/notifications/{told['id']}/results/{self.name}"
                answer = await self.runner.ask("POST", path, b'{"result":"newData"}', JSON)
                hold(answer.status == 204 or self.kind == "slow", f"{self.name} was answered with {answer}")


async def run(run):
    runner = await Runner(run.home, file=FILE).start()
    kinds = (["dead", "slow", "half", "mute"] * BAD)[:BAD] + ["good"] * (APPS - BAD)
    run.random.shuffle(kinds)
    apps = [App(runner, f"a{number}", kind) for number, kind in enumerate(kinds)]
    tasks = [asyncio.create_task(app.listen()) for app in apps]
    dropped = set()
    watch = asyncio.create_task(follow(runner, dropped))
    for app in apps:
        await asyncio.wait_for(app.ready.wait(), 60)
    good = [app for app in apps if app.kind == "good"]
    bad = [app for app in apps if app.kind != "good"]
    before, most = runner.figures()[0] / 1024, 0
    sent, at = [], {}
    connection = await runner.connect()
    for number in range(run.times):
        id = f"n{number}"
        body = json.dumps({"id": id, "silent": True, "data": {"text": TEXT}}).encode()
        at[id] = time.monotonic()
        answer = await connection.ask("POST", "/v1/notifications", body, JSON)
        hold(answer.status == 201, f"{id} was answered with {answer}")
        sent.append(id)
        most = max(most, runner.figures()[0] / 1024)
        for task in tasks:
            if task.done():
                task.result()

    async def all_seen():
        nonlocal most
        most = max(most, runner.figures()[0] / 1024)
        return all(len(app.seen) >= len(sent) for app in good)

    await until(all_seen, "all apps that are well have seen all", deadline=LATE + run.times)
    for app in good:
        hold(app.seen == sent, f"{app.name} saw something else, or in another order: {app.seen[:20]}")
    waits = sorted(moment - at[id] for app in good for id, moment in zip(app.seen, app.times))
    gone = {app.name for app in bad}
    await until(lambda: gone <= dropped, "all that are dead are let go", deadline=LATE + 5 * TIMEOUT)
    hold(dropped == gone, f"{sorted(dropped - gone)} were let go, and are well")
    hold(most - before < BAD * ROOM + BESIDES, f"it took {most - before:.0f} MiB more")
    # Those who are let go hold up nobody any more.
    began = time.monotonic()
    answer = await connection.ask("POST", "/v1/notifications", b'{"id":"last","silent":true}', JSON)
    hold(answer.status == 201, f"the last was answered with {answer}")
    state = (await connection.ask("GET", "/v1/notifications/last?wait=60")).json
    names = {record["name"] for record in state["handlers"]}
    hold(state["state"] == "done" and names == {"note"} | {f"app:{app.name}" for app in good}, f"the last is {state}")
    run.figures["notifications"] = len(sent)
    run.figures["apps"] = APPS
    run.figures["let go"] = len(dropped)
    run.figures["ms median to an app"] = round(waits[len(waits) // 2] * 1000)
    run.figures["ms p99"] = round(waits[len(waits) * 99 // 100] * 1000)
    run.figures["ms the last to all"] = round((time.monotonic() - began) * 1000)
    run.figures["MiB before"], run.figures["MiB at most"] = round(before), round(most)
    for task in [*tasks, watch]:
        task.cancel()
    await asyncio.gather(*tasks, watch, return_exceptions=True)
    for app in apps:
        app.raw.close()
    await runner.stop()


async def follow(runner, dropped):
    """Notes who is let go."""
    reader, writer = await asyncio.open_unix_connection(runner.socket, limit=1 << 22)
    writer.write(b"GET /v1/events?name=notification.appDropped HTTP/1.1\r\nHost: localhost\r\n\r\n")
    await head(reader)
    async for line in lines(reader):
        if line.startswith(b"data: "):
            told = json.loads(line[6:])
            dropped.add(told.get("data", told)["handler"])
