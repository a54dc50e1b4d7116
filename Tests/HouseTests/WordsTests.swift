import Foundation
import Support
import Testing

/// The words of the project are those of `docs/glossary.md`.
@Suite("Words")
struct WordsTests {
    /// Indefinite persons: the text names the caller, the user or the program instead.
    private static let persons = ["whoever", "nobody", "somebody"]
    /// Names of values on the wire and in files.
    private static let kept = ["nobody-to-sign-in", "\"nobody\"", ".nobody", "anybody"]

    private static func count(in path: String) throws -> Int {
        var text = try Repository.text(of: path).lowercased()
        // Most files have none, which a search for bytes tells far sooner than an expression.
        guard persons.contains(where: { unsafe strstr(text, $0) != nil }) else { return 0 }
        for name in kept { text = text.replacing(name, with: "") }
        return persons.reduce(0) { count, word in count + text.matches(of: word.word).count }
    }

    @Test("sources and pages contain no indefinite persons")
    func sources() throws {
        let paths =
            ["README.md"] + Repository.files(below: "docs", ending: ".md").filter { $0 != "docs/glossary.md" }
            + Repository.files(below: "Sources", ending: ".swift")
            + ["js", "html"].flatMap { Repository.files(below: "Sources/ConsoleFiles", ending: $0) }
        #expect(paths.count > 1_000)
        let counts = try paths.map { (path: $0, count: try Self.count(in: $0)) }.filter { $0.count > 0 }
        let all = counts.reduce(0) { $0 + $1.count }
        #expect(all <= 60, "found \(all) in \(counts.map { "\($0.path): \($0.count)" })")
    }

    @Test("no output contains indefinite persons")
    func printed() throws {
        let paths =
            ["docs/reference.md", "docs/local-api.md"] + Repository.files(below: "schemas")
            + Repository.files(below: "Tests/CorewireCLITests/Golden")
            + Repository.files(below: "configs/broken", ending: ".txt")
        #expect(paths.count > 500)
        for path in paths { #expect(try Self.count(in: path) == 0, "\(path)") }
    }

    @Test("a replaced name of the glossary is not declared again")
    func formerNames() throws {
        let glossary = try Repository.text(of: "docs/glossary.md")
        let table = try #require(glossary.components(separatedBy: "## Former names\n").dropFirst().first)
        let former = Set(table.matches(of: /\n\| `(\w+)` \|/).map { String($0.1) })
        #expect(former.count > 50)
        let declaration = /\b(?:struct|class|actor|enum|protocol|typealias) (\w+)/
        for path in Repository.files(below: "Sources", ending: ".swift") {
            let names = try Repository.text(of: path).matches(of: declaration).map { String($0.1) }
            #expect(former.isDisjoint(with: names), "\(path) declares \(former.intersection(names))")
        }
    }
}

extension String {
    /// The text as a whole word.
    fileprivate var word: Regex<Substring> {
        (try? Regex("\\b\(self)\\b", as: Substring.self)) ?? /$a/
    }
}
