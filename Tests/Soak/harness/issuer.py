"""An identity server that gives each refresh token once, and ends the session of whoever shows one twice."""

import asyncio
import http.client
import importlib.util
import json
import os
import secrets
import time
import urllib.parse

from harness.verdict import Missing, hold
from harness.waiting import until

CLIENT = "soak"
SCOPES = "openid offline_access"
LIFETIME = 300
JOSE = f"{os.path.dirname(__file__)}/../../RelyingParty/harness/jose.py"

# Where a question for new tokens has got to. At each the server tells whoever wants to know, and goes on afterwards.
RECEIVED, ROTATED, HALF_SENT, SENT = "received", "rotated", "half sent", "sent"
STAGES = [RECEIVED, ROTATED, HALF_SENT, SENT]


def signing():
    """What makes signed tokens, as the hostile identity server of the other tests does."""
    try:
        spec = importlib.util.spec_from_file_location("jose", JOSE)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module
    except ImportError as error:
        raise Missing(f"python3-cryptography is not installed ({error})") from error


class Session:
    """What came of one sign-in."""

    def __init__(self, nonce):
        self.nonce = nonce
        self.last = self.before = None
        self.rotations = 0
        self.is_over = False


class Issuer:
    def __init__(self):
        self.jose = signing()
        self.key = self.jose.ECKey("soak")
        self.codes = {}
        # By token: its session. None is ever forgotten, so that every second use is seen.
        self.refresh_tokens = {}
        self.access_tokens = {}
        self.newest = None
        self.session = None
        # How long access tokens live, in seconds.
        self.lifetime = LIFETIME
        # How far its clock goes ahead of that of this machine.
        self.offset = 0
        # Whether it forgives the token before the last for as long as nobody has shown the last, as many servers do.
        self.forgives = False
        self.forgiven = self.revoked = 0
        # How often each refresh token was shown.
        self.shown = {}
        # The port of the client that has asked for new tokens last.
        self.asking = None
        self.stage = self.nothing

    async def nothing(self, stage):
        pass

    async def start(self):
        self.server = await asyncio.start_server(self.serve, "127.0.0.1", 0)
        host, port = self.server.sockets[0].getsockname()
        self.base = f"http://{host}:{port}"
        return self

    def close(self):
        self.server.close()

    # HTTP, as much as it takes

    async def serve(self, reader, writer):
        try:
            while await self.one(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # Whoever asked is dead, or shall believe that the line is: that is what all this is about.
        finally:
            writer.close()

    async def one(self, reader, writer):
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        method, target, _ = head[0].split(" ")
        fields = dict((part.strip() for part in line.split(":", 1)) for line in head[1:] if ":" in line)
        length = next((int(value) for name, value in fields.items() if name.lower() == "content-length"), 0)
        body = (await reader.readexactly(length)).decode()
        url = urllib.parse.urlsplit(target)
        parameters = dict(urllib.parse.parse_qsl(url.query if method == "GET" else body))
        match url.path:
            case "/.well-known/openid-configuration":
                return self.send(writer, 200, self.metadata())
            case "/keys":
                return self.send(writer, 200, {"keys": [self.key.public()]})
            case "/authorize":
                code = secrets.token_urlsafe(16)
                self.codes[code] = parameters
                answer = urllib.parse.urlencode({"code": code, "state": parameters["state"]})
                return self.send(writer, 302, {}, f'Location: {parameters["redirect_uri"]}?{answer}\r\n')
            case "/token":
                return await self.token(writer, parameters)
        return self.send(writer, 404, {})

    def send(self, writer, status, body, field=""):
        writer.write(self.message(status, body, field))
        return True

    @staticmethod
    def message(status, body, field=""):
        data = json.dumps(body).encode()
        head = f"HTTP/1.1 {status} So\r\nContent-Type: application/json\r\nContent-Length: {len(data)}\r\n{field}\r\n"
        return head.encode() + data

    # OpenID

    def metadata(self):
        return {
            "issuer": self.base,
            "authorization_endpoint": f"{self.base}/authorize",
            "token_endpoint": f"{self.base}/token",
            "jwks_uri": f"{self.base}/keys",
            "response_types_supported": ["code"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["ES256"],
            "token_endpoint_auth_methods_supported": ["none"],
            "code_challenge_methods_supported": ["S256"],
        }

    async def token(self, writer, form):
        if form["grant_type"] == "authorization_code":
            request = self.codes.pop(form["code"], None)
            if request is None:
                return self.send(writer, 400, {"error": "invalid_grant"})
            self.session = Session(request["nonce"])
            return self.send(writer, 200, self.pair(self.session))
        self.asking = writer.get_extra_info("peername")[1]
        await self.stage(RECEIVED)
        answer = self.message(*self.refreshed(form["refresh_token"]))
        await self.stage(ROTATED)
        # What is sent in two parts arrives in two.
        writer.write(answer[: len(answer) // 2])
        await writer.drain()
        await self.stage(HALF_SENT)
        writer.write(answer[len(answer) // 2 :])
        await writer.drain()
        await self.stage(SENT)
        return True

    def refreshed(self, token):
        self.shown[token] = self.shown.get(token, 0) + 1
        session = self.refresh_tokens.get(token)
        if session is None or session.is_over:
            return 400, {"error": "invalid_grant"}
        if token == session.last:
            session.before = token
        elif token == session.before and self.forgives:
            self.forgiven += 1
        else:
            # Somebody has it who should not: nobody who has a token of this sign-in may go on.
            self.revoked += 1
            session.is_over = True
            return 400, {"error": "invalid_grant"}
        session.rotations += 1
        return 200, self.pair(session)

    def pair(self, session):
        access, session.last = secrets.token_urlsafe(24), secrets.token_urlsafe(24)
        self.refresh_tokens[session.last] = session
        self.access_tokens[access] = session
        self.newest = access
        now = int(time.time()) + self.offset
        claims = {"iss": self.base, "sub": "ada", "aud": CLIENT, "iat": now, "exp": now + LIFETIME}
        if session.rotations == 0:
            claims["nonce"] = session.nonce
        return {
            "access_token": access,
            "refresh_token": session.last,
            "token_type": "Bearer",
            "expires_in": self.lifetime,
            "scope": SCOPES,
            "id_token": self.jose.token(claims, self.key),
        }


def services(issuer, app, group="com.example.soak"):
    """A services file that signs in there."""
    return f"""\
version: 1
app: {{ id: {app}, group: {group} }}
auth:
  url: "{issuer.base}"
  clientId: {CLIENT}
  redirectUri: http://127.0.0.1/callback
  scopes: [{SCOPES.replace(" ", ", ")}]
  renewBefore: 0s
api: {{}}
"""


async def state(runner):
    return (await runner.ask("GET", "/v1/auth")).json


async def token(runner, least="0s"):
    """The access token it hands out, or nothing; and the whole answer."""
    answer = await runner.ask("GET", f"/v1/auth/token?minTTL={least}")
    return (answer.json["accessToken"] if answer.status == 200 else None), answer


async def sign_in(runner):
    """What a person with a browser does."""
    begun = await runner.ask("POST", "/v1/auth/login", b"{}", ["Content-Type: application/json"])
    hold(begun.status == 202, f"a sign-in begins with {begun}")
    place = await asyncio.to_thread(visit, begun.json["url"])
    await asyncio.to_thread(visit, place)

    async def is_signed_in():
        return (await state(runner))["state"] == "signedIn"

    await until(is_signed_in, "signed in")


def visit(url):
    """Asks for an address, and tells where it leads on."""
    parts = urllib.parse.urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=60)
    try:
        connection.request("GET", f"{parts.path}?{parts.query}")
        answer = connection.getresponse()
        answer.read()
        hold(answer.status < 400, f"the browser is shown {answer.status}")
        return answer.headers.get("Location")
    finally:
        connection.close()
