#!/usr/bin/env python3
"""Runs Examples/scale-out/systemd on three machines, cuts the network of one and of the primary.

    machines.py --programs FOLDER [--requests N]

The machines are network namespaces with a root of their own; the servers have machines too. The commands are those of
the units and of docs/scale-out.md. Needs root, and ends with 77 where namespaces cannot be made.
"""

import argparse
import asyncio
import concurrent.futures
import contextlib
import pathlib
import queue
import shutil
import signal
import ssl
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True
TOP = pathlib.Path(__file__).resolve().parents[2]
EXAMPLE = TOP / "Examples" / "scale-out"
sys.path[:0] = [str(EXAMPLE), str(TOP / "Tests" / "Soak")]
from group import (  # noqa: E402
    Answering, Postgres, Posting, Process, Receiver, Runner, Unexpected, expect, find_postgres, note, print_ends,
    same_token, step, until, wait_until_sent,
)
from harness import issuer  # noqa: E402
from network import ENVIRONMENT, Machine, Switch, command  # noqa: E402
from units import Unit  # noqa: E402

MISSING = 77
HOSTS = {
    "db1.example.com": "10.77.0.11", "db2.example.com": "10.77.0.12", "sso.example.com": "10.77.0.21",
    "api.example.com": "10.77.0.22",
}
NODES = {"node1": "10.77.0.1", "node2": "10.77.0.2", "node3": "10.77.0.3"}
SECRETS = "/etc/postgresql/secrets"


class Server(Postgres):
    """A database server with the example's settings, on a machine of its own; with `of`, a standby."""

    superuser = "postgres"

    def __init__(self, machine, folder, of=None):
        self.machine, self.place = machine, machine.place
        user = int(command("id", "-u", "postgres"))
        for name in ["corewire.conf", "pg_hba.conf", "follow", "users.sql", "synchronous.sql"]:
            machine.write(f"/etc/postgresql/{name}", (EXAMPLE / "database" / name).read_text(), user, 0o755)
        host = machine.name
        names = ["db-ca.pem", "db-password", "owner-password", "replication-password"]
        for name, file in [*zip(names, names), ("server.pem", f"{host}.pem"), ("server.key", f"{host}.key")]:
            machine.write(f"{SECRETS}/{name}", (folder / "secrets" / file).read_text(), user, 0o600)
        machine.path(machine.shared).chmod(0o755)
        super().__init__(machine.shared, "server", 5432, of)

    def copy(self, primary):
        name = f"{primary.machine.name}.example.com"
        words = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
        variables = {**ENVIRONMENT, "PATH": f"{self.programs}:{ENVIRONMENT['PATH']}", "PGDATA": str(self.data)}
        until(lambda: self.reaches(name), f"a way from {self.machine.name} to {name}")
        self.machine.run(*words, "/etc/postgresql/follow", name, self.machine.name, environment=variables)

    def reaches(self, name):
        with contextlib.suppress(Unexpected):
            return self.run("pg_isready", "--host", name)

    def settings(self):
        return (
            f"include '/etc/postgresql/corewire.conf'\nunix_socket_directories = '{self.folder}'\n"
            "shared_buffers = 32MB\nwal_retrieve_retry_interval = 500ms\n"
        )

    def address(self, more=""):
        return f"host={self.folder} user=postgres dbname=postgres{more}"

    def execute(self, name):
        return self.run("psql", "-X", "-q", "-d", self.address(), "-f", f"/etc/postgresql/{name}")


