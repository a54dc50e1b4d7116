"""The line between a runner and the database is disturbed under load; no two runners send requests of a lane at once.

Each runner has a proxy before it, which swallows answers before it cuts (so after a COMMIT was forwarded), holds back what is
sent, or cuts. Now and then a runner is cut off for as long as it takes the others to take over, while the server holds back
its answer: by then the runner has given up its request.
"""

import asyncio

from harness import process
from harness.database import Database
from harness.doubles import Double
from harness.group import LEASE, PARALLEL, Group, Load, size
from harness.members import Server, post
from harness.verdict import hold
from harness.waiting import until

# How many disturbances.
SMOKE, DEEP = 6, 400

REQUESTS_A_TIME = 40
# Every so often one lasts until the others have taken over.
LONG = 20


class Sink(Server):
    """Sees whether requests of a lane overlap, and can hold back answers until the client leaves."""

    def __init__(self, random):
        super().__init__(random)
        self.under_way, self.overlaps = {}, []
        # The lane whose next request is held back, the port of its client, and how many clients have left then.
        self.held, self.holding, self.left = None, None, 0

    async def once(self, reader, writer):
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        fields = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:])}
        body = await reader.readexactly(int(fields.get("content-length", "0")))
        lane, id = head[0].split(" ")[1].rsplit("/", 1)[-1], fields["request-id"]
        if lane in self.under_way:
            self.overlaps.append((id, self.under_way[lane]))
        self.under_way[lane] = id
        try:
            self.note(lane, id, int(body))
            if self.held == lane:
                self.held, self.holding = None, writer.get_extra_info("peername")[1]
                # Nothing comes but the end.
                await reader.read(1)
                self.left += 1
                return False
            writer.write(b"HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n")
            await writer.drain()
            self.answered.add(id)
            return True
        finally:
            if self.under_way.get(lane) == id:
                del self.under_way[lane]


async def run(run):
    count, sink = size(run.times, 30), Sink(run.random)
    async with Database(run.home) as database:
        lines = [Double("../PostgresFunctions/proxy", "127.0.0.1", str(database.port)) for _ in range(count)]
        ports = [int((await line.start())[0]) for line in lines]
        urls = [database.url(port=port) for port in ports]
        async with Group(run, database, count, urls, server=sink) as group:
            load = Load(group)
            for number in range(run.times):
                await load.some(REQUESTS_A_TIME)
                if number % LONG == LONG - 1 or number == 0:
                    await isolate(run, group, lines, sink)
                else:
                    await disturb(run.random, lines[run.random.randrange(count)])
                run.figures["disturbances"] = number + 1
            await load.judge(run.times * count * PARALLEL)
            hold(not sink.overlaps, f"{len(sink.overlaps)} requests of a lane were sent at once: {sink.overlaps[:3]}")
        for line in lines:
            await line.stop()
    run.figures["requests given up in time"] = sink.left
    run.figures["at once in a lane"] = 0


async def disturb(random, line):
    first = random.choice(["mute", "hold", None])
    if first:
        await line.tell(first)
        await asyncio.sleep(random.random() * 0.3)
    await line.tell(random.choice(["cut", "pass"]) if first == "hold" else "cut")


async def isolate(run, group, lines, sink):
    """Cuts off the runner whose request the server does not answer, until another one has sent that request."""
    number = run.figures.get("times isolated", 0)
    left, id = sink.left, f"isolated-{number}"
    sink.held, sink.holding = "isolated", None
    await post(group.runners[0], "isolated", number, id)
    await until(lambda: sink.holding, "a request is held back")
    index = next(index for index, runner in enumerate(group.runners) if process.has_port(runner.pid, sink.holding))
    await lines[index].tell("hold")
    await until(lambda: sink.left > left, "the runner gives up its request", deadline=3 * LEASE)
    await until(lambda: id in sink.answered, "another runner has sent the request", deadline=3 * LEASE)
    sink.answered.discard(id)  # It is none of the load's.
    await lines[index].tell(run.random.choice(["cut", "pass"]))
    run.figures["times isolated"] = number + 1
