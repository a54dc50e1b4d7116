"""Eight processes share an outbox and are killed at random: all that was accepted arrives, lane by lane in its order."""

import asyncio

from harness.http import Gone
from harness.members import Server, member, post, waiting
from harness.verdict import Broken, hold
from harness.waiting import until

# How many kills.
SMOKE, DEEP = 6, 2_000

MEMBERS, PARALLEL, LANES = 8, 4, 400
# 200,000 accepted requests in 2,000 kills.
REQUESTS_A_KILL = 100


class Posting:
    """One lane after the other gets its next request: whoever answers has it on the disk."""

    def __init__(self, members, random):
        self.members, self.random = members, random
        self.next = [0] * LANES
        self.accepted = 0
        self.wanted = 0
        self.news = asyncio.Condition()

    async def client(self, lanes):
        while True:
            async with self.news:
                await self.news.wait_for(lambda: self.wanted > 0)
                self.wanted -= 1
            lane = self.random.choice(lanes)
            await self.one(lane, self.next[lane])
            self.next[lane] += 1
            self.accepted += 1

    async def one(self, lane, number):
        """Until somebody answers: who breaks off may have taken it, and then nobody takes it again."""
        while True:
            runner = self.random.choice(self.members)
            try:
                await post(runner, f"l{lane}", number, f"l{lane}-{number}")
                return
            except (Gone, TimeoutError):
                await asyncio.sleep(0.01)

    async def go(self, count):
        async with self.news:
            self.wanted += count
            self.news.notify_all()


async def run(run):
    random = run.random
    server = await Server(random, troubles=0.02).open()
    members = [member(run.home, number, server.port, PARALLEL) for number in range(MEMBERS)]
    for runner in members:
        await runner.start()
    posting = Posting(members, random)
    clients = [
        asyncio.create_task(posting.client(range(first, LANES, MEMBERS))) for first in range(MEMBERS)
    ]
    for number in range(run.times):
        await posting.go(REQUESTS_A_KILL)
        goal = (number + 1) * REQUESTS_A_KILL - random.randrange(REQUESTS_A_KILL)
        await until(lambda: posting.accepted >= goal or failed(clients), "requests are taken")
        victim = random.choice(members)
        await victim.killed()
        await victim.start()
        run.figures["kills"] = number + 1
        run.figures["accepted"] = posting.accepted
    total = run.times * REQUESTS_A_KILL
    await until(lambda: posting.accepted >= total or failed(clients), "all requests are taken")
    for client in clients:
        client.cancel()
    run.figures["accepted"] = posting.accepted
    # What was under way at a kill is free again when its lease is over.
    await until(lambda: len(server.answered) >= total, "all requests arrive", deadline=900)
    await until(lambda: empty(members[0]), "the outbox is empty", deadline=120)
    wanted = {f"l{lane}-{number}" for lane in range(LANES) for number in range(posting.next[lane])}
    hold(server.answered == wanted, f"{len(wanted ^ server.answered)} requests are lost or unknown")
    hold(not server.misplaced, f"{len(server.misplaced)} came after later ones: {server.misplaced[:5]}")
    hold(not server.renamed, f"{len(server.renamed)} came with another id: {server.renamed[:5]}")
    limit = run.times * PARALLEL
    hold(server.repeated <= limit, f"{server.repeated} came again, {limit} were under way at kills")
    for id in random.sample(sorted(wanted), 20):
        answer = (await members[1].ask("GET", f"/v1/outbox/{id}")).json
        hold(answer["state"] == "sent" and answer["answer"]["status"] == 201, f"{id} is said to be {answer}")
    lane, _, number = id.partition("-")
    hold(not await post(members[2], lane, int(number), id), f"{id} has arrived, and was taken again")
    run.figures["arrived"] = len(server.answered)
    run.figures["arrived again after a kill"] = server.repeated
    run.figures["processes"] = MEMBERS
    for runner in members:
        await runner.stop()
    await server.close()


async def empty(runner):
    return await waiting(runner) == 0


def failed(clients):
    """Whether a client has ended, which none does that is well."""
    for client in clients:
        if client.done():
            raise Broken(f"a client ended: {client.exception()!r}")
    return False
