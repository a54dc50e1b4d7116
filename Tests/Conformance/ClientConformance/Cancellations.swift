import Testing
import WireBase
import WireHTTP

extension ClientConformance {
    private static func outcome(of task: Task<IncomingResponse, any Error>) async -> TransferFailure? {
        do {
            _ = try await task.value
            return nil
        } catch {
            return error as? TransferFailure
        }
    }

    static let cancellations: [ClientConformance] = [
        ClientConformance("a request cancelled before its start is not sent") { client, server in
            let request = server.get("/black-hole", ["name": "a"])
            let task = Task {
                unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
                return try await client.send(request)
            }
            let failure = await outcome(of: task)
            #expect(failure?.kind == .cancelled && failure?.wasNotSent == true)
            _ = try await client.text(server.get("/hello"))
            #expect(try await server.events("asked").isEmpty)
        },
        ClientConformance("cancellation while waiting for the response closes the connection") { client, server in
            let request = server.get("/black-hole", ["name": "a"])
            let task = Task { try await client.send(request) }
            try await server.event("asked a")
            task.cancel()
            let failure = await outcome(of: task)
            #expect(failure?.kind == .cancelled && failure?.wasNotSent == false)
            try await server.event("closed a")
        },
        ClientConformance("cancellation during the handshake closes the connection") { client, server in
            let request = OutgoingRequest(.get, "https://127.0.0.1:\(server.mutePort)/")
            let task = Task { try await client.send(request) }
            try await server.event("accepted")
            task.cancel()
            let failure = await outcome(of: task)
            #expect(failure?.kind == .cancelled && failure?.wasNotSent == true)
            try await server.event("unaccepted")
        },
        ClientConformance("cancellation while reading the body closes the connection") { client, server in
            let answer = try await client.send(server.get("/gated", ["name": "a"]))
            #expect(try await answer.body.read() == Array("hello".utf8))
            let task = Task { try await answer.body.read() }
            task.cancel()
            await #expect(throws: TransferFailure.self) { try await task.value }
            try await server.event("closed a")
            await #expect(throws: TransferFailure.self) { try await answer.body.read() }
        },
        ClientConformance("releasing the body closes the connection") { client, server in
            var answer: IncomingResponse? = try await client.send(server.get("/gated", ["name": "a"]))
            try await server.event("half a")
            #expect(answer?.status == .ok)
            answer = nil
            try await server.event("closed a")
        },
        ClientConformance("releasing an endless body ends the transfer") { client, server in
            _ = try await client.send(server.get("/endless-body", ["name": "a"])).body.read()
            try await server.event("closed a")
        },
        ClientConformance("cancellation while sending the body closes the connection") { client, server in
            let fed = Fed()
            fed.feed.yield(Array("a".utf8))
            let request = server.post("/broken-off", ["name": "a"], sending: .stream(length: nil, fed))
            let task = Task { try await client.send(request) }
            try await server.event("asked a")
            task.cancel()
            #expect(await outcome(of: task)?.kind == .cancelled)
            try await server.event("torn a")
        },
        ClientConformance("a missing response is a timeout") { client, server in
            var request = server.get("/black-hole", ["name": "a"])
            request.headTimeout = .milliseconds(50)
            let failure = try await client.failure(of: request)
            #expect(failure.kind == .timeout && !failure.wasNotSent)
            #expect(failure.reason == "no response from \(server.base) within 0.05 seconds")
            try await server.event("closed a")
        },
        ClientConformance("a stalled body is a timeout") { client, server in
            var request = server.get("/gated", ["name": "a"])
            request.idleTimeout = .milliseconds(50)
            let failure = try await client.failure(of: request)
            #expect(failure.kind == .timeout && !failure.wasNotSent)
            try await server.event("closed a")
        },
        ClientConformance("an unanswered handshake is a timeout, and nothing was sent") {
            client,
            server in
            var request = OutgoingRequest(.get, "https://127.0.0.1:\(server.mutePort)/")
            request.connectTimeout = .milliseconds(50)
            let failure = try await client.failure(of: request)
            #expect(failure.kind == .timeout && failure.wasNotSent)
            try await server.event("unaccepted")
        },
        ClientConformance("a deadline ends an endless response") { client, server in
            var request = server.get("/endless-body", ["name": "a"])
            request.deadline = .milliseconds(200)
            do {
                let answer = try await client.send(request)
                while try await answer.body.read() != nil {}
                Issue.record("the body has ended")
            } catch let failure as TransferFailure {
                #expect(failure.kind == .timeout)
            }
            var loop = server.get("/loop")
            loop.redirects = .anywhere(upTo: 1_000_000)
            loop.deadline = .milliseconds(200)
            #expect(try await client.failure(of: loop).kind == .timeout)
        },
        ClientConformance("a waiting request blocks no other") { client, server in
            async let late = client.text(server.get("/late", ["name": "a"]))
            try await server.event("asked a")
            for _ in 0..<3 { #expect(try await client.text(server.get("/hello")).text == "hello") }
            try server.open("a")
            #expect(try await late.text == "late")
        },
    ]
}
