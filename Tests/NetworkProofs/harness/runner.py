"""The built runner with a file of its own, asked over its Unix socket."""

import http.client
import json
import os
import select
import shutil
import socket
import subprocess
import tempfile
import time

# How long anything may take that has a deadline of its own which is far shorter: past it, it hangs.
PATIENCE = 60

# How long an attempt, and its connection, may take: where that is what ends it, and where a busy machine must not.
SHORT, LONG = ("1s", "500ms"), ("10s", "10s")

FILE = """\
version: 1
app: {{ id: com.example.proofs }}
environment: dev
environments: {{ dev: {{ baseUrl: "{base}" }} }}
network:
  retries: 2
  backoff: {{ first: 10ms, max: 20ms }}
  retryAfterMax: 2s
  timeout: {timeout}
  connectTimeout: {connect}
{network}{sections}api: {{}}
"""


class Failed(Exception):
    """What was promised is not so."""


def expect(holds, *what):
    if not holds:
        raise Failed(" ".join(str(part) for part in what))


class Answer:
    def __init__(self, status, fields, body, is_whole):
        self.status, self.fields, self.body, self.is_whole = status, fields, body, is_whole

    @property
    def attempts(self):
        return int(self.fields.get("corewire-attempts", "0"))

    @property
    def kind(self):
        """The name of the problem; nothing where the answer is the server's."""
        if self.fields.get("content-type") != "application/problem+json":
            return None
        return json.loads(self.body)["type"].rsplit("/", 1)[-1].rsplit(":", 1)[-1]

    @property
    def detail(self):
        return json.loads(self.body).get("detail", "")

    def __str__(self):
        return f"{self.status} {self.fields} {self.body[:400]}{'' if self.is_whole else ' (broken off)'}"


class LocalConnection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost", timeout=PATIENCE)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(PATIENCE)
        self.sock.connect(self.path)


class Runner:
    """From its start to its end; what it must not do in between, such as dying, is looked for at the end."""

    def __init__(self, program, base, network="", limits=LONG, below=(), sections="", **variables):
        self.command = [*below, program]
        timeout, connect = limits
        network = "".join(f"  {line}\n" for line in network.splitlines())
        self.text = FILE.format(base=base, network=network, timeout=timeout, connect=connect, sections=sections)
        self.variables = variables
        self.home = tempfile.mkdtemp(prefix="np-")

    def __enter__(self):
        for name in ("state", "run", "cache"):
            os.mkdir(f"{self.home}/{name}", 0o700)
        config = f"{self.home}/services.yaml"
        with open(config, "w") as file:
            file.write(self.text)
        readiness = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        readiness.bind(f"{self.home}/notify")
        variables = {
            "PATH": "/usr/bin:/bin",
            "HOME": self.home,
            "XDG_STATE_HOME": f"{self.home}/state",
            "XDG_RUNTIME_DIR": f"{self.home}/run",
            "XDG_CACHE_HOME": f"{self.home}/cache",
            "NOTIFY_SOCKET": f"{self.home}/notify",
            "SWIFT_BACKTRACE": "enable=no",
            **self.variables,
        }
        with open(f"{self.home}/log", "ab") as log:
            self.process = subprocess.Popen([*self.command, "run", "--config", config], stdout=log, stderr=log, env=variables)
        end = time.monotonic() + PATIENCE
        with readiness:
            while True:
                readable, _, _ = select.select([readiness], [], [], 0.2)
                if readable and b"READY=1" in readiness.recv(4096):
                    return self
                if self.process.poll() is not None or time.monotonic() > end:
                    reason = f"the runner did not start:\n{self.log()}"
                    self.__exit__(None, None, None)
                    raise Failed(reason)

    def __exit__(self, kind, *_):
        has_died = self.process.poll()
        self.process.terminate()
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            has_died = has_died or "it did not stop"
        log = self.log()
        shutil.rmtree(self.home, ignore_errors=True)
        if kind is None:
            expect(has_died is None, "the runner died:", has_died, log)

    def log(self):
        with open(f"{self.home}/log", "rb") as log:
            return log.read().decode(errors="replace")[-3000:]

    def connect(self):
        return LocalConnection(f"{self.home}/run/corewire/com.example.proofs/api.sock")

    def tell(self, method, path, body=None):
        """What the local API answers, as JSON."""
        connection = self.connect()
        connection.request(method, path, body=body and json.dumps(body), headers={"Content-Type": "application/json"})
        text = connection.getresponse().read()
        connection.close()
        return json.loads(text) if text else None

    def until(self, path, holds):
        """What the local API answers, once it is as it should be."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            answer = self.tell("GET", path)
            if holds(answer):
                return answer
            time.sleep(0.02)
        raise Failed(f"{path} says {answer}")

    def until_offline(self):
        """Returns when the runner says that it has no network."""
        self.until("/v1/status", lambda status: "offline: " in json.dumps(status))

    def ask(self, path, method="GET", body=None, **fields):
        """The answer to a request by way of `/v1/network/`."""
        connection = self.connect()
        try:
            named = {name.replace("_", "-"): value for name, value in fields.items()}
            connection.request(method, f"/v1/network/{path}", body=body, headers=named)
            answer = connection.getresponse()
            is_whole = True
            try:
                text = answer.read()
            except (http.client.IncompleteRead, ConnectionError) as broken:
                text, is_whole = getattr(broken, "partial", b""), False
            return Answer(answer.status, {n.lower(): v for n, v in answer.getheaders()}, text, is_whole)
        except TimeoutError:
            raise Failed(f"{method} {path} had no answer within {PATIENCE} s") from None
        finally:
            connection.close()
