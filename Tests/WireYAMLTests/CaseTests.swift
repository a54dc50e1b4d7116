import Foundation
import Support
import Testing
import WireBase
import WireConfig

@Suite("YAML cases")
struct CaseTests {
    /// One text of the files in `Cases`.
    struct Case: Sendable, CustomTestStringConvertible {
        let file: String
        let name: String
        let text: String
        let expected: String

        var testDescription: String { "\(file): \(name)" }
    }

    static let files = Repository.files(below: "Tests/WireYAMLTests/Cases", ending: ".txt")

    static let cases: [Case] = files.flatMap { path -> [Case] in
        let file = (try? Repository.text(of: path)) ?? ""
        return file.components(separatedBy: "\n=== ").dropFirst().compactMap { block in
            let parts = block.components(separatedBy: "\n>>> ")
            let lines = parts[0].split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count > 1, lines.count == 2 else { return nil }
            return Case(
                file: String(path.split(separator: "/").last ?? ""),
                name: String(lines[0]),
                text: read(String(lines[1])),
                expected: parts.dropFirst().joined(separator: "\n>>> ").trimmingCharacters(in: .newlines)
            )
        }
    }

    /// The text that is meant by one in which characters that cannot be seen have signs.
    private static func read(_ shown: String) -> String {
        [
            ("→", "\t"), ("·\n", " \n"), ("␍\n", "\r\n"), ("<U+2028>", "\u{2028}"), ("<U+2029>", "\u{2029}"),
            ("<U+0085>", "\u{85}"),
        ].reduce(shown + "\n") { $0.replacingOccurrences(of: $1.0, with: $1.1) }
    }

    private static func shown(_ text: String) -> String {
        text.replacingOccurrences(of: "\t", with: "→").trimmingCharacters(in: .newlines)
    }

    /// What is made of a text, as the files write it.
    private static func outcome(of text: String) -> String {
        let read = ReadText(text)
        guard let problem = read.problems.first else { return read.value() ?? "nothing" }
        let place = problem.place?.start
        var lines = ["\(problem.code.id) \(place?.line ?? 0):\(place?.column ?? 0) \(problem.message)"]
        if !problem.label.isEmpty { lines.append("    \(problem.label)") }
        lines += problem.help.map { "    help: \($0)" }
        if let fix = problem.fix { lines += [">>> fixed", shown(ComplaintTests.apply(fix, to: text))] }
        return lines.joined(separator: "\n")
    }

    @Test("a text has the expected value or error", arguments: cases)
    func outcomes(_ example: Case) {
        #expect(Self.outcome(of: example.text) == example.expected)
    }

    @Test("every class of texts has cases")
    func enough() {
        #expect(Self.files.count >= 12)
        #expect(Self.cases.count >= 90)
    }

    @Test("a fix resolves the problem of a text", arguments: cases.filter { $0.expected.contains("\n>>> fixed\n") })
    func fixes(_ example: Case) throws {
        let problem = try #require(ReadText(example.text).problems.first)
        let fix = try #require(problem.fix)
        let next = ReadText(ComplaintTests.apply(fix, to: example.text)).problems.first
        if let place = next?.place { #expect(place.start > (problem.place?.end ?? place.end), "\(example.text)") }
    }
}