class Node(Runner):
    """A machine with the unit of a runner."""

    def __init__(self, machine, folder, options):
        self.machine = machine
        machine.write("/etc/corewire/mobile-services.yaml", (EXAMPLE / "mobile-services.yaml").read_text())
        authority = (folder / "secrets" / "db-ca.pem").read_text()
        machine.write("/etc/corewire/db-ca.pem", authority)
        machine.write("/etc/ssl/certs/ca-certificates.crt", authority)
        for name in ["store-key", "db-password"]:
            machine.write(f"/etc/corewire/secrets/{name}", (folder / "secrets" / name).read_text(), 0, 0o600)
        files = [TOP / "Units" / "corewire.service", EXAMPLE / "systemd" / "corewire.service.d" / "scale-out.conf"]
        self.unit = Unit(files, machine.name)
        self.unit.prepare(machine)
        variables = self.unit.environment
        instance = f"com.example.tasks@{variables['COREWIRE_INSTANCE']}"
        socket = machine.path(f"{variables['RUNTIME_DIRECTORY']}/{instance}/api.sock")
        super().__init__(
            machine.name, self.unit.command + options, folder / f"{machine.name}.log", socket, variables,
            self.unit.place(machine),
        )

    def corewire(self, *words, text="", status=0):
        """Type a command as root, as docs/scale-out.md says."""
        variables = {**ENVIRONMENT, "COREWIRE_INSTANCE": self.name, "CREDENTIALS_DIRECTORY": "/etc/corewire/secrets"}
        return self.machine.run("corewire", *words, text=text, environment=variables, status=status)

    def add_key(self, key):
        """Write the file of a second key, and the line of the drop-in that loads it."""
        self.machine.write("/etc/corewire/secrets/store-key-2", key, 0, 0o600)
        self.unit.settings["LoadCredential"].append("store-key-2:/etc/corewire/secrets/store-key-2")

    def restart(self, key, previous):
        """Restart with other keys; return the size of the log before."""
        self.process.stop()
        status = self.process.process.returncode
        if status != 0:
            raise Unexpected(f"{self.name} ended with status {status}")
        keys = f'key: "${{credential:{key}}}"\n' + (f'  previousKey: "${{credential:{previous}}}"\n' if previous else "")
        text = (EXAMPLE / "mobile-services.yaml").read_text()
        self.machine.write("/etc/corewire/mobile-services.yaml", text.replace('key: "${credential:store-key}"\n', keys))
        self.unit.prepare(self.machine)
        size = self.log.stat().st_size
        self.start()
        self.wait()
        return size

    def has_changed_key(self, begin):
        return "all data is encrypted with 'persistence.key'" in self.log.read_bytes()[begin:].decode(errors="replace")


class Holding(Answering):
    """Answers no machine before node3 has a request under way, and node3 only when it may."""

    names = []
    held = queue.SimpleQueue()
    is_held, may_answer = threading.Event(), threading.Event()

    def send_response(self, *words):
        name = self.headers["Request-ID"]
        self.names.append(name)
        if self.client_address[0] != NODES["node3"]:
            self.is_held.wait()
        elif not self.may_answer.is_set():
            self.held.put(name)
            self.is_held.set()
            self.may_answer.wait()
        super().send_response(*words)


