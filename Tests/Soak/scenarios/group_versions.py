"""The schema of the database is newer or older than a runner needs: it refuses to start, says why, and changes nothing.

A runner that works already goes on where its functions are still there, and tells where they are not.
"""

from harness.database import Database
from harness.group import Group
from harness.runner import Home, Runner
from harness.verdict import hold
from harness.waiting import until

SMOKE, DEEP = 1, 20

STATE = 74
NEWER = "the database has been prepared for later versions of this program only"
OLDER = "the database does not have the functions of this version"


async def run(run):
    async with Database(run.home) as database, Group(run, database, 2) as group:
        with open(group.runners[0].config) as file:
            text = file.read()
        number = 0
        for number in range(run.times):
            # A later schema that keeps the functions: both versions work at the same time.
            database.sql("UPDATE corewire.meta SET schema = 2")
            await start(run, text)
            # One for later programs only.
            database.sql("UPDATE corewire.meta SET oldest = 1000")
            await refused(run, text, NEWER, "install the version that the other runners have")
            await are_well(group)
            database.sql("UPDATE corewire.meta SET schema = 1, oldest = 0")
            # One that lacks a function of this version, and none at all.
            database.sql("ALTER FUNCTION corewire.schema_1() RENAME TO schema_0")
            await refused(run, text, OLDER, "run 'corewire store migrate'")
            await are_well(group)
            database.sql("ALTER FUNCTION corewire.schema_0() RENAME TO schema_1")
            database.sql("ALTER SCHEMA corewire RENAME TO elsewhere")
            await refused(run, text, OLDER, "run 'corewire store migrate'")
            for runner in group.runners:
                answer = await runner.ask("PUT", "/v1/state/soak/a", b"x")
                hold(answer.status >= 500 and OLDER in answer.json["detail"], f"a write was answered with {answer}")
            database.sql("ALTER SCHEMA elsewhere RENAME TO corewire")
            await until(lambda: are_well(group, False), "runners go on when the functions are back")
            run.figures["starts refused"] = (number + 1) * 3
        hold(database.runners() == 2, "a runner that was refused is in the group")
        await first_start(run, database, text)


async def first_start(run, database, text):
    """Runners that start at once over an empty database make the schema once."""
    database.sql("GRANT CREATE ON DATABASE postgres TO corewire")
    text = text.replace("migrate: never", "migrate: automatic, schema: first")
    runners = [Runner(Home(f"{run.home.path}/first{number}"), file=text) for number in range(4)]
    for runner in runners:
        runner.spawn()
    for runner in runners:
        hold(await runner.ready(), f"a runner does not start:\n{runner.tail()}")
    count = database.value("SELECT count(*) FROM first.runners")
    hold(count == len(runners), f"of {len(runners)} runners that start at once, {count} are in the group")
    for runner in runners:
        await runner.stop()


async def start(run, text):
    runner = Runner(Home(f"{run.home.path}/{run.random.getrandbits(40)}"), file=text)
    await runner.start()
    await runner.stop()


async def refused(run, text, reason, help):
    runner = Runner(Home(f"{run.home.path}/{run.random.getrandbits(40)}"), file=text)
    runner.spawn()
    hold(not await runner.ready(), f"a runner starts although {reason}")
    status, said = await runner.ended(), runner.tail()
    hold(status == STATE and reason in said and help in said, f"it ended with {status}:\n{said}")


async def are_well(group, must=True):
    """Whether the runners that worked before write and read."""
    for runner in group.runners:
        put = await runner.ask("PUT", "/v1/state/soak/a", b"x")
        get = await runner.ask("GET", "/v1/state/soak/a")
        is_well = put.status in (200, 201) and get.status == 200
        hold(is_well or not must, f"a runner that worked answers {put} and {get}")
        if not is_well:
            return False
    return True
