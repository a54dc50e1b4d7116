import Support
import Testing
import WireBase
import WireHTTP

extension ListenerConformance {
    static let lives = [
        Rule("hundreds of requests over many connections each get one response and finish once") { rules in
            let finished = Signal()
            let answer: @Sendable (Request) -> Exchange = { head in
                let plan: Exchange.Plan =
                    switch head.target.segments.first {
                    case "now": .answer(text(head.target.text))
                    case "later": .collect(upTo: .kibibytes(1)) { request in .later { text(request.target.text) } }
                    default:
                        .stream(upTo: .kibibytes(1)) { request, body in
                            while (try? await body.read()) != nil {}
                            return Response(.ok, body: .stream { try await $0.write(Array(request.target.text.utf8)) })
                        }
                    }
                return Exchange(plan) { finished.fire() }
            }
            let (clients, requests) = (24, 30)
            try await rules.listening(answer) { running in
                try await withThrowingTaskGroup { group in
                    for client in 0..<clients {
                        group.addTask {
                            let connection = try await running.connect()
                            for number in 0..<requests {
                                let target = "/\(["now", "later", "stream"][number % 3])/\(client)/\(number)"
                                try await connection.send(
                                    "POST \(target) HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc"
                                )
                                #expect(try await connection.answer().text == target)
                            }
                        }
                    }
                    try await group.waitForAll()
                }
                #expect(running.listener.counts.requests == clients * requests)
                #expect(running.listener.counts.acceptedConnections == clients)
                #expect(running.listener.counts.lastProgress > 0)
            }
            #expect(finished.count == clients * requests)
        },
        Rule("a request whose connection breaks gets no response, and finishes once") { rules in
            let finished = Signal()
            let answer: @Sendable (Request) -> Exchange = { head in
                var exchange = Exchange(.answer(text("here"))) { finished.fire() }
                exchange.isCut = head.target.segments == ["cut"]
                return exchange
            }
            try await rules.listening(answer) { running in
                let client = try await running.connect()
                try await client.send(.get("/"))
                #expect(try await client.answer().text == "here")
                try await client.send(.get("/cut"))
                #expect(try await client.isEnded())
            }
            #expect(finished.count == 2)
        },
        Rule("a stopping listener completes requests in flight, and accepts no new ones") { rules in
            let began = Signal()
            let mayEnd = Signal()
            let answer: @Sendable (Request) -> Exchange = { _ in
                Exchange(
                    .collect(upTo: .kibibytes(1)) { _ in
                        .later {
                            began.fire()
                            await mayEnd.wait()
                            return text("done")
                        }
                    }
                )
            }
            try await rules.listening(answer) { running in
                let idle = try await running.connect()
                let busy = try await running.connect()
                try await busy.send(.get("/"))
                await began.wait()
                async let stopping: Void = running.listener.stop(within: .seconds(60))
                #expect(try await idle.isEnded())
                await #expect(throws: RawClient.Failure.self) {
                    let late = try await running.connect()
                    try await late.send(.get("/"))
                    _ = try await late.answer()
                }
                mayEnd.fire()
                let answer = try await busy.answer()
                #expect(answer.text == "done")
                #expect(answer["Connection"]?.lowercased() == "close")
                await stopping
                await running.listener.stop(within: .zero)
                #expect(running.listener.counts.openConnections == 0)
            }
        },
        Rule("at the deadline, remaining connections are closed and their work is cancelled") { rules in
            let began = Signal()
            let finished = Signal()
            let answer: @Sendable (Request) -> Exchange = { head in
                let endless = Response.Body.stream { writer in
                    began.fire()
                    while true { try await writer.write([1]) }
                }
                let (never, outlet) = AsyncStream.makeStream(of: Void.self)
                let plan: Exchange.Plan =
                    switch head.target.segments.first {
                    case "stream": .answer(Response(.ok, body: endless))
                    case "silent":
                        .answer(
                            Response(
                                .ok,
                                body: .stream { _ in
                                    began.fire()
                                    for await _ in never {}
                                    outlet.finish()
                                }
                            )
                        )
                    default:
                        .collect(upTo: .kibibytes(1)) { _ in
                            .later {
                                began.fire()
                                for await _ in never {}
                                outlet.finish()
                                return text("late")
                            }
                        }
                    }
                return Exchange(plan) { finished.fire() }
            }
            try await rules.listening(answer) { running in
                var clients: [RawClient] = []
                for (number, target) in ["stream", "silent", "later"].enumerated() {
                    let client = try await running.connect()
                    try await client.send(.get("/\(target)"))
                    clients.append(client)
                    await began.wait(for: number + 1)
                }
                await running.listener.stop(within: .zero)
                await finished.wait(for: 3)
                for client in clients { _ = try? await client.rest() }
            }
            #expect(finished.count == 3)
        },
        Rule("a listener that never started can be stopped, and none can be started twice") { rules in
            let listener = rules.make(
                .tcp(host: "127.0.0.1", port: 0),
                ListenerLimits(),
                Answering { _ in Exchange(.answer(text(""))) }
            )
            try listener.start()
            #expect(throws: (any Error).self) { try listener.start() }
            await listener.stop(within: .zero)
            await listener.stop(within: .zero)
            await listener.run()
            let other = rules.make(
                .tcp(host: "127.0.0.1", port: 0),
                ListenerLimits(),
                Answering { _ in Exchange(.answer(text(""))) }
            )
            await other.stop(within: .zero)
            await other.run()
            #expect(throws: (any Error).self) { try other.start() }
        },
    ]
}
