"""A content server with one module of two instances; writes its port into the file it is given, and ends when it is told to.
"""
import http.server
import json
import os
import sys

ITEMS = [
    {"id": "a", "name": "Cheap", "module": "m1", "values": {"title": "A sale", "price": 5}},
    {"id": "b", "name": "Dear", "module": "m1", "values": {"title": "A car", "price": 50}},
]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, value):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        if self.path.startswith("/api/generalcontent/module"):
            return self.answer(200, [{"id": "m1", "name": "News", "isSingle": False}])
        return self.answer(404, {"error": {"message": "nothing there"}})

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or b"{}")
        if self.path.startswith("/api/generalcontent/instance/search"):
            return self.answer(200, ITEMS[:1])
        if self.path.startswith("/api/generalcontent/instance/sync"):
            if "fromSync" in asked:
                return self.answer(200, {"syncTimestamp": asked["fromSync"], "created": [], "updated": [], "deleted": []})
            return self.answer(200, {"syncTimestamp": 1000, "created": ITEMS, "updated": [], "deleted": []})
        return self.answer(404, {"error": {"message": "nothing there"}})


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
with open(sys.argv[1] + ".new", "w") as port:
    port.write(str(server.server_address[1]))
os.rename(sys.argv[1] + ".new", sys.argv[1])
server.serve_forever()
