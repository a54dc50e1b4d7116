"""Reloads under load, valid and invalid files in turn, and other environments: no request fails, nothing grows."""

import asyncio

from harness import store
from harness.clients import Writers
from harness.oracle import Oracle
from harness.runner import Runner, services
from harness.verdict import hold

SMOKE, DEEP = 12, 1_000
# What a warm runner may still grow by: allocators keep what they had at the busiest moment.
GROWTH = 24 * 1024


async def run(run):
    oracle = Oracle()
    runner = await Runner(run.home).start()
    writers = Writers(oracle, run.random, clients=4)
    writers.begin(runner)
    readers = Readers()
    reading = asyncio.create_task(readers.read(runner))
    run.figures["reloads"] = run.figures["refused files"] = run.figures["switches"] = 0
    generation = (await runner.status())["generation"]
    # Once around before anything is measured.
    warm = min(50, run.times // 3)
    for number in range(run.times):
        if number == warm:
            before = runner.figures()
        if number % 2 == 0:
            answer = await runner.reload(services(entries=1_000_001 + number))
            hold(answer.status == 200, f"a valid file was answered with {answer}")
            generation += 1
        else:
            answer = await runner.reload(invalid(number))
            hold(answer.status == 422, f"an invalid file was answered with {answer}")
            run.figures["refused files"] += 1
        run.figures["reloads"] += 1
        if number % 10 == 9:
            runner.write(services(entries=1_000_001 + number))
            name = ("stage", "dev")[number // 10 % 2]
            answer = await runner.switch(name)
            hold(answer.status == 200, f"a switch was answered with {answer}")
            generation += 1
            run.figures["switches"] += 1
        present = await runner.status()
        hold(present["generation"] == generation and present["ready"], f"generation {generation} should run: {present}")
    await writers.end()
    readers.is_asked_to_stop = True
    await reading
    hold(not writers.refusals and not readers.failed, f"failed: {writers.refusals} {readers.failed}")
    connection = await runner.connect()
    await store.verify(connection, oracle)
    after = runner.figures()
    run.figures["requests while reloading"] = oracle.acknowledged + readers.answered
    run.figures["failed requests"] = 0
    run.figures["acknowledged writes"] = oracle.acknowledged
    run.figures["KiB resident before"], run.figures["descriptors before"] = before
    run.figures["KiB resident after"], run.figures["descriptors after"] = after
    await runner.stop()
    hold(after[1] <= before[1] + 8, f"descriptors grew from {before[1]} to {after[1]}")
    hold(after[0] <= before[0] + GROWTH, f"memory grew from {before[0]} to {after[0]} KiB")


def invalid(number):
    """A file that is wrong, each in another way."""
    file = services()
    return [
        file.replace("maxSize", "maxSise"),
        file + "app: { id: com.example.twice }\n",
        file.replace("environment: dev", "environment: nowhere"),
        file[: len(file) // 2] + "\n  - [",
        file.replace("4GiB", "${env:SOAK_UNSET}"),
    ][number // 2 % 5]


class Readers:
    """Reads with a connection of its own for each request, as well as writers that keep theirs."""

    def __init__(self):
        self.answered = 0
        self.failed = {}
        self.is_asked_to_stop = False

    async def read(self, runner):
        while not self.is_asked_to_stop:
            for target in ("/v1/status", "/readyz", "/metrics", "/v1/state"):
                answer = await runner.ask("GET", target)
                self.answered += 1
                if answer.status != 200:
                    self.failed[f"{target} {answer}"] = self.failed.get(target, 0) + 1
