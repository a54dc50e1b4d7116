import Foundation
import Support
import Testing
import WireBase
import WireGraphQL

@Suite("GraphQL validator")
struct ValidatorTests {
    /// A document and what is said about it, a finding on each line with its place between marks.
    struct Case: CustomTestStringConvertible, Sendable {
        let document: String
        let findings: String
        var testDescription: String { document }
    }

    /// The cases of a file: documents and findings separated by `---` and `===`.
    static let cases: [Case] = {
        let text = (try? Repository.text(of: "Tests/WireGraphQLTests/Fixtures/findings.txt")) ?? ""
        return text.components(separatedBy: "\n===\n").map { part in
            let parts = part.components(separatedBy: "\n---\n")
            return Case(document: parts[0], findings: parts.count > 1 ? parts[1] : "")
        }
    }()

    @Test("a violated rule is reported with its location, related locations and help", arguments: cases)
    func findings(of example: Case) throws {
        let document = try TestSchema.document(example.document)
        let findings = Validator.findings(in: document, against: TestSchema.zoo)
        let told = findings.map(Self.text).joined(separator: "\n")
        #expect(told == example.findings.trimmingCharacters(in: .newlines))
    }

    static func text(_ finding: Finding) -> String {
        func excerpt(_ place: SourceRange?) -> String {
            guard let place else { return "nowhere" }
            let text = String(decoding: place.file.bytes[place.bytes], as: UTF8.self)
            return "\(place.start.line):\(place.start.column) `\(text)`"
        }
        let related = finding.related.map { "; \($0.text) at \(excerpt($0.place))" }.joined()
        return "\(finding.rule) at \(excerpt(finding.place)): \(finding.message)\(related)"
            + (finding.help.map { " (help: \($0))" } ?? "")
    }
}
