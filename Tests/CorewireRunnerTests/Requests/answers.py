"""A server that answers by the path it is asked for; says "ready PORT", and ends with its standard input.

/fresh       good for an hour          /stale     good for no time, with an entity tag, 304 where it is known
/forbidden   must-revalidate           /status/N  that status
/bytes       every byte, many times    /echo      what was asked, as JSON
/drip        one line at once, the other when /go was asked for
"""
import http.server
import json
import sys
import threading

go = threading.Event()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, body, **fields):
        self.send_response(status)
        for name, value in fields.items():
            self.send_header(name.replace("_", "-"), value)
        if status in (204, 304):
            body = b""
        else:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def do_GET(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        path = self.path.partition("?")[0]
        if path == "/fresh":
            return self.answer(200, b"fresh\n", Cache_Control="max-age=3600")
        if path == "/forbidden":
            return self.answer(200, b"once\n", Cache_Control="max-age=0, must-revalidate")
        if path == "/stale":
            if self.headers.get("If-None-Match") == '"1"':
                self.send_response(304)
                self.send_header("ETag", '"1"')
                self.end_headers()
                return None
            return self.answer(200, b"kept\n", Cache_Control="max-age=0", ETag='"1"')
        if path.startswith("/status/"):
            return self.answer(int(path[8:]), b"a body\n", Content_Type="text/plain")
        if path == "/bytes":
            return self.answer(200, bytes(range(256)) * 4096, Content_Type="application/octet-stream")
        if path == "/drip":
            self.send_response(200)
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            self.wfile.write(b"6\r\nfirst\n\r\n")
            self.wfile.flush()
            go.wait(60)
            self.wfile.write(b"7\r\nsecond\n\r\n0\r\n\r\n")
            return None
        if path == "/go":
            go.set()
        fields = {name.lower(): ", ".join(self.headers.get_all(name)) for name in self.headers}
        told = {"method": self.command, "path": self.path, "fields": fields, "body": body.decode()}
        return self.answer(200, json.dumps(told).encode(), Content_Type="application/json")

    do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = do_GET


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
threading.Thread(target=lambda: (sys.stdin.read(), server.shutdown()), daemon=True).start()
print("ready", server.server_address[1], flush=True)
server.serve_forever()
