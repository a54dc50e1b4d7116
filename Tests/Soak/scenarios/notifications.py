"""Runners are killed at random while notifications come in by every way: each is handled once, shown once, and in order."""

import asyncio
import contextlib
import json
import os

from harness.http import Gone
from harness.runner import Home, Runner
from harness.verdict import hold
from harness.waiting import until

# How many kills.
SMOKE, DEEP = 2, 100

# 100,000 notifications in 100 kills.
A_KILL = 1000
SMOKE_A_KILL = 40
PARALLEL, CLIENTS = 16, 4
# How far those who send may be ahead of what is handled and shown.
AHEAD = 600
# Every so many fail at first, and are tried again.
FLAKY = 50

FILE = """\
version: 1
app: {{ id: com.example.soak, group: com.example.soak }}
notifications:
  permission: granted
  parallel: {parallel}
  maxWaiting: 100000
  sinks: [desktop]
  inbox: {{ entries: 100000 }}
  handlers:
    mark:  {{ on: any, exec: [sh, -c, 'echo "$PPID $0" >> "{home}/marks"', "{{{{ id }}}}"], retryAfter: 1s }}
    flaky: {{ on: any, when: {{ flaky: present }}, retryAfter: 1s,
              exec: [sh, -c, 'test -e "{home}/tried-$0" || {{ : > "{home}/tried-$0"; exit 1; }}', "{{{{ id }}}}"] }}
    show:  {{ on: presentable, present: [banner, list] }}
api: {{ limits: {{ rate: 1000000 }} }}
"""

# A desktop that notes what appears on it; no button is pressed there. It prints a line when it is there.
DESKTOP = """\
import sys
import dbus, dbus.service
from dbus.mainloop.glib import DBusGMainLoop
from gi.repository import GLib
NAME = "org.freedesktop.Notifications"

class Desktop(dbus.service.Object):
    last = 0
    @dbus.service.method(NAME, out_signature="as")
    def GetCapabilities(self):
        return ["body"]
    @dbus.service.method(NAME, in_signature="susssasa{sv}i", out_signature="u")
    def Notify(self, app, replaces, icon, title, body, actions, hints, timeout):
        self.last += 1
        with open(sys.argv[1], "a") as file:
            file.write(f"0 {title}\\n")
        return self.last
    @dbus.service.method(NAME, in_signature="u")
    def CloseNotification(self, number):
        pass
DBusGMainLoop(set_as_default=True)
bus = dbus.SessionBus()
name = dbus.service.BusName(NAME, bus)
desktop = Desktop(bus, "/org/freedesktop/Notifications")
print("ready", flush=True)
GLib.MainLoop().run()
"""


@contextlib.asynccontextmanager
async def desktop(home):
    """A session bus with a desktop on it; its address."""
    address = f"unix:path={home}/bus"
    commands = [
        ["dbus-daemon", "--session", "--nofork", "--nopidfile", "--print-address=1", f"--address={address}"],
        ["/usr/bin/python3", "-c", DESKTOP, f"{home}/shown"],
    ]
    started = []
    try:
        for command in commands:
            variables = {**os.environ, "DBUS_SESSION_BUS_ADDRESS": address}
            child = await asyncio.create_subprocess_exec(*command, env=variables, stdout=asyncio.subprocess.PIPE)
            started.append(child)
            await child.stdout.readline()
        yield address
    finally:
        for child in reversed(started):
            if child.returncode is None:
                child.kill()
            await child.wait()


class Notes:
    """A file to which programs of the runner, and the desktop, write whom they are for; read on from where it was read before."""

    def __init__(self, path):
        self.path = path
        self.lines = []
        self.offset = 0
        open(path, "w").close()

    def read(self):
        with open(self.path, "rb") as file:
            file.seek(self.offset)
            text = file.read()
        text = text[: text.rfind(b"\n") + 1]
        self.offset += len(text)
        for line in text.decode().splitlines():
            pid, id = line.split(" ")
            self.lines.append((int(pid), id))
        return self.lines

    @property
    def ids(self):
        return {id for _, id in self.lines}


def wish_of(id):
    """The notification of an id, the same each time it is sent."""
    number = int(id.rpartition("-")[2])
    return {"id": id, "title": id, "data": {"flaky": True} if number % FLAKY == 0 else {}}


