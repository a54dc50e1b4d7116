"""Slow, half-open and abusive clients: whoever behaves is served as ever, and nothing of the others stays behind."""

import asyncio

from harness import http, process, store
from harness.clients import Writers
from harness.http import Gone
from harness.oracle import Oracle
from harness.runner import Runner, services
from harness.verdict import hold
from harness.waiting import until

SMOKE, DEEP = 40, 20_000
AT_ONCE = 32
# How long a request may take to arrive; and how long nobody may say anything.
LIMITS = "receive: 1s, idle: 2s"


async def run(run):
    oracle = Oracle()
    runner = Runner(run.home, file=services().replace("body: 2MiB", f"body: 2MiB, {LIMITS}"))
    await runner.start()
    writers = Writers(oracle, run.random, clients=4)
    writers.begin(runner)
    await writers.acknowledged(100)
    before = runner.figures()
    tally = {}
    places = asyncio.Semaphore(AT_ONCE)

    async def one(number):
        deed = DEEDS[number % len(DEEDS)]
        async with places:
            outcome = f"{deed.__name__} {await abuse(runner, deed, run.random)}"
        tally[outcome] = tally.get(outcome, 0) + 1

    # In rounds: a task for each of very many would be a load of its own.
    for begin in range(0, run.times, 500):
        await asyncio.gather(*(one(number) for number in range(begin, min(run.times, begin + 500))))
    await crowd(runner, run.random)
    await writers.end()
    hold(not writers.refusals, f"who behaves was refused: {writers.refusals}")
    # Each request over a connection of its own: on a slow machine this program pauses for longer than one may idle.
    await store.verify(runner, oracle)
    await until(lambda: process.descriptors(runner.pid) <= before[1] + 8, "the descriptors of all are given back")
    after = runner.figures()
    await runner.stop()
    run.figures["abuses"] = sum(tally.values())
    run.figures["requests served meanwhile"] = oracle.acknowledged
    run.figures["of them failed"] = 0
    run.figures["KiB resident before"], run.figures["descriptors before"] = before
    run.figures["KiB resident after"], run.figures["descriptors after"] = after
    hold(after[0] <= before[0] + 64 * 1024, f"memory grew from {before[0]} to {after[0]} KiB")
    for outcome in tally:
        hold(outcome.split()[-1] in ALLOWED[outcome.split()[0]], f"an answer nobody expects: {tally}")


async def abuse(runner, deed, random):
    """What the abuser saw: a status, or that it was shown out."""
    try:
        connection = await http.Connection.open(runner.socket)
    except Gone:
        return "gone"
    try:
        # A runner that holds on to one for ever fails here.
        async with asyncio.timeout(60):
            return str(await deed(connection, random))
    except (OSError, asyncio.IncompleteReadError, ValueError, IndexError):
        return "gone"
    finally:
        connection.abort()


async def outcome(connection):
    """The status of the answer, and whether the connection ends; a silent end raises."""
    return (await connection.answer()).status


# What they do


async def drip(connection, random):
    """A byte now and then, for ever."""
    while True:
        connection.writer.write(b"GET /livez HTTP/1.1\r\nHost: localhost\r\nX: "[:1] if random.random() < 0.5 else b"G")
        await connection.writer.drain()
        try:
            async with asyncio.timeout(0.05):
                return await outcome(connection)
        except TimeoutError:
            continue


async def stall(connection, random):
    """A body that does not come."""
    connection.writer.write(b"PUT /v1/state/soak/stalled HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\nabc")
    return await outcome(connection)


async def half(connection, random):
    """Says that it is done in the middle of a request."""
    connection.writer.write(b"PUT /v1/state/soak/half HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\nabc")
    connection.writer.write_eof()
    return await outcome(connection)


async def silent(connection, random):
    """Says nothing at all."""
    return await outcome(connection)


async def vanish(connection, random):
    """Asks for much, and is gone before it comes."""
    connection.writer.write(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n" * random.randrange(1, 50))
    await connection.writer.drain()
    return "gone"


async def deaf(connection, random):
    """Asks without end, and reads nothing of it."""
    connection.reader._limit = 1
    try:
        async with asyncio.timeout(0.5):
            while True:
                connection.writer.write(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n" * 20)
                await connection.writer.drain()
    except TimeoutError:
        return "gone"


async def noise(connection, random):
    """Bytes of no protocol."""
    connection.writer.write(random.randbytes(random.randrange(1, 4_000)) + b"\r\n\r\n")
    return await outcome(connection)


async def vast(connection, random):
    """A head larger than is read."""
    connection.writer.write(b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 100_000 + b"\r\n\r\n")
    return await outcome(connection)


async def huge(connection, random):
    """A body larger than is taken."""
    connection.writer.write(b"PUT /v1/state/soak/huge HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999\r\n\r\n")
    return await outcome(connection)


async def double(connection, random):
    """Two lengths: what smuggles requests past others."""
    connection.writer.write(
        b"PUT /v1/state/soak/double HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
    )
    return await outcome(connection)


DEEDS = [drip, stall, half, silent, vanish, deaf, noise, vast, huge, double]
ALLOWED = {
    "drip": {"400", "408", "gone"},
    "stall": {"408", "gone"},
    "half": {"400", "408", "gone"},
    "silent": {"408", "gone"},
    "vanish": {"gone"},
    "deaf": {"gone"},
    "noise": {"400", "405", "408", "414", "431", "501", "505", "gone"},
    "vast": {"400", "431", "gone"},
    "huge": {"413", "gone"},
    "double": {"400", "gone"},
}


async def crowd(runner, random):
    """More at once than one may have: those who are in are served, and the places are given back."""
    many = []
    for _ in range(150):
        try:
            many.append(await http.Connection.open(runner.socket))
        except Gone:
            break
    for one in many:
        one.abort()

    async def is_served():
        try:
            return (await runner.ask("GET", "/livez")).status == 200
        except Gone:
            return False

    await until(is_served, "a place for a client that behaves, once the crowd has left")
