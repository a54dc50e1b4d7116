"""A push server that answers as it is told to, and notes what it is asked.

Arguments: a folder. The port is written to `port`; each request is a line of JSON in `seen`; `answers` holds a JSON list of
the next answers (`{"status": 200, "body": "", "fields": {}}`); where there is none, it answers what the server of that path
answers where all is well. While there is a file
`away`, connections are closed unanswered; while there is a file `silent`, requests are noted and never answered.

Two things it does beside that are not noted. Below `/api` people sign in at it as at a HALO server, unless there is a file
`nobody`. Below `/halo/devices` it keeps a device as a HALO server does; only what is said of push tokens is noted there, and
only what is noted has its answer from `answers`.
"""

import http.server
import json
import os
import sys
import threading
import time

folder = sys.argv[1]
lock = threading.Lock()
device = None
answers, answers_of = [], None


def place(name):
    return os.path.join(folder, name)


def next_answer():
    """Never writes the file: a test may replace it at any time, and what it holds then are the next answers."""
    global answers, answers_of
    try:
        with open(place("answers")) as file:
            status = os.fstat(file.fileno())
            if answers_of != (status.st_ino, status.st_mtime_ns):
                answers, answers_of = json.load(file), (status.st_ino, status.st_mtime_ns)
    except FileNotFoundError:
        return {}
    return answers.pop(0) if answers else {}


def beside(method, path, body):
    """What is answered without a note, as (status, JSON); nothing for the rest."""
    if path.startswith("/api/oauth/token"):
        if os.path.exists(place("nobody")):
            return 503, {}
        return 200, {"access_token": "hush-hush-user", "token_type": "bearer", "expires_in": 86400000}
    if not path.startswith("/halo/devices"):
        return None
    if method == "GET":
        return (200, device) if device else (404, {})
    if json.loads(body)["devices"] or (device or {}).get("devices"):
        return None
    return keep(body)


def well(method, path, body):
    """What the server of a path answers where all is well."""
    if path.startswith("/ups/rest/registry/device"):
        if method == "DELETE":
            return {"status": 204}
        return {"body": body.decode() if method == "POST" else "{}", "fields": {"Content-Type": "application/json"}}
    # Altcraft, under whatever name.
    if path.startswith("/crm/") or "/push/" in path:
        return {"body": '{"error":0,"error_text":""}', "fields": {"Content-Type": "application/json"}}
    return {}


def keep(body):
    global device
    device = {**json.loads(body), "id": "d-1"}
    return 200, device


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        with lock:
            is_away = os.path.exists(place("away")) and not self.path.startswith("/api/")
            if is_away:
                self.close_connection = True
                return
            answer = beside(self.command, self.path, body)
            if answer is not None:
                return self.say(answer[0], json.dumps(answer[1]), {"Content-Type": "application/json"})
            said = next_answer() or well(self.command, self.path, body)
            seen = {
                "method": self.command,
                "path": self.path,
                "fields": {name.lower(): value for name, value in self.headers.items()},
                "body": body.decode("utf-8", "replace"),
                "status": said.get("status", 200),
            }
            with open(place("seen"), "a") as file:
                file.write(json.dumps(seen) + "\n")
            if said.get("status", 200) < 300 and self.path.startswith("/halo/devices"):
                kept = json.dumps(keep(body)[1])
                said = {"status": said.get("status", 200), "body": said.get("body", kept), "fields": said.get("fields", {})}
        while os.path.exists(place("silent")):
            time.sleep(0.01)
        self.say(said.get("status", 200), said.get("body", ""), said.get("fields", {}))

    def say(self, status, body, fields):
        text = body.encode()
        self.send_response(status)
        for name, value in fields.items():
            self.send_header(name, value)
        if status != 204:
            self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = answer

    def log_message(self, *words):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
with open(place("port.new"), "w") as file:
    file.write(str(server.server_address[1]))
os.rename(place("port.new"), place("port"))
server.serve_forever()
