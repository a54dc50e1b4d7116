"""The servers of Tests/PushServers, and Mosquitto."""

import asyncio
import os

from harness import process
from harness.command import ROOT
from harness.nginx import free_port
from harness.tools import need, need_file
from harness.waiting import DEADLINE, until

PYTHON = f"{ROOT}/.build/python/bin/python3"


class Double:
    """One of Tests/PushServers: it writes a line for what it sees, and takes commands by line."""

    def __init__(self, name, *options, environment=None):
        need_file(PYTHON, "the Python modules that 'make test' installs")
        self.name, self.options, self.lines = name, options, []
        self.environment = {**os.environ, **(environment or {})}

    async def start(self):
        """Returns the words that it begins with: ports and keys."""
        self.process = await asyncio.create_subprocess_exec(
            PYTHON, "-B", f"{ROOT}/Tests/PushServers/{self.name}.py", *self.options,
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
            env=self.environment, limit=1 << 24,
        )
        self.reading = asyncio.create_task(self.read())
        await self.saw("ready")
        return self.lines[0].split(" ")[1:]

    async def read(self):
        async for line in self.process.stdout:
            self.lines.append(line.decode().strip())

    def count(self, beginning):
        return sum(line.startswith(beginning) for line in self.lines)

    async def saw(self, beginning, times=1, deadline=DEADLINE):
        await until(lambda: self.count(beginning) >= times, f"{self.name} saw {beginning!r}", deadline=deadline)

    async def tell(self, *commands, deadline=DEADLINE):
        """Gives commands, and returns once the last one is done."""
        last = f"did {commands[-1]}"
        before = self.count(last)
        self.process.stdin.write("".join(f"{command}\n" for command in commands).encode())
        await self.saw(last, before + commands.count(commands[-1]), deadline)

    async def stop(self):
        self.process.stdin.close()
        await self.process.wait()
        self.reading.cancel()


MOSQUITTO = """\
user root
persistence {persistence}
persistence_location {folder}/
autosave_interval 1
autosave_on_changes true
log_dest stderr
log_type all
max_queued_messages 0
per_listener_settings false
listener {port} 127.0.0.1
listener {sockets} 127.0.0.1
protocol websockets
{settings}
"""


class Mosquitto:
    """Debian's broker of MQTT, over TCP and WebSockets; its log says what it sees."""

    def __init__(self, folder, settings="allow_anonymous true", persistence=True):
        self.program, self.sender = need("mosquitto"), need("mosquitto_pub")
        self.folder, self.settings, self.persistence = folder, settings, persistence
        os.makedirs(folder, exist_ok=True)
        self.port, self.sockets = free_port(), free_port()

    async def start(self):
        with open(f"{self.folder}/settings", "w") as file:
            file.write(MOSQUITTO.format(**{**vars(self), "persistence": str(self.persistence).lower()}))
        open(f"{self.folder}/log", "w").close()
        arguments = [self.program, "-c", f"{self.folder}/settings"]
        self.process = process.start(arguments, {"PATH": "/usr/sbin:/usr/bin:/bin"}, f"{self.folder}/log")
        await self.saw(" running")

    def count(self, text):
        with open(f"{self.folder}/log", errors="replace") as file:
            return sum(text in line for line in file)

    async def saw(self, text, times=1):
        await until(lambda: self.count(text) >= times, f"mosquitto saw {text!r}")

    async def publish(self, topic, *arguments, lines=None):
        """Publishes at QoS 1, each line as a message."""
        command = [self.sender, "-h", "127.0.0.1", "-p", str(self.port), "-q", "1", "-t", topic, *arguments]
        sending = await asyncio.create_subprocess_exec(
            *command, *(["-l"] if lines else []), stdin=asyncio.subprocess.PIPE
        )
        await sending.communicate("".join(f"{line}\n" for line in lines or ()).encode())
        assert sending.returncode == 0, f"mosquitto_pub ended with status {sending.returncode}"

    def stop(self):
        self.process.terminate()
        self.process.wait()

    def kill(self):
        self.process.kill()
        self.process.wait()
