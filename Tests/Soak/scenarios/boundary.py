"""kill -9 just before every write, rename and fsync of each operation of the store, by injection at the system call."""

import os

from harness import places, store, tracing
from harness.http import Gone
from harness.oracle import ABSENT, Oracle
from harness.runner import Runner, services
from harness.verdict import hold

# How many instants of each operation: spread over all of them, or every single one.
SMOKE, DEEP = 3, 10_000


async def run(run):
    tracing.need("strace")
    run.figures["operations"] = run.figures["kills"] = 0
    await Beginning(run).run()
    for operation in (put, replace, large, remove, clear, reload, switch, stop):
        await Running(run, operation).run()
        run.figures["operations"] += 1


def spread(all, times):
    """Instants from the first to the last."""
    return range(1, all + 1) if all <= times else sorted({1 + number * (all - 1) // (times - 1 or 1) for number in range(times)})


class Beginning:
    """The first start, which makes the store, and the one after a kill, which mends it."""

    def __init__(self, run):
        self.run_ = run
        self.log = f"{run.home.path}/log/start"

    async def run(self):
        await self.kills("making", self.nothing)
        await self.kills("mending", self.left_behind)

    async def nothing(self, state, oracle):
        pass

    async def left_behind(self, state, oracle):
        runner = await Runner(self.run_.home, state=state).start()
        connection = await runner.connect()
        for number in range(20):
            await store.put(connection, oracle, f"k{number}", b"x" * 10_000)
        runner.kill()
        await runner.ended()

    async def kills(self, name, prepare):
        instants = spread(await self.once(f"{name}-0", 0, prepare), self.run_.times)
        for when in instants:
            await self.once(f"{name}-{when}", when, prepare)
        self.run_.figures["operations"] += 1

    async def once(self, name, when, prepare):
        """Starts the runner with nothing but a file, is killed, and starts again; how many calls there were."""
        state, oracle = f"{self.run_.home.path}/{name}", Oracle()
        os.mkdir(state, 0o700)
        await prepare(state, oracle)
        deed = f"signal=KILL:when={when}" if when else "delay_enter=0"
        wrapper = tracing.words(tracing.MAKING, deed, places.files(state), self.log)
        runner = Runner(self.run_.home, wrapper=wrapper, state=state).spawn()
        if await runner.ready():
            runner.kill()
        else:
            self.run_.figures["kills"] += 1
        await runner.ended()
        calls = tracing.counted(self.log)
        await check(Runner(self.run_.home, state=state), oracle)
        return calls


class Running:
    """An operation asked of a runner that runs."""

    def __init__(self, run, operation):
        self.run_ = run
        self.operation = operation
        self.oracle = Oracle()
        self.state = f"{run.home.path}/{operation.__name__}"
        os.mkdir(self.state, 0o700)

    async def run(self):
        for when in spread(await self.once(0), self.run_.times):
            await self.once(when)

    async def once(self, when):
        runner = await Runner(self.run_.home, state=self.state).start()
        connection = await runner.connect()
        for number in range(3):
            await store.put(connection, self.oracle, f"k{number}", os.urandom(100))
        deed = f"signal=KILL:when={when}" if when else "delay_enter=0"
        tracer = await tracing.Tracer(runner, tracing.CHANGES, deed, places.files(self.state)).attached()
        present = self.oracle.present
        try:
            await self.operation(runner, connection, self.oracle)
            # Not all of an operation is over when it is answered: the end of the program writes as well.
            await store.put(connection, self.oracle, f"after-{os.urandom(8).hex()}", b"after")
        except Gone:
            pass
        # What was injected may have ended it, a moment ago or now.
        runner.kill()
        status = await runner.ended()
        self.run_.figures["kills"] += 1 if when and status else 0
        tracer.process.wait()
        await check(Runner(self.run_.home, state=self.state), self.oracle)
        if self.operation is clear:
            left = present & self.oracle.present
            hold(not left or left == present, f"of {len(present)} entries {len(left)} were left by a clearing")
        return tracing.counted(tracer.log)


async def check(runner, oracle):
    """All that was acknowledged is there and nothing else; what is new is taken."""
    await runner.start()
    connection = await runner.connect()
    await store.verify(connection, oracle)
    await store.put(connection, oracle, "fresh", os.urandom(20))
    hold((await runner.ask("GET", "/readyz")).status == 200, "not ready after a kill")
    hold((await runner.ask("GET", "/v1/generations")).status == 200, "the generations cannot be read after a kill")
    await runner.stop()


# The operations


async def put(runner, connection, oracle):
    await store.put(connection, oracle, f"new-{os.urandom(8).hex()}", os.urandom(100))


async def replace(runner, connection, oracle):
    await store.put(connection, oracle, "k0", os.urandom(5_000))


async def large(runner, connection, oracle):
    """So much that the log is copied into the file afterwards."""
    for number in range(5):
        await store.put(connection, oracle, f"large{number}", os.urandom(1 << 20))


async def remove(runner, connection, oracle):
    await store.remove(connection, oracle, "k0")


async def clear(runner, connection, oracle):
    keys = list(oracle.present)
    for key in keys:
        oracle.begin(key, ABSENT)
    answer = await connection.ask("DELETE", f"/v1/state/{store.NAMESPACE}")
    if answer.status == 200:
        for key in keys:
            oracle.confirm(key, ABSENT)


async def reload(runner, connection, oracle):
    await runner.reload(services(entries=500_000 + os.getpid() + oracle.acknowledged))


async def switch(runner, connection, oracle):
    await runner.switch("stage")


async def stop(runner, connection, oracle):
    """The end, asked for: the log is copied, the files are closed."""
    os.kill(runner.pid, 15)
    await runner.ended()
