"""The programs that benchmarks compare, what loads and watches them, and the rows that a part reports."""

import argparse
import http.client
import json
import os
import re
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
# The programs that are measured.
PROGRAMS = Path(os.environ.get("BENCH_PROGRAMS") or ROOT / ".build/release").absolute()
PYTHON = ROOT / ".build/python/bin/python3"
RESULTS = ROOT / ".build/bench/results.json"
PART = Path(sys.argv[0]).name
FOLDER = ROOT / ".build/bench" / PART

STORE = """\
environments:
  dev: { baseUrl: "https://dev.example.com" }
  stage: { baseUrl: "https://stage.example.com" }
persistence: { namespaces: { n: { perEnvironment: false } } }
"""
APP = "version: 1\napp: { id: com.example.bench }\nenvironment: dev\n"
LIMITS = "connections: 320, connectionsPerUser: 320"


# The options of a part, and what it needs


def options(text, **sizes):
    """The options of a part: of each size the default, its value with --thorough, and what it is."""
    parser = argparse.ArgumentParser(description=text.splitlines()[0])
    parser.add_argument("--thorough", action="store_true", help="more rounds and larger sizes")
    for name, (usual, thorough, what) in sizes.items():
        values = f"{usual}; {thorough} with --thorough" if usual != thorough else usual
        parser.add_argument(f"--{name}", type=type(usual), help=f"{what} ({values})")
    arguments = parser.parse_args()
    for name, values in sizes.items():
        if getattr(arguments, name) is None:
            setattr(arguments, name, values[arguments.thorough])
    return arguments


def prepare(*packages, python=()):
    """Installs what a part needs, and empties its folder; for packages of Python it goes on in an interpreter with them."""
    if python and sys.executable != str(PYTHON):
        subprocess.run([ROOT / "Scripts/require-python", *python], check=True)
        os.execv(PYTHON, [PYTHON, *sys.argv])
    subprocess.run([ROOT / "Scripts/require-packages", *packages], check=True)
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)


def built(name):
    """A program of the build."""
    if not (PROGRAMS / name).exists():
        help = "run 'make bench' or 'make scale', or name its folder in BENCH_PROGRAMS"
        sys.exit(f"error: {PROGRAMS / name} is missing\n  = help: {help}")
    return PROGRAMS / name


def compiled(name, *libraries):
    """A C program of this folder, compiled."""
    subprocess.run(["cc", "-O2", "-o", FOLDER / name, ROOT / f"Benchmarks/{name}.c", *libraries], check=True)
    return FOLDER / name


def told(*command, **settings):
    """What a program prints."""
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, check=True, **settings).stdout


# The rows


class Goal(NamedTuple):
    operator: str
    number: float
    unit: str


def at_most(number, unit="x"):
    """A goal for the ratio to the peer, or with another unit for the figure of corewire."""
    return Goal("<=", number, unit)


def at_least(number, unit="x"):
    return Goal(">=", number, unit)


COLUMNS = "{:46} {:>10} {:8}{:24}{:>10} {:>10}  {:12} {}"
HEADING = COLUMNS.format("work", "corewire", "", "peer", "", "ratio", "goal", "").rstrip()
printed = []


def row(work, unit, ours, peer=None, theirs=None, goal=None):
    """Reports a figure of corewire beside that of a peer, if there is one: a number each, or one of each round.

    The ratio is the median of those of the rounds: a machine that others use is not the same from one to the next. More is
    better where the unit is that of a rate or the goal is a least one.
    """
    mine, others = (figures if isinstance(figures, list) else [figures] for figures in (ours, theirs))
    own, other, ratio = statistics.median(mine), None, None
    if peer:
        other = statistics.median(others)
        pairs = zip(mine, others) if len(mine) == len(others) else [(own, other)]
        ratios = [one / another for one, another in pairs if another > 0]
        ratio = statistics.median(ratios) if ratios else None
    reached, measured = None, ratio if goal and goal.unit == "x" else own
    if goal and measured is not None:
        reached = measured <= goal.number if goal.operator == "<=" else measured >= goal.number
    better = "more" if unit.endswith("/s") or goal and goal.operator == ">=" else "less"
    entry = dict(part=PART, work=work, unit=unit, corewire=own, peer=peer, peerValue=other, ratio=ratio, better=better)
    entry.update(goal=goal and goal._asdict(), reached=reached)
    if not printed:
        print(HEADING)
    printed.append(line(entry))
    print(printed[-1], flush=True)
    if "BENCH_ROWS" in os.environ:
        with open(os.environ["BENCH_ROWS"], "a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")


def line(entry):
    """A row as a line of the table."""
    goal, reached = entry["goal"], {True: "reached", False: "missed", None: "no figure"}[entry["reached"]]
    return COLUMNS.format(
        *[entry["work"], figure(entry["corewire"]), entry["unit"], entry["peer"] or "", figure(entry["peerValue"])],
        *[figure(entry["ratio"], " x"), f"{goal['operator']} {goal['number']:g} {goal['unit']}" if goal else ""],
        reached if goal else "",
    ).rstrip()


