"""pgbouncer is between runners and their database, and is killed under load: nothing acknowledged is lost.

That is so in its session mode. In its transaction mode writes fail, and the reason is that of the database.
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
        async with Pooler(run.home, database, "transaction") as pooler:
            await told(run, group, database, pooler.port)


async def told(run, group, database, port):
    """A connection without a session of its own loses what was prepared in it: sooner or later the reason is told."""
    with open(group.runners[0].config) as file:
        text = file.read().replace(group.urls[0], database.url(port=port))
    runner = Runner(Home(f"{run.home.path}/transaction"), file=text)
    runner.spawn()
    if not await runner.ready():
        status = await runner.ended()
        hold(status == 74 and "the database rejected a request" in runner.tail(), f"{status}: {runner.tail()}")
        run.figures["refused in transaction mode at the start"] = 1
        return
    for number in range(1_000):
        answer = await runner.ask("PUT", f"/v1/state/soak/{number}", b"x")
        found = database.value("SELECT count(*) FROM corewire.entries WHERE key = %s", str(number).encode())
        hold(answer.status != 201 or found, "a value that was acknowledged is not there")
        if answer.status != 201:
            break
    hold("the database rejected a request" in answer.json["detail"], f"a write was answered with {answer}")
    run.figures["writes in transaction mode until one was refused"] = number
    await runner.killed()
