"""The disk does not confirm a write, once or for ever: that write is never acknowledged, nor one after it."""

import os

from harness import places, store, tracing
from harness.oracle import Oracle
from harness.runner import Runner
from harness.verdict import hold
from harness.waiting import until

SMOKE, DEEP = 2, 40


async def run(run):
    tracing.need("strace")
    oracle = Oracle()
    run.figures["disks that failed"] = run.figures["writes refused"] = 0
    for number in range(run.times):
        # From the first on, or the first alone: then the second would seem to succeed, and must not be tried.
        await fail(run, oracle, "when=1+" if number % 2 else "when=1", calls=number % 4 < 2)
        run.figures["disks that failed"] += 1
    run.figures["acknowledged writes"] = oracle.acknowledged
    run.figures["lost"] = 0


async def fail(run, oracle, when, calls):
    runner = await Runner(run.home).start()
    connection = await runner.connect()
    await store.verify(connection, oracle)
    for number in range(5):
        answer = await store.put(connection, oracle, f"k{number}", os.urandom(run.random.randrange(9_000)))
        hold(answer.status in (200, 201), f"a write before the failure was answered with {answer}")
    kinds = tracing.CONFIRMATIONS if calls else "pwrite64"
    tracer = await tracing.Tracer(runner, kinds, f"error=EIO:{when}", places.files(runner.state)).attached()
    before = await store.listing(connection)
    for number in range(10):
        answer = await store.put(connection, oracle, f"k{number}", os.urandom(100))
        hold(answer.status == 503, f"{kinds} failed with {when}, and write {number} after that was answered with {answer}")
        run.figures["writes refused"] += 1
    # The disk is well again, but what it lost is not told: nothing is written until the program starts again.
    tracer.let_go()
    answer = await store.put(connection, oracle, "k0", b"later")
    hold(answer.status == 503, f"a write after a failed {kinds} was answered with {answer}")
    hold(await store.listing(connection) == before, "what was refused is seen, or reading does not go on")
    ready = await runner.ask("GET", "/readyz")
    hold(ready.status == 503 and b"[-]persistence" in ready.body, f"a store that failed is ready: {ready}")
    await until(lambda: runner.is_alive, "the runner lives")
    runner.kill()
    await runner.ended()
