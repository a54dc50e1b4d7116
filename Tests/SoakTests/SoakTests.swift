import Foundation
import Support
import Testing

/// Each scenario of `Tests/Soak` at smoke size; `make soak` runs them at theirs.
@Suite("Soak tests")
struct SoakTests {
    private static let driver = Repository.root.appendingPathComponent("Tests/Soak/soak").path
    /// What the driver says where this machine lacks a tool.
    private static let missing: Int32 = 77

    static let scenarios = Repository.files(below: "Tests/Soak/scenarios", ending: ".py").compactMap { path in
        path.split(separator: "/").last?.dropLast(".py".count)
    }.map(String.init).filter { $0 != "__init__" }

    @Test("acknowledged data survives every fault", arguments: scenarios)
    func smoke(scenario: String) throws {
        let run = try Program.run(Self.driver, [scenario, "--programs", Program.buildFolder.path])
        if run.status == Self.missing { try Test.cancel("\(run.output)") }
        #expect(run.status == 0, "\(run.everything)")
        #expect(run.output.hasPrefix("\(scenario): held; "))
    }

    @Test("an unknown scenario is rejected with the list of scenarios")
    func unknown() throws {
        let run = try Program.run(Self.driver, ["kil"])
        #expect(run.status != 0)
        #expect(run.errors.contains("there is no scenario kil"))
        #expect(Self.scenarios.count >= 20, "\(Self.scenarios)")
        for scenario in Self.scenarios { #expect(run.errors.contains(scenario)) }
    }
}
