"""A shortage of descriptors: who is served goes on being served, the others wait or are refused, and it passes."""

from harness import http, process, store, tools
from harness.http import Gone
from harness.oracle import Oracle
from harness.runner import Runner
from harness.verdict import hold
from harness.waiting import until

SMOKE, DEEP = 3, 300
ROOM = 128


async def run(run):
    oracle = Oracle()
    # More connections are allowed than there are descriptors: the system says no, not the rules.
    runner = Runner(run.home, wrapper=[tools.need("prlimit"), f"--nofile={ROOM}:{ROOM}"])
    runner.write(open(runner.config).read().replace("body: 2MiB", "body: 2MiB, connectionsPerUser: 1000, connections: 1000"))
    await runner.start()
    connection = await runner.connect()
    await store.put(connection, oracle, "kept", b"0")
    run.figures["crowds"] = run.figures["connections asked for"] = 0
    before, crowded = process.descriptors(runner.pid), 0
    for number in range(run.times):
        crowd = await gather(runner, run.random.randrange(ROOM, 2 * ROOM))
        run.figures["connections asked for"] += len(crowd)
        crowded = max(crowded, process.descriptors(runner.pid))
        hold(crowded <= ROOM, f"{crowded} descriptors")
        for turn in range(20):
            answer = await store.put(connection, oracle, f"k{turn}", f"{number}.{turn}".encode() * 200)
            hold(answer.status in (200, 201, 503, 500), f"in a crowd a write was answered with {answer}")
        for one in crowd:
            one.abort()
        await until(lambda: process.descriptors(runner.pid) <= before + 4, "what the crowd held is given back")
        # The kernel may still have some of the crowd in its queue.
        fresh = await until(lambda: served(runner, oracle, number), "after the crowd a write is accepted")
        await store.verify(fresh, oracle)
        fresh.close()
        run.figures["crowds"] += 1
    # A quarter is kept for the rest of the program: it must not end because there is none for a look at itself.
    hold(crowded >= ROOM * 3 // 4 - 4, f"there was no shortage: {crowded} of {ROOM} descriptors")
    run.figures[f"of {ROOM} descriptors used at most"] = crowded
    run.figures["descriptors before"] = before
    run.figures["descriptors after"] = process.descriptors(runner.pid)
    await runner.stop()


async def served(runner, oracle, number):
    """A connection over which a write was accepted; nothing where none is free."""
    fresh = await runner.connect()
    answer = await store.put(fresh, oracle, "fresh", f"{number}".encode())
    hold(answer.status in (200, 201, 503), f"after the crowd a write was answered with {answer}")
    if answer.status != 503:
        return fresh
    fresh.close()
    return None


async def gather(runner, count):
    crowd = []
    for _ in range(count):
        try:
            crowd.append(await http.Connection.open(runner.socket))
            crowd[-1].writer.write(b"GET /livez HTTP/1.1\r\nHost: localhost\r\n")
        except Gone:
            break  # The kernel's own queue is full.
    return crowd
