import Foundation
import Support
import Testing
import WireBase
import WireConfig
import WireService
import Workbench

@Suite("WebSocket streams from a real server", .serialized, .enabled(if: SocketServer.isThere))
struct SocketTests {
    private static func streams(_ text: String) -> String { "streams: { tasks: { type: webSocket, \(text) } }" }

    @Test("messages become notifications, are acknowledged when stored, and resume after the last")
    func conversation() async throws {
        let server = try await SocketServer()
        let bench = try await StreamBench(
            Self.streams(
                """
                url: "\(server.real)/tasks", subprotocols: [other, tasks.v1], headers: { x-client: kiosk }, \
                secretHeaders: { x-api-key: s3cret }, greeting: '{"type":"subscribe"}', \
                acknowledge: '{"ack":{{ id | json }},"kind":{{ kind | json }}}'
                """
            )
        )
        try await server.saw("open /tasks tasks.v1 kiosk s3cret")
        try await server.saw(#"greeted {"type":"subscribe"}"#)
        try await server.saw("pong")
        try await server.saw(#"said {"ack":"1","kind":"a"}"#)
        try await server.saw(#"said {"ack":"2","kind":"b"}"#)
        #expect(try await bench.notifications.done("tasks:1")["way"]?.string == "tasks")
        _ = try await bench.notifications.done("tasks:2")
        try await server.saw("closed /tasks 1001")
        #expect(await bench.passing { server.count("resumed 2") == 1 })
        _ = try await bench.notifications.done("tasks:3")
        #expect(bench.log.contains { $0.contains("the message is not JSON") })
        #expect(!bench.log.contains { $0.contains("s3cret") })
        await bench.end()
        try await server.saw("closed /tasks", times: 2)
    }

    @Test("the payload field is extracted, other messages are skipped; the last id is in the query or the greeting")
    func resume() async throws {
        let server = try await SocketServer()
        let first = try await StreamBench(
            Self.streams(
                """
                url: "\(server.real)/wrapped?a=b%20c", id: meta.id, payload: data, resume: { query: after }, \
                acknowledge: 'got {{ id }}'
                """
            )
        )
        try await server.saw("query a=b%20c")
        try await server.saw("said got 7")
        _ = try await first.notifications.done("tasks:7")
        #expect(await first.passing { server.count("query a=b%20c&after=7") == 1 })
        await first.end()
        let other = try await SocketServer()
        let second = try await StreamBench(
            Self.streams(
                """
                url: "\(other.real)/wrapped", id: meta.id, payload: data, acknowledge: ok, \
                resume: { message: 'after {{ id }}' }
                """
            )
        )
        try await other.saw("said ok")
        #expect(await second.passing { other.count("first after 7") == 1 })
        _ = try await second.notifications.done("tasks:8")
        await second.end()
    }

    @Test("a rejected token is refreshed for the handshake, and never logged")
    func token() async throws {
        let server = try await SocketServer()
        let bench = try await StreamBench(
            Self.streams("url: \"\(server.real)/token\""),
            tokenHosts: "\"\(server.real.dropFirst(5))\"",
            tokens: TwoTokens()
        )
        try await server.saw("refused Bearer token-1")
        try await server.saw("let in Bearer token-2")
        _ = try await bench.notifications.done("tasks:t1")
        #expect(!bench.log.contains { $0.contains("token-") })
        await bench.end()
    }

    @Test("the stream opens after sign-in, closes at sign-out, and reopens for the next user")
    func users() async throws {
        let server = try await SocketServer()
        let users = HandUsers()
        let bench = try await StreamBench(
            Self.streams("url: \"\(server.real)/stay\""),
            tokens: TwoTokens(),
            users: users
        )
        _ = await eventually({ false }, tries: 10_000)
        #expect(server.count("open") == 0)
        users.become("ada")
        _ = try await bench.notifications.done("tasks:stay-1")
        users.become(nil)
        try await server.saw("closed /stay 1001")
        users.become("bob")
        _ = try await bench.notifications.done("tasks:stay-2")
        // Somebody whose session is only told again stays.
        users.become("bob")
        users.become("ada")
        try await server.saw("open /stay", times: 3)
        #expect(server.count("closed /stay 1001") == 2)
        await bench.end()
        try await server.saw("closed /stay", times: 3)
    }

    @Test("'needs: []' opens the stream before the sign-in, and reopens it for the user")
    func needsNothing() async throws {
        let server = try await SocketServer()
        let users = HandUsers()
        let bench = try await StreamBench(
            Self.streams("url: \"\(server.real)/stay\", needs: []"),
            tokens: TwoTokens(),
            users: users
        )
        _ = try await bench.notifications.done("tasks:stay-1")
        users.become("ada")
        _ = try await bench.notifications.done("tasks:stay-2")
        try await server.saw("closed /stay 1001")
        await bench.end()
    }

    @Test("binary messages are read as text; closes are answered and reported")
    func closes() async throws {
        let server = try await SocketServer()
        let bench = try await StreamBench(
            """
            streams:
              binary: { type: webSocket, url: "\(server.real)/binary" }
              policy: { type: webSocket, url: "\(server.real)/policy" }
              later: { type: webSocket, url: "\(server.real)/later" }
              busy: { type: webSocket, url: "\(server.real)/busy" }
              elsewhere: { type: webSocket, url: "\(server.real)/elsewhere" }
            """
        )
        _ = try await bench.notifications.done("binary:b1")
        #expect(await eventually { bench.log.contains { $0.contains("the message is not JSON") } })
        try await server.saw("closed /policy 1008")
        try await server.saw("closed /later 1013")
        try await server.saw("elsewhere")
        #expect(await eventually { bench.log.count { $0.contains("of notifications") } >= 4 })
        #expect(bench.log.contains { $0.contains("1008, policy: ") })
        await bench.end()
    }

    @Test("over TLS certificates and pins are verified as for requests")
    func secure() async throws {
        let authority = try Authority()
        let server = try await SocketServer(certificate: authority.certificate(for: "localhost", in: "own"))
        let pin = try authority.pin(of: "own")
        let section = Self.streams("url: \"\(server.secure)/stay\"")
        let pinned = "pins: [{ host: localhost, sha256: \"\(pin)\" }]"
        let bench = try await StreamBench(section, network: pinned, authorities: authority.file)
        _ = try await bench.notifications.done("tasks:stay-1")
        await bench.end()
        let stranger = try Authority()
        let strange = try await StreamBench(section, authorities: stranger.file)
        #expect(await eventually { strange.log.contains { $0.contains("cannot be trusted") } }, "\(strange.log)")
        await strange.end()
        let other = "pins: [{ host: localhost, sha256: \"n3dNcH43TClpDuyYl55EwbTTAuj4T7IloK4GNaH1bnE=\" }]"
        let mispinned = try await StreamBench(section, network: other, authorities: authority.file)
        #expect(await eventually { mispinned.log.contains { $0.contains("pins") } })
        #expect(server.count("open") == 1)
        await mispinned.end()
    }
}
