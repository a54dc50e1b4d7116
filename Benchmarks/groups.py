"""Runners that share a database, what the database does, and the server that receives their requests."""

import http.client
import re
import sys
import time
from contextlib import ExitStack, contextmanager

from programs import FOLDER, ROOT, Corewire, asked, nginx, told, until
from scaling.clients import JSON, series

sys.path.insert(0, str(ROOT / "Tests/PostgresFunctions"))
# What Benchmarks/group and the curve of runners need, besides PgQueuer.
PACKAGES = ["gcc", "libc6-dev", "wrk", "postgresql", "nginx-light"]
PYTHON = ["psycopg", "psycopg-binary"]

APP = """\
version: 1
app: {{ id: com.example.bench, group: com.example.bench }}
environment: dev
environments: {{ dev: {{ baseUrl: "{server}" }} }}
network: {{}}
background: {{ queue: {{ maxRequests: 100000, parallel: {parallel} }} }}
persistence:
  key: QmVuY2htYXJrcyBoYXZlIG5vIHNlY3JldHMgYXQgYWw=
  store: {{ url: "postgresql://postgres@{hosts}/postgres", shares: [auth, state, outbox], giveUpAfter: 10s }}
"""
# '#' is the number of the request: each has a lane of its own.
REQUEST = '{"path":"/x","lane":"l#","authorization":"none"}'


class Database:
    """A server of PostgreSQL that is reached over TCP; with `of`, its standby."""

    def __init__(self, of=None):
        from servers import Server

        # What is compared runs with the same priority as the server.
        Server.niceness = 0
        settings = ["listen_addresses = '127.0.0.1'", "max_connections = 200", "max_wal_size = 4GB"]
        self.server = Server(of and of.server, settings)
        self.host = f"127.0.0.1:{self.server.port}"
        self.url = f"postgresql://postgres@{self.host}/postgres"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.remove()

    def app(self, server="http://127.0.0.1:9", *others, parallel=4):
        hosts = ",".join([self.host, *(other.host for other in others)])
        return APP.format(server=server, hosts=hosts, parallel=parallel)

    def pgbench(self, script, clients, seconds):
        """Transactions of a bare statement a second."""
        from servers import as_user, programs

        path = self.server.folder / "script.sql"
        path.write_text(script)
        path.chmod(0o644)
        command = [programs() / "pgbench", "-n", "-M", "prepared", "-c", clients, "-j", 2, "-T", seconds, "-f", path]
        command += ["-h", "127.0.0.1", "-p", self.server.port, "-U", "postgres", "postgres"]
        return float(re.search(r"tps = ([\d.]+)", told(*as_user(command)))[1])

    def asked(self, query):
        """The number that is the answer to a query."""
        with self.server.connect() as connection:
            return float(connection.execute(query).fetchone()[0] or 0)

    def turns(self, clients, seconds):
        """What calls the functions of the queue in this database, as Tests/PostgresFunctions/bench.py does."""
        from bench import BARE, TURN_FUNCTION, Bench

        with self.server.connect() as connection:
            connection.execute(BARE + TURN_FUNCTION)
        return Bench(self.server, seconds, clients)

    def statements(self, seconds):
        """The statements of all clients a second."""
        self.server.set("log_statement = 'all'", "log_min_messages = 'log'")
        time.sleep(1)
        log = self.server.folder / "log"
        before = len(log.read_text())
        time.sleep(seconds)
        count = len(re.findall("LOG:  (execute|statement)", log.read_text()[before:]))
        self.server.set("log_statement = 'none'", "log_min_messages = 'panic'")
        return count / seconds


def runner(name, app):
    return Corewire(FOLDER / name, "", app=app)


def known(runners):
    """Waits until each runner knows the others, which it does after its next beat: from then on it notifies them."""
    for each in runners:
        connection = each.local()
        until(lambda: len(asked(connection, "GET", "/v1/status")["group"]["runners"]) == len(runners), "the group", pause=0.1)


@contextmanager
def group(name, count, app):
    with ExitStack() as stack:
        runners = [stack.enter_context(runner(f"{name}-{number}", app)) for number in range(count)]
        known(runners)
        yield runners


class Receiver:
    """nginx, which answers requests after some time, and counts them."""

    def __init__(self, peer):
        self.url, self.port, self.own = peer.url, peer.port, 0
        self.connection = http.client.HTTPConnection("127.0.0.1", peer.port)

    def count(self):
        """How many requests have come, besides those that ask for this."""
        self.own += 1
        self.connection.request("GET", "/count")
        return int(re.search(r"(\d+) \nReading", self.connection.getresponse().read().decode())[1]) - self.own

    def rate(self, count, begin_it, limit=120):
        """How many of so many requests come a second, from the moment that something begins."""
        before, begin = self.count(), time.monotonic()
        begin_it()
        until(lambda: self.count() >= before + count, "the last of the requests", limit, 0.01)
        return count / (time.monotonic() - begin)


@contextmanager
def receiver(name, seconds):
    answer = f"echo_sleep {seconds}; echo_status 204; echo -n '';" if seconds else "return 204;"
    module = "load_module /usr/lib/nginx/modules/ngx_http_echo_module.so;"
    with nginx(FOLDER / name, f"location / {{ {answer} }} location /count {{ stub_status; }}", before=module) as peer:
        yield Receiver(peer)


def sent(runners, receiver, count, before=lambda: None):
    """Requests that a group sends in a second, when so many wait; something may be done before it begins."""
    connection = runners[0].local()
    asked(connection, "POST", "/v1/outbox/pause")
    series(runners[0].socket, 32, count, "POST", "/v1/outbox", REQUEST, JSON)
    before()
    return receiver.rate(count, lambda: asked(connection, "POST", "/v1/outbox/resume"))
