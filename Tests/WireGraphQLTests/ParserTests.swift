import Foundation
import Support
import Testing
import WireBase
import WireGraphQL

@Suite("GraphQL parser")
struct ParserTests {
    /// The cases of a file: texts and what is said about them, separated by `---` and `===`; `\x` is a byte.
    static let mistakes: [(text: String, message: String)] = {
        let text = (try? Repository.text(of: "Tests/WireGraphQLTests/Fixtures/mistakes.txt")) ?? ""
        return text.components(separatedBy: "\n===\n").map { part in
            let parts = part.components(separatedBy: "\n---\n")
            return (parts[0], parts.count > 1 ? parts[1].trimmingCharacters(in: .newlines) : "")
        }
    }()

    @Test("a syntax error is reported with its place and the expectation", arguments: mistakes.map(\.text))
    func mistake(text: String) throws {
        let expected = try #require(Self.mistakes.first { $0.text == text }?.message)
        let finding = #expect(throws: Finding.self) { try TestSchema.document(text) }
        #expect(finding.map(ValidatorTests.text) == expected)
    }

    @Test(
        "a text that is not UTF-8 is rejected at its first invalid byte",
        arguments: [[0xff], [0xed, 0xa0, 0x80], [0xc3]]
    )
    func encoding(wrong: [UInt8]) {
        let bytes = Array("{ a } # é".utf8) + wrong
        let finding = #expect(throws: Finding.self) { try Parser.document(SourceFile(name: "a", bytes: bytes)) }
        #expect(finding?.message == "the text is not UTF-8")
        #expect(finding?.place?.bytes.lowerBound == 10)
    }

    @Test(
        "a text over the token or nesting limit is rejected where the limit is exceeded",
        arguments: [
            ("{ a b c }", SyntaxLimits(tokens: 4, depth: 9), "the text has more than 4 tokens", "}"),
            ("{ a { b } }", SyntaxLimits(tokens: 99, depth: 1), "the text nests deeper than 1 levels", "{"),
            ("{ a(b: [[1]]) }", SyntaxLimits(tokens: 99, depth: 2), "the text nests deeper than 2 levels", "["),
            ("query($a: [[B]]) { a }", SyntaxLimits(tokens: 99, depth: 1), "the text nests deeper than 1 levels", "["),
        ]
    )
    func limits(text: String, limits: SyntaxLimits, message: String, place: String) throws {
        let finding = try #require(#expect(throws: Finding.self) { try TestSchema.document(text, limits: limits) })
        #expect(finding.rule == .limits)
        #expect(finding.message == message)
        #expect(finding.place.map { String(decoding: $0.file.bytes[$0.bytes], as: UTF8.self) } == place)
    }

    @Test(
        "a string has the value of its escapes and indentation",
        arguments: [
            (#""\u00e9\u{1F600}\uD83D\uDE00\u{0000041}""#, "é😀😀A"), (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{c}\n\r\t"),
            ("\"\"\"\n\n    a\n      b\r\n\n   c \n\t\n\"\"\"", " a\n   b\n\nc "),
            (#""""a \""" \n b""""#, #"a """ \n b"#),
            ("\"\"\" a\n  b\"\"\"", " a\nb"), ("\"\"\"\"\"\"", ""), ("\"\"\" \n \n\"\"\"", ""),
        ]
    )
    func string(text: String, value: String) throws {
        guard case .string(let read) = try Parser.value(text).kind else {
            Issue.record("no string: \(text)")
            return
        }
        #expect(Array(read.utf8) == Array(value.utf8))
    }

    @Test(
        "a standalone value ends with its text, and has no variables",
        arguments: ["1 2", "$a", "[$a]", "{a: $b}", "", "]"]
    )
    func value(text: String) {
        #expect(throws: Finding.self) { try Parser.value(text) }
    }

    @Test("a block string of blank lines is read in one pass")
    func blankLines() throws {
        let text = "\"\"\"" + String(repeating: "\n", count: 300_000) + "\"\"\" type A"
        #expect(try TestSchema.document(text).definitions.count == 1)
    }
}
