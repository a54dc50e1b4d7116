"""Where the runner keeps what must not be lost."""

import os

FILES = ["store.lock", "store.key"] + [name + end for name in ("state.db", "cache.db") for end in ("", "-wal", "-shm", "-journal")]


def store(state):
    """The folder of the store, whether it is there or not; the group names it."""
    return f"{state}/corewire/com.example.soak"


def files(state):
    """The folder and all that is or will be in it."""
    folder = store(state)
    return [os.path.dirname(folder), folder, *(f"{folder}/{name}" for name in FILES)]
