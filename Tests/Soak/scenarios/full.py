"""A disk that is filled and freed: told to who writes, never to who reads, and over by itself."""

import os

from harness import store, tools
from harness.oracle import Oracle
from harness.runner import Runner
from harness.verdict import hold
from harness.waiting import until

SMOKE, DEEP = 2, 60


async def run(run):
    state = f"{run.home.path}/small"
    os.mkdir(state, 0o700)
    tools.mount_privately()
    # Each cycle fills what was free inside the store and a little more, and the store never shrinks.
    tools.mount_memory(state, f"{16 + 2 * run.times}m")
    try:
        await cycles(run, state)
    finally:
        tools.unmount(state)


async def cycles(run, state):
    oracle = Oracle()
    run.figures["times full"] = run.figures["writes refused"] = 0
    runner = await Runner(run.home, state=state).start()
    for number in range(run.times):
        connection = await runner.connect()
        await fill(run, runner, connection, oracle, number)
        if number % 2:
            # It is killed as it is full, and finds no more room when it starts.
            await runner.killed()
            await start_full(run, runner, oracle)
        await free(run, runner, oracle)
        run.figures["times full"] += 1
    await runner.stop()
    run.figures["acknowledged writes"] = oracle.acknowledged
    run.figures["lost"] = 0


async def fill(run, runner, connection, oracle, cycle):
    tools.ballast(runner.state, leaving=run.random.randrange(1_000_000))
    # Always another entry: what is written anew may take the room of what was there.
    for number in range(10_000):
        answer = await store.put(connection, oracle, f"{cycle}-{number}", os.urandom(run.random.randrange(20_000)))
        if answer.status == 507:
            break
        hold(answer.status in (200, 201), f"on a disk that fills a write was answered with {answer}")
    hold(answer.status == 507, f"a full disk was never told: {answer}")
    hold(answer.fields["content-type"] == "application/problem+json", f"no problem: {answer.fields}")
    run.figures["writes refused"] += 1
    # Reading goes on, and all is as it was acknowledged.
    await store.verify(connection, oracle)
    states = {service["name"]: service for service in (await runner.status())["services"]}
    hold(states["persistence"]["state"] == "degraded", f"a full disk shows as {states['persistence']}")


async def start_full(run, runner, oracle):
    runner.spawn()
    if await runner.ready():
        connection = await runner.connect()
        await store.verify(connection, oracle)
        return
    status = await runner.ended()
    run.figures["starts refused"] = run.figures.get("starts refused", 0) + 1
    hold(status > 0, f"on a full disk it ended with {status}:\n{runner.tail()}")
    hold("the disk is full" in runner.tail(), f"why it does not start is not told:\n{runner.tail()}")
    tools.free(runner.state)
    await runner.start()


async def free(run, runner, oracle):
    tools.free(runner.state)
    connection = await runner.connect()
    if run.random.random() < 0.5:
        answer = await store.put(connection, oracle, "room", b"room")
        hold(answer.status in (200, 201), f"with room again a write was answered with {answer}")
    # Nobody has to write for it: the service looks by itself.
    await until(runner.is_well, "the service is well once there is room")
    await store.verify(connection, oracle)
    for key in sorted(oracle.present)[:-5]:
        await store.remove(connection, oracle, key)
    connection.close()
