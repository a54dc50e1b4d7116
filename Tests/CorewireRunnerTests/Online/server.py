"""An identity server that is right or wrong as it is told; says "ready PORT" and writes down what it was asked.

server.py LOG CERTIFICATE|- BEHAVIOUR, which is JSON:
  document   members laid over the discovery document; null removes one; {base} is where the server is
  discovery  [status, content type, text] in place of the document
  keys       [status, text] in place of the keys
  authorize  "redirect:ERROR" | "code" | "away" | "page" | [status, text]
  token      [status, error] for a known client without a user; others get 401 and invalid_client, or the same where "same"
  graphql    [status, content type, text] at /graphql, or the file of an introspection result, for its older forms only
  all        "hang" | "garbage" | "away": what is done whatever is asked
  date       the field Date
  padding    how many bytes the discovery document is larger
"""
import http.server
import json
import ssl
import sys
import threading
import urllib.parse

log, certificate, behaviour = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
lock = threading.Lock()
KEY = {
    "kty": "EC", "crv": "P-256", "use": "sig", "alg": "ES256", "kid": "one",
    "x": "MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4", "y": "4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM",
}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def date_time_string(self, timestamp=None):
        return behaviour.get("date") or super().date_time_string(timestamp)

    def answer(self, status, kind, text, fields=()):
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for name, value in fields:
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def do_HEAD(self):
        self.do_GET()

    def do_GET(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        with lock, open(log, "a", encoding="utf-8") as file:
            file.write(f"{self.command} {self.path}\n{self.headers}{body.decode()}\n")
        kind = behaviour.get("all")
        if kind == "hang":
            threading.Event().wait()
        if kind == "garbage":
            self.wfile.write(b"\x00\x01 what is this\r\n\r\n")
            self.close_connection = True
            return
        if kind == "away":
            return self.answer(302, "text/plain", "", [("Location", "https://elsewhere.example.com/")])
        path, _, query = self.path.partition("?")
        if path.endswith("/.well-known/openid-configuration"):
            status, kind, text = behaviour.get("discovery") or (200, "application/json", self.document())
            return self.answer(status, kind, text)
        if path.endswith("/keys"):
            status, text = behaviour.get("keys") or (200, json.dumps({"keys": [KEY]}))
            return self.answer(status, "application/json", text)
        if path.endswith("/authorize"):
            return self.authorize(dict(urllib.parse.parse_qsl(query)))
        if path.endswith("/token"):
            status, error = behaviour.get("token") or (400, "invalid_grant")
            client = dict(urllib.parse.parse_qsl(body.decode())).get("client_id")
            if client != "tasks" and not behaviour.get("same"):
                status, error = 401, "invalid_client"
            return self.answer(status, "application/json", json.dumps({"error": error}))
        if path.endswith("/graphql") and "graphql" in behaviour:
            return self.graphql(behaviour["graphql"], body.decode())
        self.answer(404, "text/plain", "nothing here")

    do_POST = do_PUT = do_DELETE = do_GET

    def graphql(self, kind, body):
        if isinstance(kind, list):
            return self.answer(*kind)
        if "isOneOf" in json.loads(body)["query"]:
            return self.answer(200, "application/json", '{"errors": [{"message": "unknown field isOneOf"}]}')
        with open(kind, encoding="utf-8") as file:
            self.answer(200, "application/json", file.read())

    def base(self):
        scheme = "http" if certificate == "-" else "https"
        return f"{scheme}://{self.headers['Host']}"

    def document(self):
        base = self.base() + self.path.removesuffix("/.well-known/openid-configuration")
        document = {
            "issuer": base,
            "authorization_endpoint": f"{base}/authorize",
            "token_endpoint": f"{base}/token",
            "jwks_uri": f"{base}/keys",
            "end_session_endpoint": f"{base}/logout",
            "response_types_supported": ["code"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["ES256"],
            "token_endpoint_auth_methods_supported": ["client_secret_basic", "none"],
            "code_challenge_methods_supported": ["S256"],
            "scopes_supported": ["openid", "profile", "offline_access"],
            "grant_types_supported": ["authorization_code", "refresh_token"],
            "authorization_response_iss_parameter_supported": True,
        }
        for name, value in behaviour.get("document", {}).items():
            document[name] = value.replace("{base}", base) if isinstance(value, str) else value
        document["padding"] = "x" * behaviour.get("padding", 0)
        return json.dumps({name: value for name, value in document.items() if value is not None})

    def authorize(self, request):
        kind = behaviour.get("authorize", "redirect:login_required")
        if isinstance(kind, list):
            return self.answer(kind[0], "text/html", kind[1])
        if kind == "page":
            return self.answer(200, "text/html", "<title>Sign in</title>")
        if kind == "away":
            return self.answer(302, "text/html", "", [("Location", f"{self.base()}/sign-in")])
        issuer = self.base() + self.path.partition("/authorize")[0]
        fields = {"state": request["state"], "iss": issuer}
        fields |= {"code": "one"} if kind == "code" else {"error": kind.partition(":")[2]}
        target = request["redirect_uri"] + "?" + urllib.parse.urlencode(fields)
        self.answer(302, "text/html", "", [("Location", target)])


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def finish_request(self, request, client_address):
        # The handshake is made in the connection's own thread.
        if certificate != "-":
            try:
                request = self.context.wrap_socket(request, server_side=True)
            except (OSError, ssl.SSLError):
                return
        super().finish_request(request, client_address)

    def handle_error(self, *_):
        pass


server = Server(("127.0.0.1", 0), Handler)
if certificate != "-":
    server.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.context.load_cert_chain(certificate)
threading.Thread(target=lambda: (sys.stdin.read(), server.shutdown()), daemon=True).start()
print("ready", server.server_address[1], flush=True)
server.serve_forever()
