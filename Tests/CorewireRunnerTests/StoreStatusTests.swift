import Foundation
import Glibc
import Support
import Testing
import WireConfig

@Suite("corewire store status", .timeLimit(.minutes(2)))
struct StoreStatusTests {
    private static func standby(_ home: TemporaryFolder, _ file: String) throws -> (text: String, json: JSONValue?) {
        let text = try StoreCopyTests.store(["status"], home, file).output
        let json = try StoreCopyTests.store(["status", "--format", "json"], home, file).output
        return (text, try JSONValue(parsing: Array(json.utf8), named: "status")["standbys"]?.array?.first)
    }

    @Test("the connected standbys are told, with how far each is behind, as far as the user may see it")
    func standbys() async throws {
        let (server, home) = (try await PostgresServer(), try TemporaryFolder())
        let file = StoreCopyTests.file(server)
        #expect(try StoreCopyTests.store(["migrate"], home, file).status == 0)
        #expect(try Self.standby(home, file).text.contains("none is synchronous, and none is connected"))
        try server.sql("ALTER SYSTEM SET synchronous_standby_names = 'second'")
        try server.sql("SELECT pg_reload_conf()")
        #expect(try await eventually { try Self.standby(home, file).text.contains("connected: writes wait") })

        // To the server, a program that receives its log is a standby.
        try FileManager.default.createDirectory(atPath: home.path("log"), withIntermediateDirectories: false)
        let address = "host=127.0.0.1 port=\(server.port) user=owner application_name=second"
        let receiver = try StartedProgram(
            "/usr/bin/pg_receivewal",
            ["--synchronous", "--directory", home.path("log"), "--dbname", address],
            environment: ["PATH": "/usr/bin:/bin"],
            output: home.path("out"),
            errors: home.path("out")
        )
        let line = "standby   second at 127.0.0.1, sync, streaming, "
        #expect(try await eventually { try Self.standby(home, file).text.contains(line) })
        let seen = try Self.standby(home, file)
        #expect(seen.text.contains("standbys  synchronous: second\n") && seen.text.contains(" bytes"), "\(seen.text)")
        #expect(seen.json?["confirms"]?.string == "sync" && seen.json?["behind"]?.integer != nil)

        try server.sql("CREATE ROLE guest LOGIN")
        let guest = file.replacing("owner@", with: "guest@")
        let hidden = try Self.standby(home, guest)
        #expect(hidden.text.contains("standby   second, connected\n"), "\(hidden.text)")
        #expect(hidden.text.contains("'guest' may not see more of them"), "\(hidden.text)")
        #expect(hidden.text.contains("with unknown runners"), "\(hidden.text)")
        #expect(hidden.json?["hidden"]?.boolean == true && hidden.json?["behind"] == nil)
        receiver.signal(SIGTERM)
        try await receiver.end()
    }
}
