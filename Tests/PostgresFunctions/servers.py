"""PostgreSQL servers for the tests: clusters of their own below /tmp, reached by Unix sockets."""

import os
import pathlib
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time

import psycopg

SQL = pathlib.Path(__file__).resolve().parents[2] / "Sources" / "StoreSchema" / "sql"
KEPT = pathlib.Path(__file__).resolve().parents[2] / ".build" / "postgres"
# Functions refer to each other only when they are called, so only the first file has a fixed place.
FILES = [
    "tables.sql",
    "sessions.sql",
    "queue.sql",
    "claims.sql",
    "moves.sql",
    "values.sql",
    "copies.sql",
    "reading.sql",
]


def programs():
    """The folder of the server's programs."""
    found = os.environ.get("PG_BIN")
    if found:
        return pathlib.Path(found)
    installed = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: float(path.parent.name))
    if installed:
        return installed[-1]
    return pathlib.Path(shutil.which("initdb")).parent


def sql(schema="corewire"):
    """The statements that create the tables and functions, in a schema."""
    text = "\n".join((SQL / name).read_text() for name in FILES)
    return text if schema == "corewire" else text.replace("corewire.", schema + ".")


def as_user(command):
    """A command for the server's user: the server refuses to run as root."""
    if os.getuid() != 0:
        return command
    user = pwd.getpwnam("postgres")
    return ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups", *command]


def copy(data, place):
    subprocess.run(["cp", "-a", data, place], check=True)


class Server:
    """A cluster. With `of`, a standby of another one."""

    niceness = 5

    def __init__(self, of=None, settings=(), name="standby", folder=None, port=None, starts=True):
        self.folder = pathlib.Path(folder or tempfile.mkdtemp(prefix="corewire-pg-", dir="/tmp"))
        self.data = self.folder / "data"
        if os.getuid() == 0:
            shutil.chown(self.folder, "postgres", "postgres")
        self.port = port or free_port()
        if of is None:
            self.make_data()
        else:
            self.run(
                "pg_basebackup",
                "-h",
                of.folder,
                "-p",
                of.port,
                "-U",
                "postgres",
                "-D",
                self.data,
                "-R",
                "-X",
                "stream",
                "-c",
                "fast",
                "--no-sync",
            )
            with open(self.data / "postgresql.auto.conf", "a") as conf:
                conf.write(
                    f"primary_conninfo = 'host={of.folder} port={of.port} user=postgres application_name={name}'\n"
                )
        with open(self.data / "postgresql.conf", "a") as conf:
            conf.write(f"port = {self.port}\nlisten_addresses = ''\nunix_socket_directories = '{self.folder}'\n")
            conf.write("max_connections = 60\nshared_buffers = 128MB\nlog_min_messages = panic\n")
            conf.write("log_min_error_statement = panic\n")
            for setting in settings:
                conf.write(setting + "\n")
        if starts:
            self.start()

    def make_data(self):
        """Copies what initdb made the first time, which takes less processor time than to run it again."""
        options = ["-U", "postgres", "-A", "trust", "--no-sync", "--no-locale", "-E", "UTF8"]
        # Other programs or other options make other data.
        kept = KEPT / f"{programs()}{''.join(options)}".replace("/", "-")
        if os.access(kept, os.R_OK):
            copy(kept, self.data)
            if os.getuid() == 0:
                subprocess.run(["chown", "-R", "postgres:postgres", self.data], check=True)
            return
        self.run("initdb", "-D", self.data, *options)
        KEPT.mkdir(parents=True, exist_ok=True)
        own = pathlib.Path(tempfile.mkdtemp(dir=KEPT))
        copy(self.data, own / "data")
        try:
            # Whole, or not there.
            (own / "data").rename(kept)
        except OSError:
            # Another process was first.
            pass
        shutil.rmtree(own)

    def run(self, program, *arguments):
        command = ["nice", "-n", str(self.niceness), str(programs() / program), *map(str, arguments)]
        done = subprocess.run(as_user(command), capture_output=True, text=True, cwd=self.folder)
        if done.returncode != 0:
            raise RuntimeError(f"{program}: {done.stdout}{done.stderr}")

    def start(self):
        self.run("pg_ctl", "-D", self.data, "-l", self.folder / "log", "-w", "-t", "60", "start")

    def stop(self, mode="immediate"):
        self.run("pg_ctl", "-D", self.data, "-m", mode, "-w", "stop")

    def promote(self):
        self.run("pg_ctl", "-D", self.data, "-w", "promote")

    def set(self, *settings):
        with open(self.data / "postgresql.conf", "a") as conf:
            conf.write("".join(setting + "\n" for setting in settings))
        self.run("pg_ctl", "-D", self.data, "reload")

    def kill(self):
        """Ends the server and all of its processes at once, as a power failure does."""
        leader = int((self.data / "postmaster.pid").read_text().split()[0])
        # Stopped first, so that no process is added to those that are found.
        os.kill(leader, signal.SIGSTOP)
        children = pathlib.Path(f"/proc/{leader}/task/{leader}/children").read_text().split()
        for pid in [*map(int, children), leader]:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        limit = time.monotonic() + 10
        for pid in [leader, *map(int, children)]:
            while pathlib.Path(f"/proc/{pid}").exists() and not is_zombie(pid) and time.monotonic() < limit:
                time.sleep(0.01)
        # These name a process that may be there still, until it is waited for.
        (self.data / "postmaster.pid").unlink(missing_ok=True)
        for path in self.folder.glob(".s.PGSQL.*"):
            path.unlink()

    def remove(self):
        if (self.data / "postmaster.pid").exists():
            try:
                self.stop()
            except RuntimeError:
                pass
        shutil.rmtree(self.folder, ignore_errors=True)

    def connect(self, user="postgres", **options):
        return psycopg.connect(self.address(user), autocommit=True, **options)

    def address(self, user="postgres"):
        return f"host={self.folder} port={self.port} user={user} dbname=postgres connect_timeout=60"

    def install(self, schema="corewire"):
        with self.connect() as connection:
            connection.execute("DO $outer$ BEGIN EXECUTE $body$" + sql(schema) + "$body$; END $outer$")


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def is_zombie(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z"
    except OSError:
        return True
