import WireBase
import WireHTTP
import WireListener

struct Small: Responder {
    static let shared = Response(
        .ok,
        fields: ["Content-Type": "text/plain"],
        body: .shared(SharedBytes(Array("hello\n".utf8)))
    )
    func exchange(for head: Request) -> Exchange {
        switch head.target.segments.first {
        case "shared": Exchange(.answer(Self.shared))
        case "later":
            Exchange(.collect(upTo: .kibibytes(64)) { _ in .later { Self.shared } })
        case "echo":
            Exchange(.collect(upTo: .kibibytes(64)) { request in .now(Response(.ok, body: .bytes(request.body))) })
        case "stream":
            Exchange(
                .answer(
                    Response(
                        .ok,
                        body: .stream { writer in
                            for number in 0..<1000 {
                                try await writer.write(
                                    Array("line \(number) \(String(repeating: "x", count: 1000))\n".utf8)
                                )
                            }
                        }
                    )
                )
            )
        case "up":
            Exchange(
                .stream(upTo: nil) { _, body in
                    var count = 0
                    while let more = try? await body.read() { count += more.count }
                    return Response(.ok, body: .bytes(Array("\(count)\n".utf8)))
                }
            )
        default:
            Exchange(
                .answer(Response(.ok, fields: ["Content-Type": "text/plain"], body: .bytes(Array("hello\n".utf8))))
            )
        }
    }
}

let listener = HTTPListener(at: .tcp(host: "127.0.0.1", port: 8089), Small())
try listener.start()
let socket = HTTPListener(at: .unix(path: "/tmp/cw-bench.sock", mode: 0o600), Small())
try socket.start()
await withTaskGroup { group in
    group.addTask { await listener.run() }
    group.addTask { await socket.run() }
    await group.waitForAll()
}
