"""pgbouncer of Debian's between runners and their database."""

import os
import shutil
import tempfile

from harness import process
from harness.database import ENVIRONMENT, ROLE, servers
from harness.nginx import free_port
from harness.tools import need
from harness.waiting import until

FILE = """\
[databases]
postgres = host={socket} port={port} dbname=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {door}
unix_socket_dir =
auth_type = trust
auth_file = {folder}/users
pool_mode = {mode}
max_client_conn = 200
default_pool_size = {size}
"""


class Pooler:
    def __init__(self, home, database, mode, size=90):
        self.program, self.log = need("pgbouncer"), f"{home.path}/log/pgbouncer-{mode}.log"
        # The server's user has to see the settings.
        self.folder, self.port = tempfile.mkdtemp(prefix="soak-pgbouncer-", dir="/tmp"), free_port()
        self.settings = FILE.format(
            socket=database.server.folder, port=database.port, door=self.port, folder=self.folder, mode=mode, size=size
        )

    async def __aenter__(self):
        with open(f"{self.folder}/settings", "w") as file:
            file.write(self.settings)
        with open(f"{self.folder}/users", "w") as file:
            file.write(f'"{ROLE}" ""\n"postgres" ""\n')
        if os.getuid() == 0:
            for name in ("", "settings", "users"):
                shutil.chown(f"{self.folder}/{name}", "postgres", "postgres")
        await self.start()
        return self

    async def start(self):
        words = servers.as_user([self.program, "-q", f"{self.folder}/settings"])
        # Another user's processes do not end with their parent unless they are told again.
        if words[0] == "setpriv":
            words.insert(1, "--pdeathsig=KILL")
        self.process = process.start(words, ENVIRONMENT, self.log)
        await until(lambda: process.listens(self.port), "pgbouncer listens")

    def kill(self):
        self.process.kill()
        self.process.wait()

    async def __aexit__(self, *_):
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)
