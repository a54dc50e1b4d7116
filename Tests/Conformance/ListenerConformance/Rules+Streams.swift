import Support
import Synchronization
import Testing
import WireBase
import WireHTTP

extension ListenerConformance {
    static let streams = [
        Rule("a streamed body is sent as it is produced, and the connection continues") { rules in
            let (words, outlet) = AsyncStream.makeStream(of: String.self)
            let answer: @Sendable (Request) -> Exchange = { _ in
                Exchange(
                    .answer(
                        Response(
                            .ok,
                            fields: ["Content-Type": "text/event-stream"],
                            body: .stream { writer in
                                for await word in words { try await writer.write(ServerSentEvent(data: word).bytes) }
                            }
                        )
                    )
                )
            }
            try await rules.listening(answer) { running in
                let client = try await running.connect()
                try await client.send(.get("/"))
                #expect(try await client.head().status == 200)
                var parser = EventStreamParser()
                for word in ["one", "two", "three"] {
                    outlet.yield(word)
                    var events: [ServerSentEvent] = []
                    while events.isEmpty { events = try parser.consume(try await client.chunk() ?? []) }
                    #expect(events.map(\.data) == [word])
                }
                outlet.finish()
                #expect(try await client.chunk() == nil)
                try await client.send(.get("/"))
                #expect(try await client.answer().status == 200)
            }
        },
        Rule("a streamed body is written no faster than it is read") { rules in
            let total = 40
            let written = Signal()
            let answer: @Sendable (Request) -> Exchange = { _ in
                let body = Response.Body.stream { writer in
                    for _ in 0..<total {
                        try await writer.write([UInt8](repeating: 7, count: 1 << 20))
                        written.fire()
                    }
                }
                return Exchange(.collect(upTo: .bytes(0)) { _ in .later { Response(.ok, body: body) } })
            }
            try await rules.listening(answer) { running in
                let client = try await running.connect(receiveBuffer: 65_536)
                try await client.send(.get("/"))
                _ = try await client.head()
                var read = 0
                var furthest = 0
                while let chunk = try await client.chunk() {
                    read += chunk.count
                    furthest = max(furthest, (written.count << 20) - read)
                }
                #expect(read == total << 20)
                #expect(furthest < 24 << 20)
            }
        },
        Rule("several writers of a body wait each by itself, and their bytes stay together") { rules in
            let (size, times) = (10_000, 30)
            let answer: @Sendable (Request) -> Exchange = { _ in
                let body = Response.Body.stream { writer in
                    try await withThrowingTaskGroup { group in
                        for letter in "abcd".utf8 {
                            group.addTask {
                                for _ in 0..<times { try await writer.write(Array(repeating: letter, count: size)) }
                            }
                        }
                        try await group.waitForAll()
                    }
                }
                return Exchange(.answer(Response(.ok, body: body)))
            }
            try await rules.listening(answer) { running in
                let client = try await running.connect(receiveBuffer: 4_096)
                try await client.send(.get("/"))
                _ = try await client.head()
                var read: [UInt8] = []
                while let chunk = try await client.chunk() { read += chunk }
                #expect(read.count == 4 * size * times)
                let isWhole = stride(from: 0, to: read.count, by: size).allSatisfy { start in
                    read[start..<start + size].allSatisfy { $0 == read[start] }
                }
                #expect(isWhole)
            }
        },
        Rule("a body whose writer fails is left unterminated") { rules in
            struct Broken: Error {}
            let answer: @Sendable (Request) -> Exchange = { _ in
                let body = Response.Body.stream { writer in
                    try await writer.write(Array("half".utf8))
                    throw Broken()
                }
                return Exchange(.answer(Response(.ok, body: body)))
            }
            try await rules.listening(answer) { running in
                let client = try await running.connect()
                try await client.send(.get("/"))
                await #expect(throws: RawClient.Failure.self) { try await client.answer() }
            }
        },
        Rule("work is cancelled when the caller disconnects, and finishes once") { rules in
            let began = Signal()
            let cancelled = Signal()
            let finished = Signal()
            let answer: @Sendable (Request) -> Exchange = { head in
                let wait: @Sendable () async -> Void = {
                    began.fire()
                    await untilCancelled()
                    cancelled.fire()
                }
                let plan: Exchange.Plan =
                    switch head.target.segments.first {
                    case "later":
                        .collect(upTo: .kibibytes(1)) { _ in
                            .later {
                                await wait()
                                return text("never")
                            }
                        }
                    case "reading":
                        .stream(upTo: nil) { _, body in
                            began.fire()
                            _ = try? await body.read()
                            cancelled.fire()
                            return text("never")
                        }
                    default:
                        .answer(
                            Response(
                                .ok,
                                body: .stream { writer in
                                    began.fire()
                                    defer { cancelled.fire() }
                                    while true { try await writer.write(Array(repeating: 0, count: 100)) }
                                }
                            )
                        )
                    }
                return Exchange(plan) { finished.fire() }
            }
            try await rules.listening(answer) { running in
                for (number, target) in ["later", "reading", "writing"].enumerated() {
                    let client = try await running.connect()
                    // A handler may begin only once a small body is complete.
                    let length = target == "reading" ? 100_000 : 0
                    try await client.send("POST /\(target) HTTP/1.1\r\nHost: x\r\nContent-Length: \(length)\r\n\r\n")
                    await began.wait(for: number + 1)
                    try await client.close()
                    await cancelled.wait(for: number + 1)
                    await finished.wait(for: number + 1)
                }
            }
            #expect(finished.count == 3)
        },
    ]

    private static func untilCancelled() async {
        let (never, outlet) = AsyncStream.makeStream(of: Void.self)
        for await _ in never {}
        outlet.finish()
    }
}
