"""Servers forget the device, its session or its last message: the runner goes on, and senders get new endpoints."""

import asyncio

from harness.pushes import Servers, all_listed, connected, services
from harness.runner import Runner
from harness.verdict import hold

# How often they forget.
SMOKE, DEEP = 1, 20
AT_ONCE = 5


async def run(run):
    servers = await Servers().start(run.home)
    servers.broker.persistence = False
    servers.broker.stop()
    await servers.broker.start()
    streams, brokers, web_push = [*servers.topics(), servers.user()], servers.brokers(), servers.web_push()
    transports = [*streams, *brokers, web_push]
    runner = Runner(run.home, file=services(transports))
    await runner.start()
    await connected(transports)
    for transport in transports:
        await transport.send(AT_ONCE)
    await all_listed(runner, transports)
    for number in range(run.times):
        # The broker loses its sessions, the service all devices, and ntfy its cache: their last ids are unknown there.
        servers.broker.kill()
        await servers.ntfy.tell("forget")
        if number == 0:
            # A service that forgets the device again and again is asked only after minutes.
            await servers.autopush.tell("drop uaid")
        await servers.cut()
        await asyncio.gather(*(stream.send(AT_ONCE) for stream in streams))
        await servers.broker.start()
        await connected(brokers)
        # The sender has the new endpoint; messages to the former one are refused by the service.
        await servers.sender.saw("registered 1 instead")
        await asyncio.gather(*(transport.send(AT_ONCE) for transport in [*brokers, web_push]))
        run.figures["times forgotten"] = number + 1
        run.figures["pushes listed once"] = await all_listed(runner, transports)
        hold(servers.autopush.count("hello ") == 2 + number, "the service was greeted more often than was needed")
    await runner.stop()
    await servers.stop()
