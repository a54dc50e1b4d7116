"""A large backlog waits at each server, with messages that cannot be read among the others: all others arrive, in order.

An autopush server keeps 150 messages for a device, so that fewer wait there; endpoints at an ntfy server and at a distributor
have no such limit. The memory of the runner grows by the entries of its list alone.
"""

import asyncio
import json

from harness import process
from harness.pushes import Servers
from harness.receivers import all_listed, connected, services
from harness.runner import Home, Runner
from harness.verdict import hold

# How many messages of each transport, and which share of them pywebpush sends, which takes its time.
SMOKE, DEEP = 200, 10_000
A_SHARE = 5
AT_AUTOPUSH = 140
# What the runner may have more when all have arrived: beside what each entry of the list takes, nothing that grows.
MORE_KIB, AN_ENTRY = 40 * 1_024, 2

# Larger than any message that is read.
LARGE = "x" * 1_200_000
LINES = [
    b'{"id":"broken","event":"message","mess\n', b"\xff\xfe\x00 binary\n", b"[1]\n", b"7\n", b"{}\n", b"\n",
    b'{"id":[],"event":"message","time":"x","message":{}}\n', b'{"event":"message","id":"' + b"e" * 1_200_000 + b'"}\n',
]
EVENTS = [b"data: " + line + b"\n" for line in LINES] + [b"id: \0\nda\xff\xfeta\n\n", b"retry: -1\ndata\n\n"]
FRAMES = [line.strip() for line in LINES if 0 < len(line) < 1_000]
OBJECTS = [
    {"message": {"a": [1]}, "title": 7, "priority": "high", "extras": "none"}, {"message": LARGE}, {},
    {"message": "deep", "extras": json.loads("[" * 60 + "]" * 60)},
]
PACKETS = ['{"id":"broken","bo', "{}", '{"id":7,"body":[]}', '{"id":"large","body":"' + LARGE + '"}']


async def run(run):
    servers = await Servers().start(run.home)
    run.figures["pushes listed once"] = run.figures["KiB more"] = 0
    for type in ("autopush", "ntfy", "distributor"):
        service, is_whole = await servers.web_push(type), type == "autopush"
        # Nothing is sent while it waits.
        service.in_order = True
        count = min(run.times // A_SHARE, AT_AUTOPUSH) if is_whole else run.times // A_SHARE
        await receive(run, servers, Home(f"{run.home.path}/{type}"), service, count, is_whole)
    await servers.stop()


async def receive(run, servers, home, web_push, of_web_push, is_whole):
    """Lets messages wait while a runner is away; the transports beside Web Push are the same for each."""
    transports = [web_push]
    if is_whole:
        transports += [*servers.topics(), servers.user(), *servers.brokers()]
    runner = Runner(home, file=services(transports), environment=web_push.environment)
    await runner.start()
    await connected(transports)
    for transport in transports:
        await transport.send(1)
    await all_listed(runner, transports)
    await runner.stop()
    for part in range(2):
        await asyncio.gather(
            *(transport.send((of_web_push if transport is web_push else run.times) // 2) for transport in transports)
        )
        if part == 0:
            await asyncio.gather(*(POISON[type(transport).__name__](transport) for transport in transports))
    await runner.start()
    before = process.resident(runner.pid)
    count = await all_listed(runner, transports, deadline=60 + run.times / 10)
    run.figures["pushes listed once"] += count
    more = process.resident(runner.pid) - before
    hold(more <= MORE_KIB + AN_ENTRY * count, f"{more} KiB more than at the start, with {count} pushes")
    run.figures["KiB more"] = max(more, run.figures["KiB more"])
    await runner.stop()


async def at_ntfy(transport):
    lines = {"sse": EVENTS, "webSocket": FRAMES}.get(transport.type, LINES)
    await transport.server.tell(*(f"spoil {transport.topic} {line.hex()}" for line in lines))


async def at_gotify(transport):
    await transport.server.tell(*(f"spoil {json.dumps(found)}" for found in OBJECTS))


async def at_broker(transport):
    await transport.broker.publish(transport.topic, lines=PACKETS)
    path = f"{transport.broker.folder}/binary"
    with open(path, "wb") as file:
        file.write(b"\xff\xfe\0" * 50)
    await transport.broker.publish(transport.topic, "-f", path)


async def at_web_push(transport):
    obsolete = ["obsolete"] if transport.type == "autopush" else []
    await transport.sender.tell("poison", *obsolete, 'send {"id":"b","bo', "send [1]", "send {}")


POISON = {"Ntfy": at_ntfy, "Gotify": at_gotify, "MQTT": at_broker, "WebPush": at_web_push}
