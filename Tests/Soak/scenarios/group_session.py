"""Runners share a session whose refresh tokens rotate: at each expiry one of them renews it, whoever asks and dies.

The server ends the session where a refresh token is shown a second time. The clock of all runners goes ahead by an hour, and
all are asked for a token at once; now and then one is killed, also while it renews, before the server has read its request.
"""

import asyncio

from harness import issuer as issuers
from harness import process
from harness.database import Database
from harness.faketime import Clock
from harness.group import Group, size, store
from harness.http import Gone
from harness.verdict import hold
from harness.waiting import until

# How many renewals.
SMOKE, DEEP = 20, 1_000

HOUR = 3_600
# Every so often a runner is killed; every other time while it renews.
KILLED = 10


async def run(run):
    issuer, clock = await issuers.Issuer().start(), Clock(f"{run.home.path}/clock")
    issuer.lifetime = HOUR
    count = max(3, size(run.times, 60))
    async with Database(run.home) as database:
        file = issuers.services(issuer, "com.example.soak").replace("api: {}\n", store(database.url(), "auth, state"))
        async with Group(run, database, count, files=[file] * count, environment=clock.environment) as group:
            await Session(run, issuer, clock, group.runners).go_on()
    issuer.close()


class Session:
    def __init__(self, run, issuer, clock, runners):
        self.run, self.issuer, self.clock, self.runners = run, issuer, clock, runners

    async def go_on(self):
        figures = self.run.figures
        figures["runners"], figures["kills"], figures["kills while it renewed"] = len(self.runners), 0, 0
        await issuers.sign_in(self.runners[0])
        for runner in self.runners:
            await until(lambda: self.is_signed_in(runner), "a sign-in is that of all runners")
        for number in range(self.run.times):
            is_kill = number % KILLED == KILLED - 1
            victim = self.kill_renewing() if is_kill and number // KILLED % 2 == 0 else None
            await self.expire(number)
            if is_kill:
                await self.replace(victim[0] if victim else self.run.random.choice(self.runners))
            figures["renewals"] = number + 1
        hold(set(self.issuer.shown.values()) == {1}, "a refresh token was shown twice")
        figures["renewals for one expiry"], figures["revoked"] = 1, self.issuer.revoked

    async def expire(self, number):
        """The token expires for all at once: they have the next one, of which there is one."""
        self.clock.set(self.clock.offset + HOUR)
        self.issuer.offset = self.clock.offset
        await asyncio.gather(*(self.ask(runner) for runner in self.runners))
        session = self.issuer.session
        hold(self.issuer.revoked == 0 and not session.is_over, f"the session was revoked at expiry {number}")
        hold(session.rotations == number + 1, f"at expiry {number} there are {session.rotations - number} renewals")

    async def ask(self, runner):
        former = self.issuer.newest

        async def has_next():
            try:
                token, answer = await issuers.token(runner)
            except Gone:
                return await until(lambda: not runner.is_alive, "a runner that breaks off was killed")
            hold(token or answer.status == 503, f"a runner with a session answers {answer}")
            return token and token != former and token == self.issuer.newest

        await until(has_next, "a runner has the next token", deadline=300)

    def kill_renewing(self):
        """Has the runner die that renews next; the token is not shown, and the others go on with it."""
        killed = []

        async def kill(stage):
            if stage == issuers.RECEIVED:
                alive = [runner for runner in self.runners if runner.is_alive]
                for runner in alive:
                    if process.has_port(runner.pid, self.issuer.asking):
                        self.issuer.stage = self.issuer.nothing
                        runner.kill()
                        killed.append(runner)
                        self.run.figures["kills while it renewed"] += 1
                # Also where the one that asked has left: as if it had asked nothing.
                raise ConnectionError

        self.issuer.stage = kill
        return killed

    async def replace(self, runner):
        await runner.killed()
        await runner.start()
        hold(await self.is_signed_in(runner), "a runner that starts again is not signed in")
        self.run.figures["kills"] += 1

    @staticmethod
    async def is_signed_in(runner):
        return (await issuers.state(runner))["state"] == "signedIn"
