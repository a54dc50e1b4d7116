import Foundation
import Support
import Testing
import WireBase
import WireHTTP

extension ListenerConformance {
    private static let key = "dGhlIHNhbXBsZSBub25jZQ=="

    private static func webSocket(_ fields: String..., version: String = "HTTP/1.1", method: String = "GET") -> String {
        let fields = fields.isEmpty ? ["Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: \(key)"] : fields
        let all = ["Host: x", "Connection: keep-alive, Upgrade", "Upgrade: websocket"] + fields
        return "\(method) /ws \(version)\r\n" + all.map { $0 + "\r\n" }.joined() + "\r\n"
    }

    /// Upgrades each WebSocket to a stream, at once and after work.
    private static func upgrading(
        later: Bool = false,
        finished: Signal = Signal(),
        _ run: @escaping @Sendable (any ByteStream) async throws -> Void
    ) -> @Sendable (Request) -> Exchange {
        { head in
            guard head.target.segments == ["ws"] else { return Exchange(.answer(text("well"))) }
            let respond: @Sendable () -> Response = {
                do throws(Problem) {
                    return try WebSocketHandshake(head).accept(run)
                } catch {
                    return error.response
                }
            }
            guard later else { return Exchange(.answer(respond())) { finished.fire() } }
            return Exchange(.collect(upTo: .bytes(0)) { _ in .later { respond() } }) { finished.fire() }
        }
    }

    private static let echo: @Sendable (any ByteStream) async throws -> Void = { stream in
        while let bytes = try await stream.read(upTo: .bytes(5), within: nil) {
            #expect(bytes.count <= 5)
            try await stream.write(bytes, within: nil)
        }
    }

