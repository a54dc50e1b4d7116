"""A synchronous standby takes over from a killed database under load: nothing acknowledged is lost, no runner ends."""

import time

from harness.failing import Pair
from harness.group import PARALLEL, Group, Load, size
from harness.waiting import until

# How many failovers.
SMOKE, DEEP = 1, 100

REQUESTS_A_FAILOVER = 40
# How long the standby has received nothing at most, in seconds, so that commits wait for it.
LATE = 0.5


async def run(run):
    count, longest = size(run.times, 15), 0
    async with Pair(run.home) as pair, Group(run, pair.primary, count, urls=[pair.url()] * count) as group:
        load = Load(group)
        for number in range(run.times):
            await load.some(REQUESTS_A_FAILOVER)
            began = time.monotonic()
            await pair.fail_over(late=run.random.uniform(0.1, LATE))
            await until(lambda: is_writable(group), "all runners write after the failover")
            longest = max(longest, time.monotonic() - began)
            await pair.renew()
            run.figures["failovers"] = number + 1
        await load.judge(run.times * count * PARALLEL)
    run.figures["s until all runners wrote again, at most"] = round(longest, 1)


async def is_writable(group):
    answers = [await runner.ask("PUT", "/v1/state/soak/failover", b"x") for runner in group.runners]
    return all(answer.status in (200, 201) for answer in answers)
