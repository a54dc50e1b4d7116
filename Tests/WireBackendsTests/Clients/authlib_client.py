"""Signs in at an issuer with Authlib, a client by others: code with PKCE, ID token, renewal, userinfo, revocation."""

import html
import re
import sys

import requests
from authlib.common.security import generate_token
from authlib.integrations.requests_client import OAuth2Session
from authlib.jose import JsonWebKey, JsonWebToken
from authlib.oidc.core import CodeIDToken

issuer = sys.argv[1]
redirect = "http://127.0.0.1:45999/callback"
found = requests.get(f"{issuer}/.well-known/openid-configuration", timeout=60).json()
assert found["issuer"] == issuer

client = OAuth2Session(
    "phone",
    scope="openid profile email offline_access",
    redirect_uri=redirect,
    token_endpoint_auth_method="none",
    code_challenge_method="S256",
)
verifier, nonce = generate_token(48), generate_token(20)
url, state = client.create_authorization_url(found["authorization_endpoint"], code_verifier=verifier, nonce=nonce)

browser = requests.Session()
page = browser.get(url, timeout=60)
action = html.unescape(re.search(r'action="([^"]*)"', page.text).group(1))
token = re.search(r'name="token" value="([^"]*)"', page.text).group(1)
origin = "/".join(issuer.split("/")[:3])
form = {"token": token, "username": "ada", "password": "wonder"}
answer = browser.post(origin + action, data=form, allow_redirects=False, timeout=60)
assert answer.status_code == 303, (answer.status_code, answer.text)

tokens = client.fetch_token(
    found["token_endpoint"],
    authorization_response=answer.headers["Location"],
    code_verifier=verifier,
    state=state,
)
keys = JsonWebKey.import_key_set(requests.get(found["jwks_uri"], timeout=60).json())
options = {
    "iss": {"essential": True, "value": issuer},
    "aud": {"essential": True, "value": "phone"},
    "nonce": {"essential": True, "value": nonce},
}
claims = JsonWebToken(["RS256"]).decode(
    tokens["id_token"],
    keys,
    claims_cls=CodeIDToken,
    claims_options=options,
    claims_params={"nonce": nonce, "client_id": "phone", "access_token": tokens["access_token"]},
)
claims.validate(now=int(sys.argv[2]))
assert claims["name"] == "Ada Lovelace"

user = requests.get(
    found["userinfo_endpoint"], headers={"Authorization": f"Bearer {tokens['access_token']}"}, timeout=60
).json()
assert user["sub"] == claims["sub"] and user["email"] == "ada@example.com"

renewed = client.refresh_token(found["token_endpoint"], refresh_token=tokens["refresh_token"])
assert renewed["refresh_token"] != tokens["refresh_token"]

server = OAuth2Session("server", "hush", token_endpoint_auth_method="client_secret_basic")
told = server.introspect_token(found["introspection_endpoint"], token=renewed["access_token"]).json()
assert told["active"] is True and told["username"] == "ada"

assert client.revoke_token(found["revocation_endpoint"], token=renewed["refresh_token"]).status_code == 200
told = server.introspect_token(found["introspection_endpoint"], token=renewed["access_token"]).json()
assert told == {"active": False}
print("signed in")
