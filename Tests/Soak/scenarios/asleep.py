"""Runners sleep, and the clock moves by a day meanwhile, forwards and back: what was sent meanwhile arrives once.

A runner is stopped by SIGSTOP. Its servers end their connections and go on, some of them with a clock of their own.
"""

import asyncio
import signal

from harness.faketime import Clock
from harness.pushes import Servers
from harness.receivers import Runners, connected

# How often it sleeps.
SMOKE, DEEP = 3, 100
A_SLEEP, DAY = 10, 86_400


async def run(run):
    servers = await Servers().start(run.home)
    transports = [*servers.topics(), servers.user(), *servers.brokers()]
    transports += [await servers.web_push(type) for type in ("autopush", "ntfy", "distributor")]
    clock = Clock(f"{run.home.path}/clock")
    runners = Runners(run.home, transports, environment=clock.environment)
    await runners.start()
    await connected(transports)
    for transport in transports:
        await transport.send(1)
    await runners.all_listed()
    world = 0
    for number in range(run.times):
        runners.signal(signal.SIGSTOP)
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
        runners.signal(signal.SIGCONT)
        run.figures["sleeps"] = number + 1
        # The list is by the runner's clock, which has moved.
        run.figures["pushes listed once"] = await runners.all_listed(in_order=False)
    await runners.stop()
    await servers.stop()
