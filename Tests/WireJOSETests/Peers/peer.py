"""Signs and checks tokens with joserfc and cryptography, for the tests.

usage: peer.py sign FOLDER      writes FOLDER/keys.json and one FOLDER/ALGORITHM.jwt for each algorithm
       peer.py check FOLDER     reads the same names, and fails at the first token it does not believe
"""

import json
import sys
from pathlib import Path

from cryptography.hazmat.primitives import serialization
from joserfc import jwk, jwt

ALGORITHMS = {
    "RS256": ("RSA", 2048),
    "RS384": ("RSA", 2048),
    "RS512": ("RSA", 3072),
    "PS256": ("RSA", 2048),
    "PS384": ("RSA", 2048),
    "PS512": ("RSA", 2048),
    "ES256": ("EC", "P-256"),
    "ES384": ("EC", "P-384"),
    "ES512": ("EC", "P-521"),
    "EdDSA": ("OKP", "Ed25519"),
}
CLAIMS = {"iss": "https://peer.example", "aud": ["a", "b"], "exp": 1772323199, "nested": {"text": "é€😀"}}


def sign(folder):
    keys = []
    for algorithm, (kind, size) in ALGORITHMS.items():
        key = jwk.generate_key(kind, size, {"kid": f"peer-{algorithm}", "alg": algorithm, "use": "sig"})
        header = {"alg": algorithm, "kid": key.kid, "typ": "JWT"}
        (folder / f"{algorithm}.jwt").write_text(jwt.encode(header, CLAIMS, key, algorithms=[algorithm]))
        private = key.private_key.private_bytes(
            serialization.Encoding.DER, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        (folder / f"{algorithm}.p8").write_bytes(private)
        keys.append(key.as_dict(private=False))
    (folder / "keys.json").write_text(json.dumps({"keys": keys}))


def check(folder):
    keys = jwk.KeySet.import_key_set(json.loads((folder / "keys.json").read_text()))
    for algorithm in ALGORITHMS:
        token = jwt.decode((folder / f"{algorithm}.jwt").read_text(), keys, algorithms=[algorithm])
        assert token.claims["iss"] == "https://own.example", token.claims
        assert token.header["alg"] == algorithm
        key = serialization.load_der_private_key((folder / f"{algorithm}.p8").read_bytes(), None)
        assert key.public_key().public_bytes(
            serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
        ) == keys.get_by_kid(f"own-{algorithm}").public_key.public_bytes(
            serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
        )
        print(algorithm)


{"sign": sign, "check": check}[sys.argv[1]](Path(sys.argv[2]))
