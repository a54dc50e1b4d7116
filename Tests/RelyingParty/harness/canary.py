"""Secrets that can be told from everything else, and the search for them wherever they must not be."""

import base64
import os
import re
import secrets
import stat
import urllib.parse

from harness.issuer import CLIENT, Scenario

# Any token that is signed, whoever was given it: two objects in Base64.
SIGNED = re.compile(rb"eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.")
PENDING = {"error": "authorization_pending"}


class Canaries:
    """Every secret there was, with its name."""

    def __init__(self):
        self.names = {}

    def add(self, name, value):
        if value:
            self.names[value] = name
        return value

    def forms(self):
        """As it may have been written down, with its name: as it is, and as others write bytes."""
        for value, name in self.names.items():
            data = value.encode()
            yield name, data
            yield f"{name}, in hex", data.hex().encode()
            yield f"{name}, as URLs write it", urllib.parse.quote(value, safe="").encode()
            # Without what depends on where in a longer text it stands.
            for shift in range(3):
                text = base64.b64encode(b"\0" * shift + data)[4 if shift else 0 : -4]
                if len(text) >= 12:
                    yield f"{name}, in Base64", text
                    yield f"{name}, in Base64 for URLs", text.translate(bytes.maketrans(b"+/", b"-_"))

    def found(self, data, where, but=()):
        """What of them stands there; those of the names that belong there aside."""
        seen = [name for name, form in self.forms() if form in data]
        seen += ["a signed token"] if SIGNED.search(data) else []
        return sorted({f"{name} in {where}" for name in seen if name.split(",")[0] not in but})

    def found_below(self, folder):
        """In any file, or name of a file."""
        faults, files = [], 0
        for path, _, names in os.walk(folder):
            for name in names:
                file = f"{path}/{name}"
                faults += self.found(name.encode(), f"the name of {file}")
                if stat.S_ISREG(os.lstat(file).st_mode):
                    files += 1
                    with open(file, "rb") as content:
                        faults += self.found(content.read(), file)
        return faults, files


class Talkative(Scenario):
    """An identity server that knows all flows, keeps every secret in mind, and repeats them in its errors when told so."""

    posts = ("token", "device", "revoke")

    def __init__(self, name, base, canaries, secret, password):
        super().__init__(name, base)
        self.secret = secret
        self.canaries = canaries
        self.password = password
        self.devices = {}
        # How the next questions at the token endpoint fail.
        self.failures = []

    def metadata(self):
        return {
            **super().metadata(),
            "device_authorization_endpoint": f"{self.issuer}/device",
            "revocation_endpoint": f"{self.issuer}/revoke",
        }

    def authorize(self, query):
        uri, parameters = super().authorize(query)
        self.canaries.add("the code", parameters["code"])
        return uri, parameters

    def keep(self, form, authorization):
        self.canaries.add("the header field of the client", (authorization or "").removeprefix("Basic "))
        self.canaries.add("the verifier", form.get("code_verifier"))

    def repeating(self, form, authorization):
        words = " ".join([*form.values(), authorization or "", urllib.parse.unquote(self.password)])
        return {"error_description": words, "error_uri": f"{self.issuer}/?{urllib.parse.urlencode(form)}"}

    def token(self, form, authorization):
        self.keep(form, authorization)
        if self.failures:
            status, error = self.failures.pop(0)
            return status, {"error": error, **self.repeating(form, authorization)}
        request = {"nonce": None}
        match form.get("grant_type"):
            case "password" if form.get("password") != self.password:
                return 400, {"error": "invalid_grant", **self.repeating(form, authorization)}
            case "password":
                return 200, self.kept(self.tokens(request))
            case "urn:ietf:params:oauth:grant-type:device_code":
                self.devices[form["device_code"]] += 1
                answer = (400, PENDING) if self.devices[form["device_code"]] < 2 else (200, self.tokens(request))
            case _:
                answer = super().token(form, authorization)
        return answer[0], self.kept(answer[1])

    def kept(self, answer):
        for name in ("access_token", "refresh_token", "id_token"):
            self.canaries.add(f"the {name.replace('_', ' ')}", answer.get(name))
        return answer

    def tokens(self, request, is_refresh=False):
        # So short that the next wish for more makes another.
        return {**super().tokens(request, is_refresh), "expires_in": 2}

    def device(self, form, authorization):
        self.keep(form, authorization)
        code = self.canaries.add("the device code", secrets.token_urlsafe(24))
        self.devices[code] = 0
        place = f"{self.issuer}/enter"
        answer = {"device_code": code, "user_code": "WDJB-MJHT", "verification_uri": place, "interval": 1}
        return 200, {**answer, "expires_in": 300}

    def revoke(self, form, authorization):
        self.keep(form, authorization)
        return 400, {"error": "invalid_request", **self.repeating(form, authorization)}


__all__ = ["CLIENT", "Canaries", "Talkative"]