def figure(value, unit=""):
    return "" if value is None else f"{value:,.0f}{unit}" if abs(value) >= 100 else f"{value:.3g}{unit}"


# Programs that are started


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def until(holds, what, limit=20, pause=0.002):
    """Asks again and again; seldom where asking costs something, and what is measured goes on meanwhile."""
    end = time.monotonic() + limit
    while not (answer := holds()):
        if time.monotonic() > end:
            sys.exit(f"error: {what} did not come within {limit} s")
        time.sleep(pause)
    return answer


def answers(port, path="/"):
    try:
        with socket.create_connection(("127.0.0.1", port), 1) as connection:
            connection.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n".encode())
            return connection.recv(64).startswith(b"HTTP/1.1 ")
    except OSError:
        return False


@contextmanager
def started(*command, until_it=None, **settings):
    """A program, ended whatever happens."""
    process = subprocess.Popen(list(map(str, command)), **{"stderr": subprocess.DEVNULL, **settings})
    try:
        if until_it:
            until(until_it, command[0])
        yield process
    finally:
        process.terminate()
        process.wait()


class Corewire:
    """A runner with a store, or with other sections, in folders of its own."""

    def __init__(self, folder, sections=STORE, app=APP, limits=LIMITS, api=""):
        self.folder = folder
        for part in ["state", "run", "cache"]:
            (self.folder / part).mkdir(parents=True, exist_ok=True)
        self.port = free_port()
        self.program = built("corewire-dev-runner" if "backend: embedded" in sections else "corewire-runner")
        self.file = self.folder / "services.yaml"
        self.file.write_text(
            f"{app}{sections}api: {{ listen: 127.0.0.1:{self.port}, limits: {{ {limits}, rate: 1000000 }}{api} }}\n"
        )
        self.variables = dict(
            os.environ,
            XDG_STATE_HOME=str(self.folder / "state"),
            XDG_RUNTIME_DIR=str(self.folder / "run"),
            XDG_CACHE_HOME=str(self.folder / "cache"),
        )

    def begin(self, **variables):
        with open(self.folder / "log", "ab") as log:
            command = [self.program, "run", "--config", self.file]
            self.process = subprocess.Popen(command, env=dict(self.variables, **variables), stderr=log)

    def start(self, limit=20):
        self.begin()
        try:
            until(lambda: self.process.poll() is not None or answers(self.port, "/livez"), "the runner's first answer", limit)
            if self.process.poll() is not None:
                sys.exit(f"error: the runner ended:\n{(self.folder / 'log').read_text()[-2000:]}")
        except BaseException:
            self.stop()
            raise
        return self

    def start_telling(self, limit=20):
        """Starts it; the milliseconds from exec until systemd is told that it is ready."""
        place = self.folder / "notify"
        place.unlink(missing_ok=True)
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notified:
            notified.bind(str(place))
            notified.settimeout(limit)
            begin = time.perf_counter()
            self.begin(NOTIFY_SOCKET=str(place))
            try:
                while b"READY=1" not in notified.recv(4096):
                    pass
            except BaseException:
                self.stop()
                raise
            return (time.perf_counter() - begin) * 1000

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()

    def __enter__(self):
        self.start()
        self.token = (self.folder / "run/corewire/com.example.bench/api-token").read_text().strip()
        return self

    def __exit__(self, *_):
        self.stop()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    @property
    def socket(self):
        return str(self.folder / "run/corewire/com.example.bench/api.sock")

    def local(self):
        """A connection to its socket, for one request after the other."""
        connection = http.client.HTTPConnection("localhost")
        connection.sock = socket.socket(socket.AF_UNIX)
        connection.sock.connect(self.socket)
        return connection

    def ask(self, method, path, body=b""):
        """The status of an answer over its socket."""
        connection = self.local()
        kind = "application/json" if path.startswith("/v1/env") else "text/plain"
        connection.request(method, path, body, {"Content-Type": kind})
        return connection.getresponse().status

    def get(self, path, connection=None, **fields):
        """An answer over TCP, and its body."""
        connection = connection or http.client.HTTPConnection("127.0.0.1", self.port)
        connection.request("GET", path, headers={"Authorization": f"Bearer {self.token}", **fields})
        response = connection.getresponse()
        return response, response.read()

    def access_token(self):
        """The answer that has the token of the user, once somebody is signed in."""
        response, body = self.get("/v1/auth/token")
        return body if response.status == 200 else None

    def issuer(self):
        """The address of its identity server."""

        def ask():
            response, body = self.get("/v1/backends/issuer")
            return json.loads(body) if response.status == 200 else None

        facts = until(ask, "the identity server")
        return f"{facts['address']}/realms/{facts['realms'][0]}"

    def metric(self, name):
        connection = self.local()
        connection.request("GET", "/metrics")
        text = connection.getresponse().read().decode()
        connection.close()
        found = re.search(rf"^corewire_{re.escape(name)} (\S+)$", text, re.M)
        return float(found[1]) if found else None


