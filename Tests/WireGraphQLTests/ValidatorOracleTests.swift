import Foundation
import Support
import Testing
import WireBase
import WireGraphQL

/// What graphql-core says about generated operations, compared with the validator.
@Suite("GraphQL validator compared with graphql-core", .timeLimit(.minutes(2)))
struct ValidatorOracleTests {
    struct Verdict: Decodable {
        let schema: String
        let text: String
        let rules: [String]
        let count: Int
        let fault: [Int]?
        let errors: [String]
    }

    @Test("generated and mutated operations violate the same rules at the same places", .enabled(if: Oracle.hasCore))
    func agrees() throws {
        // A longer run: GRAPHQL_ORACLE='COUNT SEED'.
        let size = ProcessInfo.processInfo.environment["GRAPHQL_ORACLE"]?.split(separator: " ").map(String.init)
        let verdicts = try Oracle.lines(of: Verdict.self, "operations.py", size ?? ["600", "20"])
        try #require(verdicts.count >= 600)
        for verdict in verdicts {
            let document = try TestSchema.document(verdict.text)
            let schema = verdict.schema == "zoo" ? TestSchema.zoo : TestSchema.tasks
            let findings = Validator.findings(in: document, against: schema)
            var ours = Set(findings.map(\.rule.rawValue))
            if ours.contains("uniqueFragmentNames") { ours = ["uniqueFragmentNames"] }
            #expect(
                ours == Set(verdict.rules.map { name in name.prefix(1).lowercased() + name.dropFirst() }),
                "\(verdict.text)\n\(verdict.errors)\n\(findings.map(\.message))"
            )
            if let fault = verdict.fault, verdict.count == 1, let place = findings.first?.place {
                #expect(place.bytes.overlaps(fault[0]..<fault[1]), "\(verdict.text)\n\(verdict.errors) \(fault)")
            }
        }
    }
}