    static let upgrades = [
        Rule("an upgraded connection carries bytes both ways, starting with those sent along with the head") { rules in
            for later in [false, true] {
                let finished = Signal()
                try await rules.listening(upgrading(later: later, finished: finished, echo)) { running in
                    let client = try await running.connect()
                    try await client.send(webSocket() + "early")
                    let head = try await client.head()
                    #expect(head.status == 101)
                    #expect(head["Upgrade"] == "websocket")
                    #expect(head["Connection"] == "Upgrade")
                    // The example of RFC 6455, section 1.3.
                    #expect(head["Sec-WebSocket-Accept"] == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
                    #expect(try await client.bytes(5) == Array("early".utf8))
                    for word in ["one", "\0GET / HTTP/1.1\r\n\r\n"] {
                        try await client.send(word)
                        #expect(try await client.bytes(word.utf8.count) == Array(word.utf8))
                    }
                    #expect(running.listener.counts.openConnections == 1)
                    try await client.endSending()
                    #expect(try await client.isEnded())
                    await finished.wait()
                }
                #expect(finished.count == 1)
            }
        },
        Rule("a stream is written no faster than it is read, and loses nothing") { rules in
            let total = 24
            let piece = [UInt8](repeating: 7, count: 1 << 20)
            let written = Signal()
            let answer = upgrading { stream in
                for _ in 0..<total {
                    try await stream.write(piece, within: nil)
                    written.fire()
                }
            }
            try await rules.listening(answer) { running in
                let client = try await running.connect(receiveBuffer: 65_536)
                try await client.send(webSocket())
                _ = try await client.head()
                for number in 0..<total {
                    #expect(try await client.bytes(piece.count) == piece)
                    #expect(written.count <= number + 12)
                }
                #expect(try await client.isEnded())
            }
        },
        Rule("a timed-out wait on a stream is reported, and the stream survives") { rules in
            let answer = upgrading { stream in
                await #expect(throws: StreamTimeout.self) {
                    try await stream.read(upTo: .bytes(1), within: .milliseconds(1))
                }
                await #expect(throws: StreamTimeout.self) {
                    try await stream.write([UInt8](repeating: 7, count: 16 << 20), within: .milliseconds(1))
                }
            }
            try await rules.listening(answer) { running in
                let client = try await running.connect(receiveBuffer: 65_536)
                try await client.send(webSocket())
                #expect(try await client.head().status == 101)
                let sent = try await client.rest()
                #expect(sent == [UInt8](repeating: 7, count: sent.count))
            }
        },
        Rule("a wait on a stream can be cancelled, and the stream continues") { rules in
            let answer = upgrading { stream in
                await withTaskGroup { group in
                    group.addTask { try? await stream.read(upTo: .bytes(1), within: nil) }
                    group.cancelAll()
                    #expect(await group.next() == .some(nil))
                }
                try await stream.write(Array("still here".utf8), within: nil)
            }
            try await rules.listening(answer) { running in
                let client = try await running.connect()
                try await client.send(webSocket())
                _ = try await client.head()
                #expect(try await client.rest() == Array("still here".utf8))
            }
        },
        Rule("a handler learns that the peer is gone, and its exchange finishes once") { rules in
            let began = Signal()
            let finished = Signal()
            let failed = Signal()
            let answer = upgrading(finished: finished) { stream in
                began.fire()
                do {
                    while true { try await stream.write([UInt8](repeating: 7, count: 65_536), within: nil) }
                } catch {
                    failed.fire()
                }
            }
            try await rules.listening(answer) { running in
                let client = try await running.connect(receiveBuffer: 65_536)
                try await client.send(webSocket())
                _ = try await client.head()
                // A caller that leaves earlier has no handler to inform.
                await began.wait()
                try await client.close()
                await failed.wait()
                await finished.wait()
            }
            #expect(finished.count == 1)
        },
        Rule("a stopping listener lets a stream say goodbye, and cuts off one that does not") { rules in
            for isPolite in [true, false] {
                let began = Signal()
                let finished = Signal()
                let cut = Signal()
                let answer = upgrading(finished: finished) { stream in
                    began.fire()
                    #expect(try await stream.read(upTo: .bytes(1), within: nil) == nil)
                    if isPolite { return try await stream.write(Array("bye".utf8), within: nil) }
                    await #expect(throws: (any Error).self) {
                        while true { try await stream.write([UInt8](repeating: 7, count: 65_536), within: nil) }
                    }
                    cut.fire()
                    // Tasks started by the handler are not cancelled with it, and are informed at once.
                    let late = Task { try await stream.write([7], within: nil) }
                    await #expect(throws: ConnectionGone.self) { try await late.value }
                }
                try await rules.listening(answer) { running in
                    let client = try await running.connect(receiveBuffer: 65_536)
                    try await client.send(webSocket())
                    _ = try await client.head()
                    await began.wait()
                    async let stopping: Void = running.listener.stop(
                        within: isPolite ? .seconds(60) : .milliseconds(50)
                    )
                    if isPolite { #expect(try await client.rest() == Array("bye".utf8)) } else { await cut.wait() }
                    try await client.close()
                    await stopping
                    await finished.wait()
                    #expect(running.listener.counts.openConnections == 0)
                }
                #expect(finished.count == 1)
            }
        },
        Rule("an invalid WebSocket upgrade is rejected with the reason, and stays HTTP") { rules in
            let version = "Sec-WebSocket-Version: 13"
            let wrong: [(request: String, status: Int)] = [
                (webSocket("Sec-WebSocket-Version: 8", "Sec-WebSocket-Key: \(key)"), 426),
                (webSocket(version, version, "Sec-WebSocket-Key: \(key)"), 426), (.get("/ws"), 426),
                (webSocket(version), 400), (webSocket(version, "Sec-WebSocket-Key: AAAA"), 400),
                (webSocket(version, "Sec-WebSocket-Key: \(key)", "Sec-WebSocket-Key: \(key)"), 400),
                (webSocket(method: "POST"), 426), (webSocket(method: "HEAD"), 426),
                (webSocket(version: "HTTP/1.0"), 426),
            ]
            let answer = upgrading { _ in Issue.record("it went on") }
            try await rules.listening(answer) { running in
                for (request, status) in wrong {
                    let client = try await running.connect()
                    try await client.send(request)
                    let answer = try await client.answer(toHead: request.hasPrefix("HEAD"))
                    #expect(answer.status == status, "\(request)")
                    if status == 426 {
                        #expect(answer["Sec-WebSocket-Version"] == "13")
                        #expect(answer["Upgrade"] == "websocket")
                        #expect(answer["Connection"]?.lowercased().contains("upgrade") ?? false)
                    }
                }
            }
        },
        Rule("a listener handles many streams and requests at once, and leaks no connection") { rules in
            let finished = Signal()
            try await rules.listening(upgrading(finished: finished, echo)) { running in
                try await withThrowingTaskGroup { group in
                    for number in 0..<24 {
                        group.addTask {
                            let client = try await running.connect()
                            try await client.send(.get("/"))
                            #expect(try await client.answer().text == "well")
                            try await client.send(webSocket())
                            _ = try await client.head()
                            for turn in 0..<20 {
                                let word = Array("\(number)/\(turn) ".utf8)
                                try await client.send(word)
                                #expect(try await client.bytes(word.count) == word)
                            }
                            if number % 2 == 0 { try await client.endSending() }
                            try await client.close()
                        }
                    }
                    try await group.waitForAll()
                }
                await finished.wait(for: 24)
                let last = try await running.connect()
                try await last.send(.get("/"))
                #expect(try await last.answer().text == "well")
            }
            #expect(finished.count == 24)
        },
    ]
}
