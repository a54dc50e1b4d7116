"""Runners are killed at random while pushes arrive over ntfy and over Web Push: none is lost, and each is listed once."""

import asyncio
import os

from harness.runner import Runner
from harness.tools import need_file
from harness.verdict import hold
from harness.waiting import DEADLINE, until

# How many kills.
SMOKE, DEEP = 10, 200

# So many messages of each transport to a kill.
OVER_NTFY, OVER_WEB_PUSH = 8, 4

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
PYTHON = f"{ROOT}/.build/python/bin/python3"

FILE = """\
version: 1
app: {{ id: com.example.soak, group: com.example.soak }}
push:
  providers: [webPush]
  tokens: {{ webPush: {{ type: autopush, url: "ws://127.0.0.1:{service}" }} }}
  registrars:
    mine:
      type: rest
      url: "http://127.0.0.1:{sender}"
      register:
        method: PUT
        path: devices
        body: '{{"endpoint":{{{{ endpoint | json }}}},"p256dh":{{{{ p256dh | json }}}},"auth":{{{{ auth | json }}}}}}'
notifications:
  permission: granted
  maxWaiting: 100000
  inbox: {{ entries: 100000 }}
  handlers: {{ show: {{ on: presentable, present: [list] }} }}
  streams:
    alerts: {{ type: ntfy, url: "http://127.0.0.1:{ntfy}", topics: [cart-17-k3Jq8Zr2] }}
"""


class Server:
    """One of Tests/PushServers: it writes a line for what it sees, and takes commands by line."""

    def __init__(self, name, *options):
        self.name, self.options, self.lines = name, options, []

    async def start(self):
        self.process = await asyncio.create_subprocess_exec(
            PYTHON, "-B", f"{ROOT}/Tests/PushServers/{self.name}.py", *self.options,
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
        )
        self.reading = asyncio.create_task(self.read())
        await self.saw("ready")
        return self.lines[0].split(" ")[1:]

    async def read(self):
        async for line in self.process.stdout:
            self.lines.append(line.decode().strip())

    def count(self, beginning):
        return sum(line.startswith(beginning) for line in self.lines)

    async def saw(self, beginning, times=1, deadline=DEADLINE):
        await until(lambda: self.count(beginning) >= times, f"{self.name} saw {beginning!r}", deadline=deadline)

    async def tell(self, command):
        """Gives a command, and returns once it is done."""
        before = self.count(f"did {command}")
        self.process.stdin.write(f"{command}\n".encode())
        await self.saw(f"did {command}", before + 1)

    async def stop(self):
        self.process.stdin.close()
        await self.process.wait()
        self.reading.cancel()


async def run(run):
    need_file(PYTHON, "the Python modules that 'make test' installs")
    ntfy, service, sender = Server("ntfy", "--keepalive", "0.2"), Server("autopush"), Server("app_server")
    ports = [(await server.start())[0] for server in (ntfy, service, sender)]
    runner = Runner(run.home, file=FILE.format(ntfy=ports[0], service=ports[1], sender=ports[2]))
    await runner.start()
    await sender.saw("registered")
    await ntfy.saw("stream ")
    for number in range(run.times):
        sending = asyncio.gather(
            ntfy.tell(f"fill cart-17-k3Jq8Zr2 {OVER_NTFY}"), sender.tell(f"each {OVER_WEB_PUSH} Round {number},")
        )
        await asyncio.sleep(run.random.random() * 0.1)
        await runner.killed()
        await sending
        await runner.start()
        run.figures["kills"] = number + 1
    expected = run.times * (OVER_NTFY + OVER_WEB_PUSH)
    listed = await until(lambda: whole(runner, expected), "all pushes are listed", deadline=300)
    hold(len(listed) == expected, f"{len(listed)} of {expected} are listed")
    hold(len(set(listed)) == expected, "some are listed twice")
    hold(sender.count("sent 201") == run.times * OVER_WEB_PUSH, "the service took all messages")
    run.figures["pushes listed once"] = expected
    await runner.stop()
    for server in (ntfy, service, sender):
        await server.stop()


async def whole(runner, count):
    """The ids in the list, once there are so many."""
    listed, after = [], ""
    while after is not None:
        page = (await runner.ask("GET", f"/v1/notifications?limit=200{after}")).json
        listed += [item["id"] for item in page["notifications"]]
        after = f"&after={page['next']}" if page.get("next") else None
    return listed if len(listed) >= count else None
