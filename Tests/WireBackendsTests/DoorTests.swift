import Foundation
import Support
import Testing
import WireBase
import WireConfig

@Suite("Addresses of embedded servers", .timeLimit(.minutes(2)))
struct DoorTests {
    @Test("servers without their own address share the base URL, by the first path segment")
    func common() async throws {
        try await House.run { house in
            let base = try #require(house.base)
            #expect(try house.realm().hasPrefix("\(base)/realms/"))
            let web = try Web(base)
            #expect(try await web.get("/echo/a").json["path"]?.string == "/echo/a")
            #expect(try await web.get("/files/generated/10B").body.count == 10)
            #expect(try await web.get("/realms/corewire/.well-known/openid-configuration").status == 200)
            let unknown = try await web.get("/nothing")
            #expect(unknown.status == 404)
            #expect(unknown.text.contains("'/realms'") && unknown.text.contains("'/echo'"))
            let welcome = try await web.get("/")
            #expect(welcome.text.contains("\(base)/echo") && welcome.text.contains("\(base)/realms/tasks"))
        }
    }

    @Test("a server with its own address is available there only, and the others do not move")
    func own() async throws {
        try await House.run(more: "  files: { listen: 127.0.0.1:0 }") { house in
            let base = try #require(house.base)
            #expect(try await Web(base).get("/files/generated/10B").status == 404)
            #expect(try await Web(base).get("/echo").status == 200)
            try await house.rebind(House.issuer)
            #expect(house.base == base)
            #expect(try await Web(base).get("/files/generated/10B").status == 200)
            try await house.rebind(House.issuer, more: "  files: { listen: 127.0.0.1:0 }")
            #expect(try await Web(base).get("/files/generated/10B").status == 404)
        }
    }

    @Test("the base URL survives a restart")
    func restart() async throws {
        let folder = try TemporaryFolder()
        let first = Mutable<String?>(nil)
        try await House.run(in: folder) { first.value = $0.base }
        try await House.run(in: folder) { house in
            let base = try #require(house.base)
            #expect(base == first.value)
        }
    }

    @Test("if an address cannot be opened, all servers stay as they were")
    func taken() async throws {
        try await House.run { house in
            let base = try #require(house.base)
            let port = try #require(URL(string: base)?.port)
            await #expect(throws: (any Error).self) {
                try await house.rebind(House.issuer, more: "  files: { listen: 127.0.0.1:\(port) }")
            }
            #expect(house.base == base)
            #expect(try await Web(base).get("/files/generated/10B").status == 200)
        }
    }

    @Test("a request with a foreign host name is rejected by every server")
    func strangeHost() async throws {
        try await House.run { house in
            let web = try Web(#require(house.base))
            for path in ["/echo", "/files/", "/api/oauth/token", "/"] {
                #expect(try await web.ask("GET", path, host: "evil.example").status == 421)
            }
        }
    }
}
