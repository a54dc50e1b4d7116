"""A push server that answers as it is told to, and notes what it is asked.

Arguments: a folder. The port is written to `port`; each request is a line of JSON in `seen`; `answers` holds a JSON list of
the next answers (`{"status": 200, "body": "", "fields": {}}`), 200 without a body where there is none. While there is a file
`away`, connections are closed unanswered.
"""

import http.server
import json
import os
import sys
import threading

folder = sys.argv[1]
lock = threading.Lock()


def place(name):
    return os.path.join(folder, name)


def next_answer():
    try:
        with open(place("answers")) as file:
            answers = json.load(file)
    except FileNotFoundError:
        return {}
    if not answers:
        return {}
    with open(place("answers.new"), "w") as file:
        json.dump(answers[1:], file)
    os.rename(place("answers.new"), place("answers"))
    return answers[0]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        with lock:
            if os.path.exists(place("away")):
                self.close_connection = True
                return
            said = next_answer()
            seen = {
                "method": self.command,
                "path": self.path,
                "fields": {name.lower(): value for name, value in self.headers.items()},
                "body": body.decode("utf-8", "replace"),
                "status": said.get("status", 200),
            }
            with open(place("seen"), "a") as file:
                file.write(json.dumps(seen) + "\n")
        text = said.get("body", "").encode()
        self.send_response(said.get("status", 200))
        for name, value in said.get("fields", {}).items():
            self.send_header(name, value)
        if said.get("status") != 204:
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
