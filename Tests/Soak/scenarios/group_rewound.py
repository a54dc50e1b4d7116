"""An asynchronous standby that lacks the last commits takes over: the loss is told, and what is done again arrives.

What the standby had received is there. No version is given twice, watchers are told of a gap, and a request whose id was lost
can be posted again.
"""

import asyncio

from harness import http
from harness.failing import Pair
from harness.group import Group, size
from harness.members import Server, post
from harness.verdict import hold
from harness.waiting import until

# How many failovers.
SMOKE, DEEP = 1, 100

LANES, REQUESTS, VALUES = 6, 30, 10
TOLD = "the database has lost confirmed changes"


class Arrivals(Server):
    """Notes the order of what arrives for the first time: what was lost comes again after what came later."""

    def note(self, lane, id, number):
        if id in self.seen:
            self.seen[id] += 1
        else:
            super().note(lane, id, number)


async def run(run):
    count, server = size(run.times, 15), Arrivals(run.random)
    figures = run.figures
    figures["failovers"] = figures["values lost"] = figures["requests unknown afterwards"] = 0
    async with Pair(run.home) as pair, Group(run, pair.primary, count, [pair.url()] * count, server=server) as group:
        rounds = Rounds(run, pair, group)
        for number in range(run.times):
            await rounds.one(number)
            figures["failovers"] += 1
    figures["runners"], figures["requests accepted"] = count, len(rounds.accepted)
    figures["arrived"], figures["came again under the same id"] = len(server.seen), sum(server.seen.values()) - len(server.seen)


class Rounds:
    def __init__(self, run, pair, group):
        self.run, self.pair, self.group = run, pair, group
        self.next, self.accepted, self.latest = [0] * LANES, [], 0

    async def one(self, number):
        kept = await self.values(f"kept{number}")
        await self.requests()
        await self.have_arrived()
        await self.pair.part()
        watching = [await Watch(runner).open() for runner in self.group.runners]
        lost = await self.values(f"lost{number}")
        requests = await self.requests()
        logs = [len(text) for text in self.group.logs()]
        await self.pair.fail_over()
        await until(lambda: self.is_back(f"back{number}"), "all runners write after the failover")
        # What the standby had is there, and the rest is not.
        hold(await self.are_there(kept) == len(kept), "a value that the standby had is lost")
        there = await self.are_there(lost)
        hold(there == 0, f"{there} values that the standby cannot have are there")
        self.run.figures["values lost"] += len(lost)
        await until(lambda: self.is_told(logs), "the loss is in the log of each runner")
        for watch in watching:
            await until(watch.saw_gap, "a watcher is told of a gap")
            watch.close()
        await self.repeat(requests)
        await self.have_arrived()
        await self.pair.renew()

    async def values(self, prefix):
        """Writes values by all runners; none has a version that was given before, also to what was lost."""
        for number in range(VALUES):
            await self.write(self.runner, f"{prefix}-{number}")
        return [f"{prefix}-{number}" for number in range(VALUES)]

    async def write(self, runner, key):
        answer = await runner.ask("PUT", f"/v1/state/soak/{key}", b"x")
        if answer.status == 503:
            return False
        hold(answer.status == 201, f"a write was answered with {answer}")
        hold(answer.version > self.latest, f"version {answer.version} comes after {self.latest}")
        self.latest = answer.version
        return True

    @property
    def runner(self):
        return self.run.random.choice(self.group.runners)

    async def requests(self):
        made = []
        for _ in range(REQUESTS):
            lane = self.run.random.randrange(LANES)
            made.append((lane, self.next[lane]))
            self.next[lane] += 1
            hold(await self.post(*made[-1]), "a new request is known")
        self.accepted += made
        return made

    async def post(self, lane, number):
        return await post(self.runner, f"l{lane}", number, f"l{lane}-{number}")

    async def repeat(self, requests):
        """Posts all that may be lost again."""
        for lane, number in requests:
            self.run.figures["requests unknown afterwards"] += await self.post(lane, number)

    async def have_arrived(self):
        server = self.group.server
        await until(lambda: len(server.answered) == len(self.accepted), "all requests arrive", deadline=120)
        hold(not server.misplaced, f"{len(server.misplaced)} came after later ones: {server.misplaced[:5]}")
        hold(not server.renamed, f"{len(server.renamed)} came with another id: {server.renamed[:5]}")

    async def is_back(self, key):
        found = [await self.write(runner, f"{key}-{number}") for number, runner in enumerate(self.group.runners)]
        return all(found)

    async def are_there(self, keys):
        answers = [await self.runner.ask("GET", f"/v1/state/soak/{key}") for key in keys]
        hold(all(answer.status in (200, 404) for answer in answers), "a value cannot be read after the failover")
        return sum(answer.status == 200 for answer in answers)

    def is_told(self, logs):
        return all(TOLD in text[length:] for text, length in zip(self.group.logs(), logs))


class Watch:
    """A stream of the changes of the namespace at a runner."""

    def __init__(self, runner):
        self.runner, self.lines = runner, []

    async def open(self):
        self.reader, self.writer = await asyncio.open_unix_connection(self.runner.socket)
        self.writer.write(b"GET /v1/state/soak?watch HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n")
        head = await http.head(self.reader)
        hold(head.startswith(b"HTTP/1.1 200 "), f"a watcher is answered with {head}")
        self.reading = asyncio.create_task(self.read())
        return self

    async def read(self):
        async for line in http.lines(self.reader):
            self.lines.append(line)

    def saw_gap(self):
        hold(not self.reading.done(), "a stream has ended")
        return b"event: gap" in self.lines

    def close(self):
        self.reading.cancel()
        self.writer.close()
