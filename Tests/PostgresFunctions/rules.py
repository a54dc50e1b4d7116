"""The rules of the functions, one after the other on a server of their own.

    python rules.py [--only TEXT] [--broken]

--broken breaks the functions for each rule, and expects the rule to notice.
"""

import argparse
import sys
import traceback

import rule
import rules_claims  # noqa: F401
import rules_clock  # noqa: F401
import rules_copies  # noqa: F401
import rules_queue  # noqa: F401
import rules_sessions  # noqa: F401
import rules_values  # noqa: F401
from servers import Server, sql


def check(server, one, schema="corewire"):
    """What is wrong with a rule; None where it holds."""
    try:
        one.hold(server, schema)
    except Exception:
        return traceback.format_exc()
    return None


def check_broken(server, one, number):
    """Whether a rule notices each way of breaking the functions; what is wrong, or None."""
    for place, (part, other) in enumerate(one.broken):
        text = sql()
        if part not in text:
            return f"no such text: {part}"
        schema = f"broken_{number}_{place}"
        with server.connect() as connection:
            connection.execute("SET check_function_bodies = off")
            connection.execute(text.replace(part, other).replace("corewire.", schema + "."))
        wrong = check(server, one, schema)
        with server.connect() as connection:
            connection.execute(f"SET client_min_messages = error; DROP SCHEMA {schema} CASCADE")
        if wrong is None:
            return f"not noticed: {part.strip()[:60]}"
    return None if one.broken else "not known how to break it"


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--only", default="")
    arguments.add_argument("--broken", action="store_true")
    options = arguments.parse_args()
    server = Server(settings=["fsync = off", "max_locks_per_transaction = 256"])
    failed = 0
    try:
        server.install()
        for number, one in enumerate(rule.ALL):
            if options.only not in one.text:
                continue
            wrong = check_broken(server, one, number) if options.broken else check(server, one)
            failed += wrong is not None
            print("ok  " if wrong is None else "FAIL", one.text, flush=True)
            if wrong is not None:
                print(wrong, flush=True)
    finally:
        server.remove()
    print(f"{failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
