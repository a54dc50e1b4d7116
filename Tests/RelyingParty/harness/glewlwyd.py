"""Debian's glewlwyd, an identity server that others have written, with everything it needs in a folder of its own."""

import gzip
import http.cookiejar
import json
import shutil
import socket
import sqlite3
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from harness.trial import DEADLINE, Broken, Stay

PROGRAM = shutil.which("glewlwyd", path="/usr/bin:/usr/local/bin")
TABLES = "/usr/share/doc/glewlwyd/database/init.sqlite3.sql.gz"
CLIENT, SECRET = "tasks", "a-secret-that-glewlwyd-has-agreed-to"
USER, PASSWORD = "ada", "wonder-land"
SCOPES = ["openid", "profile", "offline_access"]

SETTINGS = """\
port={port}
bind_address="127.0.0.1"
external_url="{base}"
login_url="login.html"
api_prefix="api"
log_mode="console"
log_level="WARNING"
cookie_domain="127.0.0.1"
cookie_secure=0
session_key="GLEWLWYD2_SESSION_ID"
admin_scope="g_admin"
profile_scope="g_profile"
user_module_path="/usr/lib/glewlwyd/user"
client_module_path="/usr/lib/glewlwyd/client"
user_auth_scheme_module_path="/usr/lib/glewlwyd/scheme"
plugin_module_path="/usr/lib/glewlwyd/plugin"
hash_algorithm="SHA512"
database={{ type="sqlite3" path="{folder}/glewlwyd.db" }};
"""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Glewlwyd:
    """The server, from its start to its end."""

    def __init__(self, folder, redirect):
        self.folder = folder
        self.redirect = redirect

    def __enter__(self):
        with sqlite3.connect(f"{self.folder}/glewlwyd.db") as database, gzip.open(TABLES, "rt") as tables:
            database.executescript(tables.read())
        database.close()
        # It takes no port from the system: another program may take this one before it does.
        for _ in range(5):
            if self.start(free_port()):
                self.issuer = f"{self.base}/api/oidc"
                self.set_up()
                return self
        raise Broken(f"glewlwyd does not start:\n{self.log()}")

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def start(self, port):
        self.base = f"http://127.0.0.1:{port}"
        with open(f"{self.folder}/glewlwyd.conf", "w") as file:
            file.write(SETTINGS.format(port=port, base=self.base, folder=self.folder))
        with open(f"{self.folder}/glewlwyd.log", "ab") as log:
            words = [PROGRAM, f"--config-file={self.folder}/glewlwyd.conf"]
            self.process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        end = time.monotonic() + DEADLINE
        while self.process.poll() is None and time.monotonic() < end:
            try:
                Person(self).ask("GET", "/config")
                return True
            except urllib.error.URLError:
                time.sleep(0.02)
        return False

    def log(self):
        with open(f"{self.folder}/glewlwyd.log", errors="replace") as file:
            return file.read()[-2_000:]

    def set_up(self):
        """Everything by its own API, as its administrator does it."""
        admin = Person(self)
        admin.sign_in("admin", "password")
        key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        private = key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
        )
        public = key.public_key().public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
        )
        parameters = {
            "iss": self.issuer,
            "jwt-type": "rsa",
            "jwt-key-size": "256",
            "key": private.decode(),
            "cert": public.decode(),
            # Short enough that a wish for more than nine tenths of it comes true soon.
            "access-token-duration": 4,
            "refresh-token-duration": 1_209_600,
            "code-duration": 600,
            "refresh-token-rolling": True,
            "refresh-token-one-use": "always",
            "allow-non-oidc": True,
            "auth-type-code-enabled": True,
            "auth-type-code-revoke-replayed": True,
            "auth-type-refresh-enabled": True,
            "auth-type-device-enabled": True,
            "auth-type-client-enabled": False,
            "auth-type-implicit-enabled": False,
            "auth-type-password-enabled": False,
            "auth-type-token-enabled": False,
            "device-authorization-expiration": 600,
            "device-authorization-interval": 1,
            "pkce-allowed": True,
            "pkce-required": True,
            "pkce-method-plain-allowed": False,
            "jwks-show": True,
            "introspection-revocation-allowed": True,
            "introspection-revocation-allow-target-client": True,
            "subject-type": "public",
            "name-claim": "mandatory",
            "name-claim-scope": [],
            "email-claim": "mandatory",
            "email-claim-scope": [],
            "scope-claim": "no",
            "oauth-as-iss-id": True,
            "session-management-allowed": True,
            "session-cookie-name": "GLEWLWYD2_OIDC_SESSION",
            "session-cookie-expiration": 2_419_200,
        }
        plugin = {"module": "oidc", "name": "oidc", "display_name": "OpenID", "parameters": parameters}
        admin.must("POST", "/api/mod/plugin/", plugin)
        for name in SCOPES[1:]:
            scope = {"name": name, "display_name": name, "description": name, "password_required": False}
            admin.must("POST", "/api/scope/", {**scope, "password_max_age": 0, "scheme": {}, "scheme_required": {}})
        user = {"username": USER, "name": "Ada Lovelace", "email": "ada@example.com", "password": PASSWORD}
        admin.must("POST", "/api/user/", {**user, "enabled": True, "scope": ["g_profile", *SCOPES]})
        client = {"client_id": CLIENT, "name": "Tasks", "confidential": True, "password": SECRET, "enabled": True}
        admin.must(
            "POST",
            "/api/client/",
            {
                **client,
                "redirect_uri": [self.redirect],
                "authorization_type": ["code", "refresh_token", "device_authorization", "delete_token"],
                "token_endpoint_auth_method": ["client_secret_basic"],
                "post_logout_redirect_uri": self.redirect,
            },
        )


