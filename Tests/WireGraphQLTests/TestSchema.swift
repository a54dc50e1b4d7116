import Foundation
import Support
import WireBase
import WireGraphQL

/// The schemas of the oracle, built once.
enum TestSchema {
    static let zoo = read("zoo")
    static let tasks = read("tasks")

    static func document(_ text: String, limits: SyntaxLimits = .file) throws -> Syntax.Document {
        try Parser.document(SourceFile(name: "a.graphql", bytes: Array(text.utf8)), limits: limits)
    }

    static func schema(_ text: String) -> Schema {
        guard let document = try? document(text) else { preconditionFailure("the schema of a test has a mistake") }
        let (schema, findings) = SchemaBuilder.build([document])
        guard let schema, findings.isEmpty else { preconditionFailure("\(findings.map(\.message))") }
        return schema
    }

    private static func read(_ name: String) -> Schema {
        let url = Repository.root.appendingPathComponent("Tests/WireGraphQLTests/Oracle/\(name).graphqls")
        return schema((try? String(contentsOf: url, encoding: .utf8)) ?? "")
    }
}
