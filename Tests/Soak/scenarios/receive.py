"""`corewire receive` is killed just before every system call that makes, writes or sends: a push is taken whole, or not at all."""

import asyncio
import collections
import glob
import json
import os

from harness.runner import Runner
from harness.tools import need
from harness.tracing import MAKING
from harness.verdict import hold
from harness.waiting import until

# How many instants of each case: spread over all of them, or every single one.
SMOKE, DEEP = 4, 10_000

CALLS = (MAKING + ",connect,sendto,sendmsg,exit_group").split(",")
PICTURE = b"\x89PNG\r\n\x1a\n" + b"picture" * 3_000

FILE = """\
version: 1
app: {{ id: com.example.soak, group: com.example.soak }}
notifications:
  permission: granted
  media: {{ hosts: [127.0.0.1] }}
  handlers:
    mark: {{ on: any, exec: [sh, -c, 'echo "$0" >> "{home}/marks"', "{{{{ id }}}}"] }}
    show: {{ on: presentable, present: [list] }}
api: {{}}
"""


async def run(run):
    need("strace")
    run.figures["instants"] = run.figures["killed"] = run.figures["told that they are kept"] = 0
    run.figures["kept without a word"] = 0
    server = await asyncio.start_server(picture, "127.0.0.1", 0)
    link = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
    for case in (Case(run, link, "made"), Case(run, link, "found"), Case(run, link, "running")):
        await case.run()
    server.close()


async def picture(reader, writer):
    await reader.readuntil(b"\r\n\r\n")
    head = f"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: {len(PICTURE)}\r\nConnection: close\r\n\r\n"
    writer.write(head.encode() + PICTURE)
    await writer.drain()
    writer.close()


class Case:
    """Receiving where there is no store yet, where there is one, and where a runner has it open."""

    def __init__(self, run, link, name):
        self.run_, self.link, self.name = run, link, name
        self.state = f"{run.home.path}/{name}"
        self.log = f"{run.home.path}/log/strace-{name}"
        self.number = 0

    def runner(self):
        return Runner(self.run_.home, file=FILE.format(home=self.run_.home.path), state=self.state)

    async def run(self):
        if self.name != "made":
            await self.begin()
        counts = await self.counted()
        instants = [(call, when) for call, count in counts.items() for when in range(1, count + 1)]
        # The choice differs from run to run, so that all are seen in time; files are opened most, and decide least.
        self.run_.random.shuffle(instants)
        instants.sort(key=lambda instant: instant[0] == "openat")
        instants = instants[: self.run_.times]
        for call, when in instants:
            await self.once(call, when)
            self.run_.figures["instants"] += 1

    async def begin(self):
        os.mkdir(self.state, 0o700)
        runner = await self.runner().start()
        await runner.stop()

    async def counted(self):
        """How often each call is made, by the thread that makes most of it."""
        if self.name == "made":
            self.state = f"{self.run_.home.path}/{self.name}-0"
            os.mkdir(self.state, 0o700)
        runner = await self.runner().start() if self.name == "running" else None
        status, _ = await self.receive(self.push(), ["-e", f"trace={','.join(CALLS)}"])
        hold(status == 0, f"receiving under strace ended with {status}")
        if runner:
            await runner.stop()
        threads = collections.Counter()
        with open(self.log, errors="replace") as file:
            for line in file:
                pid, _, rest = line.partition(" ")
                call = rest.strip().partition("(")[0]
                if call in CALLS:
                    threads[pid, call] += 1
        return {call: max(count for (_, name), count in threads.items() if name == call) for _, call in threads}

    def push(self):
        self.number += 1
        id = f"{self.name}-{self.number}"
        link = f"{self.link}{self.number}.png"
        return id, json.dumps({"aerogear-push-id": id, "aps": {"alert": {"title": id}}, "_media": link, "image": link})

    async def receive(self, push, words=None):
        """The status, and whether it said that the push is kept."""
        runner = self.runner()
        trace = [need("strace"), "-f", "-qq", "-o", self.log, *words] if words else []
        child = await asyncio.create_subprocess_exec(
            *trace, runner.program, "receive", "--config", runner.config, "--within", "10s", push[1],
            env=runner.environment, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
        )
        output, _ = await asyncio.wait_for(child.communicate(), 60)
        return child.returncode, b"kept" in output or b"handled" in output

    async def once(self, call, when):
        if self.name == "made":
            self.state = f"{self.run_.home.path}/{self.name}-{call}-{when}"
            os.mkdir(self.state, 0o700)
        runner = await self.runner().start() if self.name == "running" else None
        deed = ["-e", f"trace={call}", "-e", f"inject={call}:signal=KILL:when={when}"]
        left, sent = self.push(), self.push()
        at = f"{self.name}, {call} {when}"
        left_status, left_told = await self.receive(left, deed)
        status, _ = await self.receive(sent, deed)
        self.run_.figures["killed"] += (left_status != 0) + (status != 0)
        again, _ = await self.receive(sent)
        # 10 says that it was taken before.
        hold(again in (0, 10), f"{at}: receiving again ended with {again}")
        runner = runner or await self.runner().start()

        async def is_over():
            return not (await runner.ask("GET", "/v1/notifications?state=waiting&limit=1")).json["notifications"]

        await until(is_over, f"{at}: all are handled")
        states = {}
        for id, _ in (left, sent):
            answer = await runner.ask("GET", f"/v1/notifications/{id}")
            hold(answer.status in (200, 404), f"{at}: {id} was answered with {answer}")
            states[id] = answer.json.get("state") if answer.status == 200 else None
        hold(states[sent[0]] == "done", f"{at}: what was sent again is {states[sent[0]]}")
        is_promised = left_status == 0 or left_told
        hold(not is_promised or states[left[0]] == "done", f"{at}: told to be kept, and is {states[left[0]]}")
        self.run_.figures["told that they are kept"] += is_promised
        self.run_.figures["kept without a word"] += not is_promised and states[left[0]] == "done"
        with open(f"{self.run_.home.path}/marks") as file:
            marks = file.read().split()
        hold(marks.count(sent[0]) == 1, f"{at}: what was sent again was handled {marks.count(sent[0])} times")
        hold(marks.count(left[0]) == (states[left[0]] == "done"), f"{at}: handled {marks.count(left[0])} times")
        await runner.stop()
        self.whole_pictures(at)

    def whole_pictures(self, at):
        for path in glob.glob(f"{self.state}/**/notifications/*.png", recursive=True):
            with open(path, "rb") as file:
                hold(file.read() == PICTURE, f"{at}: {path} is half a picture")
