import Foundation
import Support
import Testing

/// Groups of runners over one database, as `Examples/scale-out` deploys them.
@Suite("Scale out")
struct ScaleOutTests {
    /// What a script says where this machine does not let it make machines.
    private static let missing: Int32 = 77

    @Test("no request is lost or gets another id when a machine is cut off, the primary fails, and the key changes")
    func machines() throws { try Self.run("Tests/Deployments/machines.py") }

    @Test("no request is lost or gets another id when two of three runners are killed, and then the primary")
    func example() throws { try Self.run("Examples/scale-out/run") }

    private static func run(_ script: String) throws {
        let place = Repository.root.appendingPathComponent(script).path
        let words = ["-B", place, "--programs", Program.buildFolder.path, "--requests", "120"]
        let run = try Program.run(ScriptedServer.python, words)
        if run.status == missing { try Test.cancel("\(run.output)") }
        #expect(run.status == 0, "\(run.everything.suffix(8_000))")
    }
}
