"""What schemathesis is told about the local API besides its description."""

import schemathesis
from schemathesis import GenerationMode


def is_meant_well(case):
    return case.meta is not None and case.meta.generation.mode == GenerationMode.POSITIVE


@schemathesis.hook
def before_call(context, case, kwargs):
    """A stream that is followed never ends, so what is kept is asked for, and an end after it."""
    query, headers = case.query, case.headers
    if case.path == "/v1/events" and query is not None and query.get("follow", True) in (True, "true", "", None):
        query["follow"] = "false"
    if query is not None and query.get("watch") in (True, "true", ""):
        query["watch"] = "false"
    if case.path == "/v1/state/{namespace}":
        if headers is not None and "event-stream" in str(headers.get("Accept", "")):
            headers["Accept"] = "application/json"
    # Its simplest value of a condition is '0', whatever the pattern says; what it means to be wrong stays wrong.
    if is_meant_well(case):
        for name in ("If-Match", "If-None-Match"):
            if headers is not None and headers.get(name) == "0":
                headers[name] = '"0"'


@schemathesis.hook
def filter_case(context, case):
    """What a schema cannot say: bytes instead of characters, parts of a path, one of two and not both; that a stream stays open."""
    if case.path == "/v1/notifications/stream" and is_meant_well(case):
        return False
    key = (case.path_parameters or {}).get("key")
    if isinstance(key, str) and (len(key.encode()) > 512 or any(part in (".", "..") for part in key.split("/"))):
        return False
    if case.path == "/v1/state/{namespace}/{key}" and "ttl" in (case.query or {}):
        return "Corewire-TTL" not in (case.headers or {})
    body = case.body
    if case.path == "/v1/auth/login" and isinstance(body, dict):
        has_both = ("username" in body) == ("password" in body)
        return has_both and ("password" not in body or body.get("flow") == "password")
    if case.path == "/v1/auth/unlock" and isinstance(body, dict):
        return ("pin" in body) != ("password" in body)
    if case.path == "/v1/plan" and isinstance(body, dict):
        return body.get("environment") is None or body.get("generation") is None
    return True
