"""A rule of the functions, and how it is checked."""

import random
import threading

import psycopg

from clients import Client

NOW = 1_790_000_000_000
ALL = []


class Store:
    """An empty group for one rule."""

    def __init__(self, server, schema):
        self.server, self.schema = server, schema
        self.group = f"group {random.getrandbits(62)}".encode()
        self.clients, self.threads = [], []

    def client(self, **options):
        options.setdefault("group", self.group)
        # Sums have a shard by the last bits of the runner: runners of a rule have one of their own.
        options.setdefault("runner", random.getrandbits(50) << 4 | len(self.clients) + 1 & 15)
        client = Client(self.server, options.pop("group"), self.schema, **options)
        client.connection.execute("SET lock_timeout = '5s'")
        self.clients.append(client)
        return client

    def start(self, body):
        """Runs a call in a thread of its own; it ends with the rule, whatever it waits for."""

        def run():
            try:
                body()
            except psycopg.Error:
                pass

        thread = threading.Thread(target=run)
        self.threads.append(thread)
        thread.start()
        return thread

    def close(self):
        if any(thread.is_alive() for thread in self.threads):
            with self.server.connect() as owner:
                owner.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = "
                    "'client backend' AND pid <> pg_backend_pid()"
                )
        for thread in self.threads:
            thread.join()
        for client in self.clients:
            client.close()


class Rule:
    def __init__(self, text, broken, check):
        self.text, self.broken, self.check = text, broken, check

    def hold(self, server, schema):
        store = Store(server, schema)
        try:
            self.check(store)
        finally:
            store.close()


def rule(text, *broken):
    """Declares a rule. `broken` are pairs: a text of the functions, and what makes the rule fail in its place."""

    def declare(check):
        ALL.append(Rule(text, broken, check))
        return check

    return declare


def same(found, wanted):
    if found != wanted:
        raise AssertionError(f"expected {wanted!r}, found {found!r}")
