"""What an ntfy server (see ntfy.py) takes from who publishes: the parameters, the errors, the message they make; and who may."""

import base64
import email.header
import json
import re
import time
from hmac import compare_digest

ERRORS = {
    40004: "invalid delay parameter: unable to parse delay", 40005: "invalid delay parameter: too small",
    40006: "invalid delay parameter: too large", 40007: "invalid priority parameter",
    40008: "invalid since parameter", 40009: "invalid request: topic invalid",
    40013: "invalid request: attachment URL is invalid", 40016: "invalid request: client not using the websocket protocol",
    40017: "invalid request: request body must be valid message JSON", 40018: "invalid request: actions invalid",
    40021: "invalid request: icon URL is invalid", 40101: "unauthorized", 40301: "forbidden", 40401: "page not found",
    41301: "attachment too large, or bandwidth limit reached", 42901: "limit reached: too many requests",
    42903: "limit reached: too many active subscriptions", 42909: "limit reached: too many auth failures",
    50001: "internal server error", 50701: "cannot publish to UnifiedPush topic without previously active subscriber",
}
TOPIC = re.compile(r"[-_A-Za-z0-9]{1,64}")
MESSAGE_LIMIT, FILE_LIMIT, FILE_SECONDS = 4096, 15 << 20, 3 * 3600
PRIORITIES = {"min": 1, "low": 2, "default": 3, "high": 4, "max": 5, "urgent": 5} | {str(n): n for n in range(1, 6)}
NAMES = {
    "title": ("title", "ti", "t"), "message": ("message", "m"), "priority": ("priority", "prio", "p"),
    "tags": ("tags", "tag", "ta"), "click": ("click",), "icon": ("icon",), "attach": ("attach", "a"),
    "filename": ("filename", "file", "f"),
    "actions": ("actions", "action"), "delay": ("delay", "at", "in"), "cache": ("cache",), "markdown": ("markdown", "md"),
    "up": ("unifiedpush", "up"), "poll": ("poll", "po"), "since": ("since", "si"), "scheduled": ("scheduled", "sched"),
    "id": ("id",),
}


class Refusal(Exception):
    """An answer with one of ntfy's error codes."""

    def __init__(self, code, status=None):
        super().__init__(code)
        self.status = status or code // 100
        link = "https://ntfy.sh/docs/publish/"
        self.body = {"code": code, "http": self.status, "error": ERRORS.get(code, "refused"), "link": link}


def param(request, name):
    """The first of a header X-Name, Name or a short form of it, else of the query."""
    query = {key.lower(): value for key, value in request.query.items()}
    for source in (request.headers, query):
        for short in NAMES[name]:
            for key in ("x-" + short, short):
                if value := source.get(key, "").strip().encode(errors="surrogateescape").decode(errors="replace"):
                    return str(email.header.make_header(email.header.decode_header(value))) if "=?" in value else value
    return ""


def is_yes(value):
    return value.lower() in ("1", "yes", "true")


