import Testing
import WireBase
import WireHTTP

extension ClientConformance {
    static let requests: [ClientConformance] = [
        ClientConformance("method, target, fields and body arrive unchanged") { client, server in
            var request = server.post("/echo", ["q": "a b"], sending: .bytes(Array("body".utf8)))
            request.method = Method("PROPFIND")
            request.url = server.base + "/echo?x=/../%2e"
            request.fields = ["X-Empty": "", "X-Two": "1", "Accept": "text/plain"]
            request.fields.add("X-Two", "2")
            let seen = try Seen(await client.text(request).text)
            #expect(seen.method == "PROPFIND" && seen.target == "/echo?x=/../%2e")
            #expect(seen.fields.filter { $0[0] == "X-Two" }.map { $0[1] } == ["1", "2"])
            #expect(seen["X-Empty"] == "" && seen["Accept"] == "text/plain")
            #expect(seen.body == "body" && seen["Content-Length"] == "4")
        },
        ClientConformance("no header field is added") { client, server in
            let seen = try Seen(await client.text(server.get("/echo")).text)
            #expect(Set(seen.fields.map { $0[0].lowercased() }) == ["host"], "\(seen.fields)")
            let posted = try Seen(await client.text(server.post("/echo", sending: .none)).text)
            #expect(Set(posted.fields.map { $0[0].lowercased() }) == ["host", "content-length"], "\(posted.fields)")
        },
        ClientConformance("a stream without a length is chunked, one with a length has Content-Length") {
            client,
            server in
            let parts = [Array("ab".utf8), [], Array("cd".utf8)]
            let open = try Seen(
                await client.text(server.post("/echo", sending: .stream(length: nil, Parts(parts)))).text
            )
            #expect(open.body == "abcd" && open["Transfer-Encoding"] == "chunked")
            let known = try Seen(
                await client.text(server.post("/echo", sending: .stream(length: 4, Parts(parts)))).text
            )
            #expect(known.body == "abcd" && known["Content-Length"] == "4" && known["Transfer-Encoding"] == nil)
            let none = try Seen(await client.text(server.post("/echo", sending: .stream(length: nil, Parts([])))).text)
            #expect(none.length == 0)
        },
        ClientConformance("a stream shorter than its length fails") { client, server in
            let body = OutgoingRequest.Body.stream(length: 5, Parts([Array("abc".utf8)]))
            let failure = try await client.failure(of: server.post("/broken-off", ["name": "a"], sending: body))
            #expect(failure.kind == .invalidRequest)
            #expect(failure.reason == "the body ended after 3 bytes, expected 5")
            if !failure.wasNotSent { try await server.event("torn a") }
            #expect(try await server.events("whole").isEmpty)
        },
        ClientConformance("a stream longer than its length fails") { client, server in
            for (length, parts) in [(3, ["abc", "d"]), (3, ["ab", "cd"]), (0, ["a"])] {
                let body = OutgoingRequest.Body.stream(length: length, Parts(parts.map { Array($0.utf8) }))
                let failure = try await client.failure(of: server.post("/broken-off", ["name": "a"], sending: body))
                #expect(failure.kind == .invalidRequest)
                #expect(failure.reason == "the body has more bytes than the \(length) that were declared")
            }
            #expect(try await server.events("whole").isEmpty)
        },
        ClientConformance("a failing stream fails the request") { client, server in
            struct Trouble: Error {}
            struct Failing: BodyReader {
                func read() async throws -> [UInt8]? { throw Trouble() }
            }
            for length in [nil, 5, 0] {
                let body = OutgoingRequest.Body.stream(length: length, Failing())
                let failure = try await client.failure(of: server.post("/broken-off", ["name": "a"], sending: body))
                #expect(failure.kind == .interrupted)
                #expect(failure.reason == "the body of the request could not be read to its end")
                if length == 0 { #expect(failure.wasNotSent) }
            }
            #expect(try await server.events("whole").isEmpty)
        },
        ClientConformance("a response may arrive before the end of the body, and both continue") { client, server in
            let fed = Fed()
            let answer = try await client.send(server.post("/twoway", sending: .stream(length: nil, fed)))
            for word in ["one", "two", "three"] {
                fed.feed.yield(Array(word.utf8))
                #expect(try await answer.body.read() == Array(word.utf8))
            }
            fed.feed.finish()
            #expect(try await answer.body.read() == nil)
        },
        ClientConformance("an early rejection by the server is returned") { client, server in
            let fed = Fed()
            fed.feed.yield(Array("a".utf8))
            let answer = try await client.send(
                server.post("/refuse", ["name": "a"], sending: .stream(length: nil, fed))
            )
            #expect(answer.status == .contentTooLarge)
            #expect(try await answer.body.collect(upTo: .bytes(9)) == Array("no".utf8))
            try await server.event("closed a")
        },
        ClientConformance("with 'Expect: 100-continue' the body waits for the response") {
            client,
            server in
            var request = server.post("/continues", ["name": "a"], sending: .bytes(Array("body".utf8)))
            request.fields["Expect"] = "100-continue"
            let body = try Seen(await client.text(request).text).body
            #expect(body == "body")
            #expect(try await server.events("expects a 100-continue").count == 1)
        },
        ClientConformance("without a 100 response the body is sent after a timeout") { client, server in
            var request = server.post("/echo", sending: .bytes(Array("body".utf8)))
            request.fields["Expect"] = "100-continue"
            let body = try Seen(await client.text(request).text).body
            #expect(body == "body")
        },
        ClientConformance("a 417 response is returned, and the body is not sent") { client, server in
            var request = server.post("/expectation-failed", sending: .stream(length: 4, Parts([Array("body".utf8)])))
            request.fields["Expect"] = "100-continue"
            let answer = try await client.send(request)
            #expect(answer.status.code == 417)
            let length = answer.fields["Content-Length"].flatMap { Int($0) }
            let body = try await answer.body.collect(upTo: .bytes(100))
            #expect(length == nil || length == body.count)
        },
        ClientConformance("a safe request on a closed connection is repeated") {
            client,
            server in
            let first = try await client.send(server.get("/once", ["name": "a"]))
            #expect(try await first.body.collect(upTo: .bytes(100)) == Array("once".utf8) && first.repeats == 0)
            let second = try await client.send(server.get("/once", ["name": "a"]))
            #expect(try await second.body.collect(upTo: .bytes(100)) == Array("once".utf8))
            // The server's count shows that every attempt is reported.
            let attempts = try await server.events("attempt a")
            #expect(second.repeats == 1 && attempts.count == 3)
            let failure = try await client.failure(of: server.post("/once", ["name": "b"], sending: .bytes([1])))
            #expect(failure.kind == .interrupted && !failure.wasNotSent, "\(failure)")
            let once = try await server.events("attempt b")
            #expect(once.count == 1 && failure.repeats == 0)
        },
        ClientConformance("fields that end the head or frame the body are rejected") { client, server in
            let bad: [(String, String)] = [
                ("X-A", "b\r\nX-B: c"), ("X-A", "b\nc"), ("X-A", "b\0c"), ("X A", "b"), ("", "b"), ("X-A:", "b"),
                ("Content-Length", "3"), ("transfer-encoding", "chunked"), ("Connection", "close"), ("TE", "trailers"),
                ("HTTP2-Settings", "x"), ("Keep-Alive", "x"), ("Proxy-Authorization", "x"), ("Proxy-Connection", "x"),
                ("Trailer", "x"), ("Upgrade", "x"), ("X-A", "b\u{1f}"), ("X-A", "b\u{7f}"),
            ]
            for (name, value) in bad {
                var request = server.get("/echo")
                request.fields.add(name, value)
                let failure = try await client.failure(of: request)
                #expect(failure.kind == .invalidRequest && failure.wasNotSent, "\(failure)")
                #expect(!failure.reason.contains("\n"))
            }
            for name in ["", "GE T", "GET\r\n", "CONNECT", "TRACE"] {
                var request = server.get("/echo")
                request.method = Method(name)
                #expect(try await client.failure(of: request).kind == .invalidRequest)
            }
            let body = OutgoingRequest.Body.stream(length: -1, Parts([]))
            let failure = try await client.failure(of: server.post("/echo", sending: body))
            #expect(failure.kind == .invalidRequest && failure.wasNotSent, "\(failure)")
        },
        ClientConformance("an invalid URL is rejected without being echoed") { client, server in
            let bad = [
                "", "/relative", "ftp://example.com/secret", "file:///etc/secret", "https://user:secret@example.com/",
                "https://", "https://exa mple.com/secret", "https://example.com:0/secret", "https://[::1/secret",
                "https://127.1/secret", "https://example.com/secret\r\nX: y", "gopher://127.0.0.1/secret",
            ]
            for url in bad {
                let failure = try await client.failure(of: OutgoingRequest(.get, url))
                #expect(failure.kind == .invalidURL && failure.wasNotSent, "\(url): \(failure)")
                #expect(!failure.reason.contains("secret"), "\(failure.reason)")
            }
        },
        ClientConformance("plain HTTP leaves this machine only if allowed") { client, server in
            let failure = try await client.failure(of: OutgoingRequest(.get, "http://example.invalid/"))
            #expect(failure.kind == .forbidden && failure.wasNotSent)
            var request = OutgoingRequest(.get, "http://example.invalid/")
            request.allowsPlainText = true
            #expect(try await client.failure(of: request).kind == .unresolved)
        },
        ClientConformance("a refused connection means that nothing was sent") { client, server in
            let closed = OutgoingRequest(.post, "http://127.0.0.1:1/")
            let failure = try await client.failure(of: closed)
            #expect(failure.kind == .unreachable && failure.wasNotSent)
            #expect(failure.reason == "no connection to http://127.0.0.1:1: connection refused")
            var request = OutgoingRequest(.get, "http://localhost/")
            request.socket = server.socket + "-not"
            let missing = try await client.failure(of: request)
            #expect(missing.kind == .unreachable && missing.wasNotSent)
            #expect(missing.reason.hasSuffix(": no such file or directory"), "\(missing.reason)")
        },
    ]
}
