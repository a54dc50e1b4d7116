"""Two machines in network namespaces of their own: one for the runner, and one with a server, joined by a link."""

import json
import os
import select
import socket
import struct
import subprocess
import sys
import threading
import time

from harness.runner import PATIENCE, Failed

# A process that keeps a namespace, and ends with its parent.
KEEPER = ["setpriv", "--pdeathsig", "KILL", "sleep", "infinity"]
# A user that is not root makes the namespaces in a user namespace, where it is root.
UNSHARE = ["unshare", "--net"] if os.geteuid() == 0 else ["unshare", "--user", "--map-root-user", "--net"]
NSENTER = ["nsenter", "--net"] if os.geteuid() == 0 else ["nsenter", "--user", "--net", "--preserve-credentials"]
PORT = 8000


def missing():
    """Why there can be no such machines; nothing where there can."""
    try:
        with Machines():
            return None
    except (OSError, Failed) as failure:
        return f"network namespaces cannot be made: {failure}"


class Machines:
    """`near` is the machine of the runner with 10.77.0.2, `far` that of the server with 10.77.0.1; they end with this."""

    def __init__(self):
        self.keepers = []
        self.server = None
        self.seen = []
        self.news = threading.Condition()

    def __enter__(self):
        try:
            self.far = self.machine(UNSHARE)
            inner = [*NSENTER, "--target", str(self.far), "unshare", "--net"]
            self.near = self.machine(inner)
            self.on(self.far, "ip link set lo up")
            self.on(self.far, f"ip link add v1 type veth peer name v0 netns {self.near}")
            self.on(self.far, "ip addr add 10.77.0.1/24 dev v1; ip addr add 10.77.0.9/24 dev v1; ip link set v1 up")
            self.on(self.far, "ip addr add 10.99.0.1/32 dev lo")
            self.on(self.near, "ip link set lo up; ip addr add 10.77.0.2/24 dev v0; ip link set v0 up")
            self.on(self.near, "ip route add 10.99.0.0/24 via 10.77.0.1")
            self.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for process in [self.server, *self.keepers]:
            if process:
                process.kill()
                process.wait()

    def machine(self, command):
        """The number of a process in a new namespace, once it is in it."""
        before = {os.readlink("/proc/self/ns/net"), *(os.readlink(f"/proc/{k.pid}/ns/net") for k in self.keepers)}
        keeper = subprocess.Popen([*command, *KEEPER], stderr=subprocess.PIPE)
        self.keepers.append(keeper)
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if keeper.poll() is not None:
                raise Failed(keeper.stderr.read().decode().strip())
            with open(f"/proc/{keeper.pid}/comm") as file:
                if file.read() == "sleep\n" and os.readlink(f"/proc/{keeper.pid}/ns/net") not in before:
                    return keeper.pid
            time.sleep(0.005)
        raise Failed("no namespace was made")

    def words(self, machine):
        """What runs a program on a machine."""
        return [*NSENTER, "--target", str(machine)]

    def on(self, machine, script):
        run = subprocess.run([*self.words(machine), "sh", "-ec", script], capture_output=True, text=True)
        if run.returncode:
            raise Failed(f"{script}: {run.stderr}")

    # The server

    def start(self):
        command = [*self.words(self.far), sys.executable, "-B", os.path.abspath(__file__)]
        folder = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
        self.server = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": folder, "PYTHONDONTWRITEBYTECODE": "1"},
        )
        if self.server.stdout.readline() != "ready\n":
            raise Failed("the server did not start")
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.server.stdout:
            with self.news:
                self.seen.append(json.loads(line))
                self.news.notify_all()

    def say(self, word):
        """`hold` has the next requests wait, `release` has those that wait answered."""
        self.server.stdin.write(f"{word}\n")
        self.server.stdin.flush()
        # The server says that it has heard.
        self.until(lambda seen: any(each.get("heard") == word for each in seen[self.heard :]))
        self.heard = len(self.seen)

    heard = 0

    def until(self, holds):
        with self.news:
            if not self.news.wait_for(lambda: holds(self.seen), PATIENCE):
                raise Failed(f"the server has seen {self.seen}")

    def stop(self):
        """The server ends; connections to it are refused until it is started again."""
        self.server.kill()
        self.server.wait()

    def forget(self):
        """The machine of the server loses all connections without a word to their other ends, and begins again."""
        self.on(self.far, "ip route add blackhole 10.77.0.2/32")
        self.stop()
        self.start()
        self.on(self.far, "ip route del blackhole 10.77.0.2/32")

    @property
    def requests(self):
        with self.news:
            return [each for each in self.seen if "path" in each]

    def until_requests(self, count):
        self.until(lambda seen: sum("path" in each for each in seen) >= count)


def serve():
    """Answers every request, and tells of each: its method, its path, from where, and on which connection."""
    import http.server

    may_answer = threading.Event()
    may_answer.set()
    lock = threading.Lock()

    def tell(**what):
        with lock:
            print(json.dumps(what), flush=True)

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True
        connections = 0

        def setup(self):
            super().setup()
            with lock:
                Handler.connections += 1
                self.number = Handler.connections

        def answer(self):
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            last = self.headers.get("Last-Event-ID")
            tell(
                method=self.command,
                path=self.path,
                source=self.client_address[0],
                address=self.connection.getsockname()[0],
                connection=self.number,
                last=last,
            )
            may_answer.wait()
            self.send_response(200)
            if self.path == "/notifications":
                # Its end is a reset, which is sent once: one that is lost is lost.
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                self.send_header("Content-Type", "text/event-stream")
                self.send_header("Connection", "close")
                self.end_headers()
                number = int(last or 0) + 1
                self.wfile.write(b'id: %d\ndata: {"title":"%d"}\n\n' % (number, number))
                self.wfile.flush()
                threading.Event().wait()
            if self.path == "/stream":
                self.send_header("Content-Type", "text/event-stream")
                self.send_header("Connection", "close")
                self.end_headers()
                self.wfile.write(b"data: first\n\n")
                self.wfile.flush()
                threading.Event().wait()
            if self.path == "/close":
                self.send_header("Connection", "close")
            self.send_header("Content-Length", "5")
            self.end_headers()
            self.wfile.write(b"hello")

        do_GET = do_POST = do_PUT = answer

        def log_message(self, *_):
            pass

    class Server(http.server.ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, *_):
            pass

    server = Server(("0.0.0.0", PORT), Handler)
    print("ready", flush=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    for line in sys.stdin:
        word = line.strip()
        may_answer.clear() if word == "hold" else may_answer.set()
        tell(heard=word)


if __name__ == "__main__":
    serve()
