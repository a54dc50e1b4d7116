import Foundation
import Support
import WireBase
import WireConfig
import WireGraphQL

/// graphql-core, the reference implementation in Python, asked once about many documents.
enum SchemaOracle {
    static let python = Repository.root.appendingPathComponent(".build/python/bin/python3").path
    static let isInstalled = Program.succeeds(python, "-c", "import graphql")

    struct ValidationResult {
        let errors: [String]
        /// The SDL of each type.
        let types: [String: String]
        let sorted: String
        let introspection: JSONValue
    }

    static func judge(_ documents: [String], query: String = "", prints: Bool = true) throws -> [ValidationResult] {
        let answer = try ask(["documents": documents, "query": query, "prints": prints])
        return (answer["documents"] as? [[String: Any]] ?? []).map {
            ValidationResult(
                errors: $0["errors"] as? [String] ?? ["no answer"],
                types: $0["types"] as? [String: String] ?? [:],
                sorted: $0["sorted"] as? String ?? "",
                introspection: JSONValue(foundation: $0["introspection"] ?? NSNull())
            )
        }
    }

    /// Severity and kind of the changes between the two documents of each pair, sorted.
    static func changes(_ pairs: [[String]]) throws -> [[String]] {
        try ask(["pairs": pairs])["changes"] as? [[String]] ?? []
    }

    private static func ask(_ question: [String: Any]) throws -> [String: Any] {
        let script = Repository.root.appendingPathComponent("Tests/WireGraphQLTests/Oracle/schemas.py").path
        let input = try JSONSerialization.data(withJSONObject: question)
        let run = try Program.run(python, [script], input: input)
        guard run.status == 0 else { throw Failure(errors: run.errors) }
        return try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any] ?? [:]
    }

    struct Failure: Error { let errors: String }
}

extension JSONValue {
    fileprivate init(foundation value: Any) {
        switch value {
        case let text as String: self = .string(text)
        case let items as [Any]: self = .array(items.map(JSONValue.init(foundation:)))
        case let members as [String: Any]:
            self = .object(members.map { (key: $0.key, value: JSONValue(foundation: $0.value)) })
        case let number as NSNumber: self = .boolean(number.boolValue)
        default: self = .null
        }
    }
}

/// The schema of a text and what is wrong with it.
func buildSchema(_ texts: String...) -> (schema: Schema?, findings: [Finding]) {
    do throws(Finding) {
        var documents: [Syntax.Document] = []
        for (index, text) in texts.enumerated() {
            documents.append(try Parser.document(SourceFile(name: "\(index).graphql", bytes: Array(text.utf8))))
        }
        return SchemaBuilder.build(documents)
    } catch {
        return (nil, [error])
    }
}
