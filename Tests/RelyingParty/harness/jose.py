"""Signed tokens made by hand, so that they can be made wrongly."""

import base64
import functools
import hashlib
import hmac
import json

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature


def encode(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def number(value, size=None):
    return encode(value.to_bytes(size or (value.bit_length() + 7) // 8, "big"))


def part(value):
    return encode(json.dumps(value).encode())


@functools.cache
def rsa_key(name):
    """One key for a name: making one takes longer than a whole sign-in."""
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


class RSAKey:
    algorithm = "RS256"

    def __init__(self, name):
        self.name = name
        self.key = rsa_key(name)

    def sign(self, message):
        return self.key.sign(message, padding.PKCS1v15(), hashes.SHA256())

    def public(self, named=True):
        numbers = self.key.public_key().public_numbers()
        jwk = {"kty": "RSA", "use": "sig", "n": number(numbers.n), "e": number(numbers.e)}
        return {**jwk, "kid": self.name, "alg": "RS256"} if named else jwk


class ECKey:
    algorithm = "ES256"

    def __init__(self, name):
        self.name = name
        self.key = ec.generate_private_key(ec.SECP256R1())

    def sign(self, message):
        r, s = decode_dss_signature(self.key.sign(message, ec.ECDSA(hashes.SHA256())))
        return r.to_bytes(32, "big") + s.to_bytes(32, "big")

    def public(self, named=True):
        numbers = self.key.public_key().public_numbers()
        jwk = {"kty": "EC", "crv": "P-256", "use": "sig", "x": number(numbers.x, 32), "y": number(numbers.y, 32)}
        return {**jwk, "kid": self.name, "alg": "ES256"} if named else jwk


class EdKey:
    algorithm = "Ed25519"

    def point(self):
        raw = serialization.Encoding.Raw, serialization.PublicFormat.Raw
        return encode(self.key.public_key().public_bytes(*raw))

    def __init__(self, name):
        self.name = name
        self.key = ed25519.Ed25519PrivateKey.generate()

    def sign(self, message):
        return self.key.sign(message)

    def public(self, named=True):
        jwk = {"kty": "OKP", "crv": "Ed25519", "use": "sig", "x": self.point()}
        return {**jwk, "kid": self.name, "alg": self.algorithm} if named else jwk


def token(claims, key, header=None, spoil=False):
    """A compact JWS; `spoil` changes one bit of its signature."""
    head = {"alg": key.algorithm, "typ": "JWT", "kid": key.name, **(header or {})}
    message = f"{part({k: v for k, v in head.items() if v is not None})}.{part(claims)}"
    signature = bytearray(key.sign(message.encode()))
    if spoil:
        signature[len(signature) // 2] ^= 1
    return f"{message}.{encode(bytes(signature))}"


def unsigned(claims, algorithm="none"):
    return f"{part({'alg': algorithm, 'typ': 'JWT'})}.{part(claims)}."


def shared(claims, secret):
    """Signed with a shared secret, as a client secret would be."""
    message = f"{part({'alg': 'HS256', 'typ': 'JWT'})}.{part(claims)}"
    return f"{message}.{encode(hmac.new(secret, message.encode(), hashlib.sha256).digest())}"


def half_hash(text):
    """at_hash for the algorithms over SHA-256."""
    return encode(hashlib.sha256(text.encode()).digest()[:16])
