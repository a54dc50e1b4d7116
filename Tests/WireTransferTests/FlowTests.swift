import ClientConformance
import Support
import Testing
import WireBase
import WireHTTP
import WireTransfer

@Suite("Flow control of transfers", .timeLimit(.minutes(2)))
struct FlowTests {
    private func client(_ change: (inout TransferOptions) -> Void = { _ in }) throws -> TransferClient {
        var options = TransferOptions()
        change(&options)
        return try TransferClient(options)
    }

    @Test("an unread large body is buffered up to the limit only")
    func slowReader() async throws {
        let server = try await HostileServer.start()
        let client = try client { $0.buffer = .kibibytes(64) }
        let size = 8 << 20
        let answer = try await client.send(server.get("/large", ["count": "\(size)"]))
        var count = 0
        while let part = try await answer.body.read() {
            for offset in stride(from: 0, to: part.count, by: 4_099) where part[offset] != UInt8((count + offset) % 251)
            {
                Issue.record("byte \(count + offset) is wrong")
                return
            }
            count += part.count
            // Others get their turn, so that the buffer fills whenever it can.
            #expect(try await client.text(server.get("/hello")).text == "hello")
        }
        #expect(count == size)
        // The small answers in between are held for a moment, too.
        #expect(client.counts.mostHeldBytes <= (64 << 10) + 5)
        #expect(client.counts.heldBytes == 0)
    }

    @Test("an upload is read from its source no faster than it is sent")
    func slowServer() async throws {
        let server = try await HostileServer.start()
        let client = try client { $0.buffer = .kibibytes(64) }
        let size = 32 << 20
        let source = Numbered(size, by: 30_000)
        async let answer = client.text(server.post("/swallow", ["name": "a"], sending: .stream(length: size, source)))
        try await server.event("asked a")
        for _ in 0..<200 { _ = try await client.text(server.get("/hello")) }
        // What the sockets of both sides take is the system's; far more than that is left.
        #expect(source.taken < size / 2)
        try server.open("a")
        let text = try await answer.text
        #expect(text == "\(size) True")
        #expect(client.counts.mostHeldBytes <= (64 << 10) + 30_000 + 5)
        #expect(client.counts.heldBytes == 0)
    }

