import Support
import Testing
import WireBase
import WireHTTP

extension ListenerConformance {
    private static let echo: @Sendable (Request) -> Exchange = { head in
        guard head.target.segments == ["stream"] else {
            return Exchange(.collect(upTo: .bytes(100)) { request in .now(Response(.ok, body: .bytes(request.body))) })
        }
        return Exchange(
            .stream(upTo: .bytes(100)) { _, body in
                var count = 0
                while let piece = try? await body.read() { count += piece.count }
                return text("\(count)")
            }
        )
    }

    private static func small(_ change: (inout ListenerLimits) -> Void) -> ListenerLimits {
        var limits = ListenerLimits()
        change(&limits)
        return limits
    }

    private static func expectProblem(_ answer: RawClient.Answer, _ status: Int) {
        #expect(answer.status == status)
        #expect(answer["Content-Type"] == "application/problem+json")
        #expect(answer.text.contains("\"status\":\(status)"), "\(answer.text)")
    }

    static let limits = [
        Rule("a body over the limit is rejected, with or without Content-Length") { rules in
            try await rules.listening(echo) { running in
                for target in ["/", "/stream"] {
                    let told = try await running.connect()
                    try await told.send("POST \(target) HTTP/1.1\r\nHost: x\r\nContent-Length: 101\r\n\r\n")
                    expectProblem(try await told.answer(), 413)
                    let untold = try await running.connect()
                    try await untold.send("POST \(target) HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
                    let whole = String(repeating: "x", count: 100)
                    try await untold.send("64\r\n\(whole)\r\n1\r\nx\r\n")
                    expectProblem(try await untold.answer(), 413)
                    #expect(try await untold.isEnded())
                    let fitting = try await running.connect()
                    for body in [
                        "Content-Length: 100\r\n\r\n\(whole)",
                        "Transfer-Encoding: chunked\r\n\r\n64\r\n\(whole)\r\n0\r\n\r\n",
                    ] {
                        try await fitting.send("POST \(target) HTTP/1.1\r\nHost: x\r\n\(body)")
                        #expect(try await fitting.answer().text == (target == "/" ? whole : "100"))
                    }
                }
            }
        },
        Rule("with a body limit of 0, a request without a body is accepted, however it declares that") { rules in
            let answer: @Sendable (Request) -> Exchange = { head in
                guard head.target.segments == ["stream"] else {
                    return Exchange(.collect(upTo: .bytes(0)) { _ in .now(text("taken")) })
                }
                return Exchange(.stream(upTo: .bytes(0)) { _, _ in text("taken") })
            }
            try await rules.listening(answer) { running in
                for target in ["/", "/stream"] {
                    let client = try await running.connect()
                    try await client.send(.get(target))
                    #expect(try await client.answer().text == "taken")
                    try await client.send("POST \(target) HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n")
                    #expect(try await client.answer().text == "taken")
                    try await client.send("POST \(target) HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\nx")
                    expectProblem(try await client.answer(), 413)
                }
            }
        },
        Rule("a head over the limit gets 431, a target over the limit 414") { rules in
            let limits = small {
                $0.header = .kibibytes(4)
                $0.target = .kibibytes(1)
            }
            try await rules.listening(limits: limits, echo) { running in
                // The whole head counts, including its final line end.
                let rest = String.get("/", "X-A: ").utf8.count
                let fitting = try await running.connect()
                try await fitting.send(.get("/", "X-A: " + String(repeating: "a", count: 4_096 - rest)))
                #expect(try await fitting.answer().status == 200)
                try await fitting.send(.get("/" + String(repeating: "a", count: 1_023)))
                #expect(try await fitting.answer().status == 200)
                let wide = try await running.connect()
                try await wide.send(.get("/", "X-A: " + String(repeating: "a", count: 4_097 - rest)))
                expectProblem(try await wide.answer(), 431)
                #expect(try await wide.isEnded())
                let long = try await running.connect()
                try await long.send(.get("/" + String(repeating: "a", count: 1_024)))
                expectProblem(try await long.answer(), 414)
                let endless = try await running.connect()
                // The listener may close the connection before all of it is sent.
                try? await endless.send("GET / HTTP/1.1\r\nHost: x\r\nX-A: " + String(repeating: "a", count: 1 << 20))
                let status = try? await endless.answer().status
                #expect(status == nil || status == 431)
            }
        },
        Rule("a head or a body that never ends gets 408") { rules in
            let limits = small { $0.receive = .milliseconds(100) }
            try await rules.listening(limits: limits, echo) { running in
                for start in ["", "GET / HT", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nab"] {
                    let client = try await running.connect()
                    // On a slow machine the connection may be closed before anything is sent.
                    try? await client.send(start)
                    expectProblem(try await client.answer(), 408)
                    #expect(try await client.isEnded())
                }
                let streaming = try await running.connect()
                try? await streaming.send("POST /stream HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nab")
                expectProblem(try await streaming.answer(), 408)
            }
        },
        Rule("a head that arrives byte by byte forever gets 408") { rules in
            let limits = small { $0.receive = .milliseconds(100) }
            try await rules.listening(limits: limits, echo) { running in
                let client = try await running.connect()
                try? await client.send("GET / HTTP/1.1\r\nHost: x\r\nX-A: ")
                // Ends with the connection; so slow that the timeout comes long before the size limit.
                while (try? await client.send("a")) != nil { await breath() }
                expectProblem(try await client.answer(), 408)
            }
        },
        Rule("an idle connection is closed") { rules in
            let limits = small { $0.idle = .seconds(1) }
            try await rules.listening(limits: limits, echo) { running in
                let client = try await running.connect()
                try await client.send(.get("/"))
                #expect(try await client.answer().status == 200)
                #expect(try await client.isEnded())
            }
        },
        Rule("connections over the limit get a response and are closed") { rules in
            for limits in [small { $0.connections = 2 }, small { $0.connectionsPerCaller = 2 }] {
                try await rules.listening(limits: limits, echo) { running in
                    let first = try await running.connect()
                    let second = try await running.connect()
                    // Requests in progress keep their place.
                    for client in [first, second] {
                        try await client.send("PUT / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\na")
                    }
                    while running.listener.counts.requests < 2 { await Task.yield() }
                    let third = try await running.connect()
                    expectProblem(try await third.answer(), 503)
                    #expect(running.listener.counts.refusedConnections == 1)
                    for client in [first, second] {
                        try await client.send("b")
                        #expect(try await client.answer().status == 200)
                    }
                    try await second.send(.get("/", "Connection: close"))
                    #expect(try await second.answer().status == 200)
                    #expect(try await second.isEnded())
                    // The place is free as soon as the listener notices the disconnect.
                    while running.listener.counts.openConnections > 1 { await Task.yield() }
                    let fourth = try await running.connect()
                    try await fourth.send(.get("/"))
                    #expect(try await fourth.answer().status == 200)
                }
            }
        },
        Rule(
            "at the connection limit, an unused connection is closed first, then the one idle for longest"
        ) { rules in
            for limits in [small { $0.connections = 3 }, small { $0.connectionsPerCaller = 3 }] {
                try await rules.listening(limits: limits, echo) { running in
                    // One that was used, one that was not, and one in the middle of a request.
                    let used = try await running.connect()
                    try await used.send(.get("/"))
                    #expect(try await used.answer().status == 200)
                    while running.listener.counts.lastProgress == 0 { await Task.yield() }
                    let silent = try await running.connect()
                    let busy = try await running.connect()
                    try await busy.send("PUT / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\na")
                    while running.listener.counts.requests < 2 { await Task.yield() }
                    var held: [RawClient] = []
                    for gone in [silent, used] {
                        let next = try await running.connect()
                        held.append(next)
                        try await next.send(.get("/"))
                        #expect(try await next.answer().status == 200)
                        #expect(try await gone.isEnded())
                    }
                    try await busy.send("b")
                    #expect(try await busy.answer().status == 200)
                    #expect(running.listener.counts.refusedConnections == 0)
                    #expect(held.count == 2)
                }
            }
        },
    ]
}
