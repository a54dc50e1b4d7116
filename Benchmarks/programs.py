"""The programs that benchmarks compare, started beside each other, and what loads and watches them."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = ROOT / ".build/release/corewire-runner"
# The one that has the embedded servers.
DEVELOPMENT_PROGRAM = ROOT / ".build/release/corewire-dev-runner"

STORE = """\
environments:
  dev: { baseUrl: "https://dev.example.com" }
  stage: { baseUrl: "https://stage.example.com" }
persistence: { namespaces: { n: { perEnvironment: false } } }
"""


def row(work, ours, theirs, ratio, goal=""):
    print(f"{work:44}{ours:>12}{theirs:>12}  {ratio:>8}  {goal}", flush=True)


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


class Corewire:
    """A runner with a store, or with other sections, in folders of its own."""

    def __init__(self, folder, sections=STORE):
        self.folder = folder
        for part in ["state", "run", "cache"]:
            (self.folder / part).mkdir(parents=True, exist_ok=True)
        self.port = free_port()
        self.program = DEVELOPMENT_PROGRAM if "backend: embedded" in sections else PROGRAM
        self.file = self.folder / "services.yaml"
        self.file.write_text(
            f"version: 1\napp: {{ id: com.example.bench }}\nenvironment: dev\n{sections}"
            f"api: {{ listen: 127.0.0.1:{self.port}, limits: {{ connections: 320, connectionsPerUser: 320, rate: 1000000 }} }}\n"
        )
        self.variables = dict(
            os.environ,
            XDG_STATE_HOME=str(self.folder / "state"),
            XDG_RUNTIME_DIR=str(self.folder / "run"),
            XDG_CACHE_HOME=str(self.folder / "cache"),
        )

    def start(self):
        log = open(self.folder / "log", "ab")
        self.process = subprocess.Popen([self.program, "run", "--config", self.file], env=self.variables, stderr=log)
        until(lambda: answers(self.port, "/livez"), "the runner's first answer")
        return self

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
    def socket(self):
        return str(self.folder / "run/corewire/com.example.bench/api.sock")

    def ask(self, method, path, body=b""):
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(self.socket)
            kind = "application/json" if path.startswith("/v1/env") else "text/plain"
            head = f"{method} {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: {kind}\r\n"
            connection.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
            answer = b""
            while more := connection.recv(65536):
                answer += more
        return int(answer.split(b" ", 2)[1])


@contextmanager
def nginx(folder, body="hello"):
    """nginx that answers with a text, over TCP and over a Unix socket."""
    port = free_port()
    (folder / "logs").mkdir(parents=True)
    temporary = "".join(f"{name}_temp_path t; " for name in ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"])
    (folder / "nginx.conf").write_text(
        f"pid nginx.pid; daemon off; worker_processes 2; error_log stderr;\nevents {{ worker_connections 2048; }}\n"
        f"http {{ access_log off; keepalive_requests 1000000000; {temporary}\n"
        f"server {{ listen 127.0.0.1:{port}; listen unix:{folder}/socket; location / {{ return 200 '{body}'; }} }} }}\n"
    )
    process = subprocess.Popen(["/usr/sbin/nginx", "-p", folder, "-c", folder / "nginx.conf"], stderr=subprocess.DEVNULL)
    until(lambda: answers(port), "nginx")
    nginx.process = process
    yield f"http://127.0.0.1:{port}/"
    process.terminate()
    process.wait()


def caddy_command(folder, port, body="hello"):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "Caddyfile").write_text(
        f'{{\n admin off\n auto_https off\n}}\nhttp://127.0.0.1:{port} {{\n respond `{body}`\n}}\n'
    )
    return ["caddy", "run", "--config", folder / "Caddyfile", "--adapter", "caddyfile"]


@contextmanager
def caddy(folder, body="hello"):
    port = free_port()
    variables = dict(os.environ, HOME=str(folder), XDG_DATA_HOME=str(folder), XDG_CONFIG_HOME=str(folder))
    process = subprocess.Popen(caddy_command(folder, port, body), env=variables, stderr=subprocess.DEVNULL)
    until(lambda: answers(port), "caddy")
    caddy.process = process
    yield f"http://127.0.0.1:{port}/"
    process.terminate()
    process.wait()


# Load


def load(url, connections, seconds, token=None, script=None):
    fields = ["-H", f"Authorization: Bearer {token}"] if token else []
    fields += ["-s", script] if script else []
    threads = str(min(2, connections))
    command = ["wrk", f"-t{threads}", f"-c{connections}", f"-d{seconds}s", *fields, url]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    if "Non-2xx" in text:
        sys.exit(f"error: {url} was refused:\n{text}")
    return float(re.search(r"Requests/sec:\s+([\d.]+)", text)[1])


def resident(process):
    return int(re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{process.pid}/status").read_text())[1]) / 1024


def processor_time(process):
    """Nanoseconds a process, and those it has started, have used of a processor: no ticks, and nobody else's."""
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    tasks = [task for pid in [process.pid, *children] for task in Path(f"/proc/{pid}/task").iterdir()]
    return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks)
