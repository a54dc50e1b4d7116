"""A runner as the console sees it: the page, and the part of the local API that the page uses, made up.

The tests of the page need faults, refusals and waits that a real runner has no reason to show; this one shows whatever
it is told. It is served on a free port of the loopback address until `stop` is called.
"""

import json
import secrets
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

DIAGNOSTICS = """\
error[CW0203]: unknown key 'retires' in network
  --> mobile-services.yaml:11:12
   |
11 | network: { retires: 2, timeout: 30s }
   |            ^^^^^^^ did you mean 'retries'?
   = help: corewire explain CW0203

warning[CW2207 unused-access]: api.access has no effect without a socket
  --> mobile-services.yaml:24:11
   |
24 |   access: { read: { anyone: true } }
   |           ^^^^^^^^^^^^^^^^^^^^^^^^^^
  ::: mobile-services.yaml:22:11
   |
22 |   socket: off
   |           --- because of this
   = help: corewire explain CW2207

"""


def now():
    return int(time.time() * 1000)


def service(name, state="ready", **more):
    return {
        "name": name, "state": state, "required": True, "generation": 3, "since": now() - 95_000, "inFlight": 0,
        "restarts": 0, **more,
    }


class MockRunner:
    """What the runner says of itself; tests change it, and say `emit` where the runner would."""

    def __init__(self, folder):
        folder = Path(folder)
        self.document = (folder / "console.html").read_text()
        self.policy = (folder / "policy").read_text()
        self.session = secrets.token_hex(8)
        self.asked = []
        self.conditions = []
        self.events = []
        self.next_event = 1_700_000_000_000_000
        self.changed = threading.Condition()
        self.streams_open = True
        self.plans = {}
        self.answers = {
            ("GET", "/v1/push"): (200, {"providers": [], "tokens": [], "registrars": []}),
            ("GET", "/v1/outbox"): (200, {"requests": [], "waiting": 0, "paused": False}),
            ("GET", "/v1/sync/operations"): (200, {"operations": []}),
            ("GET", "/v1/sync/queue"): (200, {"mutations": []}),
            ("GET", "/v1/sync/cache"): (200, {"records": 0, "size": 0, "maxSize": 67_108_864, "types": []}),
            ("GET", "/v1/sync/subscriptions"): (200, {"subscriptions": []}),
            ("GET", "/v1/log/levels"): (200, {"usual": "info", "modules": [{"name": "auth", "level": "info", "own": False}]}),
        }
        self.status = {
            "phase": "running", "ready": True, "app": "com.example.tasks", "file": "/etc/corewire/mobile-services.yaml",
            "environment": "dev", "environments": ["dev", "int", "qa", "stage", "prod"], "backend": "embedded",
            "generation": 3, "hash": "sha256:8c0f0cf24b7d1e6e", "started": now() - 7_500_000, "faults": [],
            "awaitsConfirmation": False,
            "services": [service(name) for name in ("store", "network", "auth", "push", "sync")],
        }
        self.generations = [
            self.record(3, "dev", "api", 95_000, current=True), self.record(2, "dev", "signal", 3_600_000),
            self.record(1, "dev", "start", 7_500_000),
        ]
        self.files = {
            1: "version: 1\nnetwork:\n  retries: 2\n  timeout: 30s\n", 2: "version: 1\nnetwork:\n  retries: 3\n  timeout: 30s\n",
            3: "version: 1\nnetwork:\n  retries: 5\n  timeout: 30s\nauth:\n  clientSecret: \"[redacted]\"\n",
        }
        self.auth = {"mode": "user", "flow": "browser", "policy": "authentication", "state": "signedOut"}
        self.user = {
            "subject": "8d0c", "issuer": "http://127.0.0.1:7431/realms/tasks", "session": "s1", "name": "Ada Lovelace",
            "userName": "ada", "email": "ada@example.com",
            "claims": {"iss": "http://127.0.0.1:7431/realms/tasks", "nonce": "n-0S6", "name": "Ada Lovelace", "ward": "3B", "realm_access": {"roles": ["nurse"]}},
        }
        self.server = None

    def become(self, state, **more):
        """Says that the session is so from now on, and tells those who listen."""
        facts = {key: value for key, value in self.auth.items() if key in ("mode", "flow", "policy", "lock")}
        if state == "signedIn":
            facts["session"] = self.user["session"]
        self.auth = {**facts, "state": state, **more}
        self.emit(f"auth.{state}", {"mode": "user"})

    @staticmethod
    def record(number, environment, origin, age, current=False, outcome="applied", awaits=False):
        return {
            "generation": number, "environment": environment, "hash": f"sha256:{number:02x}0f0cf24b7d", "origin": origin,
            "time": now() - age, "outcome": outcome, "current": current, "awaitsConfirmation": awaits,
        }

    def report(self, outcome, **more):
        return {
            "outcome": outcome, "generation": self.status["generation"], "environment": self.status["environment"],
            "hash": self.status["hash"], "services": [], "milliseconds": 0, **more,
        }

    def emit(self, name, data=None):
        with self.changed:
            body = {"time": time.strftime("%Y-%m-%dT%H:%M:%S.123Z", time.gmtime()),
                    "generation": self.status["generation"], "data": data or {}}
            self.events.append((self.next_event, name, body))
            self.next_event += 1
            self.changed.notify_all()

    def emit_raw(self, text):
        """Sends bytes as they are, for what a well-behaved runner would frame otherwise."""
        with self.changed:
            self.events.append((self.next_event, None, text))
            self.next_event += 1
            self.changed.notify_all()

    def end_streams(self):
        with self.changed:
            self.streams_open = False
            self.changed.notify_all()

    # The routes.

    def answer(self, method, path, body):
        """Status and value of a request that is signed in."""
        self.asked.append((method, path, body))
        if (method, path) in self.answers:
            # What is to change with the answer is done by a function: the page asks how things are at any time.
            known = self.answers[method, path]
            return known() if callable(known) else known
        if (method, path) == ("GET", "/v1/status"):
            return 200, self.status
        if (method, path) == ("GET", "/v1/auth"):
            return 200, self.auth
        if (method, path) == ("GET", "/v1/auth/user"):
            return 200, self.user
        if (method, path) == ("GET", "/v1/generations"):
            return 200, {"generations": self.generations}
        if method == "GET" and path.startswith("/v1/generations/"):
            return 200, self.files[int(path.rsplit("/", 1)[1])]
        if (method, path) == ("POST", "/v1/plan"):
            return self.plan(body)
        if (method, path) == ("PUT", "/v1/environment"):
            return self.apply(body["environment"], self.plan(body)[1], body)
        if (method, path) == ("POST", "/v1/reload"):
            return self.apply(self.status["environment"], self.plan({})[1], body)
        if method == "POST" and path.endswith("/rollback"):
            number = int(path.split("/")[3])
            former = next(record for record in self.generations if record["generation"] == number)
            return self.apply(former["environment"], self.plan({})[1], body)
        if (method, path) == ("POST", "/v1/confirm"):
            waited = self.status["awaitsConfirmation"]
            self.status["awaitsConfirmation"] = self.generations[0]["awaitsConfirmation"] = False
            self.emit("generation.confirmed")
            return 200, {"confirmed": waited}
        return 404, {"type": "about:blank", "title": "not found", "status": 404, "detail": f"no route '{path}'"}

    def plan(self, body):
        key = body.get("environment", body.get("generation", "file"))
        if key in self.plans:
            return self.plans[key]
        services = [
            {"name": each["name"], "action": "rebind" if each["name"] == "network" else
             "restart" if each["name"] in ("auth", "push") else "keep", "inFlight": each["inFlight"]}
            for each in self.status["services"]
        ]
        settings = [
            {"path": "baseUrl", "new": f"https://{key}.example.com", "place": "mobile-services.yaml:16:21"},
            {"path": "auth.clientId", "old": "tasks-dev", "new": f"tasks-{key}", "place": "mobile-services.yaml:31:40"},
        ]
        return 200, self.report("planned", environment=body.get("environment", self.status["environment"]),
                                services=services, settings=settings)

    def apply(self, environment, plan, body):
        if plan["outcome"] not in ("planned", "unchanged"):
            return 422, plan
        number = self.status["generation"] + 1
        within = body.get("confirmWithinSeconds")
        self.status.update(environment=environment, generation=number, backend="http", hash=f"sha256:{number:02x}aa",
                           awaitsConfirmation=bool(within))
        for each in self.status["services"]:
            each.update(generation=number)
        for record in self.generations:
            record["current"] = False
        self.generations.insert(0, self.record(number, environment, "api", 0, current=True, awaits=bool(within)))
        self.files[number] = self.files[3].replace("5", str(number))
        report = {**plan, "outcome": "applied", "environment": environment, "generation": number, "milliseconds": 412,
                  "services": [{**each, "milliseconds": 120} for each in plan["services"]]}
        if within:
            report["confirmWithinSeconds"] = within
        self.emit("generation.applied", report)
        return 200, report

    # The server.

    def start(self, port=0):
        runner = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def send(self, status, text, kind, **fields):
                data = text.encode()
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(data)))
                for name, value in fields.items():
                    self.send_header(name.replace("_", "-"), value)
                self.end_headers()
                self.wfile.write(data)

            def handle_any(self):
                if not runner.streams_open:
                    # A runner that has stopped answers nobody, over connections from before neither.
                    self.close_connection = True
                    return
                parts = urlsplit(self.path)
                length = int(self.headers.get("Content-Length") or 0)
                sent = self.rfile.read(length)
                if parts.path == "/":
                    if "login" in parse_qs(parts.query):
                        self.send(303, "", "text/plain", Location=f"/#key={runner.session}")
                        return
                    nonce = secrets.token_urlsafe(16)
                    self.send(200, runner.document.replace("NONCE", nonce), "text/html; charset=utf-8",
                              Content_Security_Policy=runner.policy.replace("NONCE", nonce), Cache_Control="no-store")
                    return
                if self.headers.get("Cookie"):
                    self.send(400, json.dumps({"title": "a cookie"}), "application/problem+json")
                    return
                if parts.path == "/v1/console/session" and runner.session == self.headers.get("Corewire-Console-Key"):
                    self.send(200, json.dumps({"session": runner.session}), "application/json")
                    return
                if runner.session != self.headers.get("Corewire-Console"):
                    self.send(401, json.dumps({"title": "not signed in", "status": 401}), "application/problem+json")
                    return
                own = f"http://127.0.0.1:{runner.port}"
                asks_as_it_should = (
                    self.headers.get("Origin", own) == own and self.headers.get("Referer", own).startswith(own)
                    and (self.command == "GET" or self.headers.get("X-Corewire") == "1")
                    and self.headers.get("Content-Type")
                    == ("application/json" if self.command in ("POST", "PUT") else None)
                    and (self.command in ("POST", "PUT") or not sent))
                if not asks_as_it_should:
                    self.send(403, json.dumps({"title": "not asked as it should be"}), "application/problem+json")
                    return
                if parts.path == "/v1/events":
                    self.stream()
                    return
                runner.conditions.append((self.command, parts.path, self.headers.get("If-Match"), self.headers.get("If-None-Match")))
                status, value, *fields = runner.answer(self.command, parts.path, json.loads(sent) if sent else None)
                kind = "application/yaml" if isinstance(value, str) else "application/json" if status < 400 else "application/problem+json"
                self.send(status, value if isinstance(value, str) else json.dumps(value), kind, **(fields[0] if fields else {}))

            do_GET = do_POST = do_PUT = do_DELETE = handle_any

            def stream(self):
                runner.asked.append(("GET", "/v1/events", self.headers.get("Last-Event-ID")))
                self.send_response(200)
                self.send_header("Content-Type", "text/event-stream")
                self.send_header("Connection", "close")
                self.end_headers()
                self.close_connection = True
                last = int(self.headers.get("Last-Event-ID") or runner.next_event - 1)
                if runner.events and last + 1 < runner.events[0][0]:
                    last = runner.events[0][0] - 1
                    self.wfile.write(f"id: {last}\nevent: gap\ndata: {{}}\n\n".encode())
                try:
                    self.wfile.write(b": hello\n\n")
                    while runner.streams_open:
                        with runner.changed:
                            fresh = [event for event in runner.events if event[0] > last]
                            if not fresh:
                                runner.changed.wait(1)
                                continue
                        for number, name, body in fresh:
                            last = number
                            if name is None:
                                self.wfile.write(body.encode())
                                continue
                            self.wfile.write(f"id: {number}\nevent: {name}\ndata: {json.dumps(body)}\n\n".encode())
                except OSError:
                    pass

        class Server(ThreadingHTTPServer):
            allow_reuse_address = True
            daemon_threads = True

            def handle_error(self, *_):
                pass

        self.streams_open = True
        self.server = Server(("127.0.0.1", port), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{self.port}/"

    def stop(self):
        self.end_streams()
        self.server.shutdown()
        self.server.server_close()
