"""The sender's side of Mozilla's autopush (see autopush.py): /wpush/v1/<token>, /wpush/v2/<token>, /m/<id>."""

import base64
import dataclasses
import json
import re
import secrets

from aiohttp import web

from common import tell

try:
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
except ImportError:
    ec = None

BODY_LIMIT, LONGEST_TTL, DAY = 5630, 30 * 86400, 86400
NAMES = {400: "Bad Request", 401: "Unauthorized", 404: "Not Found", 410: "Gone", 413: "Payload Too Large",
         429: "Too Many Requests", 500: "Internal Server Error", 503: "Service Unavailable"}
ERRNOS = {404: 102, 503: 201, 500: 999}


@dataclasses.dataclass(eq=False)
class Notice:
    """One push message."""

    channel: str
    topic: str
    ttl: int
    time: float
    data: str | None
    headers: dict | None
    version: str

    def frame(self):
        text = {"messageType": "notification", "channelID": self.channel, "version": self.version}
        return text | ({"data": self.data, "headers": self.headers} if self.data is not None else {})


class Refusal(Exception):
    """An answer with one of autopush's error numbers."""

    def __init__(self, status, errno, message):
        super().__init__(message)
        self.status, self.errno, self.message = status, errno, message

    def answer(self, more=None):
        body = {"code": self.status, "errno": self.errno, "error": NAMES.get(self.status, "Error"), "message": self.message}
        headers = ({"Cache-Control": f"max-age={DAY}"} if self.status == 410 else {}) | (more or {})
        return web.json_response(body, status=self.status, headers=headers)


def opaque(size):
    """Text that means nothing, of the letters that a Fernet token has."""
    return "gAAAAA" + base64.urlsafe_b64encode(secrets.token_bytes(size)).decode()


def unbase64(text):
    """The bytes of base64url, with or without padding; raises ValueError."""
    text = text.rstrip("=")
    if not re.fullmatch(r"[-_A-Za-z0-9]*", text) or len(text) % 4 == 1:
        raise ValueError(text)
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def read_point(text):
    """The 65 bytes of a public key of P-256; raises ValueError."""
    point = unbase64(text)
    if len(point) != 65 or point[0] != 4:
        raise ValueError("no uncompressed point")
    if ec:
        ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), point)
    return point


def read_vapid(field, origin, now):
    """The public key of a sender who has proved to have it, by RFC 8292; raises Refusal 401/109."""
    try:
        scheme, _, rest = field.partition(" ")
        parts = dict(part.strip().split("=", 1) for part in rest.split(","))
        if scheme.lower() != "vapid":
            raise ValueError("scheme")
        point = read_point(parts["k"])
        signed, _, signature = parts["t"].rpartition(".")
        head, claims = (json.loads(unbase64(part)) for part in signed.split("."))
        signature = unbase64(signature)
        if head["alg"] != "ES256" or len(signature) != 64:
            raise ValueError("alg")
        if claims["aud"] != origin:
            raise ValueError("aud")
        if not now < float(claims["exp"]) <= now + DAY:
            raise ValueError("exp")
        if not str(claims.get("sub", "https:")).startswith(("mailto:", "https:")):
            raise ValueError("sub")
        if ec:
            key = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), point)
            numbers = [int.from_bytes(half, "big") for half in (signature[:32], signature[32:])]
            key.verify(encode_dss_signature(*numbers), signed.encode(), ec.ECDSA(hashes.SHA256()))
        else:
            tell("vapid unchecked")
        return point
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise Refusal(401, 109, f"Invalid VAPID: {error}") from None
    except Exception as error:
        if ec and isinstance(error, InvalidSignature):
            raise Refusal(401, 109, "Invalid VAPID: signature") from None
        raise


def read_content(request, body):
    """`data` and `headers` of the notification; both None for a push without a body."""
    if len(body) > BODY_LIMIT:
        raise Refusal(413, 104, f"Data payload must be smaller than {BODY_LIMIT}")
    if not body:
        return None, None
    encoding = request.headers.get("Content-Encoding", "")
    headers = {"encoding": encoding}
    if encoding == "aesgcm":
        encryption, crypto_key = request.headers.get("Encryption", ""), request.headers.get("Crypto-Key", "")
        if "salt=" not in encryption or "dh=" not in crypto_key:
            raise Refusal(400, 110, "Invalid crypto headers")
        headers |= {"encryption": encryption, "crypto_key": crypto_key}
    elif encoding != "aes128gcm":
        raise Refusal(400, 110, "Unknown Content-Encoding")
    return base64.urlsafe_b64encode(body).decode().rstrip("="), headers


def read_ttl(request):
    text = request.headers.get("TTL", "")
    if not text:
        raise Refusal(400, 111, "Missing TTL header")
    if not text.isascii() or not text.isdigit():
        raise Refusal(400, 112, "Invalid TTL header")
    return min(int(text), LONGEST_TTL)


class Endpoint:
    """The handlers; `server` has `users`, `tokens`, `now`, `take` and `take_back`."""

    def __init__(self, server):
        self.server, self.issued = server, set()

    @web.middleware
    async def guard(self, request, handler):
        self.server.transports.add(request.transport)
        try:
            if ordered := self.server.refused(request.path, "push"):
                status, headers = ordered
                headers = headers or ({"Retry-After": "120"} if status == 503 else {})
                return Refusal(status, ERRNOS.get(status, 0), "refused").answer(headers)
            return await handler(request)
        except Refusal as refusal:
            tell("push refused", f"{refusal.status}/{refusal.errno}", refusal.message)
            return refusal.answer()
        except (web.HTTPNotFound, web.HTTPMethodNotAllowed) as error:
            return Refusal(error.status, ERRNOS.get(error.status, 0), "Not Found").answer()

    async def post(self, request):
        kind, token = request.match_info["kind"], request.match_info["token"]
        body = await request.read()
        uaid, channel, key = self.server.tokens.get(token, (None, None, None))
        if uaid is None or kind != ("v2" if key else "v1"):
            raise Refusal(404, 102, "Invalid URL endpoint")
        field = request.headers.get("Authorization", "")
        if kind == "v2" and not field:
            raise Refusal(401, 109, "Missing VAPID")
        if field and (shown := read_vapid(field, self.server.origin, self.server.now())) != key and key:
            raise Refusal(401, 109, f"VAPID public key mismatch, of {len(shown)} bytes")
        user = self.server.users.get(uaid)
        if user is None:
            raise Refusal(410, 103, "No such subscription")
        if channel not in user.channels:
            raise Refusal(410, 106, "No such subscription")
        ttl, topic = read_ttl(request), request.headers.get("Topic", "")
        if topic and not re.fullmatch(r"[-_A-Za-z0-9]{1,32}", topic):
            raise Refusal(400, 113, "Invalid Topic header")
        data, headers = read_content(request, body)
        notice = Notice(channel, topic, ttl, self.server.now(), data, headers, opaque(72))
        self.issued.add(notice.version)
        tell("push", channel, notice.version, await self.server.take(uaid, notice))
        return web.Response(status=201, headers={"Location": f"{self.server.origin}/m/{notice.version}", "TTL": str(ttl)})

    async def delete(self, request):
        version = request.match_info["version"]
        if version not in self.issued:
            raise Refusal(404, 102, "Invalid message id")
        self.server.take_back(version)
        tell("delete", version)
        return web.Response(status=204)

    def app(self):
        app = web.Application(middlewares=[self.guard], client_max_size=1 << 20)
        app.router.add_post("/wpush/{kind:v1|v2}/{token}", self.post)
        app.router.add_delete("/m/{version}", self.delete)
        return app
