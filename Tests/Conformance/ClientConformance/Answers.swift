import Testing
import WireBase
import WireHTTP

extension ClientConformance {
    static let answers: [ClientConformance] = [
        ClientConformance("a response has its status, fields and body") { client, server in
            let answer = try await client.send(server.get("/hello"))
            #expect(answer.status == .ok)
            #expect(answer.fields["content-type"] == "text/plain")
            #expect(answer.url == server.base + "/hello")
            #expect(try await answer.body.collect(upTo: .bytes(5)) == Array("hello".utf8))
            #expect(try await answer.body.read() == nil, "the end stays the end")
        },
        ClientConformance("a body over the reader's limit is rejected") { client, server in
            let answer = try await client.send(server.get("/hello"))
            await #expect(throws: BodyTooLarge.self) { try await answer.body.collect(upTo: .bytes(4)) }
        },
        ClientConformance("a response that arrives byte by byte is read") { client, server in
            let answer = try await client.text(server.get("/drip"))
            #expect(answer == (200, "hello"))
        },
        ClientConformance("a response to HEAD has no body") { client, server in
            var request = server.get("/hello")
            request.method = .head
            let answer = try await client.send(request)
            #expect(answer.fields["Content-Length"] == "5")
            #expect(try await answer.body.read() == nil)
        },
        ClientConformance("interim responses are skipped") { client, server in
            let bytes =
                "HTTP/1.1 103 Early\r\nLink: </a>\r\n\r\nHTTP/1.1 102 Wait\r\n\r\n"
                + "HTTP/1.1 201 Created\r\nContent-Length: 2\r\nX-Mine: yes\r\n\r\nok"
            let answer = try await client.send(server.get("/raw", ["bytes": bytes]))
            #expect(answer.status == .created)
            #expect(answer.fields["Link"] == nil)
            #expect(answer.fields["X-Mine"] == "yes")
        },
        ClientConformance("trailers are neither header fields nor body") { client, server in
            let bytes = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX-Late: yes\r\n\r\n"
            let answer = try await client.send(server.get("/raw", ["bytes": bytes]))
            #expect(try await answer.body.collect(upTo: .bytes(9)) == Array("ok".utf8))
            #expect(answer.fields["X-Late"] == nil)
            #expect(answer.fields["Transfer-Encoding"] == nil)
        },
        ClientConformance("a body without a length ends when the server closes") { client, server in
            let answer = try await client.text(server.get("/half-close", ["name": "a"]))
            #expect(answer == (200, "until the end"))
            try await server.event("closed a")
        },
        ClientConformance("a compressed body is returned unchanged, and decompressed on request") { client, server in
            var request = server.get("/gzip")
            let plain = try await client.send(request)
            #expect(plain.fields["X-Asked"] == "None")
            #expect(plain.fields["Content-Encoding"] == "gzip")
            #expect(try await plain.body.collect(upTo: .mebibytes(1)).starts(with: [0x1f, 0x8b]))
            request.decompresses = true
            let read = try await client.send(request)
            #expect(read.fields["Content-Encoding"] == nil && read.fields["Content-Length"] == nil)
            #expect(try await read.body.collect(upTo: .mebibytes(1)).count == 6_000)
        },
        ClientConformance("bytes after the declared length are dropped") { client, server in
            let bytes = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\n\r\n"
            let answers = try await [
                client.text(server.get("/raw", ["bytes": bytes])).text, client.text(server.get("/hello")).text,
            ]
            #expect(answers == ["ok", "hello"])
        },
        ClientConformance("a field value that is not UTF-8 is read as Latin-1") { client, server in
            let bytes = "HTTP/1.1 200 OK\r\nX-Word: \u{a7}\r\nX-Empty:\r\nContent-Length: 0\r\n\r\n"
            var request = server.get("/raw", [:])
            request.url +=
                "?bytes="
                + bytes.unicodeScalars.map { "%" + ($0.value < 16 ? "0" : "") + String($0.value, radix: 16) }
                .joined().replacing("%a7", with: "%c2%a7")
            let answer = try await client.send(request)
            #expect(answer.fields["X-Word"] == "\u{a7}")
            #expect(answer.fields["X-Empty"] == "")
        },
        ClientConformance("a connection is reused, also on a Unix socket") { client, server in
            for _ in 0..<3 { _ = try await client.text(server.get("/hello")) }
            let seen = try Seen(await client.text(server.get("/echo")).text)
            #expect(seen.connection == 1)
            var request = OutgoingRequest(.get, "http://localhost/echo")
            request.socket = server.socket
            #expect(try Seen(await client.text(request).text).connection == 2)
            #expect(try Seen(await client.text(request).text).connection == 2)
        },
    ]