class Senders:
    """Each sends one after the other, to whoever is up; what is accepted is sent again, and is not new."""

    def __init__(self, runners, random, marks, shown):
        self.runners, self.random, self.marks, self.shown = runners, random, marks, shown
        self.accepted = [[] for _ in range(CLIENTS)]
        self.again = self.handled = 0
        self.connections = {}

    @property
    def count(self):
        return sum(len(ids) for ids in self.accepted)

    async def send(self, client, id):
        """Until somebody answers: who breaks off may have taken it, and then it is not taken again."""
        wish = wish_of(id)
        while True:
            runner = self.random.choice(self.runners)
            key = (client, runner.app, runner.pid)
            try:
                if key not in self.connections:
                    self.connections[key] = await runner.connect()
                body = json.dumps(wish).encode()
                answer = await self.connections[key].ask(
                    "POST", "/v1/notifications", body, ["Content-Type: application/json"]
                )
                hold(answer.status in (200, 201), f"{id} was answered with {answer}")
                return answer.json["new"]
            except (Gone, TimeoutError):
                self.connections.pop(key, None)
            await asyncio.sleep(0.01)

    async def client(self, client):
        accepted = self.accepted[client]
        while True:
            while self.count - self.handled > AHEAD:
                await asyncio.sleep(0.05)
            id = f"n{client}-{len(accepted)}"
            await self.send(client, id)
            accepted.append(id)
            if self.random.random() < 0.1:
                hold(not await self.send(client, id), f"{id} was new again")
                self.again += 1

    async def watch(self):
        while True:
            self.handled = min(len(self.marks.read()), len(self.shown.read()))
            await asyncio.sleep(0.05)


async def carry(runner, random, received):
    """Pushes in processes of their own, whether or not a runner is up; some of them twice, and some of them killed."""
    number = 0
    while True:
        payload = json.dumps({"aerogear-push-id": f"push-{number}", "aps": {"alert": {"title": f"push-{number}"}}})
        for _ in range(random.choice((1, 1, 2))):
            arguments = [runner.program, "receive", "--config", runner.config, "--within", "1s", payload]
            child = await asyncio.create_subprocess_exec(
                *arguments, env=runner.environment, stdout=asyncio.subprocess.DEVNULL,
                stderr=asyncio.subprocess.DEVNULL,
            )
            if random.random() < 0.1:
                await asyncio.sleep(random.random() * 0.3)
                if child.returncode is None:
                    child.kill()
            if await child.wait() == 0 and f"push-{number}" not in received:
                received.append(f"push-{number}")
        number += 1
        await asyncio.sleep(0.2)


def lifetime(random):
    """Many live so shortly that nothing is over what a former one had in hand, others long beyond it."""
    return random.random() * 0.7 if random.random() < 0.6 else 8 + random.random() * 8


async def run(run):
    a_kill = A_KILL if run.times > SMOKE else SMOKE_A_KILL
    marks, shown = Notes(f"{run.home.path}/marks"), Notes(f"{run.home.path}/shown")
    async with desktop(run.home.path) as address:
        await under_load(run, a_kill, marks, shown, {"DBUS_SESSION_BUS_ADDRESS": address})