def seconds(text):
    """The seconds of a duration such as 90s or 1h30m; None if it is none."""
    if not re.fullmatch(r"(\d+(\.\d+)?(ms|[smhd]))+", text):
        return None
    units = {"ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86400}
    return sum(float(number) * units[unit] for number, unit in re.findall(r"([\d.]+)(ms|[smhd])", text))


def read_actions(text, new_id):
    """The buttons, of their JSON form."""
    try:
        actions = [dict(action) for action in json.loads(text)]
    except (ValueError, TypeError):
        raise Refusal(40018) from None
    for action in actions:
        kind = action.get("action")
        if kind not in ("view", "broadcast", "http") or not action.get("label") or (kind != "broadcast" and not action.get("url")):
            raise Refusal(40018)
    if len(actions) > 3:
        raise Refusal(40018)
    return [{"id": new_id(10), "clear": False} | action for action in actions]


def read_due(text, now):
    """The moment that a delay names; None without one."""
    if not text:
        return None
    span = seconds(text)
    if span is None and not text.isdigit():
        raise Refusal(40004)
    moment = int(now + span if span is not None else int(text))
    if moment < int(now) + 10:
        raise Refusal(40005)
    if moment > now + 3 * 86400:
        raise Refusal(40006)
    return moment


def read_json(body):
    """Topic, text and parameters of a message that is published as JSON."""
    try:
        given = json.loads(body)
        topic, text = given.pop("topic"), str(given.pop("message", None) or "").encode()
        fields = {}
        if tags := given.pop("tags", None):
            fields["tags"] = ",".join(tags)
        if actions := given.pop("actions", None):
            fields["actions"] = json.dumps(actions)
        fields |= {name: str(value) for name, value in given.items() if value and not isinstance(value, (list, dict))}
    except (ValueError, TypeError, KeyError, AttributeError):
        raise Refusal(40017) from None
    if not isinstance(topic, str) or not TOPIC.fullmatch(topic):
        raise Refusal(40009)
    return topic, text, fields


def as_text(body):
    try:
        return body.decode()
    except UnicodeDecodeError:
        return None


def compose(server, request, topic, body, fields):
    """The parts of a message: its text, when it is due, whether it is kept, all the rest."""
    def get(name):
        return fields.get(name, "")

    level = get("priority").lower()
    if level not in ("", "0") and level not in PRIORITIES:
        raise Refusal(40007)
    for name, code in (("icon", 40021), ("attach", 40013)):
        if get(name) and not re.match(r"https?://[^/\s]", get(name)):
            raise Refusal(code)
    up = is_yes(get("up"))
    if up and (topic not in server.seen or not re.fullmatch(r"up.{12}", topic)):
        raise Refusal(50701)
    more = {
        "title": get("title"), "priority": PRIORITIES.get(level), "click": get("click"), "icon": get("icon"),
        "tags": [tag.strip() for tag in get("tags").split(",") if tag.strip()],
        "actions": read_actions(get("actions"), server.new_id) if get("actions") else None,
    }
    if is_yes(get("markdown")) or request.content_type == "text/markdown":
        more["content_type"] = "text/markdown"
    text = as_text(body)
    if up or request.headers.get("Content-Encoding") == "aes128gcm":
        text = as_text(body[:MESSAGE_LIMIT])
        if text is None:
            text, more["encoding"] = base64.b64encode(body[:MESSAGE_LIMIT]).decode(), "base64"
    elif get("attach"):
        name = get("filename") or get("attach").split("?")[0].rstrip("/").rsplit("/", 1)[-1] or "attachment"
        more["attachment"] = {"name": name, "url": get("attach")}
        text = (text or "").strip()[:MESSAGE_LIMIT] or get("message") or f"You received a file: {name}"
    elif body and (get("filename") or text is None or len(body) > MESSAGE_LIMIT):
        if len(body) > FILE_LIMIT:
            raise Refusal(41301)
        kind, ending = ("application/octet-stream", ".bin") if text is None else ("text/plain; charset=utf-8", ".txt")
        name, key = get("filename") or "attachment" + ending, server.new_id() + ending
        server.files[key] = (body, kind)
        more["attachment"] = {
            "name": name, "type": kind, "size": len(body), "expires": int(server.now()) + FILE_SECONDS,
            "url": f"{request.scheme}://{request.host}/file/{key}",
        }
        text = get("message") or f"You received a file: {name}"
    else:
        text = text.strip() or get("message").replace("\\n", "\n") or "triggered"
    return text, read_due(get("delay"), server.now()), get("cache").lower() not in ("no", "0", "false"), more


class Gate:
    """Who may ask, and how often."""

    def __init__(self, options):
        self.options, self.tokens, self.counted, self.failures = options, 60.0, time.monotonic(), 0

    def allow(self, request, topics, write=False):
        """Refuses with 401 what is wrong, and with 403 who has shown nothing."""
        if not self.options.token and not self.options.user:
            return
        if self.options.limits and self.failures >= 30:
            raise Refusal(42909)
        field = request.headers.get("Authorization", "")
        try:
            if not field and (auth := request.query.get("auth")):
                field = base64.urlsafe_b64decode(auth + "=" * (-len(auth) % 4)).decode()
            scheme, _, given = field.partition(" ")
            given = base64.b64decode(given, validate=True).decode() if scheme.lower() == "basic" else given.strip()
        except ValueError:
            scheme, given = "none", ""
        if not field:
            if write and self.options.up_write and all(topic.startswith("up") for topic in topics):
                return
            raise Refusal(40301)
        right = {
            "basic": [self.options.user, self.options.token and ":" + self.options.token], "bearer": [self.options.token],
        }.get(scheme.lower(), [])
        if not any(one and compare_digest(given.encode(), one.encode()) for one in right):
            self.failures += 1
            raise Refusal(40101)

    def count(self):
        """60 requests at once, and one more each five seconds."""
        now = time.monotonic()
        self.tokens, self.counted = min(60.0, self.tokens + (now - self.counted) / 5), now
        if self.tokens < 1:
            raise Refusal(42901)
        self.tokens -= 1
