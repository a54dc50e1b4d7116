"""Requests that are posted to the outboxes of several runners, and what must have come of them."""

import asyncio

from harness.http import Gone
from harness.members import Away, post, waiting
from harness.verdict import Broken, hold
from harness.waiting import until


class Posting:
    """One lane after the other gets its next request: whoever answers has it on the disk."""

    def __init__(self, members, random, lanes, clients):
        self.members, self.random = members, random
        self.next = [0] * lanes
        self.accepted = 0
        self.wanted = 0
        self.news = asyncio.Condition()
        self.clients = [asyncio.create_task(self.client(range(first, lanes, clients))) for first in range(clients)]

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
        """Until a runner accepts it: one that breaks off may have taken it, and then none takes it again."""
        while True:
            runner = self.random.choice(self.members)
            try:
                return await post(runner, f"l{lane}", number, f"l{lane}-{number}")
            except (Gone, Away, TimeoutError):
                await asyncio.sleep(0.01)

    async def go(self, count):
        async with self.news:
            self.wanted += count
            self.news.notify_all()

    async def reached(self, goal, deadline=300):
        await until(lambda: self.accepted >= goal or self.has_failed(), "requests are taken", deadline)

    def has_failed(self):
        """Whether a client has ended, which none does that is well."""
        for client in self.clients:
            if client.done():
                raise Broken(f"a client ended: {client.exception()!r}")
        return False

    def stop(self):
        for client in self.clients:
            client.cancel()

    @property
    def ids(self):
        return {f"l{lane}-{number}" for lane, count in enumerate(self.next) for number in range(count)}

    async def judge(self, server, limit):
        """All that was accepted has arrived, in order, under its id; so many may have come again."""
        total = self.accepted
        # What was under way at a kill is free again when its lease is over.
        await until(lambda: len(server.answered) >= total, "all requests arrive", deadline=900)
        await until(self.is_empty, "the outbox is empty", deadline=120)
        wanted = self.ids
        hold(server.answered == wanted, f"{len(wanted ^ server.answered)} requests are lost or unknown")
        hold(not server.misplaced, f"{len(server.misplaced)} came after later ones: {server.misplaced[:5]}")
        hold(not server.renamed, f"{len(server.renamed)} came with another id: {server.renamed[:5]}")
        hold(server.repeated <= limit, f"{server.repeated} came again, {limit} were under way at faults")
        for id in self.random.sample(sorted(wanted), min(20, len(wanted))):
            answer = (await self.members[-1].ask("GET", f"/v1/outbox/{id}")).json
            is_sent = answer.get("state") == "sent" and answer["answer"]["status"] == 201
            hold(is_sent, f"{id} is said to be {answer}")
        lane, _, number = id.partition("-")
        hold(not await post(self.members[0], lane, int(number), id), f"{id} has arrived, and was taken again")

    async def is_empty(self):
        return await waiting(self.members[0]) == 0
