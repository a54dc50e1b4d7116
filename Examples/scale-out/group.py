"""What runs a group of runners with its database: processes, servers, runners, the load, and checks of the end."""

import contextlib
import http.client
import http.server
import itertools
import json
import os
import pathlib
import secrets
import shutil
import signal
import socket
import subprocess
import threading
import time

LANES = ["amber", "blue", "coral", "dune", "ebony", "fern"]
ROOT = os.geteuid() == 0


class Unexpected(Exception):
    """Something did not hold; the text says what."""


def expect(holds, text):
    """Print what was checked, or stop because it does not hold."""
    if not holds:
        raise Unexpected(text)
    print(f"   ok    {text}", flush=True)


def step(text):
    step.number += 1
    print(f"\n{step.number}. {text}", flush=True)


step.number = 0


def note(text):
    print(f"         {text}", flush=True)


def until(look, what, seconds=60):
    """Call a function until it returns something true, and return that."""
    end = time.monotonic() + seconds
    while True:
        found = look()
        if found:
            return found
        if time.monotonic() > end:
            raise Unexpected(f"{what} did not happen within {seconds} seconds")
        time.sleep(0.05)


def free_ports(count):
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]


class Process:
    """A process that ends with this program, even if this program is killed."""

    started = []

    def __init__(self, command, log, environment, user=None, end=signal.SIGTERM, death=signal.SIGKILL, place=()):
        """`end` stops the process in order; the kernel sends `death` when this program is killed.

        `place` is the beginning of the command: it enters the namespaces of the process.
        """
        self.log, self.end = log, end
        # The kernel sends the signal when the thread that started the process ends: start processes in the first one.
        guard = [*place, "setpriv", f"--pdeathsig={death.name[3:]}"] + as_user(user) + ["--"]
        with open(log, "ab") as output:
            self.process = subprocess.Popen(
                guard + [str(word) for word in command],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                env=environment,
                cwd="/",
                start_new_session=True,
            )
        self.started.append(self)

    @property
    def pid(self):
        return self.process.pid

    def check(self):
        if self.process.poll() is not None:
            tail = self.log.read_text(errors="replace")[-3000:]
            raise Unexpected(f"a process ended with status {self.process.returncode}; its log ends with:\n{tail}")

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(self.end)
            try:
                self.process.wait(15)
            except subprocess.TimeoutExpired:
                self.kill()

    @classmethod
    def stop_all(cls):
        """Stop all processes, the newest first."""
        for process in reversed(cls.started):
            process.stop()


def as_user(user):
    return [f"--reuid={user}", f"--regid={user}", "--clear-groups"] if user and ROOT else []


# MARK: The database


class Postgres:
    """A server of PostgreSQL with data of its own; with `of`, a standby of another one."""

    programs = None
    password = secrets.token_urlsafe(18)
    superuser = "owner"
    # Enters the namespaces of the server.
    place = ()

    def __init__(self, folder, name, port, of=None):
        self.name, self.port, self.folder = name, port, folder / name
        self.folder.mkdir(mode=0o700)
        if ROOT:
            shutil.chown(self.folder, "postgres", "postgres")
        self.data = self.folder / "data"
        if of is None:
            secret = self.folder / "password"
            secret.write_text(self.password)
            if ROOT:
                shutil.chown(secret, "postgres", "postgres")
            self.run("initdb", "-D", self.data, "-U", self.superuser, "-A", "scram-sha-256", f"--pwfile={secret}",
                     "-E", "UTF8", "--no-locale", "--no-sync", "--no-instructions")
            secret.unlink()
        else:
            self.copy(of)
        with open(self.data / "postgresql.conf", "a") as settings:
            settings.write(self.settings())
        command = [self.programs / "postgres", "-D", self.data]
        # SIGQUIT ends the server with its children at once.
        ends = (signal.SIGQUIT, signal.SIGQUIT)
        log = folder / f"{name}.log"
        self.process = Process(command, log, self.environment(), "postgres", *ends, place=self.place)
        self.wait()

    def copy(self, primary):
        self.run("pg_basebackup", "-d", primary.address(f" application_name={self.name}"), "-D", self.data, "-R",
                 "-X", "stream", "-c", "fast", "--no-sync")

    def settings(self):
        return (
            f"port = {self.port}\nlisten_addresses = '127.0.0.1'\n"
            f"unix_socket_directories = '{self.folder}'\nshared_buffers = 32MB\n"
            # Otherwise a promotion may wait for up to five seconds.
            "wal_retrieve_retry_interval = 500ms\n"
        )

    @classmethod
    def environment(cls):
        return {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "PGPASSWORD": cls.password}

    def address(self, more=""):
        return f"host=127.0.0.1 port={self.port} user={self.superuser} dbname=postgres{more}"

    def run(self, program, *arguments):
        user = ["setpriv", *as_user("postgres"), "--"] if ROOT else []
        command = [*self.place, *user, str(self.programs / program), *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, text=True, cwd="/", env=self.environment())
        if done.returncode != 0:
            raise Unexpected(f"{program}: {done.stdout}{done.stderr}")
        return done.stdout

    def wait(self):
        def answers():
            self.process.check()
            with contextlib.suppress(Unexpected):
                return self.sql("SELECT 1") == "1"

        until(answers, f"the start of the {self.name}")

    def sql(self, text):
        return self.run("psql", "-X", "-A", "-t", "-q", "-d", self.address(), "-c", text).strip()

    def kill(self):
        """End all processes of the server at once, as a power failure does."""
        children = pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        os.kill(self.process.pid, signal.SIGKILL)
        for child in children:
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(child), signal.SIGKILL)
        self.process.process.wait()


