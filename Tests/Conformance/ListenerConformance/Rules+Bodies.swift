import Support
import Testing
import WireBase
import WireHTTP

extension ListenerConformance {
    private static let echo: @Sendable (Request) -> Exchange = { _ in
        Exchange(.collect(upTo: .kibibytes(64)) { request in .now(Response(.ok, body: .bytes(request.body))) })
    }

    static let bodies = [
        Rule("a body can be collected, read in chunks, or read byte by byte") { rules in
            try await rules.listening(echo) { running in
                let client = try await running.connect()
                try await client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello")
                #expect(try await client.answer().text == "hello")
                let chunked = "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
                try await client.send(chunked + "3\r\nhel\r\n2;x=y\r\nlo\r\n0\r\nX-Trailer: t\r\n\r\n")
                #expect(try await client.answer().text == "hello")
                for byte in Array("\(chunked)2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n".utf8) { try await client.send([byte]) }
                #expect(try await client.answer().text == "hello")
            }
        },
        Rule("an 'Expect: 100-continue' request gets its interim response before the body is sent") { rules in
            try await rules.listening(echo) { running in
                let client = try await running.connect()
                try await client.send(
                    "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n"
                )
                #expect(try await client.answer().status == 100)
                try await client.send("hello")
                #expect(try await client.answer().text == "hello")
                try await client.send(
                    "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 65537\r\nExpect: 100-continue\r\n\r\n"
                )
                #expect(try await client.answer().status == 413)
            }
        },
        Rule("a small unread body is discarded, and the connection continues") { rules in
            try await rules.listening({ _ in Exchange(.answer(text("no"))) }) { running in
                let client = try await running.connect()
                try await client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello" + .get("/"))
                #expect(try await client.answer().text == "no")
                #expect(try await client.answer().text == "no")
                let largest = String(repeating: "x", count: 65_536)
                try await client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 65536\r\n\r\n\(largest)")
                #expect(try await client.answer().text == "no")
                try await client.send(.get("/"))
                #expect(try await client.answer().text == "no")
                // These responses do not wait for the body, and nothing follows them.
                let others = [
                    "Content-Length: 65537", "Transfer-Encoding: chunked", "Content-Length: 5\r\nExpect: 100-continue",
                ]
                for fields in others {
                    let other = try await running.connect()
                    try await other.send("POST / HTTP/1.1\r\nHost: x\r\n\(fields)\r\n\r\n")
                    #expect(try await other.answer().text == "no", "\(fields)")
                    #expect(try await other.isEnded(), "\(fields)")
                }
            }
        },
        Rule("a streamed body reaches its handler piece by piece") { rules in
            let (pieces, outlet) = AsyncStream.makeStream(of: String.self)
            let answer: @Sendable (Request) -> Exchange = { _ in
                Exchange(
                    .stream(upTo: nil) { _, body in
                        do {
                            while let piece = try await body.read() {
                                outlet.yield(String(decoding: piece, as: UTF8.self))
                            }
                            return text("end")
                        } catch {
                            return text("\(error)")
                        }
                    }
                )
            }
            try await rules.listening(answer) { running in
                let client = try await running.connect()
                try await client.send("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
                var arrived = pieces.makeAsyncIterator()
                for piece in ["one", "two", "three"] {
                    try await client.send("\(String(piece.utf8.count, radix: 16))\r\n\(piece)\r\n")
                    #expect(await arrived.next() == piece)
                }
                try await client.send("0\r\n\r\n")
                #expect(try await client.answer().text == "end")
            }
        },
        Rule("a body is read no faster than its handler consumes it") { rules in
            let ready = Signal()
            let total = 48 << 20
            let answer: @Sendable (Request) -> Exchange = { head in
                guard head.target.segments != ["now"] else { return Exchange(.answer(text("now"))) }
                return Exchange(
                    .stream(upTo: nil) { _, body in
                        await ready.wait()
                        var count = 0
                        while let piece = try? await body.read() { count += piece.count }
                        return text("\(count)")
                    }
                )
            }
            try await rules.listening(answer) { running in
                let client = try await running.connect()
                try await client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: \(total)\r\n\r\n")
                let sent = Signal()
                async let sending: Void = {
                    for _ in 0..<48 {
                        try await client.send([UInt8](repeating: 1, count: 1 << 20))
                        sent.fire()
                    }
                }()
                // The system and the listener buffer far less than all of it; another connection shows that the
                // listener had time to read on, until nothing more is sent.
                let other = try await running.connect()
                var before = -1
                while sent.count != before {
                    before = sent.count
                    for _ in 0..<50 {
                        try await other.send(.get("/now"))
                        #expect(try await other.answer().text == "now")
                    }
                }
                #expect(sent.count < 40)
                ready.fire()
                try await sending
                #expect(try await client.answer().text == "\(total)")
            }
        },
        Rule("a response that does not need the whole body is sent at once") { rules in
            let answer: @Sendable (Request) -> Exchange = { _ in
                Exchange(
                    .stream(upTo: nil) { _, body in
                        _ = try? await body.read()
                        return text("enough", .badRequest)
                    }
                )
            }
            try await rules.listening(answer) { running in
                let client = try await running.connect()
                try await client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\nsome")
                async let answer = client.answer()
                let other = try await running.connect()
                try await other.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nsome")
                #expect(try await other.answer().status == 400)
                _ = other
                #expect(try await answer.status == 400)
            }
        },
        Rule("a body whose sender half-closes early fails at once") { rules in
            let answer: @Sendable (Request) -> Exchange = { head in
                guard head.target.segments == ["stream"] else {
                    return Exchange(.collect(upTo: .kibibytes(1)) { _ in .now(text("whole")) })
                }
                return Exchange(
                    .stream(upTo: nil) { _, body in
                        await #expect(throws: (any Error).self) { while try await body.read() != nil {} }
                        return text("whole")
                    }
                )
            }
            var limits = ListenerLimits()
            limits.receive = .seconds(3_600)
            limits.idle = .seconds(3_600)
            try await rules.listening(limits: limits, answer) { running in
                for body in ["Content-Length: 10\r\n\r\nabc", "Transfer-Encoding: chunked\r\n\r\n5\r\nabc"] {
                    // Repeated, since the end may arrive with the last bytes or after them.
                    for number in 0..<50 {
                        let client = try await running.connect()
                        try await client.send("POST /\(["", "stream"][number % 2]) HTTP/1.1\r\nHost: x\r\n\(body)")
                        try await client.endSending()
                        #expect(try await client.isEnded())
                    }
                }
            }
        },
    ]
}
