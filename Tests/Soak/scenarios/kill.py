"""kill -9 at random instants while clients write: nothing acknowledged is lost, nothing unknown appears."""

import asyncio

from harness import store
from harness.clients import Writers
from harness.oracle import Oracle
from harness.runner import Runner

SMOKE, DEEP = 12, 2_000

# 200,000 acknowledged writes in 2,000 kills.
WRITES_A_KILL = 100


async def run(run):
    oracle, random = Oracle(), run.random
    writers = Writers(oracle, random, outlive=True)
    runner = Runner(run.home)
    for number in range(run.times):
        if random.random() < 0.1:
            await die_while_starting(runner, random)
        await runner.start()
        connection = await runner.connect()
        # All values now and then and at the end, the versions of all entries always.
        await store.verify(connection, oracle, values=number % 100 == 0)
        connection.close()
        writers.begin(runner)
        await writers.acknowledged(random.randrange(WRITES_A_KILL * 2 + 1))
        await asyncio.sleep(random.random() * 0.005)
        await runner.killed()
        await writers.ended()
        run.figures["kills"] = number + 1
        run.figures["acknowledged writes"] = oracle.acknowledged
    await runner.start()
    connection = await runner.connect()
    run.figures["values compared at the end"] = await store.verify(connection, oracle)
    run.figures["writes in doubt found done"] = oracle.in_doubt
    run.figures["lost"] = run.figures["unknown"] = 0
    await store.put(connection, oracle, "fresh", b"fresh")
    await runner.stop()


async def die_while_starting(runner, random):
    runner.spawn()
    await asyncio.sleep(random.random() * 0.1)
    await runner.killed()
