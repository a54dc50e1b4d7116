import Foundation
import Support
import Testing
import WireBase
import WireConfig
import WireService
import WireTelemetry
import Workbench

@Suite("WebSocket streams from misbehaving servers", .serialized, .enabled(if: SocketServer.isThere))
struct HostileSocketTests {
    private static func bench(_ server: SocketServer, _ path: String) async throws -> StreamBench {
        try await StreamBench(
            "streams: { tasks: { type: webSocket, url: \"\(server.hostile)/\(path)\", maxMessage: 4KiB } }"
        )
    }

    @Test(
        "an invalid upgrade response opens nothing, and is retried late",
        arguments: [
            ("wrong", "does not belong to the key"), ("none", "does not belong to the key"),
            ("twice", "does not belong to the key"), ("extension", "uses an extension"),
            ("protocol", ", expected none"), ("plain", "the server responded with status 200"),
        ]
    )
    func handshakes(path: String, reason: String) async throws {
        let server = try await SocketServer()
        let bench = try await Self.bench(server, path)
        try await server.saw("asked /\(path) 13")
        #expect(
            await eventually { bench.log.contains { $0.contains(reason) && $0.contains("rejected") } },
            "\(bench.log)"
        )
        bench.clock.pass(.seconds(140))
        _ = await eventually({ server.count("asked") > 1 }, tries: 20_000)
        #expect(server.count("asked") == 1)
        // What held it up is the time alone.
        #expect(await bench.passing(.seconds(160)) { server.count("asked") > 1 })
        await bench.end()
    }

    @Test(
        "invalid frames are rejected with the close code",
        arguments: [("huge", 1_009), ("fragments", 1_009), ("text", 1_007), ("masked", 1_002)]
    )
    func frames(path: String, code: Int) async throws {
        let server = try await SocketServer()
        let bench = try await Self.bench(server, path)
        if path != "fragments" { try await server.saw("code /\(path) \(code)") }
        // It waits a little for the server to end the connection.
        #expect(await bench.passing(.seconds(3)) { bench.log.contains { $0.contains("data with \(code)") } })
        try await server.saw("left /\(path)")
        await bench.end()
    }

    @Test(
        "a connection that ends without a close is reopened, and earlier messages are kept",
        arguments: ["half", "cut", "nocode"]
    )
    func ends(path: String) async throws {
        let server = try await SocketServer()
        let bench = try await Self.bench(server, path)
        let letter = path.prefix(1)
        _ = try await bench.notifications.done("tasks:\(letter)1")
        #expect(await bench.passing(.seconds(2)) { server.count("asked") > 1 })
        _ = try await bench.notifications.done("tasks:\(letter)2")
        await bench.end()
    }

    @Test("a message may arrive byte by byte")
    func drip() async throws {
        let server = try await SocketServer()
        let bench = try await Self.bench(server, "drip")
        _ = try await bench.notifications.done("tasks:drip")
        await bench.end()
    }

    @Test("a silent server is pinged, and dropped if it does not respond")
    func silent() async throws {
        let server = try await SocketServer()
        let bench = try await Self.bench(server, "mute")
        try await server.saw("asked /mute")
        #expect(await eventually { bench.clock.sleepers > 0 })
        #expect(await bench.passing(.seconds(30)) { server.count("ping /mute") == 1 })
        #expect(await bench.passing(.seconds(15)) { bench.log.contains { $0.contains("did not answer a ping") } })
        await bench.end()
    }

    @Test("a replaced stream whose server does not close does not take the next one out of the status")
    func replaced() async throws {
        let server = try await SocketServer()
        let bench = try await Self.bench(server, "mute")
        try await server.saw("asked /mute")
        #expect(await eventually { await Self.isConnected(bench) })
        let next = "streams: { tasks: { type: webSocket, url: \"\(server.real)/stay\" } }"
        try await bench.notifications.reload("\(next)\n\(IntakeTests.note)")
        try await server.saw("code /mute 1001")
        _ = try await bench.notifications.done("tasks:stay-1")
        #expect(await bench.passing(.seconds(2)) { server.count("left /mute") == 1 })
        // Time for the former reader to end.
        for _ in 0..<500 { await breath() }
        #expect(await Self.isConnected(bench))
        await bench.end()
    }

    private static func isConnected(_ bench: StreamBench) async -> Bool {
        await bench.notifications.bench.metrics.text(.prometheus).contains(
            "corewire_notification_stream_connected{stream=\"tasks\"} 1"
        )
    }

    @Test("a silent server is pinged once in each interval while it responds")
    func interval() async throws {
        let server = try await SocketServer()
        let bench = try await Self.bench(server, "pong")
        try await server.saw("asked /pong")
        #expect(await eventually { bench.clock.sleepers > 0 })
        for _ in 1...2 { #expect(await bench.sends(after: .seconds(30)) { server.count("ping /pong") }) }
        await bench.end()
    }

    @Test("a server that does not read is dropped")
    func deaf() async throws {
        let server = try await SocketServer()
        let bench = try await Self.bench(server, "deaf")
        #expect(await bench.passing(.milliseconds(500)) { bench.log.contains { $0.contains("does not read") } })
        try await server.saw("left /deaf")
        await bench.end()
    }
}
