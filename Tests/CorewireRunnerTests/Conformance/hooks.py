"""What schemathesis is told about the local API besides its description.

A stream that is followed never ends, so the requests it makes up ask for what is kept, and an end after it.
"""

import schemathesis


@schemathesis.hook
def before_call(context, case, kwargs):
    query = case.query
    headers = case.headers
    if case.path == "/v1/events" and isinstance(query, dict):
        if str(query.get("follow", "true")).lower() in ("true", "", "none"):
            query["follow"] = "false"
    if case.path == "/v1/state/{namespace}":
        if isinstance(query, dict) and str(query.get("watch", "false")).lower() in ("true", ""):
            query["watch"] = "false"
        if headers is not None and "event-stream" in str(headers.get("Accept", "")):
            headers["Accept"] = "application/json"
