import Support
import Testing

/// Two tests of a suite whose functions have the same name and labels may both call the same function: Swift Testing
/// calls by name, and an asynchronous function is preferred.
@Suite("Names of tests")
struct TestNamesTests {
    @Test("no two tests of a suite have the same name and labels, in all files of their target")
    func distinct() throws {
        var places: [String: [String]] = [:]
        for path in Repository.files(below: "Tests", ending: ".swift") {
            let target = path.split(separator: "/")[1]
            for test in Self.tests(in: try Repository.text(of: path)) {
                places["\(target).\(test)", default: []].append(path)
            }
        }
        #expect(places.count > 2_000)
        for (test, paths) in places.sorted(by: { $0.key < $1.key }) where paths.count > 1 {
            Issue.record("\(test) is declared in \(paths.joined(separator: " and "))")
        }
    }

    @Test("suites are found by their types and extensions, and tests by their labels")
    func reading() {
        let text = """
            @Suite("A") struct A {
                @Test func one() {}
                @Test("two", arguments: [
                    1
                ])
                @MainActor func two(_ x: Int, by y: (Int, Int) -> Int) async throws {
                    func inner() {}
                }
                struct B {
                    @Test("three")
                    func `a name`(
                        first: [Int: Int] = [:],
                        second other: Int
                    ) {}
                }
                func helper() {}
            }
            extension A.B {
                @Test func four(z: Int) {}
            }
            @Test func five() {}
            """
        let expected = ["A/one()", "A/two(_:by:)", "A/B/`a name`(first:second:)", "A/B/four(z:)", "five()"]
        #expect(Self.tests(in: text) == expected)
    }

    /// The tests of a file as `Suite/name(labels:)`; relies on the indentation of the formatter.
    private static func tests(in text: String) -> [String] {
        var (types, found): ([(indent: Int, name: Substring)], [String]) = ([], [])
        var attribute: Int?
        let lines = text.utf8.split(separator: UInt8(ascii: "\n")).map(Substring.init)
        for (number, line) in lines.enumerated() {
            let indent = line.utf8.prefix { $0 == UInt8(ascii: " ") }.count
            let code = Substring(line.utf8.dropFirst(indent))
            if line.utf8.last == UInt8(ascii: "{"), let name = type(declaredIn: code) {
                types.removeAll { $0.indent >= indent }
                types.append((indent, name))
            }
            if code.hasPrefix("@Test") { attribute = indent }
            guard attribute == indent, let match = code.firstMatch(of: /\bfunc (\w+|`[^`]+`)\(/) else { continue }
            attribute = nil
            let rest = code[match.range.upperBound...] + lines[(number + 1)...].prefix(20).joined(separator: "\n")
            let suite = types.filter { $0.indent < indent }.flatMap { $0.name.split(separator: ".") }
            found.append((suite + ["\(match.1)(\(labels(rest)))"]).joined(separator: "/"))
        }
        return found
    }

    /// The type that a line declares or extends.
    private static func type(declaredIn code: Substring) -> Substring? {
        let words = code.split(separator: " ")
        let keywords: Set<Substring> = ["struct", "class", "actor", "enum", "extension"]
        guard !code.hasPrefix("//"), let index = words.firstIndex(where: keywords.contains), index + 1 < words.count
        else { return nil }
        return words[index + 1].prefix { $0.isLetter || $0.isNumber || $0 == "." || $0 == "_" }
    }

    /// The labels of parameters, from behind the opening parenthesis on: `_:by:`.
    private static func labels(_ text: Substring) -> String {
        var (depth, parameters) = (0, [""])
        for character in text {
            if character == ")", depth == 0 { break }
            if character == ",", depth == 0 {
                parameters.append("")
                continue
            }
            if "([{".contains(character) { depth += 1 }
            if ")]}".contains(character) { depth -= 1 }
            parameters[parameters.count - 1].append(character)
        }
        return parameters.compactMap { $0.split { $0.isWhitespace || $0 == ":" }.first.map { "\($0):" } }.joined()
    }
}
