"""Runners sleep, and the clock moves by a day meanwhile, forwards and back: what was sent meanwhile arrives once.

A runner is stopped by SIGSTOP. Its servers end their connections and go on, some of them with a clock of their own.
"""

import asyncio
import os
import signal

from harness.faketime import Clock
from harness.pushes import Servers, all_listed, connected, services
from harness.runner import Runner

# How often it sleeps.
SMOKE, DEEP = 3, 100
A_SLEEP, DAY = 10, 86_400


async def run(run):
    servers = await Servers().start(run.home)
    transports = [*servers.topics(), servers.user(), *servers.brokers(), servers.web_push()]
    clock = Clock(f"{run.home.path}/clock")
    runner = Runner(run.home, file=services(transports), environment=clock.environment)
    await runner.start()
    await connected(transports)
    for transport in transports:
        await transport.send(1)
    await all_listed(runner, transports)
    world = 0
    for number in range(run.times):
        os.kill(runner.pid, signal.SIGSTOP)
        # Half of the messages wait in connections that seem to be there, the others at the servers.
        await asyncio.gather(*(transport.send(A_SLEEP // 2) for transport in transports))
        # The clock is a day ahead of those of the servers, a day behind them, and right after a sleep of a day.
        wrong = (DAY, -DAY, 0)[number % 3]
        if wrong == 0:
            world += DAY
            await asyncio.gather(*(double.tell(f"clock {DAY}") for double in (servers.ntfy, servers.autopush)))
        clock.set(world + wrong)
        await servers.cut()
        await asyncio.gather(*(transport.send(A_SLEEP // 2) for transport in transports))
        os.kill(runner.pid, signal.SIGCONT)
        run.figures["sleeps"] = number + 1
        # The list is by the runner's clock, which has moved.
        run.figures["pushes listed once"] = await all_listed(runner, transports, in_order=False)
    await runner.stop()
    await servers.stop()
