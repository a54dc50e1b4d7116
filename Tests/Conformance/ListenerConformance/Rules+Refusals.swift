import Support
import Testing
import WireBase
import WireHTTP

extension ListenerConformance {
    /// Requests that are malformed, or that two parsers may understand differently.
    private static let malformed = [
        "GET / HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: x\r\nX-A: a\0b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: x\r\nX-A: a\0\0b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: x\r\nX-A: a\rb\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: x\nX-A: b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: x\r\nX-A: a\r\n b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: x\r\nX-A : a\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: x\r\n: a\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: x\r\nX-A\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: x\r\nX-A: \u{1}\r\n\r\n",
        "GET /a\0b HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET /a b HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET  / HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET http://x/ HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET /../etc/passwd HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET /%2e%2e/etc/passwd HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET /%00 HTTP/1.1\r\nHost: x\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\na",
        "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 0\r\n\r\na",
        "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: +1\r\n\r\na",
        "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\na",
        "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1,1\r\n\r\na",
        "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 0x1\r\n\r\na",
        "POST / HTTP/1.1\r\nHost: x\r\nContent-Length:\r\n\r\na",
        "POST / HTTP/1.1\r\nHost: x\r\nContent-Length : 1\r\n\r\na",
        "POST / HTTP/1.0\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nabc\r\n0\r\n\r\n",
    ]

    static let refusals = [
        Rule("an ambiguous head is rejected, and nothing after it is read") { rules in
            let asked = Signal()
            let answer: @Sendable (Request) -> Exchange = { head in
                if head.target.segments == ["smuggled"] { asked.fire() }
                return Exchange(.collect(upTo: .kibibytes(1)) { _ in .now(text("taken")) })
            }
            try await rules.listening(answer) { running in
                for request in malformed {
                    let client = try await running.connect()
                    try await client.send(request + .get("/smuggled"))
                    let all = String(decoding: try await client.rest(), as: UTF8.self)
                    // Some are closed without a response; none is accepted.
                    if !all.isEmpty { expectOneProblem(all, 400, request) }
                    #expect(asked.count == 0, "\(request.debugDescription)")
                }
            }
        },
        Rule("a rejection by the listener is reported once, as a problem") { rules in
            try await rules.listening({ _ in Exchange(.answer(text("taken"))) }) { running in
                for (request, status) in [
                    ("GET / HTTP/2.0\r\nHost: x\r\n\r\n", 505),
                    ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999\r\n\r\n", 413),
                    ("GET / HTTP/1.1\r\nHost: x\r\nX-A: \(String(repeating: "a", count: 40_000))\r\n\r\n", 431),
                    ("GET /\(String(repeating: "a", count: 40_000)) HTTP/1.1\r\nHost: x\r\n\r\n", 414),
                ] {
                    let client = try await running.connect()
                    try? await client.send(request)
                    let all = String(decoding: try await client.rest(), as: UTF8.self)
                    expectOneProblem(all, status, String(request.prefix(80)))
                }
            }
        },
        Rule("input that is not HTTP does not disturb other connections") { rules in
            try await rules.listening({ _ in Exchange(.answer(text("well"))) }) { running in
                let strange: [[UInt8]] = [
                    [0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01], Array(repeating: 0, count: 100_000),
                    Array("\r\n\r\n\r\n".utf8), Array(repeating: UInt8(ascii: "A"), count: 100_000), [0x0a],
                ]
                for bytes in strange {
                    let client = try await running.connect()
                    // The listener may close the connection before all of it is sent.
                    try? await client.send(bytes)
                    try? await client.endSending()
                    _ = try? await client.rest()
                    let other = try await running.connect()
                    try await other.send(.get("/"))
                    #expect(try await other.answer().text == "well")
                }
            }
        },
    ]

    private static func expectOneProblem(_ answer: String, _ status: Int, _ request: String) {
        let told: Comment = "\(request.debugDescription): \(answer)"
        #expect(answer.hasPrefix("HTTP/1.1 \(status) "), told)
        #expect(answer.ranges(of: "\r\nContent-Length: ").count == 1, told)
        #expect(answer.contains("\r\nContent-Type: application/problem+json\r\n"), told)
        #expect(answer.contains("\r\nConnection: close\r\n"), told)
    }
}
