"""Clients that write without a pause until they are stopped or the runner is gone."""

import asyncio

from harness import store
from harness.http import Gone
from harness.verdict import Broken


def made(key, number, random):
    """A value nobody else writes, of any size, most of them small."""
    size = int(random.paretovariate(0.9) * 20) % 20_000
    return f"{key}:{number}:".encode() + random.randbytes(size)


class Writers:
    """Each writes to keys of its own: new ones, old ones again, and takes some away."""

    def __init__(self, oracle, random, clients=8, keys=200, prefix="k"):
        self.oracle = oracle
        self.random = random
        self.clients = clients
        self.keys = keys
        self.prefix = prefix
        self.number = 0
        self.refusals = {}
        self.is_asked_to_stop = False
        self.news = asyncio.Event()

    def begin(self, runner):
        self.is_asked_to_stop = False
        self.tasks = [asyncio.create_task(self.write(runner, client)) for client in range(self.clients)]

    async def write(self, runner, client):
        connection = None
        try:
            connection = await runner.connect()
            while not self.is_asked_to_stop:
                await self.once(connection, client)
                self.news.set()
        except Gone:
            return
        finally:
            if connection:
                connection.abort()
            self.news.set()

    async def once(self, connection, client):
        key = f"{self.prefix}{client}-{self.random.randrange(self.keys)}"
        if self.oracle.certain.get(key) is not None and self.random.random() < 0.15:
            answer = await store.remove(connection, self.oracle, key)
        else:
            self.number += 1
            value = made(key, self.number, self.random)
            answer = await store.put(connection, self.oracle, key, value)
        if answer.status not in (200, 201, 204, 404):
            self.refusals[answer.status] = self.refusals.get(answer.status, 0) + 1

    async def acknowledged(self, count):
        """Returns when so many more are acknowledged, or all clients have ended."""
        goal = self.oracle.acknowledged + count
        while self.oracle.acknowledged < goal and not all(task.done() for task in self.tasks):
            self.news.clear()
            async with asyncio.timeout(60):
                await self.news.wait()

    async def end(self):
        """Lets each finish what it has begun."""
        self.is_asked_to_stop = True
        await self.ended()

    async def ended(self):
        """What went wrong in one of them goes wrong here."""
        _, pending = await asyncio.wait(self.tasks, timeout=90)
        if pending:
            raise Broken(f"{len(pending)} clients have no answer for 90 s")
        for task in self.tasks:
            task.result()
