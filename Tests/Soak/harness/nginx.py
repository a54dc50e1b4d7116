"""nginx of Debian's as a server of files: with ranges, and as slow as a scenario wants it."""

import os
import re
import socket

from harness import process
from harness.tools import need
from harness.waiting import until

FILE = """\
user root;
worker_processes 1;
daemon off;
pid {folder}/pid;
error_log {folder}/errors;
events {{ worker_connections 256; }}
http {{
    log_format asked '$request_uri $status "$http_range" $body_bytes_sent';
    access_log {folder}/asked asked;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    server {{
        listen 127.0.0.1:{port};
        root {folder}/files;
        limit_rate {rate};
    }}
}}
"""


def free_port():
    """One that nobody had a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Nginx:
    def __init__(self, folder, rate):
        """Each connection gets so much a second, as nginx writes it: `16m`."""
        self.program = need("nginx")
        self.folder, self.rate = folder, rate
        os.makedirs(f"{folder}/files")

    async def start(self):
        self.port = free_port()
        with open(f"{self.folder}/settings", "w") as file:
            file.write(FILE.format(folder=self.folder, port=self.port, rate=self.rate))
        arguments = [self.program, "-p", self.folder, "-c", f"{self.folder}/settings", "-e", f"{self.folder}/errors"]
        self.process = process.start(arguments, {"PATH": os.environ.get("PATH", "/usr/bin:/bin")}, f"{self.folder}/out")
        await until(self.answers, "nginx answers")
        return self

    def answers(self):
        try:
            socket.create_connection(("127.0.0.1", self.port), 1).close()
            return True
        except OSError:
            return False

    def put(self, name, content):
        """Puts a file in the place of another, at once; pieces of bytes, one after the other."""
        with open(f"{self.folder}/new", "wb") as file:
            for piece in content:
                file.write(piece)
        os.rename(f"{self.folder}/new", f"{self.folder}/files/{name}")

    def path(self, name):
        return f"{self.folder}/files/{name}"

    def url(self, name):
        return f"http://127.0.0.1:{self.port}/{name}"

    def asked(self, name):
        """What was asked for a file and answered: status, range, bytes sent."""
        with open(f"{self.folder}/asked", errors="replace") as file:
            found = re.findall(rf'^/{re.escape(name)} (\d+) "([^"]*)" (\d+)$', file.read(), re.MULTILINE)
        return [(int(status), wanted, int(sent)) for status, wanted, sent in found]

    def stop(self):
        self.process.terminate()
        self.process.wait()
