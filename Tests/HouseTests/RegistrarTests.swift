import Support
import Testing

/// A kind of push server is known to its own folder and to the list of kinds; everything else asks what a server can do.
@Suite("Push registrars")
struct RegistrarTests {
    private static let module = "Sources/Services/WirePush"
    private static let folder = "\(module)/Registrars/"
    private static let list = "\(folder)Registrar.swift"

    /// Whether a file is in the folder of a kind.
    private static func isOfKind(_ path: String) -> Bool {
        path.hasPrefix(folder) && path.dropFirst(folder.count).contains("/")
    }

    private static func words(_ text: String) -> [String] {
        text.split(whereSeparator: { !$0.isLetter && !$0.isNumber && $0 != "_" }).map(String.init)
    }

    @Test("a registrar type is named only in its folder and in the list of types")
    func names() throws {
        let paths = Repository.files(below: Self.module, ending: ".swift")
        let names = try Set(
            paths.filter(Self.isOfKind).flatMap { path in
                try TypeDeclaration.all(in: Repository.text(of: path)).filter { !$0.isExtension }.map(\.name)
            }
        )
        #expect(names.count > 10)
        for path in paths where !Self.isOfKind(path) && path != Self.list {
            let found = names.intersection(Self.words(try Repository.text(of: path)))
            #expect(found.isEmpty, "\(path) names \(found.sorted().joined(separator: ", "))")
        }
    }

    @Test("the list of types is complete")
    func listed() throws {
        let kinds = try Repository.files(below: Self.module, ending: ".swift").flatMap { path in
            try TypeDeclaration.all(in: Repository.text(of: path)).filter { $0.conformances.contains("PushRegistrar") }
                .map(\.name)
        }
        let list = try Repository.text(of: Self.list)
        let start = try #require(list.firstRange(of: " kinds: [any PushRegistrar.Type] = ["))
        let elements = list[start.upperBound...].prefix { $0 != "]" }.split(separator: ",")
        let listed = elements.map { $0.split(separator: ".")[0].filter { !$0.isWhitespace } }.filter { !$0.isEmpty }
        #expect(kinds.count > 4)
        #expect(kinds.sorted() == listed.sorted())
    }
}

/// A type that a file declares or extends outside of any other one.
private struct TypeDeclaration {
    let name: String
    let isExtension: Bool
    /// What stands behind the colon, whatever is between that and the name.
    let conformances: [String]

    private static let keywords: Set = ["struct", "enum", "class", "actor", "protocol", "typealias", "extension"]

    static func all(in text: String) -> [TypeDeclaration] {
        let words = words(in: code(of: text))
        var (found, depth): ([TypeDeclaration], Int) = ([], 0)
        for (index, word) in words.enumerated() {
            if word == "{" { depth += 1 }
            if word == "}" { depth -= 1 }
            guard depth == 0, keywords.contains(word), index + 1 < words.endIndex else { continue }
            let rest = words[(index + 2)...].prefix { !["{", "=", "where"].contains($0) }
            found.append(
                TypeDeclaration(
                    name: words[index + 1],
                    isExtension: word == "extension",
                    conformances: conformances(in: rest)
                )
            )
        }
        return found
    }

    private static func conformances(in words: ArraySlice<String>) -> [String] {
        var (names, angles, isBehindColon): ([String], Int, Bool) = ([], 0, false)
        for word in words {
            switch word {
            case "<": angles += 1
            case ">": angles -= 1
            case ":" where angles == 0: isBehindColon = true
            case _ where isBehindColon && angles == 0: names.append(word)
            default: break
            }
        }
        return names
    }

    /// Names, with what they are nested in, and the characters that part them.
    private static func words(in code: String) -> [String] {
        var words: [String] = []
        var isName = false
        for character in code {
            let belongs = character.isLetter || character.isNumber || "_.".contains(character)
            if belongs, isName {
                words[words.count - 1].append(character)
            } else if !character.isWhitespace {
                words.append(String(character))
            }
            isName = belongs
        }
        return words
    }

    /// The text without comments and without texts in quotes.
    private static func code(of text: String) -> String {
        var code = ""
        var rest = text[...]
        while let character = rest.first {
            if rest.hasPrefix("//") {
                rest = rest.drop { $0 != "\n" }
            } else if rest.hasPrefix("/*") {
                rest = rest.firstRange(of: "*/").map { rest[$0.upperBound...] } ?? ""
            } else if character == "\"" {
                let quotes = rest.hasPrefix("\"\"\"") ? "\"\"\"" : "\""
                rest = afterQuotes(quotes, in: rest.dropFirst(quotes.count))
            } else {
                code.append(character)
                rest = rest.dropFirst()
            }
        }
        return code
    }

    private static func afterQuotes(_ quotes: String, in text: Substring) -> Substring {
        var rest = text
        while !rest.isEmpty, !rest.hasPrefix(quotes) { rest = rest.dropFirst(rest.first == "\\" ? 2 : 1) }
        return rest.dropFirst(quotes.count)
    }
}
