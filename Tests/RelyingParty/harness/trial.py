"""One sign-in through the built runner, with a browser that does what it is told and nothing else."""

import hashlib
import http.client
import json
import os
import select
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request

from harness.issuer import CLIENT, SECRET

DEADLINE = 60
APP = "com.example.rp"

FILE = """\
version: 1
app: {{ id: {app} }}
auth:
  provider: oidc
  url: "{issuer}"
  clientId: {client}
  clientSecret: "${{env:CLIENT_SECRET}}"
  redirectUri: http://127.0.0.1/callback
  postLogoutRedirectUri: http://127.0.0.1/signed-out
  scopes: [openid, profile, email, offline_access]
  renewBefore: 0s
{settings}api: {{}}
"""


class Broken(Exception):
    """Something that no scenario is about."""


class Answer:
    def __init__(self, status, body):
        self.status = status
        self.body = body

    @property
    def json(self):
        return json.loads(self.body)


class LocalConnection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost", timeout=DEADLINE)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(DEADLINE)
        self.sock.connect(self.path)


class Stay(urllib.request.HTTPRedirectHandler):
    """A redirect is looked at before it is followed."""

    def redirect_request(self, *_):
        return None


class Trial:
    """A runner with one issuer, from its start to its end."""

    def __init__(self, program, scenario):
        self.program = program
        self.scenario = scenario
        self.home = tempfile.mkdtemp(prefix="rp-")
        self.browser = urllib.request.build_opener(Stay, urllib.request.ProxyHandler({}))
        self.token_changed = False

    def services(self):
        settings = "".join(f"  {line}\n" for line in self.scenario.settings)
        return FILE.format(app=APP, issuer=self.scenario.issuer, client=CLIENT, settings=settings)

    secret = SECRET

    def __enter__(self):
        for name in ("state", "run", "cache"):
            os.mkdir(f"{self.home}/{name}", 0o700)
        try:
            self.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self.stop()
        shutil.rmtree(self.home, ignore_errors=True)

    # The runner

    def start(self):
        config = f"{self.home}/services.yaml"
        with open(config, "w") as file:
            file.write(self.services())
        readiness = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        if os.path.exists(f"{self.home}/notify"):
            os.unlink(f"{self.home}/notify")
        readiness.bind(f"{self.home}/notify")
        # Whoever the runner runs as; nobody else gets into the folder.
        os.chmod(f"{self.home}/notify", 0o777)
        with open(f"{self.home}/log", "ab") as log:
            self.process = subprocess.Popen(
                [*self.wrapper, self.program, "run", "--config", config, "--log-level", "debug"],
                stdout=log,
                stderr=log,
                env=self.environment(),
            )
        end = time.monotonic() + DEADLINE
        with readiness:
            while True:
                readable, _, _ = select.select([readiness], [], [], 0.2)
                if readable and b"READY=1" in readiness.recv(4096):
                    return
                if self.process.poll() is not None or time.monotonic() > end:
                    raise Broken(f"the runner did not start:\n{self.tail()}")

    # What the runner is started by, if not by this program itself.
    wrapper = ()

    def environment(self):
        return {
            "PATH": "/usr/bin:/bin",
            "HOME": self.home,
            "XDG_STATE_HOME": f"{self.home}/state",
            "XDG_RUNTIME_DIR": f"{self.home}/run",
            "XDG_CACHE_HOME": f"{self.home}/cache",
            "NOTIFY_SOCKET": f"{self.home}/notify",
            "SWIFT_BACKTRACE": "enable=no",
            "CLIENT_SECRET": self.secret,
        }

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(DEADLINE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def log(self):
        with open(f"{self.home}/log", "rb") as log:
            return log.read().decode(errors="replace")

    def tail(self):
        return self.log()[-4000:]

    # The local API

    @property
    def socket(self):
        return f"{self.home}/run/corewire/{APP}/api.sock"

    def ask(self, method, path, body=None):
        connection = LocalConnection(self.socket)
        fields = {"Content-Type": "application/json"} if body is not None else {}
        connection.request(method, path, None if body is None else json.dumps(body), fields)
        response = connection.getresponse()
        answer = Answer(response.status, response.read())
        connection.close()
        return answer

    def state(self):
        return self.ask("GET", "/v1/auth").json

    def user(self):
        answer = self.ask("GET", "/v1/auth/user")
        return answer.json.get("claims", {}) if answer.status == 200 else {}

    def token(self, query=""):
        answer = self.ask("GET", f"/v1/auth/token{query}")
        return answer.json.get("accessToken") if answer.status == 200 else None

    def refused(self, token):
        """Says that a server has refused a token."""
        digest = hashlib.sha256(token.encode()).hexdigest()
        return self.ask("POST", "/v1/auth/token/refused", {"sha256": digest})

    def corewire(self, *words, input=""):
        """What a command of `corewire` prints."""
        return subprocess.run(
            [f"{os.path.dirname(self.program)}/corewire", *words, "--socket", self.socket],
            env=self.environment(),
            input=input,
            capture_output=True,
            text=True,
            timeout=DEADLINE,
        )

    # What a person does

    def sign_in(self):
        """Whether somebody is signed in afterwards."""
        begun = self.ask("POST", "/v1/auth/login", {})
        if begun.status == 202:
            self.visit(begun.json["url"])
        elif begun.status < 400:
            raise Broken(f"unexpected: {begun.status} {begun.body}")
        end = time.monotonic() + DEADLINE
        while (state := self.state())["state"] == "signingIn":
            # An answer that is not of this sign-in leaves it waiting for the one that is.
            if self.refused_callback:
                return False
            if time.monotonic() > end:
                raise Broken("the sign-in never ended")
            time.sleep(0.02)
        return state["state"] == "signedIn"

    refused_callback = False

    def visit(self, url):
        """Goes where it is sent, one step after the other."""
        for _ in range(8):
            try:
                with self.browser.open(url, timeout=DEADLINE) as page:
                    page.read()
                    return
            except urllib.error.HTTPError as answer:
                if answer.code in (301, 302, 303):
                    url = urllib.parse.urljoin(url, answer.headers["Location"])
                    continue
                self.refused_callback = True
                return
        raise Broken("the browser is sent round in a circle")

    def refresh(self):
        """Asks for tokens until the server has been asked for new ones, and looks what became of them."""
        end = time.monotonic() + DEADLINE
        while not self.scenario.refreshes:
            if time.monotonic() > end:
                raise Broken("no new token was ever asked for")
            self.token("?minTTL=0s")
        self.token_changed = self.token("?minTTL=0s") == self.scenario.refreshed_token

    def logout(self, state):
        answer = self.ask("POST", "/v1/auth/logout", {})
        url = answer.json.get("endSessionUrl")
        if url:
            self.visit(url)


def outcome(program, scenario):
    """Whether a scenario passes: nil, or why it does not."""
    with Trial(program, scenario) as trial:
        for round in range(scenario.authorizations):
            if round:
                trial.ask("POST", "/v1/auth/logout", {})
            is_signed_in = trial.sign_in()
            if is_signed_in and round + 1 < scenario.authorizations or scenario.authorizations == 1 and is_signed_in:
                scenario.after(trial)
        found = "signed in" if is_signed_in else "refused"
        expected = "signed in" if scenario.expects == "signed out" else scenario.expects
        if found != expected:
            return f"{found}, expected {expected}: {json.dumps(trial.state().get('trouble'))}\n{trial.tail()}"
        if scenario.expects == "signed out" and trial.state()["state"] != "signedOut":
            return "still signed in"
        if scenario.expects == "refused" and trial.token() is not None:
            return "there is a token though nobody may be signed in"
        return scenario.verdict(trial)
