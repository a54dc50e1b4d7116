"""Servers forget the device, its session or its last message: the runners go on, and senders get new endpoints."""

import asyncio

from harness.pushes import Servers
from harness.receivers import Runners, connected, listed
from harness.verdict import hold
from harness.waiting import until

# How often they forget.
SMOKE, DEEP = 1, 20
AT_ONCE = 5


async def run(run):
    servers = await Servers().start(run.home)
    servers.broker.persistence = False
    servers.broker.stop()
    await servers.broker.start()
    gotify, brokers = servers.user(), servers.brokers()
    streams, services = [*servers.topics(), gotify], [await servers.web_push(type) for type in ("autopush", "ntfy")]
    transports = [*streams, *brokers, *services]
    runners = Runners(run.home, transports)
    await runners.start()
    await connected(transports)
    for transport in transports:
        await transport.send(AT_ONCE)
    await runners.all_listed()
    dropped = 0
    for number in range(run.times):
        # A service that forgets a device again and again is asked only after minutes, unless the runner is another one.
        is_other = number % 2 == 0 and number > 0
        if is_other:
            await runners.stop()
        # The broker loses its sessions, the service all devices, and ntfy its cache: their last ids are unknown there.
        servers.broker.kill()
        await servers.ntfy.tell("forget")
        if number % 2 == 0:
            await servers.autopush.tell("drop uaid")
            dropped += 1
        await servers.cut()
        await asyncio.gather(*(stream.send(AT_ONCE) for stream in streams))
        await servers.broker.start()
        if is_other:
            await runners.start()
        await connected(brokers)
        # The sender has the new endpoint; messages to the former one are refused by the service.
        await services[0].sender.saw("registered 1 instead", dropped)
        await asyncio.gather(*(transport.send(AT_ONCE) for transport in [*brokers, *services]))
        run.figures["times forgotten"] = number + 1
        run.figures["pushes listed once"] = await runners.all_listed()
        hold(servers.autopush.count("hello ") == 2 + number, "the service was greeted more often than was needed")
    await reset(servers, gotify, runners)
    await runners.stop()
    await servers.stop()


async def reset(servers, gotify, runners):
    """A Gotify server is set up again, and its ids begin with 1: what comes is new, and replaces what had these ids."""
    streams = servers.gotify.count("stream ")
    await servers.gotify.tell("reset", "cut")
    await gotify.connected(streams + 1)
    await gotify.send(AT_ONCE)
    wanted = list(range(AT_ONCE + 1, gotify.sent + 1))

    async def are_there():
        # They are handled at the same time, so that the last may be listed before the first is replaced.
        return sorted((await listed(runners.runners[0]))["gotify"]) == wanted

    await until(are_there, f"of a server with new ids, {wanted} are listed")
