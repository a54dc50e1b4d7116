import Foundation
import Support

/// Runs the scripts in the folder `Oracle` with graphql-core.
enum Oracle {
    static let python = Repository.root.appendingPathComponent(".build/python/bin/python3").path
    static let hasCore = (try? Program.run(python, ["-c", "import graphql"]).status) == 0

    struct Failure: Error {
        let text: String
    }

    /// What a script writes: a JSON value on each line.
    static func lines<Line: Decodable>(
        of type: Line.Type,
        _ script: String,
        _ arguments: [String],
        input: Data? = nil
    ) throws -> [Line] {
        let path = Repository.root.appendingPathComponent("Tests/WireGraphQLTests/Oracle/\(script)").path
        let environment = ["PYTHONDONTWRITEBYTECODE": "1", "PYTHONHASHSEED": "0"]
        let run = try Program.run(python, [path] + arguments, input: input, environment: environment)
        guard run.status == 0 else { throw Failure(text: run.everything) }
        return try run.output.split(separator: "\n").map { try JSONDecoder().decode(type, from: Data($0.utf8)) }
    }
}
