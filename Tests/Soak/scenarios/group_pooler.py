"""pgbouncer is between runners and their database, and is killed under load: nothing acknowledged is lost.

That is so in its session mode. In its transaction mode a runner is refused at the start.
"""

from harness.database import Database
from harness.group import PARALLEL, Group, Load, size
from harness.pooler import Pooler
from harness.runner import Home, Runner
from harness.verdict import hold

# How many kills.
SMOKE, DEEP = 2, 100

REQUESTS_A_KILL = 40


async def run(run):
    count = size(run.times, 15)
    async with Database(run.home) as database:
        async with Pooler(run.home, database, "session") as pooler:
            urls = [database.url(port=pooler.port)] * count
            async with Group(run, database, count, urls) as group:
                load = Load(group)
                for number in range(run.times):
                    await load.some(REQUESTS_A_KILL)
                    pooler.kill()
                    await pooler.start()
                    run.figures["kills of pgbouncer"] = number + 1
                await load.judge(run.times * count * PARALLEL)
        # With one session for all connections, everything else looks as it does in its session mode.
        for size_of_pool in (1, 2, 90):
            async with Pooler(run.home, database, "transaction", size_of_pool) as pooler:
                await refused(run, group, database, pooler.port, size_of_pool)


async def refused(run, group, database, port, number):
    """A runner does not start without sessions of its own, however large the pool is, and says what to do."""
    with open(group.runners[0].config) as file:
        text = file.read().replace(group.urls[0], database.url(port=port))
    runner = Runner(Home(f"{run.home.path}/transaction-{number}"), file=text)
    runner.spawn()
    hold(not await runner.ready(), f"a runner started behind a pool of {number} sessions in transaction mode")
    status = await runner.ended()
    hold(status == 74 and "pool_mode = session" in runner.tail(), f"{status}: {runner.tail()}")
    run.figures["refused in transaction mode"] = run.figures.get("refused in transaction mode", 0) + 1
