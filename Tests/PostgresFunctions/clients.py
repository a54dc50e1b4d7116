"""Clients of the functions: the protocol of a writing transaction, as a runner speaks it."""

import json
import logging
import random

import psycopg

KEY = b"check"
# A pipeline that ends with an error is reported by the error.
logging.getLogger("psycopg").setLevel(logging.CRITICAL)


class Functions:
    """The signatures of the functions, so that each argument is sent with its type."""

    def __init__(self, connection, schema):
        rows = connection.execute(
            "SELECT p.proname, p.proargtypes::regtype[]::text[], p.prorettype::regtype::text, p.proretset,"
            " p.prosecdef FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace WHERE n.nspname = %s",
            [schema],
        )
        self.types = {row[0]: row[1] for row in rows if row[4]}
        self.schema = schema

    def call(self, name, arguments, columns=False):
        types = self.types[name]
        if len(arguments) != len(types):
            raise TypeError(f"{name} has {len(types)} parameters, given {len(arguments)}")
        values = ", ".join(f"%s::{kind}" for kind in types)
        return f"SELECT {'* FROM ' if columns else ''}{self.schema}.{name}({values})"


class Client:
    """A runner: a connection, the number of its last transaction, and its group."""

    def __init__(self, server, group, schema="corewire", runner=None, lease=20_000, user="postgres", key=KEY):
        self.server, self.group, self.schema, self.user, self.key = server, group, schema, user, key
        self.runner = random.getrandbits(62) | 1 if runner is None else runner
        self.lease = lease
        self.connection = None
        self.connect()
        self.join()

    def connect(self):
        self.connection = self.server.connect(self.user)
        self.connection.prepare_threshold = None
        self.functions = Functions(self.connection, self.schema)

    def join(self):
        self.status, self.grp, self.op, self.timeline = self.rows(
            "join_1", self.group, self.runner, b"machine", b"one", b"0.1.0", 1, self.lease, self.key
        )[0]

    def rows(self, name, *arguments):
        """The rows of a function that is called alone."""
        return self.connection.execute(self.functions.call(name, arguments, columns=True), arguments).fetchall()

    def value(self, name, *arguments):
        return self.rows(name, *arguments)[0][0]

    def read(self, name, *arguments):
        """The rows of a reading function, each as a dictionary."""
        cursor = self.connection.execute(
            self.functions.call(name, (self.grp, *arguments), columns=True), (self.grp, *arguments)
        )
        names = [column.name for column in cursor.description]
        return [dict(zip(names, row)) for row in cursor.fetchall()]

    def send(self, operations, then=(), former=None, op=None):
        """Runs operations in one transaction; returns their answers, and the rows of what is read after them."""
        former = self.op if former is None else former
        op = former + 1 if op is None else op
        with self.connection.pipeline() as pipeline:
            cursors = []
            self.queue("begin_1", self.runner, former, op)
            for name, *arguments in operations:
                cursors.append(self.queue(name, *arguments))
            for name, *arguments in then:
                cursors.append(self.queue(name, *arguments, columns=True))
            self.queue("keep_1", self.runner, op)
            pipeline.sync()
            rows = [cursor.fetchall() for cursor in cursors]
        self.op = op
        count = len(operations)
        return [json.loads(row[0][0]) for row in rows[:count]], rows[count:]

    def queue(self, name, *arguments, columns=False):
        return self.connection.execute(self.functions.call(name, arguments, columns), arguments)

    def do(self, name, *arguments):
        """The answer of one operation of the group."""
        return self.send([(name, self.grp, *arguments)])[0][0]

    def close(self):
        if self.connection is not None:
            self.connection.close()

    # What operations need, with defaults.

    def put(self, ns, key, value=b"", at=None, **options):
        return self.do("put_1", *put(ns, key, value, at, **options))

    def add(self, queue, id, at=None, **options):
        return self.do("add_1", self.runner, *add(queue, id, at, **options))

    def turn(self, queue, ends=(), wished=0, at=None, **options):
        """Ends claims and claims items; returns what was held, and the claims."""
        op = self.op + 1
        answers, rows = self.send(
            [("turn_1", self.grp, self.runner, op, *turn(queue, ends, wished, at, **options))],
            [("claimed_1", self.grp, self.runner, op)],
            op=op,
        )
        claims = [Claim(*row) for row in rows[0]]
        if answers[0][1] != len(claims):
            raise AssertionError(f"{answers[0][1]} claims were counted, and {len(claims)} found")
        return answers[0][0], claims

    def claim(self, queue, count=1, at=None, **options):
        return self.turn(queue, (), count, at, **options)[1]


class Claim:
    def __init__(self, queue, position, id, lane, kind, sealed, head, payload, attempts, added, age, fence):
        self.queue, self.position, self.id, self.lane, self.kind = queue, position, id, lane, kind
        self.sealed, self.head, self.payload = sealed, head, payload
        self.attempts, self.added, self.age, self.fence = attempts, added, age, fence


class End:
    """The end of a claim: 0 done, 1 later, 2 its lease is over, 3 not begun."""

    def __init__(self, claim, how=0, note=b"", noted=86_400_000, delay=0, reason=b"", awaits=None, counts=True):
        self.claim, self.how, self.note, self.noted = claim, how, note, noted
        self.delay, self.reason, self.awaits, self.counts = delay, reason, awaits, counts


def put(
    ns,
    key,
    value=b"",
    at=None,
    type=b"text/plain",
    lifetime=None,
    sealed=False,
    condition=0,
    version=None,
    entries=None,
    size=None,
    together=(None, None),
    names=(None, None),
    wider=(None, None),
    oldest=False,
    history=10_000,
    length=None,
):
    length = len(value) if length is None else length
    return (
        at,
        ns,
        key,
        type,
        length,
        lifetime,
        sealed,
        value,
        condition,
        version,
        entries,
        size,
        *together,
        *names,
        *wider,
        oldest,
        history,
    )


def add(
    queue,
    id,
    at=None,
    lane=None,
    kind=b"",
    delay=0,
    sealed=False,
    head=b"",
    payload=b"",
    entries=None,
    size=None,
    oldest=False,
    replaces=False,
    leaves=False,
    note=b"",
    kept=86_400_000,
    weight=None,
):
    weight = len(id) + len(head) + len(payload) if weight is None else weight
    return (
        at,
        queue,
        id,
        id if lane is None else lane,
        kind,
        delay,
        sealed,
        head,
        payload,
        entries,
        size,
        oldest,
        replaces,
        leaves,
        note,
        kept,
        weight,
    )


def turn(queue, ends=(), wished=0, at=None, named=(), kinds=None, lease=30_000, skips=()):
    return (
        at,
        queue,
        [end.claim.position for end in ends],
        [end.claim.fence for end in ends],
        [end.how for end in ends],
        [end.note for end in ends],
        [end.noted for end in ends],
        [end.delay for end in ends],
        [end.reason for end in ends],
        [end.awaits for end in ends],
        [end.counts for end in ends],
        wished,
        list(named),
        kinds,
        lease,
        list(skips),
    )


def sqlstate(body):
    """The state of the exception that a call ends with; None where there is none."""
    try:
        body()
    except psycopg.Error as error:
        return error.sqlstate
    return None
