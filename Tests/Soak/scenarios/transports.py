"""Runners are killed at random while pushes arrive over every transport: none is lost, each is listed and handled once.

A program that ran at a kill runs again, since its effects are unknown; the runner counts such runs.
"""

import asyncio

from harness.pushes import Servers, WebPush
from harness.receivers import Runners, connected

# How many kills.
SMOKE, DEEP = 20, 200

# So many messages of each transport to a kill.
A_KILL = 8
# After so many kills the runners may handle what they have: one whose handlers were interrupted ten times has failed.
A_REST = 5


async def run(run):
    servers = await Servers().start(run.home)
    services = [await servers.web_push(type) for type in ("autopush", "ntfy", "distributor")]
    transports = [*servers.topics(), servers.user(), *servers.brokers(), *services]
    runners = Runners(run.home, transports, marks=True)
    await runners.start()
    await connected(transports)
    # With the first message each has a position to go on from.
    await asyncio.gather(*(transport.send(1) for transport in transports))
    await runners.all_listed()
    for number in range(run.times):
        sending = asyncio.gather(
            *(transport.send(A_KILL // 2 if isinstance(transport, WebPush) else A_KILL) for transport in transports)
        )
        await asyncio.sleep(run.random.random() * 0.1)
        await runners.killed()
        await sending
        await runners.start()
        run.figures["kills"] = number + 1
        if run.figures["kills"] % A_REST == 0:
            await runners.all_handled()
    run.figures["pushes listed once"] = await runners.all_listed(deadline=60 + run.times)
    run.figures["interrupted at a kill, handled again"] = await runners.all_marked()
    await runners.stop()
    await servers.stop()
