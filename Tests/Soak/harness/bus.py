"""A private message bus, and a distributor of UnifiedPush on it."""

import os

from harness import process
from harness.doubles import Double
from harness.tools import need
from harness.waiting import until


class Bus:
    """Ends with its distributor."""

    def __init__(self, folder):
        self.program, self.path = need("dbus-daemon"), f"{folder}/bus"
        self.folder, self.address = folder, f"unix:path={folder}/bus"

    async def start(self):
        """Returns the port of the push server of the distributor."""
        arguments = [self.program, "--session", "--nofork", "--nopidfile", f"--address={self.address}"]
        self.process = process.start(arguments, {"PATH": "/usr/bin:/bin"}, f"{self.folder}/bus.log")
        await until(lambda: os.path.exists(self.path), "the bus listens")
        self.distributor = Double("distributor", self.address)
        return int((await self.distributor.start())[0])

    async def stop(self):
        await self.distributor.stop()
        self.process.terminate()
        self.process.wait()
