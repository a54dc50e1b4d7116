"""The runner under test, in folders of its own."""

import asyncio
import os
import select
import shutil
import signal
import socket
import tempfile
import time

from harness import http, process
from harness.verdict import Broken
from harness.waiting import DEADLINE

FILE = """\
version: 1
app: {{ id: {app}, group: com.example.soak }}
environment: dev
environments: {{ dev: {{ baseUrl: "https://dev.example.com" }}, stage: {{ baseUrl: "https://stage.example.com" }} }}
persistence:
  maxSize: 4GiB
  namespaces:
    soak: {{ perEnvironment: false, maxEntries: {entries}, maxSize: 2GiB }}
api: {{ limits: {{ body: 2MiB }} }}
"""


def services(app="com.example.soak", entries=1_000_000):
    return FILE.format(app=app, entries=entries)


class Home:
    """The folders of the runners of one scenario; gone when it ends well, kept for a look when not."""

    def __init__(self, path=None):
        if path:
            os.mkdir(path, 0o700)
        self.path = path or tempfile.mkdtemp(prefix="soak-")
        for name in ("state", "run", "cache", "log"):
            os.mkdir(f"{self.path}/{name}", 0o700)

    def remove(self):
        shutil.rmtree(self.path, ignore_errors=True)


class Runner:
    """One process of the runner; may be started again after its end."""

    program = None

    def __init__(self, home, app="com.example.soak", file=None, wrapper=(), environment=None, state=None):
        self.home = home
        self.app = app
        self.wrapper = list(wrapper)
        self.config = f"{home.path}/{app}.yaml"
        self.log = f"{home.path}/log/{app}.log"
        self.socket = f"{home.path}/run/corewire/{app}/api.sock"
        self.state = state or f"{home.path}/state"
        self.process = None
        self.pid = None
        self.environment = {
            "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
            "LC_ALL": "C.UTF-8",
            "HOME": home.path,
            "XDG_STATE_HOME": self.state,
            "XDG_RUNTIME_DIR": f"{home.path}/run",
            "XDG_CACHE_HOME": f"{home.path}/cache",
            "SWIFT_BACKTRACE": "enable=no",
            **(environment or {}),
        }
        self.write(file or services(app))

    def write(self, file):
        """Puts another services file in its place, at once."""
        with open(self.config + ".new", "w") as new:
            new.write(file)
        os.rename(self.config + ".new", self.config)

    # Starting

    def spawn(self):
        """Starts it, and does not wait."""
        notify = f"{self.home.path}/{self.app}.notify"
        if os.path.exists(notify):
            os.unlink(notify)
        self.readiness = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.readiness.bind(notify)
        arguments = [*self.wrapper, self.program, "run", "--config", self.config, "--log-level", "notice"]
        self.process = process.start(arguments, {**self.environment, "NOTIFY_SOCKET": notify}, self.log)
        self.pid = self.process.pid
        return self

    async def ready(self, deadline=DEADLINE):
        """Whether it becomes ready; false where it ends instead."""
        is_ready = await asyncio.to_thread(self.wait_ready, deadline)
        if is_ready and self.wrapper:
            # A program that starts another one is not the one that is looked at.
            inner = process.children(self.process.pid)
            self.pid = inner[0] if inner else self.process.pid
        return is_ready

    def wait_ready(self, deadline):
        end = time.monotonic() + deadline
        handle = os.pidfd_open(self.process.pid)
        try:
            while True:
                readable, _, _ = select.select([self.readiness, handle], [], [], max(0, end - time.monotonic()))
                if self.readiness in readable:
                    if b"READY=1" in self.readiness.recv(4096).split(b"\n"):
                        return True
                elif readable:
                    return False
                else:
                    raise Broken(f"not ready in {deadline} s:\n{self.tail()}")
        finally:
            os.close(handle)
            # What it tells a service manager later is not waited for.

    async def start(self):
        self.spawn()
        if not await self.ready():
            raise Broken(f"it ended instead of becoming ready, status {self.process.wait()}:\n{self.tail()}")
        return self

    # Ending

    def kill(self):
        """Ends it as a power failure would: nothing more runs."""
        # Once it has been waited for, the number may be another's.
        if self.is_alive:
            try:
                os.kill(self.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass  # The one that was started by another program.

    async def ended(self, deadline=DEADLINE):
        """Its exit status, once it has ended."""
        try:
            status = await asyncio.to_thread(self.process.wait, deadline)
        except Exception as error:
            raise Broken(f"it does not end: {error}\n{self.tail()}") from error
        self.readiness.close()
        return status

    async def killed(self):
        """Kills it; one that had ended before, by itself, has crashed."""
        self.kill()
        status = await self.ended()
        if status != -signal.SIGKILL:
            raise Broken(f"before it was killed it ended with status {status}:\n{self.tail()}")

    async def stop(self):
        os.kill(self.pid, signal.SIGTERM)
        status = await self.ended()
        if status != 0:
            raise Broken(f"it stopped with status {status}:\n{self.tail()}")

    @property
    def is_alive(self):
        return self.process is not None and self.process.poll() is None

    # Asking

    async def connect(self):
        return await http.Connection.open(self.socket)

    async def ask(self, method, target, body=None, fields=()):
        return await http.ask(self.socket, method, target, body, fields)

    async def status(self):
        return (await self.ask("GET", "/v1/status")).json

    async def is_well(self):
        """Whether no service is degraded."""
        return all(service["state"] in ("ready", "inert") for service in (await self.status())["services"])

    async def reload(self, file):
        self.write(file)
        return await self.ask("POST", "/v1/reload", b"{}", ["Content-Type: application/json"])

    async def switch(self, name):
        body = f'{{"environment":"{name}"}}'.encode()
        return await self.ask("PUT", "/v1/environment", body, ["Content-Type: application/json"])

    # Looking

    def figures(self):
        """KiB in RAM and open descriptors."""
        return process.resident(self.pid), process.descriptors(self.pid)

    def tail(self):
        try:
            with open(self.log, errors="replace") as file:
                return "".join(file.readlines()[-20:])
        except OSError:
            return ""
