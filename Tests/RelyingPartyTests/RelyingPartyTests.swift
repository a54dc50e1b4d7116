import Foundation
import Support
import Testing

/// Signs in at the identity servers of `Tests/RelyingParty`, each wrong in its own way.
@Suite("OpenID conformance as a relying party")
struct RelyingPartyTests {
    private static let folder = Repository.root.appendingPathComponent("Tests/RelyingParty").path
    /// What a driver says where this machine lacks the server.
    private static let missing: Int32 = 77

    private func run(_ driver: String) throws -> Run {
        try Program.run("\(Self.folder)/\(driver)", ["--programs", Program.buildFolder.path])
    }

    @Test("every module passes, or is skipped with a reason")
    func modules() throws {
        let run = try run("relying-party")
        let lines = run.output.split(separator: "\n")
        #expect(run.status == 0, "\(run.everything)")
        #expect(lines.allSatisfy { $0.hasPrefix("pass ") || $0.hasPrefix("none ") }, "\(run.everything)")
        #expect(lines.count { $0.hasPrefix("pass ") } >= 72, "\(run.everything)")
    }

    @Test("sign-in, refresh and sign-out work at a third-party server")
    func realServer() throws {
        let run = try run("real-server")
        if run.status == Self.missing { try Test.cancel("\(run.output)") }
        #expect(run.status == 0, "\(run.everything)")
        #expect(run.output.split(separator: "\n").count { $0.hasPrefix("pass ") } == 8, "\(run.everything)")
    }

    @Test("no token, code, verifier, secret, password or PIN leaks")
    func canaries() throws {
        let run = try run("canaries")
        #expect(run.status == 0, "\(run.everything)")
        #expect(run.output.hasSuffix(" 0 found\n"), "\(run.everything)")
    }

    @Test("the leak search finds a planted secret")
    func finding() throws {
        let run = try Program.run(
            "\(Self.folder)/canaries",
            ["--programs", Program.buildFolder.path, "--find", "signed in"]
        )
        #expect(run.status == 1, "\(run.everything)")
        #expect(run.output.contains("FAIL what was to be found in the log (json)\n"), "\(run.everything)")
        #expect(run.output.contains("FAIL what was to be found in the log (text)\n"), "\(run.everything)")
    }
}
