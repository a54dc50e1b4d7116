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


class Revoking(Looked):
    expects = "signed out"
    posts = ("token", "revoke")

    def __init__(self, name, base):
        super().__init__(name, base)
        self.revoked = []
        self.is_failing = False

    def metadata(self):
        return {**super().metadata(), "revocation_endpoint": f"{self.issuer}/revoke"}

    def revoke(self, form, authorization):
        if not authorization:
            self.faults.append("tokens came without the client that they are of")
        if self.is_failing:
            return 503, {}
        self.revoked.append(form.get("token"))
        return 200, {}


def files(folder):
    """What is in all files of a folder."""
    for place, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(place, name)
            if os.path.isfile(path):
                with open(path, "rb") as file:
                    yield path, file.read()


@module("revocation-that-fails")
class LateRevocation(Revoking):
    """The server cannot be told at the sign-out; it is when the runner has been started anew."""

    def after(self, trial):
        access, [refresh] = trial.token(), self.refresh_tokens
        self.is_failing = True
        answer = trial.ask("POST", "/v1/auth/logout", {}).json
        self.expect(f"found {answer}", answer["revoked"] is False and answer["revocation"] == "pending")
        self.expect("it is not told that the server does not know", trial.state().get("pendingRevocations") == 1)
        trial.stop()
        for path, content in files(trial.home):
            for token in (refresh, access):
                self.expect(f"a token is in {path} as it is", token.encode() not in content)
        self.is_failing = False
        trial.start()
        self.wait("the server was never told", lambda: self.revoked == [refresh, access])
        self.wait("it is still said to wait", lambda: "pendingRevocations" not in trial.state())


@module("revocation-at-once")
class Revocation(Revoking):
    def after(self, trial):
        access, [refresh] = trial.token(), self.refresh_tokens
        answer = trial.ask("POST", "/v1/auth/logout", {}).json
        self.expect(f"found {answer}", answer["revoked"] is True and answer["revocation"] == "revoked")
        self.expect(f"found {self.revoked}", self.revoked == [refresh, access])


@module("revocation-not-offered")
class NoRevocation(Looked):
    expects = "signed out"

    def after(self, trial):
        run = trial.corewire("auth", "logout")
        self.expect(f"the command printed {run}", run.stdout.startswith("signed out\nthe server does not support revocation; "))


# ID tokens that are for others, too

SEVERAL = {"aud": [CLIENT, "project-1"], "azp": CLIENT}
TRUSTED = ("audiences: [project-1, project-2]",)
accepted("several-audiences-trusted", settings=TRUSTED, claims=claiming(**SEVERAL))
refused("several-audiences-not-trusted", settings=("audiences: [project-2]",), claims=claiming(**SEVERAL))
refused("several-audiences-without-party", settings=TRUSTED, claims=claiming(**{**SEVERAL, "azp": None}))
refused("several-audiences-another-party", settings=TRUSTED, claims=claiming(**{**SEVERAL, "azp": "project-1"}))
refused("trusted-audience-alone", settings=TRUSTED, claims=claiming(aud="project-1", azp=CLIENT))


# Servers behind gateways


class Failing(Looked):
    """Counts how often places were asked."""

    asked = {}

    def verdict(self, trial):
        for place, count in self.asked.items():
            found = sum(url.split("?")[0].endswith(f"/{place}") for url in self.urls)
            self.expect(f"{place} was asked {found} times, expected {count}", found == count)
        return super().verdict(trial)


def failing(name, expects, failures, asked, **changes):
    module(name)(type(name, (Failing,), {"expects": expects, "failures": failures, "asked": asked, **changes}))


DISCOVERY = ".well-known/openid-configuration"
failing(
    "gateway-without-server",
    "signed in",
    {DISCOVERY: [502], "keys": [504], "token": [502]},
    {DISCOVERY: 2, "keys": 2, "token": 2},
)
failing("connection-lost", "signed in", {DISCOVERY: [0], "keys": [0]}, {DISCOVERY: 2, "keys": 2, "token": 1})
failing("token-endpoint-that-takes-nothing-now", "signed in", {"token": [503]}, {"token": 2})
# The code may have been used: a second question would have what came of it revoked.
failing("code-that-a-gateway-waited-for", "refused", {"token": [504]}, {"token": 1})
failing("code-that-was-lost-on-its-way", "refused", {"token": [0]}, {"token": 1})
failing("code-at-a-server-that-fails", "refused", {"token": [500]}, {"token": 1})
# What would make a sign-in fail in the end is found out before anybody signs in.
failing("keys-that-cannot-be-had", "refused", {"keys": [503, 503]}, {"keys": 2, "authorize": 0, "token": 0})
failing(
    "clients-with-keys-alone",
    "refused",
    {},
    {"authorize": 0, "token": 0},
    metadata=lambda self: {
        **Scenario.metadata(self),
        "token_endpoint_auth_methods_supported": ["private_key_jwt", "tls_client_auth"],
    },
)


# Keys by other names, or none


def unnamed(self):
    return {"keys": [key.public(named=False) for key in reversed(self.keys)]}


accepted("keys-without-names", key_set=unnamed)


@module("several-keys-without-names")
class SeveralUnnamed(Scenario):
    def __init__(self, name, base):
        super().__init__(name, base)
        self.keys = [jose.RSAKey("first"), jose.RSAKey("second"), jose.ECKey("curve")]

    key_set = unnamed


refused(
    "key-of-another-name",
    key_set=lambda self: {"keys": [{**self.keys[0].public(), "kid": "other"}]},
)


@module("key-by-its-own-algorithm")
class OwnAlgorithm(Scenario):
    """Ed25519 by the name of RFC 9864."""

    def __init__(self, name, base):
        super().__init__(name, base)
        self.keys = [jose.EdKey("ed")]

    def metadata(self):
        return {**super().metadata(), "id_token_signing_alg_values_supported": ["Ed25519"]}

    def id_token(self, claims):
        return super().id_token({key: value for key, value in claims.items() if key != "at_hash"})


# What comes compressed, from elsewhere, or only to those who say who they are

accepted("answers-that-are-compressed", compresses=True)


@module("document-that-grows")
class Growing(Scenario):
    """A few kilobytes that a gigabyte comes of, were it not for the limit."""

    expects = "refused"
    compresses = True

    def metadata(self):
        return b" " * (16 << 20) + b"{}"


accepted("described-as-oauth-has-it", discovery=".well-known/oauth-authorization-server/")
accepted("described-behind-the-name", discovery=".well-known/openid-configuration/")
refused("described-nowhere", discovery="nowhere")


@module("user-agent")
class NamedAgent(Looked):
    def verdict(self, trial):
        # The browser is there, too.
        self.expect(f"found {self.agents}", "corewire" in self.agents and None not in self.agents)
        return super().verdict(trial)


# A clock that is wrong


def shifted(hours):
    def claims(self, request):
        return {
            key: value + hours * 3_600 if key in ("iat", "exp", "auth_time") else value
            for key, value in Scenario.claims(self, request).items()
        }

    def verdict(self, trial):
        trouble = trial.state().get("trouble", {})
        side = "ahead of" if hours < 0 else "behind"
        expected = (
            f"The clock of this machine is about {abs(hours)} h {side} the server's. "
            "Set it to the right time, then sign in again."
        )
        return None if (trouble.get("kind"), trouble.get("guidance")) == ("wrongClock", expected) else f"found {trouble}"

    return {"claims": claims, "verdict": verdict}


refused("clock-two-hours-ahead", **shifted(-2))
refused("clock-three-hours-behind", **shifted(3))
