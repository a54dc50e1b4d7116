import Foundation
import Support
import Testing

@Suite("Signed files")
struct SignedFileTests {
    private static let name = "com.example.tasks.yaml"

    /// A key made by openssl, which signs the file of a folder.
    private struct Signer {
        let home: TemporaryFolder
        let key: String

        init(_ home: TemporaryFolder) throws {
            self.home = home
            try openssl("genpkey", "-algorithm", "ed25519", "-out", "signer.pem")
            try openssl("pkey", "-in", "signer.pem", "-pubout", "-outform", "DER", "-out", "signer.der")
            key = try Data(contentsOf: home.url.appendingPathComponent("signer.der")).suffix(32).base64EncodedString()

            func openssl(_ arguments: String...) throws {
                #expect(try Program.run("openssl", arguments, in: home.url).status == 0)
            }
        }

        func sign() throws {
            let name = SignedFileTests.name
            let arguments = ["-sign", "-rawin", "-inkey", "signer.pem", "-in", name, "-out", "\(name).sig"]
            #expect(try Program.run("openssl", ["pkeyutl"] + arguments, in: home.url).status == 0)
        }

        func file(_ action: String) -> String {
            SecurityTests.file("{ baseline: false, rules: { signature: { action: \(action), key: \"\(key)\" } } }")
        }
    }

    private static let free = SecurityTests.file("{ baseline: false }")

    @Test("a runner that requires signatures rejects every unsigned file, also one without the rule")
    func reload() async throws {
        let home = try TemporaryFolder()
        let signer = try Signer(home)
        try home.write(signer.file("block"), to: Self.name)
        try signer.sign()
        let runner = try await RunningRunner(nil, in: home)
        try home.write(Self.free, to: Self.name)
        for command in [["reload"], ["env", "use", "dev"]] {
            let refused = try runner.corewire(command)
            #expect(refused.status != 0)
            #expect(refused.everything.contains("is wrong: the file was changed"), "\(refused.everything)")
            #expect(refused.everything.contains("security.rules.signature"))
        }
        try FileManager.default.removeItem(at: home.url.appendingPathComponent("\(Self.name).sig"))
        #expect(try runner.corewire(["reload"]).everything.contains("has no signature"))
        #expect(try await runner.ask("GET", "/v1/security").text.contains("\"signature\""))
        try signer.sign()
        #expect(try runner.corewire(["reload"]).status == 0)
        #expect(try await !runner.ask("GET", "/v1/security").text.contains("\"signature\""))
        // The signature of each is kept with it, so that the way back is open.
        for generation in ["1", "2"] {
            let back = try runner.corewire(["rollback", generation])
            #expect(back.status == 0, "\(back.everything)")
        }
        try await runner.stop()
    }

    @Test("a rule that only reports does not reject later files")
    func reported() async throws {
        let home = try TemporaryFolder()
        let signer = try Signer(home)
        try home.write(signer.file("report"), to: Self.name)
        let runner = try await RunningRunner(nil, in: home)
        try home.write(Self.free, to: Self.name)
        #expect(try runner.corewire(["reload"]).status == 0)
        try await runner.stop()
    }

    @Test("the start command can require signatures, whatever the file says")
    func started() async throws {
        let home = try TemporaryFolder()
        let signer = try Signer(home)
        try home.write(Self.free, to: Self.name)
        let failure = await #expect(throws: RunningRunner.Failure.self) {
            _ = try await RunningRunner(nil, in: home, arguments: ["--signed-by", signer.key])
        }
        #expect(failure?.description.contains("\(Self.name) has no signature (only signed files are accepted") == true)
        #expect(failure?.description.contains("help: sign it") == true)
        try signer.sign()
        let runner = try await RunningRunner(nil, in: home, arguments: ["--signed-by", signer.key])
        try home.write(Self.free + "\n", to: Self.name)
        #expect(try runner.corewire(["reload"]).everything.contains("is wrong: the file was changed"))
        try await runner.stop()
        let path = home.url.appendingPathComponent(Self.name).path
        let wrong = try Program.corewire(["run", "--config", path, "--signed-by", "abc"])
        #expect(wrong.status == 64 && wrong.errors.contains("--signed-by needs an Ed25519 public key"))
    }

    @Test("an earlier decision does not run an unsigned file")
    func decidedBefore() async throws {
        let home = try TemporaryFolder()
        let signer = try Signer(home)
        try home.write(Self.free + "persistence: {}\n", to: Self.name)
        let before = try await RunningRunner(nil, in: home)
        try home.write(Self.free, to: Self.name)
        #expect(try before.corewire(["reload"]).status == 0)
        #expect(try before.corewire(["rollback", "1"]).output.hasPrefix("generation 3 runs"))
        try await before.stop()
        try signer.sign()
        let runner = try await RunningRunner(nil, in: home, arguments: ["--signed-by", signer.key])
        #expect(try !runner.corewire(["status"]).output.contains("not in effect"))
        try await runner.stop()
    }

    @Test("the receive command can require signatures: an unsigned file accepts no push")
    func receiving() throws {
        let home = try TemporaryFolder()
        let signer = try Signer(home)
        try home.write(Self.free + "notifications: {}\n", to: Self.name)
        let path = home.url.appendingPathComponent(Self.name).path
        func receive() throws -> Run {
            let words = ["receive", "--config", path, "--signed-by", signer.key, #"{"title":"x"}"#]
            return try Program.corewire(words, environment: ["XDG_STATE_HOME": home.url.path])
        }
        let refused = try receive()
        #expect(refused.status == 77 && refused.errors.contains("\(Self.name) has no signature"))
        try signer.sign()
        let taken = try receive()
        #expect(taken.status == 0 && taken.output.contains("kept"), "\(taken.everything)")
    }
}
