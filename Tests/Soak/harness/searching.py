"""Looking for texts that must not be found, in each form that they may have."""

import base64
import os


def forms(secret):
    """As it is, in hexadecimal digits, and in base64 wherever it begins in what is encoded."""
    found = [secret, secret.hex().encode(), secret.hex().upper().encode()]
    for offset in range(3):
        encoded = base64.b64encode(bytes(offset) + secret)
        # The first and last characters depend on what is beside it.
        found.append(encoded[4 if offset else 0 : -4])
    return found


def files(folder):
    for place, _, names in os.walk(folder):
        for name in names:
            path = f"{place}/{name}"
            if os.path.isfile(path):
                with open(path, "rb") as file:
                    yield path, file.read()


def found(secrets, texts):
    """The names of secrets with the names of texts that have them."""
    return [
        (name, place)
        for place, text in texts
        for name, secret in secrets.items()
        if any(form in text for form in forms(secret))
    ]
