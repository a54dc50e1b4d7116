"""A database with a standby that takes over."""

import asyncio
import os
import signal

from harness.database import Database
from harness.waiting import until

SETTINGS = ["wal_keep_size = '256MB'", "wal_retrieve_retry_interval = '200ms'"]


class Pair:
    """A primary and its standby on two ports; the standby is synchronous until they are parted."""

    def __init__(self, home):
        self.home, self.made = home, 0
        self.primary = self.standby = None

    async def __aenter__(self):
        try:
            self.primary = await self.next().make(SETTINGS)
            await self.follow()
        except BaseException:
            self.remove()
            raise
        return self

    async def __aexit__(self, *_):
        self.remove()

    def next(self):
        self.made += 1
        return Database(self.home, f"database{self.made}")

    async def follow(self, **options):
        self.standby = await self.next().make(SETTINGS, of=self.primary, **options)
        set(self.primary, "synchronous_standby_names", self.standby.name)
        await until(lambda: self.states() == [("sync",)], "the standby follows")

    def states(self):
        return self.primary.sql("SELECT sync_state FROM pg_stat_replication WHERE state = 'streaming'")

    async def part(self):
        """From here on commits do not wait for the standby, and it receives none."""
        set(self.primary, "synchronous_standby_names", "")
        set(self.standby, "primary_conninfo", "")
        await until(lambda: not self.states(), "the standby receives nothing")

    async def fail_over(self, late=0):
        """Kills the primary, and promotes the standby, which has received nothing for so many seconds."""
        for (pid,) in self.primary.sql("SELECT pid FROM pg_stat_replication") if late else []:
            os.kill(pid, signal.SIGSTOP)
        await asyncio.sleep(late)
        self.primary.kill()
        set(self.standby, "synchronous_standby_names", "")
        self.standby.sql("SELECT pg_promote(false)")
        self.primary, self.standby = self.standby, self.primary

    async def renew(self):
        """Puts a new standby in the place of the killed one."""
        port = self.standby.port
        self.standby.remove()
        await until(lambda: not self.primary.value("SELECT pg_is_in_recovery()"), "the standby is promoted")
        await self.follow(port=port)

    def url(self):
        return self.primary.url(self.standby)

    def remove(self):
        for database in (self.primary, self.standby):
            if database:
                database.remove()


def set(database, name, value):
    database.sql(f"ALTER SYSTEM SET {name} = '{value}'")
    database.sql("SELECT pg_reload_conf()")
