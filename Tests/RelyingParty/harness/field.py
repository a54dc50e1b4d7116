"""What identity servers in use do, beyond what the conformance suite asks of a client."""

import os
import time

from harness import jose
from harness.issuer import CLIENT, Scenario
from harness.modules import accepted, claiming, module, refused


class Looked(Scenario):
    """Notes what is not as it should be."""

    def expect(self, what, found):
        if not found:
            self.faults.append(what)

    def wait(self, what, is_so):
        end = time.monotonic() + 60
        while not is_so():
            if time.monotonic() > end:
                return self.faults.append(what)
            time.sleep(0.02)


@module("token-without-end")
class TokenWithoutEnd(Looked):
    """Only who shows a token can tell that it has ended: the server does not say when it does."""

    def tokens(self, request, is_refresh=False):
        return {key: value for key, value in super().tokens(request, is_refresh).items() if key != "expires_in"}

    def after(self, trial):
        first = trial.token()
        self.expect("it is renewed though nobody refused it", trial.token("?minTTL=7d") == first)
        second = trial.refused(first).json.get("accessToken")
        self.expect("the refused token was not renewed", second == self.refreshed_token and second != first)
        self.expect("the present token was not given", trial.refused(first).json.get("accessToken") == second)
        run = trial.corewire("auth", "token", "--refused", input=f"{first}\n")
        self.expect(f"the command printed {run}", run.stdout == f"{second}\n" and run.returncode == 0)
        self.expect(f"{self.refreshes} refreshes, expected one", self.refreshes == 1)
        # However slow this machine is, the pause grows to a minute.
        for _ in range(10):
            answer = trial.refused(trial.token())
            if answer.status != 200:
                break
        self.expect(f"the loop ended with {answer.status} {answer.body}", answer.status == 429)
        self.expect("a token or its digest is in the log", first not in trial.log())


