"""The clocks of the database and of runners go forwards and back, under load: no lease ends early, nothing waits.

A request that the server does not answer stays that of its runner while the clocks are set. Entries expire by the latest time
of the database.
"""

import asyncio
import shutil
import tempfile

from harness.database import Database
from harness.faketime import Clock
from harness.group import Group, Load, size
from harness.members import post
from harness.verdict import hold
from harness.waiting import until

# How many times all clocks are set.
SMOKE, DEEP = 3, 200

HOUR, DAY = 3_600, 86_400
REQUESTS_A_TIME = 40
# How far the clock of the database is set back.
BACK = (2, 60, HOUR, DAY, 400 * DAY)
# More often than elsewhere: what is tried again waits.
TROUBLES = 0.2


async def run(run):
    # The server's user has to see the file of its clock.
    folder = tempfile.mkdtemp(prefix="corewire-pg-", dir="/tmp")
    try:
        clock = Clock(f"{folder}/clock")
        database = Database(run.home, environment=clock.environment)
        await database.make(folder=folder)
        try:
            await runners(run, database, clock)
        finally:
            database.remove()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


async def runners(run, database, clock):
    count = size(run.times, 30)
    clocks = [Clock(f"{run.home.path}/clock{number}") for number in range(count)]
    environments = [clock.environment for clock in clocks]
    async with Group(run, database, count, environment=environments, troubles=TROUBLES) as group:
        load, server = Load(group), group.server
        members = set(database.sql("SELECT id FROM corewire.runners"))
        latest = 0
        for number in range(run.times):
            held = await hold_one(group, number)
            await load.some(REQUESTS_A_TIME)
            for other in run.random.sample(clocks, len(clocks)):
                other.set(run.random.randrange(-DAY, DAY))
            latest = await expire(group, clock, latest)
            await load.some(REQUESTS_A_TIME)
            clock.set(latest - run.random.choice(BACK))
            await load.posting.reached(load.goal)
            await until(lambda: len(server.answered) >= load.posting.accepted, "requests are sent, whatever the time")
            await held.let_go()
            run.figures["times set"] = number + 1
        hold(server.renamed == [], "a request came with another id")
        await load.judge(0)
        now = set(database.sql("SELECT id FROM corewire.runners"))
        hold(now == members, "a runner was given up")


class Held:
    """A request whose answer is held back."""

    def __init__(self, server, id):
        self.server, self.id, self.is_free, self.has_come = server, id, asyncio.Event(), False

    async def hold(self, id):
        if id == self.id:
            self.has_come = True
            await self.is_free.wait()

    async def let_go(self):
        """It has come once, and its runner is still there for the answer."""
        hold(self.server.seen[self.id] == 1, "a request was sent again while its runner waited for the answer")
        self.is_free.set()
        await until(lambda: self.id in self.server.answered, "the answer that was held back is given")
        self.server.answered.discard(self.id)  # It is none of the load's.


async def hold_one(group, number):
    held = Held(group.server, f"held-{number}")
    group.server.hold = held.hold
    await post(group.runners[number % len(group.runners)], "held", number, held.id)
    await until(lambda: held.has_come, "a request is at the server")
    return held


async def expire(group, clock, latest):
    """Sets the clock of the database to more than an hour after the latest it was; an entry for an hour is there until then."""
    one, other = group.runners[0], group.runners[-1]
    put = await one.ask("PUT", "/v1/state/soak/entry?ttl=1h", b"x")
    hold(put.status in (200, 201), f"a write at {clock.offset:+d} s was answered with {put}")
    there = await other.ask("GET", "/v1/state/soak/entry")
    hold(there.status == 200, f"an entry for an hour is not there at {clock.offset:+d} s: {there}")
    clock.set(latest + HOUR + 60)
    gone = await other.ask("GET", "/v1/state/soak/entry")
    hold(gone.status == 404, f"an entry for an hour is there after it, at {clock.offset:+d} s: {gone}")
    return clock.offset
