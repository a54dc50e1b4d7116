import Foundation
import Support
import Testing

/// What the database does for runners, without the runner: the programs tell the rest, and do more at length.
@Suite("Functions of the database", .serialized, .enabled(if: ScriptedServer.hasModules("psycopg")))
struct FunctionTests {
    @Test(
        "the functions keep their rules, and their histories are those of one store",
        arguments: [
            ["rules.py"], ["load.py", "--seconds", "2", "--clients", "4"],
            ["broken.py", "--seconds", "1", "--clients", "4"],
            ["faults.py", "--rounds", "1", "--clients", "3", "--only", "synchronous"],
        ]
    )
    func hold(arguments: [String]) throws {
        let folder = Repository.root.appendingPathComponent("Tests/PostgresFunctions")
        let script = folder.appendingPathComponent(arguments[0]).path
        let run = try Program.run(ScriptedServer.python, ["-B", script] + arguments.dropFirst())
        #expect(run.status == 0, "\(run.everything.suffix(8_000))")
    }
}
