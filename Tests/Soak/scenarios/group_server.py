"""The database of several runners is killed at random under load: nothing acknowledged is lost, and no runner ends.

All of its processes are killed as by a power failure, or it is stopped at once, or it ends the connections of the runners.
"""

import asyncio

from harness.database import Database
from harness.group import PARALLEL, Group, Load, size

# How many faults: of each kind a third.
SMOKE, DEEP = 3, 600

REQUESTS_A_FAULT = 40


async def run(run):
    count = size(run.times, 30)
    async with Database(run.home) as database, Group(run, database, count) as group:
        load, faults = Load(group), [killed, stopped, cut]
        for number in range(run.times):
            await load.some(REQUESTS_A_FAULT)
            await faults[number % len(faults)](database, run.random)
            run.figures["faults"] = number + 1
        await load.judge(run.times * count * PARALLEL)


async def killed(database, random):
    database.kill()
    await asyncio.sleep(random.random() * 0.3)
    await database.start()


async def stopped(database, _):
    await database.stop("immediate")
    await database.start()


async def cut(database, random):
    """Ends a connection of runners, five times."""
    for _ in range(5):
        database.sql(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'corewire' ORDER BY random() LIMIT 1"
        )
        await asyncio.sleep(random.random() * 0.1)
