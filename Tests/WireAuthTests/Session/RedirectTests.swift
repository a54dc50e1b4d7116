import Support
import Synchronization
import Testing
import WireAuthContract
import WireBase
import WireConfig
import WireHTTP
import WireListener
import WireService

@testable import WireAuth

@Suite("The redirect listener", .timeLimit(.minutes(1)))
struct RedirectTests {
    private func port(_ redirectURI: String) throws -> Int {
        try #require(Int(redirectURI.split(separator: ":").last?.prefix { $0 != "/" } ?? ""))
    }

    @Test("an occupied port is reported with the line of the file, and retried")
    func occupied() async throws {
        let occupier = HTTPListener(at: .tcp(host: "127.0.0.1", port: 0), Nothing())
        try occupier.start()
        guard case .tcp(_, let port) = occupier.endpoint else { throw Bench.Unread() }
        let counter = try await Counter(try Bench("\(Bench.usual)\nredirectUri: http://127.0.0.1:\(port)/back"))
        try await counter.serving {
            let answer = try await counter.ask("POST", "/v1/auth/login", "{}")
            #expect(answer.status == 503)
            #expect(answer.json["type"]?.string == "urn:corewire:problem:no-listener")
            #expect(answer.json["detail"]?.string?.contains("is in use. Close the program") == true)
            #expect(answer.text.contains("file.yaml:6:"), "\(answer.text)")
            await occupier.stop(within: .zero)
            #expect(try await counter.ask("POST", "/v1/auth/login", "{}").status == 202)
        }
    }

    @Test("silent connections do not block the browser")
    func stalled() async throws {
        let bench = try await Bench()
        let coordinator = try #require(bench.service.coordinator)
        try await bench.running {
            _ = try await coordinator.begin(SignInOptions(flow: .browser))
            let redirect = try #require(bench.server.state.withLock(\.redirects).last)
            let port = try self.port(redirect)
            var silent: [RawClient] = []
            for _ in 0..<20 { silent.append(try await RawClient.connect(to: .tcp("127.0.0.1", port))) }
            let page = try await Counter.ask("GET", "\(redirect)?state=state-1&code=x")
            #expect(page.status == 200, "\(page.fields)")
            #expect(bench.state() == "signedIn")
            for client in silent { try await client.close() }
        }
    }

    @Test("a failure of one sign-in ends with the next one, even if that is cancelled")
    func trouble() async throws {
        let bench = try await Bench()
        let coordinator = try #require(bench.service.coordinator)
        try await bench.running {
            for _ in 0..<2 {
                _ = try await coordinator.begin(SignInOptions(flow: .browser))
                let redirect = try #require(bench.server.state.withLock(\.redirects).last)
                _ = try await Counter.ask("GET", "\(redirect)?state=state-1&error=unauthorized")
                #expect(await eventually { bench.service.authSnapshot.trouble?.kind == "blocked" })
                _ = try await coordinator.begin(SignInOptions(flow: .browser))
                #expect(bench.service.authSnapshot.trouble == nil)
                #expect(coordinator.cancel())
                #expect(bench.service.authSnapshot.trouble == nil && bench.told.last == "well")
            }
        }
    }

    private struct Nothing: Responder {
        func exchange(for head: Request) -> Exchange { Exchange(.answer(Response(.notFound))) }
    }
}
