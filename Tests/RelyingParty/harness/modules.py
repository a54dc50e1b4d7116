"""The scenarios, by the names of the modules of the OpenID conformance suite that ask the same of a client."""

import time

from harness import jose
from harness.issuer import CLIENT, SECRET, Scenario

KINDS = {}
# What this client never does, so that the module has nothing to look at; each with the reason.
NOT_APPLICABLE = {
    "oidcc-client-test-userinfo-bearer-body": "the token is only ever sent in the header (RFC 6750, section 2.1)",
    "oidcc-client-test-dynamic-registration": "client ids are declared in the services file",
    "oidcc-client-test-3rd-party-init-login": "there is no page of the client's on the web that could begin a sign-in",
    "oidcc-client-test-form-post-error": "answers are asked for in the query; no other response mode is taken",
    **{
        f"oidcc-client-test-rp-backchannel-rpinitlogout{suffix}": "no server can call a host that only listens locally"
        for suffix in (
            "", "-alg-none", "-no-event", "-with-nonce", "-wrong-alg", "-wrong-aud", "-wrong-event", "-wrong-iss"
        )
    },
}


def module(name):
    def keep(kind):
        KINDS[name] = kind
        return kind

    return keep


def refused(name, **changes):
    """A scenario that differs in what is given, and must not sign anybody in."""
    KINDS[name] = type(name, (Scenario,), {"expects": "refused", **changes})


def accepted(name, **changes):
    KINDS[name] = type(name, (Scenario,), changes)


def claiming(**changes):
    """Claims of the ID token with changes; None takes one away."""

    def claims(self, request):
        claims = {**Scenario.claims(self, request), **{k: v for k, v in changes.items() if v is not None}}
        return {key: value for key, value in claims.items() if key not in changes or changes[key] is not None}

    return claims


# Basic

accepted("oidcc-client-test")
refused("oidcc-client-test-invalid-iss", claims=claiming(iss="https://elsewhere.example"))
refused("oidcc-client-test-missing-sub", claims=claiming(sub=None))
refused("oidcc-client-test-invalid-aud", claims=claiming(aud="somebody-else"))
refused("oidcc-client-test-missing-iat", claims=claiming(iat=None))
accepted(
    "oidcc-client-test-kid-absent-single-jwks",
    id_token=lambda self, claims: jose.token(claims, self.keys[0], {"kid": None}),
    key_set=lambda self: {"keys": [self.keys[0].public(named=False)]},
)


@module("oidcc-client-test-kid-absent-multiple-jwks")
class AbsentKeyNames(Scenario):
    def __init__(self, name, base):
        super().__init__(name, base)
        self.keys = [jose.RSAKey("first"), jose.RSAKey("second")]

    def key_set(self):
        return {"keys": [key.public(named=False) for key in reversed(self.keys)]}

    def id_token(self, claims):
        return jose.token(claims, self.keys[0], {"kid": None})


accepted("oidcc-client-test-idtoken-sig-rs256")
refused("oidcc-client-test-idtoken-sig-none", id_token=lambda self, claims: jose.unsigned(claims))
refused(
    "oidcc-client-test-invalid-sig-rs256",
    id_token=lambda self, claims: jose.token(claims, self.keys[0], spoil=True),
)


@module("oidcc-client-test-userinfo-bearer-header")
class UserinfoByHeader(Scenario):
    def verdict(self, trial):
        return super().verdict(trial) or (None if ("userinfo", "header") in self.seen else "userinfo was not asked")


refused("oidcc-client-test-userinfo-invalid-sub", user=lambda self: {"sub": "user-2", "name": "Somebody Else"})
refused("oidcc-client-test-nonce-invalid", claims=claiming(nonce="another"))


@module("oidcc-client-test-scope-userinfo-claims")
class ClaimsOfScopes(Scenario):
    def verdict(self, trial):
        claims = trial.user()
        return super().verdict(trial) or (
            None if claims.get("email") == "ada@example.com" else f"the user has no address: {sorted(claims)}"
        )


accepted("oidcc-client-test-client-secret-basic")

# Config

accepted("oidcc-client-test-discovery-openid-config")


@module("oidcc-client-test-discovery-jwks-uri-keys")
class KeysOfTheirOwnPlace(Scenario):
    def verdict(self, trial):
        return super().verdict(trial) or (None if ("keys",) in self.seen else "the keys were never asked for")


refused(
    "oidcc-client-test-discovery-issuer-mismatch",
    metadata=lambda self: {**Scenario.metadata(self), "issuer": f"{self.issuer}/other"},
)


@module("oidcc-client-test-signing-key-rotation-just-before-signing")
class RotationJustBeforeSigning(Scenario):
    def id_token(self, claims):
        self.keys = [jose.RSAKey(f"new-{len(self.seen)}")]
        return super().id_token(claims)


@module("oidcc-client-test-signing-key-rotation")
class Rotation(Scenario):
    authorizations = 2

    def after(self, trial):
        with self.lock:
            self.keys = [jose.RSAKey("second")]


# Refresh


class Refreshing(Scenario):
    """The first token is over as soon as it is there, so that the next one is asked for."""

    def tokens(self, request, is_refresh=False):
        return {**super().tokens(request, is_refresh), "expires_in": 300 if is_refresh else 1}

    def after(self, trial):
        trial.refresh()


