"""The power fails while clients write: what was acknowledged is there, whatever else the disk forgot or half wrote."""

import asyncio
import os

from harness import process, store, tools
from harness.clients import Writers
from harness.oracle import Oracle
from harness.runner import Runner
from harness.verdict import Missing, hold
from harness.waiting import until

SMOKE, DEEP = 4, 500
MOUNT = f"{os.path.dirname(os.path.dirname(os.path.abspath(__file__)))}/lossy/mount.py"
# What is left of writes that were not confirmed: none, each page or not, pages torn between sectors, all.
KINDS = ("none", "some", "torn", "all")


async def run(run):
    if not os.access("/dev/fuse", os.R_OK | os.W_OK):
        raise Missing("/dev/fuse cannot be opened")
    tools.mount_privately()
    oracle, random = Oracle(), run.random
    writers = Writers(oracle, random, clients=4, keys=60, outlive=True)
    disk = Disk(run.home)
    run.figures["power cuts"] = 0
    try:
        for number in range(run.times):
            await disk.mount()
            runner = await Runner(run.home, state=disk.mounted).start()
            await check(runner, oracle)
            writers.begin(runner)
            await writers.acknowledged(random.randrange(120))
            await disk.cut(KINDS[number % len(KINDS)], random.randrange(1 << 30))
            await runner.killed()
            await writers.ended()
            disk.unmount()
            run.figures["power cuts"] += 1
        await disk.mount()
        runner = await Runner(run.home, state=disk.mounted).start()
        await check(runner, oracle)
        await runner.stop()
    finally:
        disk.unmount()
    run.figures["acknowledged writes"] = oracle.acknowledged
    run.figures["writes in doubt found done"] = oracle.in_doubt
    run.figures["lost"] = run.figures["unknown"] = 0


async def check(runner, oracle):
    connection = await runner.connect()
    await store.verify(connection, oracle)
    connection.close()
    hold((await runner.ask("GET", "/readyz")).status == 200, "not ready after a power cut")


class Disk:
    def __init__(self, home):
        self.mounted, self.survived = f"{home.path}/lossy", f"{home.path}/survived"
        self.log = f"{home.path}/log/lossy"
        self.server = None
        os.mkdir(self.mounted, 0o700)
        os.mkdir(self.survived, 0o700)

    async def mount(self):
        self.server = process.start([MOUNT, self.mounted, self.survived], dict(os.environ), self.log)
        await until(lambda: os.path.ismount(self.mounted) or self.server.poll() is not None, "the disk is mounted")
        if self.server.poll() is not None:
            with open(self.log) as file:
                raise Missing(f"no file system of its own can be mounted: {file.read()[-300:]}")

    async def cut(self, kind, seed):
        """At any instant: what is being written when it comes is not confirmed."""
        await asyncio.to_thread(self.cut_now, f"{kind} {seed}".encode())

    def cut_now(self, words):
        handle = os.open(f"{self.mounted}/.cut", os.O_WRONLY)
        os.write(handle, words)
        os.close(handle)

    def unmount(self):
        tools.unmount(self.mounted)
        if self.server:
            self.server.kill()
            self.server.wait()
            self.server = None
