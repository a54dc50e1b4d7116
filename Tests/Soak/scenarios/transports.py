"""Runners are killed at random while pushes arrive over every transport: none is lost, and each is listed once."""

import asyncio

from harness.pushes import Servers, all_listed, connected, services
from harness.runner import Runner

# How many kills.
SMOKE, DEEP = 4, 200

# So many messages of each transport to a kill.
A_KILL = 8


async def run(run):
    servers = await Servers().start(run.home)
    web_push = servers.web_push()
    transports = [*servers.topics(), servers.user(), *servers.brokers(), web_push]
    runner = Runner(run.home, file=services(transports))
    await runner.start()
    await connected(transports)
    # With the first message each has a position to go on from.
    await asyncio.gather(*(transport.send(1) for transport in transports))
    await all_listed(runner, transports)
    for number in range(run.times):
        sending = asyncio.gather(
            *(transport.send(A_KILL // 2 if transport is web_push else A_KILL) for transport in transports)
        )
        await asyncio.sleep(run.random.random() * 0.1)
        await runner.killed()
        await sending
        await runner.start()
        run.figures["kills"] = number + 1
    run.figures["pushes listed once"] = await all_listed(runner, transports, deadline=60 + run.times)
    await runner.stop()
    await servers.stop()
