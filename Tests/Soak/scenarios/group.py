"""Runners that share a database are killed at random: nothing acknowledged is lost, each lane stays in its order.

Requests are posted to all outboxes, and values are written and read through all runners meanwhile. One that is started again
frees what it held at once; one that stays away is given up by the others.
"""

import statistics
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
# In seconds. On an idle machine a start frees the work within 1, and the others do so within LEASE + 2. On a busy one
# both take longer; but a start that frees nothing leaves the work for almost as long as the lease.
BY_START, BY_OTHERS = LEASE / 2, 2 * LEASE


async def run(run):
    count = size(run.times, 15, most=32)
    async with Database(run.home) as database, Group(run, database, count) as group:
        load, by_start, by_others = Load(group), [], []
        for number in range(run.times):
            await load.some(REQUESTS_A_KILL)
            before, victim = database.members(), run.random.choice(group.runners)
            await victim.killed()
            is_away = number % AWAY == 2
            if not is_away:
                victim.spawn()
            began = time.monotonic()
            await until(lambda: before - database.members(), "a killed runner is given up", deadline=4 * LEASE)
            (by_others if is_away else by_start).append(time.monotonic() - began)
            if is_away:
                victim.spawn()
            hold(await victim.ready(), f"a runner ended instead of becoming ready:\n{victim.tail()}")
            run.figures["kills"] = number + 1
        await load.judge(run.times * PARALLEL)
        hold(database.runners() == count, f"the database has {database.runners()} runners of {count}")
    told(run, by_start, "by its start", BY_START)
    told(run, by_others, "by the others", BY_OTHERS)


def told(run, times, way, most):
    """Prints how long the work of a killed runner stayed with it; a single long time may be the machine's."""
    if not times:
        return
    usual, longest = statistics.median(times), max(times)
    run.figures[f"s until its work was freed {way}"] = f"{usual:.1f}"
    run.figures[f"s at most {way}"] = f"{longest:.1f}"
    hold(usual <= most, f"the work of a killed runner was freed {way} after {usual:.1f} s, expected at most {most} s")