@module("oidcc-client-test-refresh-token")
class Refreshed(Refreshing):
    def verdict(self, trial):
        if self.refreshes != 1:
            return f"{self.refreshes} refreshes, expected one"
        return super().verdict(trial) or (None if trial.token_changed else "the new token is not handed out")


class WronglyRefreshed(Refreshing):
    """The new tokens are of somebody else, and so nobody may have them; what was there before stays."""

    def verdict(self, trial):
        return "a token of the refused answer was handed out" if trial.token_changed else None


@module("oidcc-client-test-refresh-token-invalid-issuer")
class RefreshedByAnother(WronglyRefreshed):
    def refreshed(self, claims):
        return {**claims, "iss": "https://elsewhere.example"}


@module("oidcc-client-test-refresh-token-invalid-sub")
class RefreshedForAnother(WronglyRefreshed):
    def refreshed(self, claims):
        return {**claims, "sub": "user-2"}


# Also worth having

refused("oidcc-client-test-missing-aud", claims=claiming(aud=None))


@module("oidcc-client-test-invalid-sig-es256")
class SpoiltCurve(Scenario):
    expects = "refused"

    def __init__(self, name, base):
        super().__init__(name, base)
        self.keys = [jose.ECKey("curve")]

    def id_token(self, claims):
        return jose.token(claims, self.keys[0], spoil=True)


refused(
    "oidcc-client-test-invalid-sig-hs256",
    id_token=lambda self, claims: jose.shared(claims, b"not the secret of the client"),
)


@module("oidcc-client-test-userinfo-signed")
class SignedUserinfo(Scenario):
    def userinfo(self, authorization):
        status, body, kind = super().userinfo(authorization)
        if status != 200:
            return status, body, kind
        claims = {**body, "iss": self.issuer, "aud": CLIENT}
        return status, jose.token(claims, self.keys[0]).encode(), "application/jwt"

    def verdict(self, trial):
        return super().verdict(trial) or (
            None if trial.user().get("email") == "ada@example.com" else "the signed claims were not taken over"
        )


@module("oidcc-client-test-mtls-endpoint-aliases")
class Aliases(Scenario):
    """Aliases are for clients that show a certificate; this one must go on with the plain endpoints."""

    def metadata(self):
        return {
            **super().metadata(),
            "mtls_endpoint_aliases": {"token_endpoint": f"{self.issuer}/nowhere"},
        }


accepted(
    "oidcc-client-test-aggregated-claims",
    user=lambda self: {
        **Scenario.user(self),
        "_claim_names": {"phone": "elsewhere"},
        "_claim_sources": {"elsewhere": {"JWT": jose.unsigned({"phone": "1"})}},
    },
)
accepted(
    "oidcc-client-test-distributed-claims",
    user=lambda self: {
        **Scenario.user(self),
        "_claim_names": {"phone": "elsewhere"},
        "_claim_sources": {"elsewhere": {"endpoint": f"{self.issuer}/nowhere"}},
    },
)

# Logout


class LoggingOut(Scenario):
    state = "right"

    def after(self, trial):
        trial.logout(self.state)

    def verdict(self, trial):
        hints = [entry[1] for entry in self.seen if entry[0] == "logout"]
        if not hints:
            return "the end of the session was not asked for"
        missing = [name for name in ("id_token_hint", "client_id", "state") if name not in hints[0]]
        return super().verdict(trial) or (f"the request lacks {missing}" if missing else None)


@module("oidcc-client-test-rp-init-logout")
class Logout(LoggingOut):
    expects = "signed out"


@module("oidcc-client-test-rp-init-logout-no-state")
class LogoutWithoutState(LoggingOut):
    expects = "signed out"
    state = None


@module("oidcc-client-test-rp-init-logout-other-state")
class LogoutWithAnotherState(LoggingOut):
    expects = "signed out"
    state = "other"


# From the FAPI 2 client plan

FAPI = "fapi2-security-profile-final-client-test"
refused(
    f"{FAPI}-ensure-authorization-response-with-invalid-state-fails",
    response=lambda self, parameters: {**parameters, "state": "another"},
)
refused(
    f"{FAPI}-ensure-authorization-response-with-invalid-missing-state-fails",
    response=lambda self, parameters: {**parameters, "state": None},
)
refused(
    f"{FAPI}-invalid-authorization-response-iss",
    response=lambda self, parameters: {**parameters, "iss": "https://elsewhere.example"},
)
refused(
    f"{FAPI}-remove-authorization-response-iss",
    response=lambda self, parameters: {**parameters, "iss": None},
)
refused(f"{FAPI}-invalid-expired-exp", claims=claiming(exp=int(time.time()) - 3600))
refused(f"{FAPI}-invalid-missing-exp", claims=claiming(exp=None))
refused(f"{FAPI}-invalid-null-alg", id_token=lambda self, claims: jose.unsigned(claims, algorithm=None))
refused(f"{FAPI}-invalid-secondary-aud", claims=claiming(aud=[CLIENT, "somebody-else"]))
accepted(
    f"{FAPI}-token-type-case-insensitivity",
    tokens=lambda self, request, is_refresh=False: {
        **Scenario.tokens(self, request, is_refresh),
        "token_type": "bEaReR",
    },
)
accepted(f"{FAPI}-valid-aud-as-array", claims=claiming(aud=[CLIENT]))

__all__ = ["CLIENT", "KINDS", "NOT_APPLICABLE", "SECRET"]
