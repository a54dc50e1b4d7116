"""The files of the store are taken away, replaced or cut short under load: it is told, and nothing acknowledged is lost unseen."""

import os
import shutil

from harness import store
from harness.clients import Writers
from harness.oracle import Oracle
from harness.runner import Runner
from harness.verdict import hold
from harness.waiting import until

SMOKE, DEEP = 7, 400

# What 'corewire run' ends with where the state cannot be used.
UNUSABLE = 74


async def run(run):
    oracle = Oracle()
    runner = Runner(run.home)
    path = f"{run.home.path}/state/corewire/com.example.soak/state.db"
    run.figures["times taken away"] = run.figures["times saved"] = run.figures["starts refused"] = 0
    for number in range(run.times):
        await runner.start()
        connection = await runner.connect()
        await store.verify(connection, oracle)
        connection.close()
        shutil.copyfile(path, f"{path}.older")
        os.chmod(f"{path}.older", 0o600)
        writers = Writers(oracle, run.random, clients=4)
        writers.begin(runner)
        await writers.acknowledged(run.random.randrange(1, 300))
        harm = HARMS[number % len(HARMS)]
        harm(path)
        await until(lambda: writers.refusals, f"writes are refused once the store is {harm.__name__}")
        await writers.end()
        hold(set(writers.refusals) == {503}, f"{harm.__name__}: a write was answered with {writers.refusals}")
        ready = await runner.ask("GET", "/readyz")
        hold(ready.status == 503 and b"while the store was open" in ready.body, f"{harm.__name__}: it is ready: {ready}")
        await runner.stop()
        run.figures["times taken away"] += 1
        if os.path.exists(f"{path}.saved"):
            restore(path)
            run.figures["times saved"] += 1
        else:
            hold(harm is emptied, f"what was open when it was {harm.__name__} was not saved")
            await refuse(runner)
            run.figures["starts refused"] += 1
            shutil.rmtree(os.path.dirname(path))
            oracle = Oracle()
    await runner.start()
    connection = await runner.connect()
    await store.verify(connection, oracle)
    await runner.stop()
    run.figures["lost unseen"] = 0


def restore(path):
    """What the program says is to be done."""
    os.rename(f"{path}.saved", path)
    for file in (f"{path}-wal", f"{path}-shm"):
        if os.path.exists(file):
            os.unlink(file)


async def refuse(runner):
    """A start with what is left: it is not taken for a new store."""
    runner.spawn()
    hold(not await runner.ready(), "it started with an empty store in the place of one that was there")
    status = await runner.ended()
    hold(status == UNUSABLE, f"it ended with {status}:\n{runner.tail()}")
    # A checkpoint that had begun when the file was emptied has filled it up to its length, in part with nothing.
    is_told = any(reason in runner.tail() for reason in ("a store existed before", "state.db' is damaged: "))
    hold(is_told, f"why it does not start is not told:\n{runner.tail()}")


# What happens to the files


def removed(path):
    os.unlink(path)


def replaced(path):
    os.rename(f"{path}.older", path)


def emptied(path):
    os.truncate(path, 0)


def log_removed(path):
    os.unlink(f"{path}-wal")


def moved(path):
    os.rename(path, f"{path}.moved")


def log_replaced(path):
    shutil.copyfile(f"{path}-wal", f"{path}-wal.new")
    os.rename(f"{path}-wal.new", f"{path}-wal")


def index_removed(path):
    os.unlink(f"{path}-shm")


HARMS = [removed, replaced, emptied, log_removed, moved, log_replaced, index_removed]
