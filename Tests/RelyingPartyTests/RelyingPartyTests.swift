import Foundation
import Support
import Testing

/// Signs in at the identity servers of `Tests/RelyingParty`, each wrong in its own way.
@Suite("A relying party, as the OpenID conformance suite asks of it")
struct RelyingPartyTests {
    private static let folder = Repository.root.appendingPathComponent("Tests/RelyingParty").path
    /// What a driver says where this machine lacks the server.
    private static let missing: Int32 = 77

    private func run(_ driver: String) throws -> Run {
        try Program.run("\(Self.folder)/\(driver)", ["--programs", Program.buildFolder.path])
    }

    @Test("every module passes under its name, or does not apply for a reason that is told")
    func modules() throws {
        let run = try run("relying-party")
        let lines = run.output.split(separator: "\n")
        #expect(run.status == 0, "\(run.everything)")
        #expect(lines.allSatisfy { $0.hasPrefix("pass ") || $0.hasPrefix("none ") }, "\(run.everything)")
        #expect(lines.count { $0.hasPrefix("pass ") } >= 72, "\(run.everything)")
    }

    @Test("it signs in, stays so and signs out at a server that others have written")
    func realServer() throws {
        let run = try run("real-server")
        if run.status == Self.missing { try Test.cancel("\(run.output)") }
        #expect(run.status == 0, "\(run.everything)")
        #expect(run.output.split(separator: "\n").count { $0.hasPrefix("pass ") } == 8, "\(run.everything)")
    }

    @Test("no token, code, verifier, secret, password or PIN is found where none may be")
    func canaries() throws {
        let run = try run("canaries")
        #expect(run.status == 0, "\(run.everything)")
        #expect(run.output.hasSuffix(" 0 found\n"), "\(run.everything)")
    }

    @Test("the search for them finds what is there")
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
