"""Values that many write and read through several runners, and what was seen, for the checker of histories."""

import asyncio
import itertools
import time

from harness.database import check
from harness.http import Gone
from harness.verdict import Broken, hold
from harness.waiting import until

KEYS = [f"r{number}" for number in range(8)]
PAUSE = 0.02
NAMESPACE = "soak"


class Registers:
    """Clients that write a few keys with and without conditions, and read them, until they are ended."""

    def __init__(self, runners, random, clients, keys=KEYS):
        self.runners, self.random, self.keys = runners, random, keys
        self.history, self.numbers, self.is_over = [], itertools.count(), False
        self.tasks = [asyncio.create_task(self.client()) for _ in range(clients)]

    async def client(self):
        while not self.is_over:
            runner, key = self.random.choice(self.runners), self.random.choice(self.keys)
            await (self.put if self.random.random() < 0.5 else self.get)(runner, key)
            await asyncio.sleep(PAUSE * self.random.random())

    async def put(self, runner, key):
        value, fields = f"{key} {next(self.numbers)}", []
        event = {"kind": "put", "key": key, "value": value, "result": "lost", "begin": time.monotonic_ns()}
        # On condition that it is the version that was seen last here, or that there is none.
        if self.random.random() < 0.3:
            seen = [event for event in self.history[-50:] if event["key"] == key and event.get("version")]
            fields = [f'If-Match: "{seen[-1]["version"]}"' if seen else "If-None-Match: *"]
        try:
            answer = await runner.ask("PUT", f"/v1/state/{NAMESPACE}/{key}", value.encode(), fields)
        except (Gone, TimeoutError) as failure:
            if "connect" in str(failure):
                return  # Nothing was sent.
            answer = None
        if answer and answer.status in (200, 201):
            event |= {"result": "put", "version": answer.version}
        elif answer and answer.status == 412:
            event["result"] = "conflict"
        elif answer and answer.status not in (408, 500, 503, 507):
            raise Broken(f"a write was answered with {answer}")
        self.history.append(event | {"end": time.monotonic_ns()})

    async def get(self, runner, key):
        """Whether the runner has answered."""
        event = {"kind": "get", "key": key, "begin": time.monotonic_ns()}
        try:
            answer = await runner.ask("GET", f"/v1/state/{NAMESPACE}/{key}")
        except (Gone, TimeoutError):
            return False
        if answer.status not in (200, 404):
            hold(answer.status in (408, 500, 503), f"a look was answered with {answer}")
            return False
        found = {"version": answer.version, "value": answer.body.decode()} if answer.status == 200 else {}
        self.history.append(event | {"version": 0, "value": None} | found | {"end": time.monotonic_ns()})
        return True

    def count(self, result):
        return sum(event.get("result") == result for event in self.history)

    async def end(self):
        self.is_over = True
        await asyncio.gather(*self.tasks)

    async def judge(self):
        """What was acknowledged is there, at each runner, and each key is like one register."""
        await self.end()
        for runner in self.runners:
            for key in self.keys:
                await until(lambda: self.get(runner, key), f"{key} is read")
        wrong = check(self.history)
        hold(not wrong, f"{len(wrong)} wrong in the history of values: {wrong[:3]}")
