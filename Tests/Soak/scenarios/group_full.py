"""The disk of the database is filled and freed, and that of a runner: it is told to those that write, and is over by itself.

What was acknowledged is there, and what was refused is not. A runner whose own disk is full works on with the database.
"""

import os
import shutil
import tempfile

from harness import store, tools
from harness.database import Database
from harness.group import Group
from harness.oracle import Oracle
from harness.verdict import hold
from harness.waiting import until

# How often each disk is full.
SMOKE, DEEP = 1, 60

# Kept small, so that little has to be filled.
SETTINGS = ["max_wal_size = '32MB'", "min_wal_size = '32MB'", "shared_buffers = '16MB'"]
REASON = "the disk of the database's server is full"


async def run(run):
    tools.mount_privately()
    folder = tempfile.mkdtemp(prefix="corewire-pg-", dir="/tmp")
    own = f"{run.home.path}/small"
    os.mkdir(own, 0o700)
    tools.mount_memory(folder, "400m")
    # The store of the runner never shrinks, and needs more each time.
    tools.mount_memory(own, f"{32 + 2 * run.times}m")
    database = Database(run.home)
    try:
        await database.make(SETTINGS, folder=folder)
        async with Group(run, database, 2, states=[own, None]) as group:
            disk = Disk(run, database, group)
            for number in range(run.times):
                await disk.fill(number)
                await disk.free(number)
                await disk.fill_own(own, number)
    finally:
        database.remove()
        tools.unmount(own)
        tools.unmount(folder)
        shutil.rmtree(folder, ignore_errors=True)


class Disk:
    def __init__(self, run, database, group):
        self.run, self.database, self.group, self.oracle = run, database, group, Oracle()
        self.figures = run.figures
        for name in ("times full", "writes refused with 507", "with 503", "ends of the server"):
            self.figures[name] = 0

    async def fill(self, number):
        """Fills the disk of the server by values of both runners; each of them is told."""
        # Otherwise room comes back when the log of the server is recycled.
        self.database.sql("CHECKPOINT")
        tools.ballast(self.database.server.folder, leaving=self.run.random.randrange(8_000_000))
        told = set()
        for runner in self.group.runners:
            connection = await runner.connect()
            for at in range(20_000):
                key, value = f"{number}-{runner.home.path[-1]}-{at}", os.urandom(self.run.random.randrange(20_000))
                answer = await store.put(connection, self.oracle, key, value)
                if answer.status in (503, 507):
                    break
                hold(answer.status == 201, f"on a disk that fills a write was answered with {answer}")
            hold(answer.status in (503, 507), f"a full disk was never told: {answer}")
            hold(answer.status == 503 or REASON in answer.json["detail"], f"the reason is not told: {answer}")
            told.add(answer.status)
            self.figures["writes refused with 507" if answer.status == 507 else "with 503"] += 1
            connection.close()
        self.figures["times full"] += 1
        if told == {507}:
            # It is only full: all can be read.
            await self.verify()

    async def free(self, number):
        """Makes room; the runners write again, and all is as it was acknowledged."""
        tools.free(self.database.server.folder)
        # A server that cannot write its log ends.
        if self.database.process.poll() is not None:
            self.figures["ends of the server"] += 1
            await self.database.start()
        for runner in self.group.runners:
            await until(lambda: self.writes(runner), "a runner writes once there is room")
            await until(runner.is_well, "a runner is well once there is room")
        await self.verify()
        connection = await self.group.runners[0].connect()
        for key in sorted(self.oracle.present)[:-5]:
            await store.remove(connection, self.oracle, key)
        connection.close()
        self.database.sql("VACUUM FULL corewire.entries")

    async def fill_own(self, folder, number):
        """Fills the disk of a runner, which goes on with what is in the database."""
        runner = self.group.runners[0]
        tools.ballast(folder, leaving=0)
        for at in range(20_000):
            answer = await runner.ask("PUT", f"/v1/state/window/{number}-{at}", os.urandom(20_000))
            if answer.status == 507:
                break
        hold(answer.status == 507, f"a full disk was never told: {answer}")
        hold("database" not in answer.json["detail"], f"the disk of the runner is told as {answer}")
        hold(await self.writes(runner), "a runner with a full disk does not write to the database")
        await self.verify()
        tools.free(folder)
        await until(runner.is_well, "a runner is well once there is room on its disk")
        await runner.ask("DELETE", "/v1/state/window")

    async def writes(self, runner):
        connection = await runner.connect()
        answer = await store.put(connection, self.oracle, "room", b"room")
        connection.close()
        return answer.status in (200, 201)

    async def verify(self):
        for runner in self.group.runners:
            connection = await runner.connect()
            await store.verify(connection, self.oracle)
            connection.close()
