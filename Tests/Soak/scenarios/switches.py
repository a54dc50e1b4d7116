"""Every service there is, switched to another environment and back all the time: what has stopped leaves no memory behind."""

import os

from harness.runner import Runner
from harness.verdict import hold

SMOKE, DEEP = 130, 600
# After so many, most of what is kept on purpose is as large as it gets: the latest events, the texts of generations.
WARM = 90
# What allocators may keep, and what a switch may add, in KiB: services that are left behind take ten times as much.
KEPT, GROWTH = 6 * 1024, 20

ROOT = os.path.abspath(f"{os.path.dirname(__file__)}/../../..")


def services():
    """The file of 'make run', where nothing else listens."""
    with open(f"{ROOT}/configs/local.yaml") as file:
        text = file.read()
    for address in ("127.0.0.1:7430", "127.0.0.1:7437", "127.0.0.1:7420"):
        hold(address in text, f"configs/local.yaml does not listen at {address}")
        text = text.replace(address, "127.0.0.1:0")
    return text.replace(": local/", f": {ROOT}/configs/local/")


async def run(run):
    runner = await Runner(run.home, app="com.example.local", file=services()).start()
    warm = min(WARM, run.times * 2 // 3)
    for number in range(run.times):
        if number == warm:
            before = runner.figures()
        answer = await runner.switch(("stage", "dev")[number % 2])
        hold(answer.status == 200, f"a switch was answered with {answer}")
    after = runner.figures()
    run.figures["switches"] = run.times
    run.figures["services"] = len((await runner.status())["services"])
    run.figures["KiB resident before"], run.figures["descriptors before"] = before
    run.figures["KiB resident after"], run.figures["descriptors after"] = after
    await runner.stop()
    hold(after[1] <= before[1] + 8, f"descriptors grew from {before[1]} to {after[1]}")
    most = before[0] + KEPT + GROWTH * (run.times - warm)
    hold(after[0] <= most, f"memory grew from {before[0]} to {after[0]} KiB")