# MARK: The receiver


class Receiver(http.server.ThreadingHTTPServer):
    """An HTTP server that notes each request, in the order of arrival."""

    daemon_threads = True

    def __init__(self, address=("127.0.0.1", 0), answering=None):
        super().__init__(address, answering or Answering)
        self.lock = threading.Lock()
        self.orders = []  # (lane, number, id)
        self.reports = 0
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}/"

    def arrived(self):
        with self.lock:
            return list(self.orders)

    def count(self):
        """The number of requests; one that has arrived twice counts once."""
        return len({name for _, _, name in self.arrived()})

    def handle_error(self, request, client_address):
        pass  # a killed runner leaves broken connections


class Answering(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        with self.server.lock:
            if self.path.startswith("/orders"):
                order = json.loads(body)
                self.server.orders.append((order["lane"], order["number"], self.headers["Request-ID"]))
            elif self.path.startswith("/report"):
                self.server.reports += 1
        time.sleep(0.01)
        self.send_response(204)
        self.end_headers()

    do_GET = do_POST = do_PUT = answer

    def log_message(self, *arguments):
        pass


# MARK: The runners


class Connection(http.client.HTTPConnection):
    """An HTTP connection to the Unix socket of a runner."""

    def __init__(self, path):
        super().__init__("localhost", timeout=30)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(str(self.path))


class Runner:
    def __init__(self, name, command, log, socket, environment, place=()):
        self.name, self.command, self.log, self.socket = name, command, log, socket
        self.environment, self.place = environment, place

    def start(self):
        self.process = Process(self.command, self.log, self.environment, place=self.place)

    def ask(self, method, path, value=None, text=None, connection=None):
        """Send a request; return the status and the body, as JSON where it is."""
        connection = connection or Connection(self.socket)
        headers, body = {}, text
        if value is not None:
            headers, body = {"Content-Type": "application/json"}, json.dumps(value)
        connection.request(method, path, body, headers)
        response = connection.getresponse()
        content = response.read().decode()
        if "json" in (response.getheader("Content-Type") or ""):
            content = json.loads(content)
        return response.status, content

    def try_ask(self, *arguments, **options):
        """As `ask`; None where the runner does not answer."""
        with contextlib.suppress(OSError, http.client.HTTPException, ValueError):
            return self.ask(*arguments, **options)

    def wait(self):
        def is_ready():
            self.process.check()
            answer = self.try_ask("GET", "/readyz")
            return answer and answer[0] == 200

        until(is_ready, f"the start of the runner '{self.name}'")

    def token(self):
        status, body = self.ask("GET", "/v1/auth/token")
        return body.get("accessToken") if status == 200 else None


# MARK: The load


class Posting:
    """Posts requests, each lane one after the other, each request to the next of the runners.

    A request that is not accepted is posted again, with the same id, to the next runner.
    """

    def __init__(self, runners, count):
        self.runners, self.count = runners, count
        self.lock, self.open, self.gate = threading.Lock(), threading.Condition(), 0
        self.accepted, self.known, self.repeated, self.longest, self.stopped = {}, 0, 0, 0.0, False
        self.failure = None
        numbers = range(count)
        self.threads = [
            threading.Thread(target=self.post, args=(lane, numbers[index::len(LANES)]), daemon=True)
            for index, lane in enumerate(LANES)
        ]
        for thread in self.threads:
            thread.start()

    def allow(self, count):
        """Let requests up to a number be posted."""
        with self.open:
            self.gate = count
            self.open.notify_all()

    def post(self, lane, numbers):
        try:
            turns = itertools.cycle(self.runners)
            for number in numbers:
                with self.open:
                    self.open.wait_for(lambda: number < self.gate or self.stopped)
                self.post_one(lane, number, turns)
                if self.stopped:
                    return
        except Exception as error:  # the first thread reports it
            self.failure = error

    def post_one(self, lane, number, turns):
        name = f"order-{number}"
        order = {"path": "/orders", "lane": lane, "id": name, "json": {"lane": lane, "number": number}}
        begin = time.monotonic()
        while not self.stopped:
            answer = next(turns).try_ask("POST", "/v1/outbox", order)
            if answer and answer[0] in (200, 202):
                with self.lock:
                    self.accepted[name] = (lane, number)
                    self.known += answer[0] == 200
                    self.longest = max(self.longest, time.monotonic() - begin)
                return
            if answer and answer[0] < 500:
                raise Unexpected(f"a post was refused: {answer}")
            with self.lock:
                self.repeated += 1
            time.sleep(0.1)

    def wait(self, count, seconds=120):
        def is_done():
            if self.failure:
                raise Unexpected(f"posting failed: {self.failure}")
            return len(self.accepted) >= count

        until(is_done, f"the acceptance of {count} requests", seconds)


# MARK: The end


def wait_until_sent(runners, receiver, posting):
    """Wait until no request waits in the outbox of the group, and check what has arrived."""

    def is_empty():
        answers = [runner.try_ask("GET", "/v1/outbox") for runner in runners]
        return all(answer and answer[0] == 200 and answer[1]["waiting"] == 0 for answer in answers)

    try:
        until(is_empty, "the end of the queue", 120)
    except Unexpected:
        note(f"arrived: {receiver.count()} of {posting.count}")
        raise
    orders = receiver.arrived()
    names = {name for _, _, name in orders}
    missing = sorted(set(posting.accepted) - names)
    if missing:
        raise Unexpected(f"{len(missing)} requests have not arrived, such as {missing[:5]}")
    expect(True, f"each of the {posting.count} requests has arrived")
    foreign = [order for order in orders if posting.accepted.get(order[2]) != order[:2]]
    expect(not foreign, "each came with the id with which it was posted")
    twice = len(orders) - len(names)
    expect(True, f"arrived twice, with the same id, because the answer was lost: {twice}")
    for lane in LANES:
        numbers = [number for name, number, _ in orders if name == lane]
        if numbers != sorted(numbers):
            wrong = next(i for i in range(1, len(numbers)) if numbers[i] < numbers[i - 1])
            raise Unexpected(f"the lane {lane} is out of order: {numbers[max(0, wrong - 3):wrong + 3]}")
    expect(True, f"in each of the {len(LANES)} lanes they arrived in the order in which they were posted")


def same_token(runners):
    """The access token that all runners give; None where one of them gives none."""
    tokens = [runner.token() for runner in runners]
    return tokens[0] if all(tokens) and len(set(tokens)) == 1 else None


def print_ends(runners):
    """Print what the runners say of themselves, and the ends of their logs."""
    for runner in runners:
        print(f"\n{runner.name}: {runner.try_ask('GET', '/readyz?verbose')}")
        print(f"   sign-in: {runner.try_ask('GET', '/v1/auth')}")
        print("".join(f"   {line}\n" for line in runner.log.read_text(errors="replace").splitlines()[-12:]), end="")


def find_postgres():
    found = [path for path in pathlib.Path("/usr/lib/postgresql").glob("*/bin") if (path / "initdb").exists()]
    if not found:
        raise Unexpected("there is no PostgreSQL in /usr/lib/postgresql: run 'apt-get install postgresql'")
    return max(found, key=lambda path: float(path.parent.name))
