"""Runners that share a database are killed at random: nothing acknowledged is lost, each lane stays in its order.

Requests are posted to all outboxes, and values are written and read through all runners meanwhile. One that is started again
frees what it held at once; one that stays away is given up by the others.
"""

import time

from harness.database import Database
from harness.group import LEASE, PARALLEL, Group, Load, size
from harness.verdict import hold
from harness.waiting import until

# How many kills.
SMOKE, DEEP = 3, 500

REQUESTS_A_KILL = 40
# Every so often the killed one stays away until the others have given it up.
AWAY = 8


async def run(run):
    count = size(run.times, 15, most=32)
    async with Database(run.home) as database, Group(run, database, count) as group:
        load, longest = Load(group), 0
        for number in range(run.times):
            await load.some(REQUESTS_A_KILL)
            victim = run.random.choice(group.runners)
            await victim.killed()
            if number % AWAY == 2:
                began = time.monotonic()
                await until(lambda: database.runners() < count, "a killed runner is given up", deadline=4 * LEASE)
                longest = max(longest, time.monotonic() - began)
            await victim.start()
            run.figures["kills"] = number + 1
        await load.judge(run.times * PARALLEL)
        hold(database.runners() == count, f"the database has {database.runners()} runners of {count}")
    run.figures["s until one was given up, at most"] = round(longest)
