"""A process that is stopped for longer than its lease loses its request to another, and cannot say that it is done."""

import asyncio
import os
import signal

from harness.members import Server, member, post, sent, waiting
from harness.verdict import hold
from harness.waiting import until

# How often a process is stopped.
SMOKE, DEEP = 1, 10


async def run(run):
    server = await Server(run.random).open()
    pair = [member(run.home, number, server.port, 1) for number in range(2)]
    for runner in pair:
        await runner.start()
    before = [0, 0]
    for number in range(run.times):
        id = f"r-{number}"
        gates = []

        async def hold_first(id):
            gate = asyncio.Event()
            gates.append(gate)
            if len(gates) == 1:
                await gate.wait()

        server.hold = hold_first
        await post(pair[0], "lane", number * 2, id)
        await post(pair[0], "lane", number * 2 + 1, f"{id}-next")
        await until(lambda: server.seen.get(id), "the request is sent")
        # Who has it is whoever was quicker.
        which = await owner(pair, before)
        os.kill(pair[which].pid, signal.SIGSTOP)
        try:
            await until(lambda: server.seen.get(f"{id}-next"), "the other one goes on", deadline=120)
            hold(server.seen[id] == 2, f"{id} came {server.seen[id]} times")
        finally:
            os.kill(pair[which].pid, signal.SIGCONT)
        gates[0].set()
        await until(lambda: empty(pair[which]), "the outbox is empty")
        await until(lambda: lost(pair[which], number + 1, pair), "the stopped one hears that it has lost it")
        after = [await sent(runner) for runner in pair]
        hold(sum(after) == 2 * (number + 1), f"{sum(after)} were said to be sent, {2 * (number + 1)} were posted")
        before = after
        run.figures["stops"] = number + 1
        run.figures["requests seen twice, with one id"] = sum(count == 2 for count in server.seen.values())
        run.figures["completed twice"] = 0
    hold(not server.renamed, f"{len(server.renamed)} came with another id: {server.renamed[:5]}")
    for runner in pair:
        await runner.stop()
    await server.close()


async def empty(runner):
    return await waiting(runner) == 0


async def owner(pair, before):
    """The one that takes no second request while it has the first: told by stopping each for a moment."""
    for which, runner in enumerate(pair):
        text = (await runner.ask("GET", "/metrics")).body.decode()
        for line in text.splitlines():
            if line.startswith("corewire_outbox_active") and float(line.split(" ")[1]) > 0:
                return which
    return 0


def lost(runner, count, pair):
    return sum(log(one).count("another process has taken over") for one in pair) >= count


def log(runner):
    with open(runner.log, errors="replace") as file:
        return file.read()
