"""PostgreSQL for runners: the servers of Tests/PostgresFunctions, as processes that end with the driver."""

import asyncio
import glob
import os
import shutil
import subprocess
import sys

from harness import process
from harness.command import ROOT
from harness.runner import Runner
from harness.verdict import Broken, Missing, hold
from harness.waiting import until

PACKAGES = glob.glob(f"{ROOT}/.build/python/lib/python3*/site-packages")
sys.path += [path for path in [*PACKAGES, f"{ROOT}/Tests/PostgresFunctions"] if path not in sys.path]
try:
    import psycopg
    import servers
except ImportError as error:
    psycopg = None
    absent = error
from check import check  # noqa: E402, F401

OVER_TCP = ["listen_addresses = '127.0.0.1'", "max_connections = 200"]
ROLE = "corewire"
ENVIRONMENT = {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"}


class Database:
    """A server with a role for runners, which may only call the functions. With `of`, a standby of another one."""

    def __init__(self, home, name="database", environment=None):
        if psycopg is None:
            raise Missing(f"psycopg is not installed; 'make test-packages' does ({absent})")
        self.log, self.name = f"{home.path}/log/{name}.log", name
        self.environment = environment or {}

    async def make(self, settings=(), of=None, **options):
        """Makes the cluster, and starts it."""
        primary = of and of.server
        settings = [*OVER_TCP, *settings]
        self.server = await asyncio.to_thread(servers.Server, primary, settings, self.name, starts=False, **options)
        await self.start()
        if of is None:
            self.sql(f"CREATE ROLE {ROLE} LOGIN")
        return self

    @property
    def port(self):
        return self.server.port

    def url(self, *others, port=None):
        """The address for runners; `others` are further servers, `port` that of a line to this one."""
        places = ",".join(f"127.0.0.1:{place}" for place in [port or self.port, *(other.port for other in others)])
        return f"postgresql://{ROLE}@{places}/postgres"

    def migrate(self, config):
        """Makes the tables and functions, as the owner does for a services file."""
        command = [f"{os.path.dirname(Runner.program)}/corewire", "store", "migrate", "--as", "postgres", "--config", config]
        environment = {"PATH": "/usr/bin:/bin", "HOME": os.path.dirname(config)}
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        hold(done.returncode == 0, f"{' '.join(command)}: {done.stdout}{done.stderr}")

    # Life

    async def start(self):
        # Only the server's program gets the variables: what libfaketime makes belongs to its user.
        variables = [f"{name}={value}" for name, value in self.environment.items()]
        words = servers.as_user(["env", *variables, str(servers.programs() / "postgres"), "-D", str(self.server.data)])
        # Another user's processes do not end with their parent unless they are told again.
        if words[0] == "setpriv":
            words.insert(1, "--pdeathsig=QUIT")
        self.process = process.start(words, ENVIRONMENT, self.log, cwd=self.server.folder)
        await until(self.answers, "the database answers", deadline=120)
        return self

    def answers(self):
        if self.process.poll() is not None:
            raise Broken(f"the database ended with status {self.process.returncode}:\n{self.tail()}")
        try:
            self.server.connect().close()
            return True
        except psycopg.OperationalError:
            return False

    def kill(self):
        """Ends all of its processes at once, as a power failure does."""
        self.server.kill()
        self.process.wait()

    async def stop(self, mode):
        await asyncio.to_thread(self.server.stop, mode)
        self.process.wait()

    def remove(self):
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.server.folder, ignore_errors=True)

    async def __aenter__(self):
        return await self.make()

    async def __aexit__(self, *_):
        self.remove()

    # Looking

    def sql(self, text, *arguments):
        """The rows of a statement of the owner; none where it has no rows."""
        with self.server.connect() as connection:
            cursor = connection.execute(text, arguments)
            return cursor.fetchall() if cursor.description else []

    def value(self, text, *arguments):
        return self.sql(text, *arguments)[0][0]

    def runners(self):
        """How many runners the group has, by the database."""
        return self.value("SELECT count(*) FROM corewire.runners")

    def members(self):
        """The numbers of the runners, which change with each start."""
        return {row[0] for row in self.sql("SELECT id FROM corewire.runners")}

    def tail(self):
        with open(self.log, errors="replace") as file:
            return file.read()[-2000:]
