"""kill -9 at every step of a renewal: signed in afterwards, or clearly not where the server has really ended it."""

import asyncio
import os

from harness import issuer as issuers
from harness import places
from harness.http import Gone
from harness.issuer import HALF_SENT, RECEIVED, ROTATED
from harness.runner import Home, Runner
from harness.tracing import CHANGES, Tracer
from harness.verdict import hold
from harness.waiting import until

SMOKE, DEEP = 36, 1_500
APP = "com.example.soak"


# A renewal by a process that has died is taken over when its lease has ended: several groups wait side by side.
AT_ONCE = 8


async def run(run):
    trials = [Trial(run, await issuers.Issuer().start(), Home(f"{run.home.path}/{name}")) for name in range(AT_ONCE)]
    numbers = iter(range(run.times))
    try:
        await asyncio.gather(*(trial.go_on(numbers) for trial in trials))
    finally:
        for trial in trials:
            trial.issuer.close()
            trial.runner.kill()
    run.figures["signed in afterwards"] = sum(trial.signed_in for trial in trials)
    run.figures["signed out as the server had ended it"] = sum(trial.signed_out for trial in trials)
    run.figures["tokens forgiven"] = sum(trial.issuer.forgiven for trial in trials)
    run.figures["signed out otherwise"] = 0


class Trial:
    """A group of one process, at a server of its own."""

    # At which of the calls that change the store the next one dies; for all together.
    step = 0

    def __init__(self, run, issuer, home):
        self.run = run
        self.issuer = issuer
        self.runner = Runner(home, app=APP, file=issuers.services(issuer, APP))
        self.deeds = [
            *(self.killing(stage) for stage in issuers.STAGES),
            *(self.cutting(stage) for stage in (RECEIVED, ROTATED, HALF_SENT)),
            # More often than the others, as there are many such steps. Only root may trace what holds secrets.
            *(self.killed_while_writing for _ in range(0 if os.geteuid() else 6)),
            self.killed_anywhere,
        ]
        self.signed_in = self.signed_out = 0
        self.deed = None
        run.figures["kills"] = 0

    async def go_on(self, numbers):
        self.issuer.lifetime = 1
        await self.runner.start()
        await issuers.sign_in(self.runner)
        for number in numbers:
            # Half of the times it is a server that forgives a token that comes again after a lost answer.
            self.issuer.forgives = number % 2 == 1
            await self.deeds[number // 2 % len(self.deeds)]()
            await self.judge()
        await self.runner.stop()

    # What is done

    def killing(self, stage):
        """The runner dies when the server has got so far; before that it does nothing more."""

        async def kill(reached):
            if reached == stage:
                self.issuer.stage = self.issuer.nothing
                self.runner.kill()
                await until(lambda: not self.runner.is_alive, "it is dead")
                if stage == RECEIVED:
                    raise ConnectionError  # As if it had died before it could ask.

        async def deed():
            self.deed = f"killed when the question was {stage}"
            self.issuer.stage = kill
            await self.ask()
            await until(lambda: not self.runner.is_alive, "it was killed")
            await self.runner.killed()
            self.run.figures["kills"] += 1

        return deed

    def cutting(self, stage):
        """The line breaks instead, and the runner lives on."""

        async def cut(reached):
            if reached == stage:
                self.issuer.stage = self.issuer.nothing
                raise ConnectionError

        async def deed():
            self.deed = f"the line broke when the question was {stage}"
            self.issuer.stage = cut
            await self.ask()

        return deed

    async def killed_while_writing(self):
        """Dies at the next of the calls by which a rotation comes to the disk, one after the other."""
        Trial.step += 1
        step = Trial.step
        self.deed = f"killed at call {step} that changes the store"
        deed = f"signal=KILL:when={step}"
        tracer = await Tracer(self.runner, CHANGES, deed, places.files(self.runner.state)).attached()
        if await self.ask() and self.runner.is_alive:
            # So many calls there are not: begin anew.
            Trial.step = 0
            tracer.let_go()
        if await self.has_died():
            tracer.ended()
            self.run.figures["kills"] += 1
            figure = "different calls to die at"
            self.run.figures[figure] = max(self.run.figures.get(figure, 0), step)

    async def killed_anywhere(self):
        self.deed = "killed at any moment"
        asking = asyncio.create_task(self.ask())
        await asyncio.sleep(self.run.random.random() * 0.03)
        await self.runner.killed()
        await asking
        self.run.figures["kills"] += 1

    async def ask(self):
        """Wishes for tokens until there are new ones, or the session is over; false where somebody has died over it."""
        before = self.issuer.session.rotations
        try:
            while True:
                token, answer = await issuers.token(self.runner, "1s")
                is_new = self.issuer.session.rotations > before and token == self.issuer.newest
                if is_new or answer.status == 401:
                    return True
                await asyncio.sleep(0.005)
        except Gone:
            return False

    async def has_died(self):
        """Whether it is dead, once what has befallen it is over."""
        try:
            await issuers.state(self.runner)
            return False
        except Gone:
            await self.runner.killed()
            return True

    # What came of it

    async def judge(self):
        if not self.runner.is_alive:
            await self.runner.start()
        session = self.issuer.session

        async def is_settled():
            """Whether it has asked once more, and so knows how it stands."""
            found = await issuers.state(self.runner)
            token, _ = await issuers.token(self.runner, "1s")
            return found["state"] == "signedOut" or token == self.issuer.newest

        await until(is_settled, f"{self.deed}: it finds out whether it is signed in")
        found = await issuers.state(self.runner)
        if found["state"] == "signedIn":
            hold(not session.is_over, f"{self.deed}: it believes to be signed in, and the server has ended it")
            self.signed_in += 1
            return
        hold(session.is_over, f"{self.deed}: it signed out by itself: {found}")
        hold(not self.issuer.forgives, f"{self.deed}: a token was shown twice that had been used: {found}")
        hold(found.get("reason") == "expired", f"{self.deed}: nobody is told why: {found}")
        self.signed_out += 1
        await issuers.sign_in(self.runner)
