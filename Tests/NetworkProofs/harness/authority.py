"""An authority of the tests' own, and certificates that are wrong in every way certificates are."""

import base64
import datetime
import hashlib
import socket
import ssl
import threading

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import NameOID

DAY = datetime.timedelta(days=1)


def name(text):
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def new_key(bits=None):
    return rsa.generate_private_key(65537, bits) if bits else ec.generate_private_key(ec.SECP256R1())


def pin(key):
    public = key.public_key().public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
    return base64.b64encode(hashlib.sha256(public).digest()).decode()


class Authority:
    def __init__(self, title, folder):
        self.folder, self.title, self.key = folder, title, new_key()
        self.certificate = self.sign(title, self.key, days=(-30, 30), issuer=self, authority=True)
        self.path = f"{folder}/{title}.pem"
        with open(self.path, "wb") as file:
            file.write(self.certificate.public_bytes(serialization.Encoding.PEM))

    def sign(self, subject, key, days=(-1, 30), issuer=None, authority=False, hosts=("localhost",), digest=hashes.SHA256):
        now = datetime.datetime.utcnow()
        issuer_name = issuer.title if issuer else self.title
        made = (
            x509.CertificateBuilder()
            .subject_name(name(subject))
            .issuer_name(name(issuer_name))
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now + DAY * days[0])
            .not_valid_after(now + DAY * days[1])
            .add_extension(x509.BasicConstraints(authority, None), critical=True)
        )
        if not authority:
            made = made.add_extension(x509.SubjectAlternativeName([x509.DNSName(host) for host in hosts]), critical=False)
        return made.sign(self.key, digest())

    def issue(self, title, key=None, self_signed=False, **how):
        """The file of a certificate for `localhost`, with its key."""
        key = key or new_key()
        signer = self
        if self_signed:
            signer = object.__new__(Authority)
            signer.title, signer.key = title, key
        certificate = signer.sign(title, key, **how)
        path = f"{self.folder}/{title}.pem"
        with open(path, "wb") as file:
            file.write(
                key.private_bytes(
                    serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
                )
            )
            file.write(certificate.public_bytes(serialization.Encoding.PEM))
        return path


class SecureServer:
    """Answers `hello` to who accepts its certificate; it counts who got as far as to ask."""

    def __init__(self, path, newest=None):
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        # A server of this kind is there to be refused, not to refuse.
        self.context.set_ciphers("DEFAULT:@SECLEVEL=0")
        self.context.minimum_version = ssl.TLSVersion.TLSv1 if newest else ssl.TLSVersion.TLSv1_2
        if newest:
            self.context.maximum_version = newest
        self.context.load_cert_chain(path)
        self.listening = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self.listening.getsockname()[1]
        self.requests = self.connections = 0
        threading.Thread(target=self.accept, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.listening.shutdown(socket.SHUT_RDWR)
        self.listening.close()

    @property
    def url(self):
        return f"https://localhost:{self.port}/"

    def accept(self):
        while True:
            try:
                connection, _ = self.listening.accept()
            except OSError:
                return
            self.connections += 1
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        try:
            connection.settimeout(30)
            with self.context.wrap_socket(connection, server_side=True) as secure:
                while secure.recv(65536):
                    self.requests += 1
                    secure.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
        except OSError:
            connection.close()
