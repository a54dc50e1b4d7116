"""Encrypts and decrypts messages of Web Push with pywebpush and http_ece, for the tests.

usage: webpush.py encrypt FOLDER     encrypts each FOLDER/NAME.text, by FOLDER/subscription.json, to FOLDER/NAME.body
       webpush.py decrypt FOLDER     decrypts each FOLDER/NAME.body, by FOLDER/keys.json, to FOLDER/NAME.text

A NAME that begins with `rsN-` is encrypted with records of N bytes.
"""

import base64
import json
import re
import sys
from pathlib import Path

import http_ece
from cryptography.hazmat.primitives.asymmetric import ec
from pywebpush import WebPusher


def unbase64(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def encrypt(folder):
    subscription = json.loads((folder / "subscription.json").read_text())
    point = unbase64(subscription["keys"]["p256dh"])
    for path in folder.glob("*.text"):
        text = path.read_bytes()
        if size := re.match(r"rs(\d+)-", path.name):
            body = http_ece.encrypt(
                text, private_key=ec.generate_private_key(ec.SECP256R1()), dh=point, rs=int(size[1]),
                auth_secret=unbase64(subscription["keys"]["auth"]), version="aes128gcm",
            )
        else:
            body = WebPusher(subscription).encode(text, "aes128gcm")["body"]
        path.with_suffix(".body").write_bytes(body)


def decrypt(folder):
    keys = json.loads((folder / "keys.json").read_text())
    number = int.from_bytes(unbase64(keys["private"]), "big")
    private = ec.derive_private_key(number, ec.SECP256R1())
    for path in folder.glob("*.body"):
        text = http_ece.decrypt(
            path.read_bytes(), private_key=private, auth_secret=unbase64(keys["auth"]), version="aes128gcm"
        )
        path.with_suffix(".text").write_bytes(text)


{"encrypt": encrypt, "decrypt": decrypt}[sys.argv[1]](Path(sys.argv[2]))
