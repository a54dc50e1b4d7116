"""Waiting for what is true sooner or later; only what never becomes true takes until the deadline."""

import asyncio
import time

from harness.verdict import Broken

# Far longer than anything takes where all is well: how fast a machine is decides nothing.
DEADLINE = 60


async def until(condition, what, deadline=DEADLINE):
    """The first value of the condition, a function or one that is awaited, that is not false."""
    end = time.monotonic() + deadline
    while True:
        value = condition()
        if asyncio.iscoroutine(value):
            value = await value
        if value:
            return value
        if time.monotonic() > end:
            raise Broken(f"waited {deadline} s in vain: {what}")
        await asyncio.sleep(0.02)
