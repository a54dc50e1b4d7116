"""Two processes of one group write to one store, and are killed in turn: each sees what the other was told is stored."""

import asyncio

from harness import store
from harness.clients import Writers
from harness.http import Gone
from harness.oracle import Oracle
from harness.runner import Runner, services
from harness.verdict import hold

SMOKE, DEEP = 3, 300
# What one is told when another app's runner of the same name runs already (EX_TEMPFAIL).
TAKEN = 75


async def run(run):
    oracle, random = Oracle(), run.random
    pair = [Runner(run.home, app=app, file=services(app)) for app in ("com.example.one", "com.example.two")]
    writers = [Writers(oracle, random, clients=3, prefix=prefix, outlive=True) for prefix in "ab"]
    counter = Counter()
    run.figures["kills"] = 0
    for runner, own in zip(pair, writers):
        await runner.start()
        own.begin(runner)
    counting = [asyncio.create_task(counter.count(runner)) for runner in pair]
    await same_app(pair[0])
    for number in range(run.times):
        which = number % 2
        await writers[0].acknowledged(random.randrange(100))
        await pair[which].killed()
        await writers[which].ended()
        await counting[which]
        run.figures["kills"] += 1
        # The other one writes on; what the killed one had acknowledged is there for it.
        connection = await pair[1 - which].connect()
        for key in [key for key in [*oracle.certain, *oracle.doubtful] if key[0] == "ab"[which]]:
            oracle.settle(key, await store.value(connection, key))
        connection.close()
        await pair[which].start()
        writers[which].begin(pair[which])
        counting[which] = asyncio.create_task(counter.count(pair[which]))
    for own in writers:
        await own.end()
    counter.is_asked_to_stop = True
    await asyncio.gather(*counting)
    for runner in pair:
        connection = await runner.connect()
        oracle.certain.pop(Counter.key, None)
        found = await store.value(connection, Counter.key)
        hold(
            counter.done <= int(found) <= counter.done + counter.in_doubt,
            f"{counter.done} steps were acknowledged, {counter.in_doubt} in doubt, the counter is at {found}",
        )
        oracle.certain[Counter.key] = found
        await store.verify(connection, oracle)
    for runner in pair:
        await runner.stop()
    run.figures["acknowledged writes"] = oracle.acknowledged
    run.figures["conditional steps"] = counter.done
    run.figures["steps refused"] = counter.refused
    run.figures["lost"] = 0


async def same_app(runner):
    """A second process of the same app does not start, and says who runs."""
    second = Runner(runner.home, app=runner.app, file=services(runner.app))
    second.log += ".second"
    second.spawn()
    hold(not await second.ready(), "two runners of one app run")
    status = await second.ended()
    hold(status == TAKEN, f"a second runner of one app ended with {status}:\n{second.tail()}")
    hold(str(runner.pid) in second.tail(), f"it is not told who runs:\n{second.tail()}")


class Counter:
    """One entry that both count up, each step on condition that nobody else took it."""

    key = "counter"

    def __init__(self):
        self.done = self.in_doubt = self.refused = 0
        self.is_asked_to_stop = False

    async def count(self, runner):
        try:
            connection = await runner.connect()
            while not self.is_asked_to_stop:
                await self.step(connection)
        except Gone:
            return

    async def step(self, connection):
        seen = await connection.ask("GET", store.path(self.key))
        condition = f'If-Match: {seen.fields["etag"]}' if seen.status == 200 else "If-None-Match: *"
        value = str(int(seen.body) + 1 if seen.status == 200 else 1).encode()
        self.in_doubt += 1
        answer = await connection.ask("PUT", store.path(self.key), value, [condition])
        self.in_doubt -= 1
        if answer.status in (200, 201):
            self.done += 1
        else:
            self.refused += 1
            hold(answer.status == 412, f"a step was answered with {answer}")
