#!/usr/bin/env python3
"""Connect to a runner over its Unix socket. Needs Python 3.9 and its standard library.

    python3 connect.py [SOCKET]
"""

import http.client
import json
import os
import socket
import sys

APP = "com.example.local"  # 'app.id' of the services file


def socket_path():
    """The argument, COREWIRE_SOCKET, or the default place for this app."""
    if len(sys.argv) > 1:
        return sys.argv[1]
    if "COREWIRE_SOCKET" in os.environ:
        return os.environ["COREWIRE_SOCKET"]
    if "XDG_RUNTIME_DIR" in os.environ:
        folder = os.environ["XDG_RUNTIME_DIR"] + "/corewire"
    else:
        folder = "/run/corewire" if os.geteuid() == 0 else f"/tmp/corewire-{os.geteuid()}"
    return f"{folder}/{APP}/api.sock"


class Runner(http.client.HTTPConnection):
    """An HTTP connection to the runner's Unix socket."""

    def __init__(self, path):
        super().__init__("localhost", timeout=20)  # an idle event stream sends a line every 15 s
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


class Problem(Exception):
    """An unsuccessful response (RFC 9457)."""

    def __init__(self, problem):
        super().__init__(f"{problem['title']}: {problem['detail']}")
        self.kind = problem["type"].rpartition(":")[2]


def send(connection, method, path, value=None):
    """Send a request. Return the response once its status is a success."""
    body = None if value is None else json.dumps(value)
    headers = {} if value is None else {"Content-Type": "application/json"}
    connection.request(method, path, body, headers)
    response = connection.getresponse()
    if response.status >= 400:
        raise Problem(json.load(response))
    return response


def events(response):
    """The events of a stream of server-sent events, as pairs of name and data."""
    name, data = None, None
    for line in response:
        field, _, text = line.decode().rstrip("\n").partition(": ")
        if field == "event":
            name = text
        elif field == "data":
            data = json.loads(text)
        elif field == "" and name:
            yield name, data
            name, data = None, None


def main():
    path = socket_path()
    runner = Runner(path)
    status = json.load(send(runner, "GET", "/v1/status"))
    print(f"connected to {status['app']}, environment {status.get('environment', 'none')}")

    try:
        token = json.load(send(runner, "GET", "/v1/auth/token"))
        print(f"access token, valid until {token.get('expiresAt', 'the server rejects it')}")
    except Problem as problem:
        print(f"no access token: {problem}")

    # A stream needs a connection of its own. The first line says that the subscription has begun.
    stream = send(Runner(path), "GET", "/v1/events?name=state.")
    stream.readline()

    stored = send(runner, "PUT", "/v1/state/connect-python/greeting", {"text": "hello"})
    stored.read()
    print(f"stored a value, version {json.loads(stored.headers['ETag'])}")
    print(f"read {send(runner, 'GET', '/v1/state/connect-python/greeting').read().decode()}")
    send(runner, "DELETE", "/v1/state/connect-python").read()

    for name, event in events(stream):
        if event["data"].get("namespace") == "connect-python":
            print(f"event {name} at {event['time']}")
            return


try:
    main()
except Problem as problem:
    sys.exit(f"error: {problem}")
except OSError as error:
    sys.exit(f"error: no runner at {socket_path()}: {error}")
