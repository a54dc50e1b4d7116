import Support
import Testing
import WireBase
import WireHTTP
import WireListener

@Suite("Listeners for byte streams", .timeLimit(.minutes(1)))
struct StreamListenerTests {
    /// Sends back what it reads, until the peer ends.
    private static func echo(_ stream: any ByteStream) async {
        while let bytes = try? await stream.read(upTo: .kibibytes(64), within: nil) {
            try? await stream.write(bytes, within: .seconds(10))
        }
        try? await stream.write(Array("bye".utf8), within: .seconds(10))
    }

    private static func run(
        _ limits: ListenerLimits = ListenerLimits(),
        _ play: (StreamListener, RawClient.Address) async throws -> Void
    ) async throws {
        let listener = StreamListener(at: .tcp(host: "127.0.0.1", port: 0), limits: limits) { await echo($0) }
        try listener.start()
        guard case .tcp(_, let port) = listener.endpoint else { return }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await listener.run() }
            let result: Result<Void, any Error>
            do { result = .success(try await play(listener, .tcp("127.0.0.1", port))) } catch {
                result = .failure(error)
            }
            await listener.stop(within: .seconds(10))
            try await group.waitForAll()
            try result.get()
        }
    }

    @Test("each connection is a stream; the last bytes arrive before the end")
    func echoed() async throws {
        try await Self.run { listener, address in
            let bytes = [UInt8](repeating: 7, count: 60_000)
            let clients = [try await RawClient.connect(to: address), try await RawClient.connect(to: address)]
            for client in clients {
                try await client.send(bytes)
                #expect(try await client.bytes(bytes.count) == bytes)
                try await client.endSending()
                #expect(try await client.rest() == Array("bye".utf8))
                try await client.close()
            }
            #expect(listener.counts.acceptedConnections == 2)
            #expect(await eventually { listener.counts.openConnections == 0 })
        }
    }

    @Test("connections over the limit are closed, and others are accepted once there is room")
    func limited() async throws {
        var limits = ListenerLimits()
        limits.connections = 1
        try await Self.run(limits) { listener, address in
            let first = try await RawClient.connect(to: address, sending: [1])
            #expect(try await first.bytes(1) == [1])
            let second = try await RawClient.connect(to: address)
            #expect(try await second.waitForEnd())
            try await first.close()
            #expect(await eventually { listener.counts.openConnections == 0 })
            let third = try await RawClient.connect(to: address, sending: [3])
            #expect(try await third.bytes(1) == [3])
            #expect(listener.counts.refusedConnections == 1)
        }
    }

    @Test("a stop ends reading, and the last bytes of the handler are sent")
    func stopped() async throws {
        try await Self.run { listener, address in
            let client = try await RawClient.connect(to: address, sending: [1])
            #expect(try await client.bytes(1) == [1])
            async let stop: Void = listener.stop(within: .seconds(10))
            #expect(try await client.rest() == Array("bye".utf8))
            try await client.close()
            await stop
            await #expect(throws: RawClient.Failure.self) { _ = try await RawClient.connect(to: address) }
        }
    }
}