class Trial:
    def __init__(self, folder, programs, count):
        self.folder, self.programs, self.count = folder, programs, count
        self.runners, self.posting = [], None
        self.switch = Switch(folder)

    def machine(self, name, address):
        files = {
            "/usr/local/bin/corewire": self.programs / "corewire",
            "/usr/local/libexec/corewire/corewire-runner": self.programs / "corewire-runner",
        }
        return Machine(self.switch, name, address, HOSTS, files)

    def run(self):
        self.start_databases()
        self.start_servers()
        self.start_runners()
        self.sign_in()
        self.cut_machine()
        self.cut_primary()
        self.look_at_the_end()
        self.change_key()

    def start_databases(self):
        step("Start a primary and a standby on two machines, with the settings of the example")
        command(EXAMPLE / "make-secrets", self.folder / "secrets")
        self.machines = {name: self.machine(name, HOSTS[f"{name}.example.com"]) for name in ["db1", "db2"]}
        self.primary = Server(self.machines["db1"], self.folder)
        self.primary.execute("users.sql")
        self.standby = Server(self.machines["db2"], self.folder, of=self.primary)
        self.synchronise(self.primary, "db2")

    def synchronise(self, primary, standby):
        primary.execute("synchronous.sql")
        words = "concat_ws(' ', application_name, sync_state, ssl)"
        state = f"SELECT {words} FROM pg_stat_replication JOIN pg_stat_ssl USING (pid)"
        until(lambda: primary.sql(state) == f"{standby} sync t", "replication over TLS")
        expect(True, f"{primary.machine.name} waits for {standby} at each commit, over TLS")

    def start_servers(self):
        step("Start the identity server and the server that receives the requests, over TLS")
        secrets = self.folder / "secrets"
        names = ",".join(f"DNS:{name}" for name in HOSTS)
        key, certificate = self.folder / "servers.key", self.folder / "servers.pem"
        request = command(
            "openssl", "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", "/CN=servers",
            "-addext", f"subjectAltName={names}", "-keyout", key,
        )
        command(
            "openssl", "x509", "-req", "-CA", secrets / "db-ca.pem", "-CAkey", secrets / "db-ca.key", "-days", "2",
            "-copy_extensions", "copy", "-out", certificate, text=request,
        )
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        with self.machine("api", HOSTS["api.example.com"]).network():
            self.receiver = Receiver((HOSTS["api.example.com"], 443), Holding)
        self.receiver.socket = context.wrap_socket(
            self.receiver.socket, server_side=True, do_handshake_on_connect=False
        )
        issuer.CLIENT = "tasks"
        self.issuer = issuer.Issuer()
        self.issuer.base = "https://sso.example.com"
        machine = self.machine("sso", HOSTS["sso.example.com"])
        listening = threading.Event()

        async def serve():
            with machine.network():
                await asyncio.start_server(self.issuer.serve, HOSTS["sso.example.com"], 443, ssl=context)
            listening.set()
            await asyncio.Event().wait()

        threading.Thread(target=lambda: asyncio.run(serve()), daemon=True).start()
        if not listening.wait(20):
            raise Unexpected("the identity server did not start")

    def start_runners(self):
        step("Start the unit on three machines")
        # A smaller time than that of the file, so that this ends sooner.
        options = ["--set", "persistence.store.giveUpAfter=10s"]
        self.runners = [Node(self.machine(name, address), self.folder, options) for name, address in NODES.items()]
        self.migrate(self.runners[0])
        for runner in self.runners:
            runner.start()
        for runner in self.runners:
            runner.wait()
        one = self.runners[0]
        status = one.corewire("store", "status")
        expect("with 3 runners" in status, "corewire store status lists three runners:")
        for line in status.splitlines():
            note(line)
        for name in NODES:
            expect(f" on {name}," in status, f"one of them is on {name}")
        expect("ready" in one.corewire("status"), "corewire status on node1: ready")

    def migrate(self, node):
        owner = (self.folder / "secrets" / "owner-password").read_text()
        made = node.corewire("store", "migrate", "--as", "corewire_owner", "--password", text=owner)
        expect("may call its functions" in made, f"corewire store migrate: {made.replace(chr(10), '; ')}")

    def sign_in(self):
        step("Sign in on node1")
        one = self.runners[0]
        status, body = one.ask("POST", "/v1/auth/login", {"flow": "browser"})
        if status not in (200, 202) or "url" not in body:
            raise Unexpected(f"the sign-in did not begin: {status} {body}")
        one.machine.run("curl", "--silent", "--show-error", "--fail", "--location", "--output", "/dev/null", body["url"])
        until(lambda: same_token(self.runners), "the same access token on all machines")
        expect(True, "the three machines give the same access token")

    def cut_machine(self):
        count = self.count
        step(f"Post {count} requests on the three machines, and cut node3 off meanwhile")
        self.posting = posting = Posting(self.runners, count)
        first = count // 6
        posting.allow(first)
        cut = self.runners[2]
        # Its answer does not reach node3, which has the request under way.
        held = self.hold_request(cut)
        self.switch.cut(cut.machine)
        Holding.may_answer.set()
        note(f"cut off while it sends {held}: {len(posting.accepted)} requests accepted, {self.receiver.count()} arrived")
        refused = concurrent.futures.ThreadPoolExecutor(1).submit(
            cut.ask, "POST", "/v1/outbox", {"path": "/orders", "id": "cut-off", "json": {}}
        )
        posting.wait(first)
        expect(True, f"{first} requests are accepted by the others")
        until(lambda: self.receiver.count() >= first, "the arrival of all requests without node3")
        until(lambda: Holding.names.count(held) == 2, f"the second arrival of {held}")
        expect(True, f"another machine has sent {held} again, with the same id")
        until(lambda: "with 2 runners" in self.runners[0].corewire("store", "status"), "the end of node3's membership")
        expect(refused.result()[0] == 503, "node3 has accepted nothing")
        expect(cut.ask("PUT", "/v1/state/window/size", text="800x600")[0] == 201, "node3 keeps values of its own")
        self.switch.join(cut.machine)
        until(lambda: "with 3 runners" in self.runners[0].corewire("store", "status"), "the return of node3")
        expect(True, "joined again: the group has three runners again")
        until(lambda: same_token(self.runners), "the same access token on all machines")
        expect(True, "the three machines give the same access token")

    def hold_request(self, node):
        """Post requests on lanes of their own until a machine has one under way; return its id.

        The others get no answers, and have no more than four requests under way each (`parallel`).
        """
        for number in range(4 * len(self.runners)):
            order = {"path": "/more", "lane": f"more-{number}", "id": f"more-{number}", "json": {}}
            status, body = node.ask("POST", "/v1/outbox", order)
            if status != 202:
                raise Unexpected(f"a post was not accepted: {status} {body}")
            with contextlib.suppress(queue.Empty):
                return Holding.held.get(timeout=0.5)
        try:
            return Holding.held.get(timeout=120)
        except queue.Empty:
            raise Unexpected(f"{node.name} has claimed no request") from None

    def cut_primary(self):
        step("Cut the primary off, and promote the standby")
        count = self.count
        self.posting.allow(count * 2 // 3)
        self.posting.wait(count // 2)
        self.switch.cut(self.machines["db1"])
        note(f"cut off: {len(self.posting.accepted)} requests accepted, {self.receiver.count()} arrived")
        self.standby.run("pg_ctl", "-D", self.standby.data, "-w", "promote")
        begin = time.monotonic()
        self.posting.allow(count)
        self.posting.wait(count)
        expect(True, f"{count} requests are accepted, {time.monotonic() - begin:.1f} s after the promotion")
        # The former primary must not accept writes again: it comes back as a standby of the new one.
        self.primary.kill()
        shutil.rmtree(self.primary.data)
        self.switch.join(self.machines["db1"])

    def look_at_the_end(self):
        step("Make the former primary a standby, wait until the outbox is empty, and look at what has arrived")
        shutil.rmtree(self.primary.folder)
        self.primary = Server(self.machines["db1"], self.folder, of=self.standby)
        self.synchronise(self.standby, "db1")
        wait_until_sent(self.runners, self.receiver, self.posting)
        until(lambda: same_token(self.runners), "the same access token on all machines")
        expect(True, "the session is still there")

    def change_key(self):
        step("Change the key in three rounds, each machine after the other")
        self.runners[0].ask("PUT", "/v1/state/notes/first", text="kept")
        command("openssl", "rand", "-base64", "-out", self.folder / "secrets" / "store-key-2", "32")
        for runner in self.runners:
            runner.add_key((self.folder / "secrets" / "store-key-2").read_text())
        for key, previous in [("store-key", "store-key-2"), ("store-key-2", "store-key"), ("store-key-2", None)]:
            begins = [runner.restart(key, previous) for runner in self.runners]
            if previous == "store-key":
                until(lambda: all(map(Node.has_changed_key, self.runners, begins)), "the end of the second round")
            until(lambda: same_token(self.runners), "the same access token on all machines")
            expect(True, f"key {key}, previousKey {previous}: the session is still there")
        values = {runner.ask("GET", "/v1/state/notes/first")[1] for runner in self.runners}
        expect(values == {"kept"}, "and the values")
        status = self.runners[0].corewire("store", "status")
        expect("with 3 runners" in status, "the group has three runners")


def can_make_namespaces():
    words = ["sh", "-ec", "ip link add name a0 type bridge; mount -t tmpfs tmpfs /mnt"]
    return subprocess.run(["unshare", "--net", "--mount", "--uts", *words], capture_output=True).returncode == 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--programs", type=pathlib.Path, required=True)
    parser.add_argument("--requests", type=int, default=120)
    arguments = parser.parse_args()
    if not can_make_namespaces():
        print("namespaces cannot be made here")
        return MISSING
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    Postgres.programs = find_postgres()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="corewire-machines-", dir="/tmp"))
    folder.chmod(0o711)
    trial = None
    try:
        trial = Trial(folder, arguments.programs.resolve(), arguments.requests)
        trial.run()
        return 0
    except (Unexpected, OSError) as error:
        print(f"   FAIL  {error}", flush=True)
        print_ends(trial.runners if trial else [])
        return 1
    finally:
        if trial and trial.posting:
            trial.posting.stopped = True
        Process.stop_all()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