def default_file(folder):
    """A runner of a copy of configs/local.yaml, on ports that are free, where ada signs in by herself."""
    shutil.copytree(ROOT / "configs/local", folder / "local")
    text = (ROOT / "configs/local.yaml").read_text().partition("\napi:")[0].replace("com.example.local", "com.example.bench")
    text = re.sub(r"127\.0\.0\.1:\d+", lambda _: f"127.0.0.1:{free_port()}", text)
    text = re.sub("^auth:", "auth:\n  flow: password\n  username: ada\n  password: wonder", text, flags=re.M)
    return Corewire(folder, f"{text}\n", app="")


def asked(connection, method, path, body=None):
    """What is answered, as JSON where there is any."""
    text = json.dumps(body) if body is not None else None
    connection.request(method, path, text, {"Content-Type": "application/json"} if text else {})
    answer = connection.getresponse()
    read = answer.read()
    if answer.status >= 400:
        sys.exit(f"error: {method} {path} was answered with {answer.status} {read[:300]}")
    return json.loads(read) if read else None


class Peer(NamedTuple):
    port: int
    process: subprocess.Popen

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"


@contextmanager
def nginx(folder, inner, outer="", connections=4096, before=""):
    """nginx with a server, over TCP and over a Unix socket."""
    port = free_port()
    (folder / "t").mkdir(parents=True)
    temporary = "".join(f"{name}_temp_path t; " for name in ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"])
    (folder / "nginx.conf").write_text(
        f"{before} user root; pid nginx.pid; daemon off; worker_processes 2; error_log stderr; "
        f"events {{ worker_connections {connections}; }}\n"
        f"http {{ access_log off; sendfile on; keepalive_requests 1000000000; default_type text/plain; {temporary}\n{outer}\n"
        f"server {{ listen 127.0.0.1:{port} backlog=4096; listen unix:{folder}/socket;\n{inner}\n}} }}\n"
    )
    command = ["/usr/sbin/nginx", "-p", folder, "-c", folder / "nginx.conf"]
    with started(*command, until_it=lambda: answers(port)) as process:
        yield Peer(port, process)


@contextmanager
def caddy(folder, inner):
    port = free_port()
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "Caddyfile").write_text(f"{{\n admin off\n auto_https off\n}}\nhttp://127.0.0.1:{port} {{\n {inner}\n}}\n")
    variables = dict(os.environ, HOME=str(folder), XDG_DATA_HOME=str(folder), XDG_CONFIG_HOME=str(folder))
    command = ["caddy", "run", "--config", folder / "Caddyfile", "--adapter", "caddyfile"]
    with started(*command, until_it=lambda: answers(port), env=variables) as process:
        yield Peer(port, process)


@contextmanager
def redis():
    """Redis that has the disk confirm each write; its port."""
    folder, port = FOLDER / "redis", free_port()
    folder.mkdir()
    command = ["redis-server", "--port", port, "--dir", folder, "--bind", "127.0.0.1", "--save", ""]
    command += ["--appendonly", "yes", "--appendfsync", "always"]
    ping = ["redis-cli", "-p", str(port), "ping"]

    def is_there():
        return subprocess.run(ping, capture_output=True, check=False).stdout == b"PONG\n"

    with started(*command, until_it=is_there, stdout=subprocess.DEVNULL):
        yield port


def redis_rate(port, connections, requests, *command):
    """How many commands a second Redis has confirmed."""
    text = told("redis-benchmark", "-p", port, "-c", connections, "-n", requests, "--csv", *command)
    return float(text.splitlines()[-1].split('","')[1])


# Load


def loaded(url, connections, seconds, token=None, script=None, threads=2):
    """Requests a second, and how many there were."""
    fields = ["-H", f"Authorization: Bearer {token}"] if token else []
    fields += ["-s", script] if script else []
    text = told("wrk", f"-t{min(threads, connections)}", f"-c{connections}", f"-d{seconds}s", *fields, url)
    if "Non-2xx" in text:
        sys.exit(f"error: {url} was refused:\n{text}")
    return float(re.search(r"Requests/sec:\s+([\d.]+)", text)[1]), int(re.search(r"(\d+) requests in", text)[1])


def load(*what, **more):
    return loaded(*what, **more)[0]


def loaded_process(process, work):
    """Requests a second, and the processor's microseconds for each."""
    before, begin = processor_time(process), time.monotonic()
    rate = work()
    requests = max(1, rate * (time.monotonic() - begin))
    return rate, (processor_time(process) - before) / 1000 / requests


def family(process):
    """The numbers of a process, and of those it has started."""
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    return [process.pid, *map(int, children)]


def resident(process):
    """The memory of a process, and of those it has started, in MiB."""
    states = [Path(f"/proc/{pid}/status").read_text() for pid in family(process)]
    return sum(int(re.search(r"VmRSS:\s+(\d+)", state)[1]) for state in states) / 1024


def processor_time(process):
    """Nanoseconds a process, and those it has started, have used of a processor: no ticks, and no time of other processes.

    Each process has a clock of its own (clock_getcpuclockid(3)), which counts threads that have ended too.
    """
    return sum(time.clock_gettime_ns(~pid << 3 | 2) for pid in family(process))
