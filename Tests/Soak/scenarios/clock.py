"""The clock on the wall jumps, forwards and back, while clients write: nothing is lost, stands still or runs wild."""

import asyncio
import time

from harness import process, store
from harness.clients import Writers
from harness.faketime import Clock
from harness.oracle import Oracle
from harness.runner import Runner
from harness.verdict import hold

SMOKE, DEEP = 6, 200
DAY = 86_400


async def run(run):
    clock = Clock(f"{run.home.path}/clock")
    oracle, random = Oracle(), run.random
    runner = await Runner(run.home, environment=clock.environment).start()
    writers = Writers(oracle, random, clients=4)
    writers.begin(runner)
    run.figures["jumps"] = 0
    for number in range(run.times):
        offset = jumps(number, random)
        await expiry(runner, clock, offset)
        await writers.acknowledged(40)
        run.figures["jumps"] += 1
    await writers.end()
    hold(not writers.refusals, f"writes were refused: {writers.refusals}")
    run.figures["of a processor used when idle (%)"] = await idle(runner)
    connection = await runner.connect()
    await store.verify(connection, oracle)
    await runner.stop()
    run.figures["acknowledged writes"] = oracle.acknowledged
    run.figures["lost"] = 0


def jumps(number, random):
    """Those that have hurt others first, then any."""
    end_of_32_bits = (1 << 31) - 60 - int(time.time())
    known = [DAY, -2 * 3_600, end_of_32_bits, end_of_32_bits + 120, -365 * DAY, 0]
    return known[number] if number < len(known) else random.randrange(-10 * 365 * DAY, 20 * 365 * DAY)


async def expiry(runner, clock, offset):
    """Sets the clock; an entry is there for as long as the clock says, and not a moment longer."""
    clock.set(offset)
    await runner.ask("PUT", "/v1/state/leases/entry?ttl=1h", b"x")
    there = await runner.ask("GET", "/v1/state/leases/entry")
    hold(there.status == 200, f"an entry for an hour is not there at {offset:+d} s: {there}")
    clock.set(offset + 3_600 + 60)
    gone = await runner.ask("GET", "/v1/state/leases/entry")
    hold(gone.status == 404, f"an entry for an hour is there after it, at {offset:+d} s: {gone}")
    clock.set(offset)


async def idle(runner):
    """What it uses while nobody asks for anything; who waits for a time that has passed uses all there is."""
    began, used = time.monotonic(), process.processor_seconds(runner.pid)
    await asyncio.sleep(1)
    share = (process.processor_seconds(runner.pid) - used) / (time.monotonic() - began)
    hold(share < 0.5, f"when idle it uses {share:.0%} of a processor")
    return round(share * 100)
