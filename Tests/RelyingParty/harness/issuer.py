"""An identity server with as many issuers as there are scenarios, each wrong in its own way."""

import base64
import gzip
import hashlib
import http.server
import json
import secrets
import threading
import time
import urllib.parse

from harness import jose

CLIENT, SECRET = "hostile-client", "a-secret-that-only-basic-may-carry"


class Scenario:
    """How one issuer behaves: right in everything that a subclass does not change."""

    expects = "signed in"
    authorizations = 1
    # What forms are posted to.
    posts = ("token",)
    secret = SECRET
    # Where the server describes itself, and whether it compresses what it says, whoever asks.
    discovery = ".well-known/openid-configuration"
    compresses = False
    # More lines of the section 'auth'.
    settings = ()
    # What is answered at some places before they answer as they should: statuses, 0 for a connection that breaks off.
    failures = {}

    def __init__(self, name, base):
        self.name = name
        self.issuer = f"{base}/{name}"
        self.keys = [jose.RSAKey("first")]
        self.codes = {}
        self.refresh_tokens = {}
        self.access_tokens = set()
        self.seen = []
        self.urls = []
        self.faults = []
        self.agents = set()
        self.refreshes = 0
        self.refreshed_token = None
        self.failing = {place: list(statuses) for place, statuses in self.failures.items()}

    # What an issuer says of itself

    def metadata(self):
        return {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}/token",
            "userinfo_endpoint": f"{self.issuer}/userinfo",
            "jwks_uri": f"{self.issuer}/keys",
            "end_session_endpoint": f"{self.issuer}/logout",
            "response_types_supported": ["code"],
            "response_modes_supported": ["query"],
            "grant_types_supported": ["authorization_code", "refresh_token"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["RS256", "ES256"],
            "token_endpoint_auth_methods_supported": ["client_secret_basic"],
            "code_challenge_methods_supported": ["S256"],
            "authorization_response_iss_parameter_supported": True,
            "scopes_supported": ["openid", "profile", "email", "offline_access"],
        }

    def key_set(self):
        return {"keys": [key.public() for key in self.keys]}

    # The authorization endpoint

    def authorize(self, query):
        """Where the browser is sent, with which parameters."""
        if query.get("code_challenge_method") != "S256" or len(query.get("code_challenge", "")) != 43:
            self.faults.append("the request has no challenge by S256")
        if query.get("response_type") != "code" or query.get("client_id") != CLIENT:
            self.faults.append(f"the request is not one for a code of this client: {sorted(query)}")
        code = secrets.token_urlsafe(24)
        self.codes[code] = query
        return query["redirect_uri"], self.response({"code": code, "state": query.get("state"), "iss": self.issuer})

    def response(self, parameters):
        return parameters

    # The token endpoint

    def claims(self, request):
        now = int(time.time())
        claims = {
            "iss": self.issuer,
            "sub": "user-1",
            "aud": CLIENT,
            "exp": now + 300,
            "iat": now,
            "auth_time": request.setdefault("auth_time", now),
        }
        if request.get("nonce"):
            claims["nonce"] = request["nonce"]
        return claims

    def id_token(self, claims):
        return jose.token(claims, self.keys[0])

    def tokens(self, request, is_refresh=False):
        access, refresh = secrets.token_urlsafe(24), secrets.token_urlsafe(24)
        self.access_tokens.add(access)
        self.refresh_tokens[refresh] = request
        claims = self.claims(request)
        if is_refresh:
            claims.pop("nonce", None)
            claims = self.refreshed(claims)
        return {
            "access_token": access,
            "refresh_token": refresh,
            "token_type": "Bearer",
            "expires_in": 300,
            "scope": "openid profile offline_access",
            "id_token": self.id_token({"at_hash": jose.half_hash(access), **claims}),
        }

    def refreshed(self, claims):
        return claims

    def token(self, form, authorization):
        self.seen.append(("token", form.get("grant_type"), authorization))
        credentials = f"{CLIENT}:{urllib.parse.quote_plus(self.secret)}"
        expected = "Basic " + base64.b64encode(credentials.encode()).decode()
        if authorization != expected:
            self.faults.append("the client did not show its secret by HTTP Basic")
            return 401, {"error": "invalid_client"}
        if form.get("grant_type") == "refresh_token":
            request = self.refresh_tokens.pop(form.get("refresh_token"), None)
            if request is None:
                return 400, {"error": "invalid_grant"}
            answer = self.tokens(request, is_refresh=True)
            self.refreshed_token = answer["access_token"]
            self.refreshes += 1
            return 200, answer
        request = self.codes.pop(form.get("code"), None)
        if request is None:
            return 400, {"error": "invalid_grant"}
        digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        if jose.encode(digest) != request.get("code_challenge"):
            self.faults.append("the verifier does not fit the challenge")
            return 400, {"error": "invalid_grant"}
        return 200, self.tokens(request)

    # Userinfo

    def userinfo(self, authorization):
        scheme, _, value = (authorization or "").partition(" ")
        if scheme != "Bearer" or value not in self.access_tokens:
            return 401, {"error": "invalid_token"}, "application/json"
        self.seen.append(("userinfo", "header"))
        return 200, self.user(), "application/json"

    def user(self):
        return {"sub": "user-1", "name": "Ada Lovelace", "email": "ada@example.com", "email_verified": True}

    # What must be so in the end, besides the outcome

    def verdict(self, trial):
        """Why it does not pass; nil where it does."""
        return "; ".join(self.faults) or None

    def after(self, trial):
        """What else is done once the user is signed in."""


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, body, kind="application/json", fields=(), compresses=False):
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        if compresses:
            data = gzip.compress(data)
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.send_header("Cache-Control", "no-store")
        if compresses:
            self.send_header("Content-Encoding", "gzip")
        for name, value in fields:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def fails(self, scenario, rest):
        """Whether the place has failed instead of answering."""
        if not scenario.failing.get(rest):
            return False
        status = scenario.failing[rest].pop(0)
        if status:
            self.answer(status, b"", "text/plain")
        else:
            self.close_connection = True
        return True

    def find(self):
        url = urllib.parse.urlsplit(self.path)
        name, _, rest = url.path.lstrip("/").partition("/")
        if name == ".well-known":
            # The path of the issuer comes last (RFC 8414, section 3.1).
            kind, _, name = rest.partition("/")
            rest = f".well-known/{kind}/"
        return self.server.scenarios.get(name), rest, dict(urllib.parse.parse_qsl(url.query))

    def do_GET(self):
        scenario, rest, query = self.find()
        if scenario is None:
            return self.answer(404, {})
        with scenario.lock:
            scenario.urls.append(self.path)
            scenario.agents.add(self.headers.get("User-Agent"))
            if self.fails(scenario, rest):
                return
            match rest:
                case scenario.discovery:
                    return self.answer(200, scenario.metadata(), compresses=scenario.compresses)
                case "keys":
                    scenario.seen.append(("keys",))
                    return self.answer(200, scenario.key_set(), compresses=scenario.compresses)
                case "userinfo":
                    status, body, kind = scenario.userinfo(self.headers.get("Authorization"))
                    return self.answer(status, body, kind)
                case "authorize":
                    uri, parameters = scenario.authorize(query)
                    pairs = [(key, value) for key, value in parameters.items() if value is not None]
                    where = f"{uri}?{urllib.parse.urlencode(pairs)}"
                    return self.answer(302, b"", "text/plain", [("Location", where)])
                case "logout":
                    scenario.seen.append(("logout", query))
                    return self.answer(200, b"bye", "text/plain")
        self.answer(404, {})

    def do_POST(self):
        scenario, rest, _ = self.find()
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
        if scenario is None or rest not in scenario.posts:
            return self.answer(404, {})
        with scenario.lock:
            scenario.urls.append(self.path)
            if self.fails(scenario, rest):
                return
            endpoint = getattr(scenario, rest)
            status, answer = endpoint(dict(urllib.parse.parse_qsl(body)), self.headers.get("Authorization"))
        self.answer(status, answer, compresses=scenario.compresses)


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, kinds):
        super().__init__(("127.0.0.1", 0), Handler)
        self.base = f"http://127.0.0.1:{self.server_address[1]}"
        self.scenarios = {name: kind(name, self.base) for name, kind in kinds.items()}
        for scenario in self.scenarios.values():
            scenario.lock = threading.Lock()
        threading.Thread(target=self.serve_forever, daemon=True).start()