class Person:
    """Somebody with a browser, of which only the requests are made that its pages make."""

    def __init__(self, server):
        self.server = server
        cookies = urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
        self.browser = urllib.request.build_opener(Stay, urllib.request.ProxyHandler({}), cookies)

    def ask(self, method, where, body=None):
        url = where if where.startswith("http") else self.server.base + where
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(url, data, {"Content-Type": "application/json"}, method=method)
        try:
            with self.browser.open(request, timeout=DEADLINE) as answer:
                return answer.status, answer.headers.get("Location"), answer.read()
        except urllib.error.HTTPError as answer:
            return answer.code, answer.headers.get("Location"), answer.read()

    def must(self, method, where, body=None):
        status, location, answer = self.ask(method, where, body)
        if status not in (200, 302):
            raise Broken(f"glewlwyd answers {method} {where} with {status}: {answer[:500]}\n{self.server.log()}")
        return location

    def sign_in(self, name, password):
        self.must("POST", "/api/auth/", {"username": name, "password": password})

    def consent(self):
        """Lets the app have what it asks for, as the page does."""
        self.sign_in(USER, PASSWORD)
        self.must("PUT", f"/api/auth/grant/{CLIENT}", {"scope": " ".join(SCOPES)})

    def authorize(self, url):
        """Goes where the app sends it, and back to the app."""
        page = self.must("GET", url)
        if not page.startswith(f"{self.server.base}/login.html?"):
            raise Broken(f"the server asks nobody to sign in, and leads to {page}")
        self.consent()
        parameters = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(page).query))
        back = self.must("GET", parameters["callback_url"] + "&g_continue")
        if not back.startswith(self.server.redirect):
            raise Broken(f"the server leads to {back}")
        self.must("GET", back)

    def confirm(self, url):
        """Enters the code of a device."""
        self.consent()
        for _ in range(3):
            leads = self.must("GET", url)
            parameters = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(leads).query))
            if parameters.get("prompt") == "deviceComplete":
                return
            url = parameters.get("callback_url", url)
            url += ("&" if "?" in url else "?") + "g_continue"
        raise Broken(f"the device is not let in: {leads}")