async def under_load(run, a_kill, marks, shown, environment):
    random = run.random
    file = FILE.format(home=run.home.path, parallel=PARALLEL)
    first = Runner(run.home, file=file, environment=environment)
    # Another process of the same app, whose lock lies elsewhere.
    second = Runner(
        Home(f"{run.home.path}/second"), file=file, environment=environment, state=f"{run.home.path}/state"
    )
    await first.start()
    runners, received, killed = [first], [], set()
    senders = Senders(runners, random, marks, shown)
    tasks = [asyncio.create_task(senders.client(client)) for client in range(CLIENTS)]
    tasks += [asyncio.create_task(senders.watch()), asyncio.create_task(carry(first, random, received))]

    async def sent(goal):
        for task in tasks:
            if task.done():
                task.result()
        return senders.count >= goal

    # With one of them first: only then is there one order for all of them.
    alone = max(1, run.times * 2 // 3)
    for number in range(run.times):
        if number == alone:
            # All of the one process's are shown before the other begins.
            boundary = await settle(senders, marks, shown, received)
            await second.start()
            runners.append(second)
        await asyncio.sleep(lifetime(random))
        victim = random.choice(runners)
        killed.add(victim.pid)
        await victim.killed()
        await victim.start()
        run.figures["kills"] = number + 1
        await until(lambda: sent((number + 1) * a_kill), "notifications are taken", deadline=900)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    wanted = [id for ids in senders.accepted for id in ids] + received
    await handled(runners[-1], wanted)
    again = once(marks.read(), wanted, killed, {runner.pid for runner in runners}, "handled")
    hold(set(wanted) <= marks.ids, f"{len(set(wanted) - marks.ids)} were never handled")
    shown.read()
    # It is in the list before it is seen: so at a kill one may be in the list alone, and never is seen twice.
    hold(len(shown.lines) == len(shown.ids), f"{len(shown.lines) - len(shown.ids)} were shown twice")
    unseen = set(wanted) - shown.ids
    hold(len(unseen) <= run.times, f"{len(unseen)} were never seen, {run.times} runners were killed")
    in_order(shown.lines[:boundary])
    connection = await runners[-1].connect()
    for id in [id for ids in senders.accepted for id in ids]:
        body = json.dumps(wish_of(id)).encode()
        answer = await connection.ask("POST", "/v1/notifications", body, ["Content-Type: application/json"])
        hold(answer.status == 200 and not answer.json["new"], f"{id} was new again: {answer}")
    run.figures["notifications"] = senders.count
    run.figures["pushes received"] = len(received)
    run.figures["sent again"] = senders.count + senders.again
    run.figures["programs under way at a kill, run again"] = again
    run.figures["in the list, and not seen"] = len(unseen)
    run.figures["lost"] = 0
    for runner in runners:
        await runner.stop()
    marks.read()
    hold(len(marks.lines) == len(marks.ids) + again, "what was sent again was handled again")


async def settle(senders, marks, shown, received):
    """Where those that one process has shown end."""
    wanted = {ids[-1] for ids in senders.accepted if ids}
    await until(lambda: shown.read() and wanted <= shown.ids, "what was sent is shown", deadline=900)
    return len(shown.lines)


async def handled(runner, wanted):
    """Asks for each what became of it, once nothing waits any more."""
    connection = await runner.connect()

    async def waiting():
        return (await connection.ask("GET", "/v1/notifications?state=waiting&limit=1")).json["notifications"]

    async def is_over():
        return not await waiting()

    await until(is_over, "all are handled", deadline=600)
    for id in wanted:
        state = (await connection.ask("GET", f"/v1/notifications/{id}")).json
        hold(state.get("state") == "done" and state["result"] == "newData", f"{id} came to {state}")
        names = sorted(record["name"] for record in state["handlers"])
        is_flaky = id[0] == "n" and int(id.rpartition("-")[2]) % FLAKY == 0
        hold(names == (["flaky"] if is_flaky else []) + ["mark", "show"], f"{id} was handled by {names}")
        hold(all(record["result"] != "failed" for record in state["handlers"]), f"{id}: {state['handlers']}")
        hold(state["shown"], f"{id} was not shown")
    connection.close()


def once(lines, wanted, killed, alive, what):
    """How many ran twice; each of them ran at the instant of a kill, so that nobody can know how far it had come."""
    places, number, again = {}, {}, 0
    for pid, id in lines:
        number[pid] = number.get(pid, 0) + 1
        if id in places:
            former, place = places[id]
            # A program that outlives its runner is somebody else's child.
            is_orphan = former not in killed | alive
            hold(is_orphan or former in killed and former != pid, f"{id} was {what} twice by {former} and {pid}")
            # As far as it had come by then: the same number may be another process's later.
            left = 0 if is_orphan else number[former] - place
            hold(left < 2 * PARALLEL, f"{id} was {what} twice, {left} before the end of {former}")
            again += 1
        places[id] = (pid, number[pid])
    unknown = set(places) - set(wanted)
    # A push that nobody was told is kept may be kept all the same.
    hold(all(id.startswith(("push-", "n")) for id in unknown), f"unknown: {sorted(unknown)[:5]}")
    return again


def in_order(lines):
    """Those of each sender appear as it has sent them."""
    last = {}
    for _, id in lines:
        sender, _, number = id.rpartition("-")
        if sender[0] != "n":
            continue
        hold(int(number) > last.get(sender, -1), f"{id} appeared after {sender}-{last.get(sender)}")
        last[sender] = int(number)
