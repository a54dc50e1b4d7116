"""Makes and checks headers of VAPID with py-vapid, for the tests.

usage: vapid.py sign ORIGIN EXPIRY      prints the value of Authorization
       vapid.py check HEADER            prints the claims as JSON, or fails where the signature does not match
"""

import base64
import json
import sys

from py_vapid import Vapid02


def sign(origin, expiry):
    vapid = Vapid02()
    vapid.generate_keys()
    claims = {"aud": origin, "exp": int(expiry), "sub": "mailto:sender@example.org"}
    print(vapid.sign(claims)["Authorization"])


def check(header):
    if not Vapid02.verify(header):
        sys.exit("the signature does not match")
    payload = header.split("t=")[1].split(",")[0].split(".")[1]
    print(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)).decode())


{"sign": sign, "check": check}[sys.argv[1]](*sys.argv[2:])