    /// Invalid responses with the expected failures.
    private static let wrong: [(String, TransferFailure.Kind, String)] = [
        ("no HTTP at all", .protocolError, "hello\r\n\r\n"),
        ("HTTP/0.9", .protocolError, "<html>hello</html>"),
        ("a status of two digits", .protocolError, "HTTP/1.1 20 OK\r\n\r\n"),
        ("a status beyond 599", .protocolError, "HTTP/1.1 600 OK\r\n\r\n"),
        ("a switch of protocols", .protocolError, "HTTP/1.1 101 Switch\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"),
        ("a folded field", .protocolError, "HTTP/1.1 200 OK\r\nX-A: b\r\n c\r\nContent-Length: 0\r\n\r\n"),
        ("a field without a colon", .protocolError, "HTTP/1.1 200 OK\r\nX-A\r\nContent-Length: 0\r\n\r\n"),
        ("a space before the colon", .protocolError, "HTTP/1.1 200 OK\r\nX-A : b\r\nContent-Length: 0\r\n\r\n"),
        (
            "a control character in a value", .protocolError,
            "HTTP/1.1 200 OK\r\nX-A: b\u{1}\r\nContent-Length: 0\r\n\r\n"
        ),
        ("NUL in a value", .protocolError, "HTTP/1.1 200 OK\r\nX-A: b\u{0}c\r\nContent-Length: 0\r\n\r\n"),
        ("two lengths", .protocolError, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nokk"),
        ("a negative length", .protocolError, "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nok"),
        (
            "a length and chunks", .protocolError,
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"
        ),
        (
            "an unrequested coding", .protocolError,
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"
        ),
        (
            "a chunk of no size", .interrupted,
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nok\r\n0\r\n\r\n"
        ),
        ("a truncated chunk", .interrupted, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel"),
        ("no last chunk", .interrupted, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n"),
        ("fewer bytes than the length", .interrupted, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello"),
        ("half a head", .interrupted, "HTTP/1.1 200 OK\r\nContent-"),
        ("nothing", .interrupted, ""),
    ]

    static let brokenAnswers: [ClientConformance] =
        wrong.map { name, kind, bytes in
            ClientConformance("a response with \(name) is a failure") { client, server in
                let failure = try await client.failure(of: server.get("/raw", ["bytes": bytes]))
                #expect(failure.kind == kind, "\(failure)")
                #expect(!failure.wasNotSent)
                #expect(!failure.reason.contains("bytes="), "\(failure.reason)")
            }
        }
        + ["/endless-fields", "/endless-line", "/endless-interim", "/endless-trailers"].map { path in
            ClientConformance("\(path) ends") { client, server in
                let failure = try await client.failure(of: server.get(path, ["name": "a"]))
                #expect(failure.kind == .protocolError, "\(failure)")
                try await server.event("closed a")
            }
        }
        + [
            ClientConformance("a reset during a body is an interruption") { client, server in
                let head = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhello"
                let failure = try await client.failure(of: server.get("/raw", ["bytes": head, "then": "reset"]))
                #expect(failure.kind == .interrupted && !failure.wasNotSent, "\(failure)")
            },
            ClientConformance("a truncated body returns the bytes before the end") { client, server in
                let answer = try await client.send(
                    server.get("/raw", ["bytes": "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello"])
                )
                #expect(try await answer.body.read() == Array("hello".utf8))
                await #expect(throws: TransferFailure.self) { try await answer.body.read() }
                await #expect(throws: TransferFailure.self, "the failure stays") { try await answer.body.read() }
            },
        ]
}