    @Test("hundreds of concurrent requests complete, within the connection limit")
    func hundreds() async throws {
        let server = try await HostileServer.start()
        let client = try client { $0.connectionsPerHost = 8 }
        try await withThrowingTaskGroup(of: String.self) { group in
            let request = server.get("/hello")
            for _ in 0..<300 { group.addTask { try await client.text(request).text } }
            for try await text in group { #expect(text == "hello") }
        }
        #expect(try await server.events("connection").count <= 8)
        #expect(client.counts.transfers == 0)
    }

    @Test("a hundred requests that a server lets wait delay no other request to it")
    func waiting() async throws {
        let server = try await HostileServer.start()
        let client = try client()
        try await withThrowingTaskGroup(of: String.self) { group in
            for number in 0..<100 {
                let request = server.get("/late", ["name": "w\(number)"])
                group.addTask { try await client.text(request).text }
            }
            #expect(try await eventually { try await server.events("asked w").count == 100 })
            #expect(try await client.text(server.get("/hello")).text == "hello")
            for number in 0..<100 { try server.open("w\(number)") }
            for try await text in group { #expect(text == "late") }
        }
    }

    @Test("a request without a free connection in time, or over the queue limit, was not sent")
    func exhausted() async throws {
        let server = try await HostileServer.start()
        let client = try client {
            $0.connectionsPerHost = 1
            $0.transfers = 2
        }
        async let held = client.text(server.get("/late", ["name": "a"]))
        try await server.event("asked a")
        var second = server.get("/hello")
        second.connectTimeout = .milliseconds(50)
        let failure = try await client.failure(of: second)
        #expect(failure.kind == .exhausted && failure.wasNotSent)
        #expect(failure.reason == "no connection to \(server.base) became free within 0.05 seconds")
        async let waiting = client.text(server.get("/hello"))
        // The second is under way as soon as it is counted.
        while client.counts.transfers < 2 { await Task.yield() }
        let third = try await client.failure(of: server.get("/hello"))
        #expect(third.kind == .exhausted && third.wasNotSent)
        #expect(third.reason == "2 requests are in progress, expected at most 2")
        try server.open("a")
        #expect(try await held.text == "late")
        #expect(try await waiting.text == "hello")
    }

    @Test("the total number of connections is limited, and hosts take turns")
    func total() async throws {
        let servers = try await [HostileServer.start(), HostileServer.start(), HostileServer.start()]
        let client = try client { $0.connections = 2 }
        async let first = client.text(servers[0].get("/late", ["name": "a"]))
        async let second = client.text(servers[1].get("/late", ["name": "a"]))
        for server in servers.prefix(2) { try await server.event("asked a") }
        var third = servers[2].get("/hello")
        third.connectTimeout = .milliseconds(50)
        let failure = try await client.failure(of: third)
        #expect(failure.kind == .exhausted && failure.wasNotSent)
        for server in servers.prefix(2) { try server.open("a") }
        #expect(try await first.text == "late")
        #expect(try await second.text == "late")
        try await withThrowingTaskGroup(of: String.self) { group in
            for index in 0..<60 {
                let request = servers[index % 3].get("/hello")
                group.addTask { try await client.text(request).text }
            }
            for try await text in group { #expect(text == "hello") }
        }
    }

    @Test("limits of the response head are those of the client")
    func headLimits() async throws {
        let server = try await HostileServer.start()
        let client = try client {
            $0.head = .bytes(200)
            $0.headFields = 3
        }
        let head = "HTTP/1.1 200 OK\r\nA: 1\r\nB: 2\r\nContent-Length: 0\r\n"
        #expect(try await client.text(server.get("/raw", ["bytes": head + "\r\n"])).status == 200)
        let many = try await client.failure(of: server.get("/raw", ["bytes": head + "C: 3\r\n\r\n"]))
        #expect(
            many.reason == "the response of \(server.base) cannot be read: the response head has more than 3 fields"
        )
        func long(_ count: Int) -> String {
            "HTTP/1.1 200 OK\r\nA: \(String(repeating: "a", count: count - 43))\r\nContent-Length: 0\r\n\r\n"
        }
        #expect(try await client.text(server.get("/raw", ["bytes": long(200)])).status == 200)
        let large = try await client.failure(of: server.get("/raw", ["bytes": long(201)]))
        #expect(large.reason == "the response of \(server.base) cannot be read: the response head is larger than 200B")
    }

    @Test("a stop ends current and later requests")
    func stop() async throws {
        let server = try await HostileServer.start()
        let client = try client()
        async let waiting = client.failure(of: server.get("/black-hole", ["name": "a"]))
        try await server.event("asked a")
        let answer = try await client.send(server.get("/gated", ["name": "b"]))
        await client.stop()
        let failure = try await waiting
        #expect(failure.kind == .cancelled && !failure.wasNotSent)
        #expect(failure.reason == "the HTTP client was stopped")
        await #expect(throws: TransferFailure.self) { while try await answer.body.read() != nil {} }
        try await server.event("closed a")
        try await server.event("closed b")
        let late = try await client.failure(of: server.get("/hello"))
        #expect(late.kind == .cancelled && late.wasNotSent)
        await client.stop()
        #expect(client.counts.transfers == 0)
    }

    @Test("releasing a client ends current requests")
    func letGo() async throws {
        let server = try await HostileServer.start()
        var answer: IncomingResponse?
        do {
            let client = try client()
            answer = try await client.send(server.get("/gated", ["name": "a"]))
        }
        try await server.event("closed a")
        #expect(answer?.status == .ok)
    }

    @Test("hundreds of cancelled requests leave nothing behind")
    func cancelledInNumbers() async throws {
        let server = try await HostileServer.start()
        let client = try client()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<300 {
                group.addTask {
                    let task = Task {
                        try await client.text(
                            server.get(index % 2 == 0 ? "/large" : "/black-hole", ["count": "1000000"])
                        )
                    }
                    for _ in 0..<index % 50 { await Task.yield() }
                    task.cancel()
                    _ = await task.result
                }
            }
            try await group.waitForAll()
        }
        #expect(try await client.text(server.get("/hello")).text == "hello")
        await client.stop()
        #expect(client.counts.transfers == 0 && client.counts.heldBytes == 0)
    }
}
