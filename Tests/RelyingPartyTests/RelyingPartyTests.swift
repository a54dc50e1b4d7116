import Foundation
import Support
import Testing

/// Signs in at the identity servers of `Tests/RelyingParty`, each wrong in its own way.
@Suite("A relying party, as the OpenID conformance suite asks of it")
struct RelyingPartyTests {
    private static let driver = Repository.root.appendingPathComponent("Tests/RelyingParty/relying-party").path

    @Test("every module passes under its name, or does not apply for a reason that is told")
    func modules() throws {
        let run = try Program.run(Self.driver, ["--programs", Program.buildFolder.path])
        let lines = run.output.split(separator: "\n")
        #expect(run.status == 0, "\(run.everything)")
        #expect(lines.allSatisfy { $0.hasPrefix("pass ") || $0.hasPrefix("none ") }, "\(run.everything)")
        #expect(lines.count { $0.hasPrefix("pass ") } >= 43, "\(run.everything)")
    }
}
