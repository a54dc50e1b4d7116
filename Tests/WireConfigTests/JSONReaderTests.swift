import Testing
import WireBase
import WireConfig

@Suite("Strict JSON")
struct JSONReaderTests {
    static func read(_ text: String) -> (value: String?, problem: Diagnostic?) {
        do throws(Unreadable) {
            let source = try TextDecoding.accept(Array(text.utf8), named: "test.json")
            var builder = DocumentBuilder(source: source, into: Document(), limits: ReadingLimits())
            var failure: Diagnostic?
            do throws(Unreadable) {
                try JSONReader.read(&builder, source)
            } catch {
                failure = error.problem
            }
            let result = builder.finish()
            return (
                result.root.map { FreeValue($0, of: result.document).literal.flowText },
                failure ?? result.problems.first
            )
        } catch {
            return (nil, error.problem)
        }
    }

    @Test(
        "valid JSON of RFC 8259 is read",
        arguments: [
            ("null", "null"), (" true ", "true"), ("-0.5e+3", "-500.0"), ("0", "0"), ("[]", "[]"), ("{}", "{}"),
            ("[1,[2,{}],\"\"]", "[1, [2, {}], \"\"]"), ("{\"a\":{\"b\":[null]}}", "{ \"a\": { \"b\": [null] } }"),
            (#""\u00e9\n\"\\\/""#, #""é\n\"\\/""#), (#""\ud83c\udf89""#, "\"🎉\""), ("\"🎉\"", "\"🎉\""),
            ("\"null\"", "\"null\""), ("\"1\"", "\"1\""),
        ]
    )
    func accepted(text: String, value: String) {
        let read = Self.read(text)
        #expect(read.problem == nil)
        #expect(read.value == value)
    }

    @Test(
        "invalid JSON is rejected at its place",
        arguments: [
            ("[1,]", 3), ("{\"a\":1,}", 7), ("{a:1}", 2), ("{'a':1}", 2), ("['a']", 2), ("[01]", 2), ("[1.]", 4),
            ("[.5]", 2),
            ("[+1]", 2), ("[1e]", 4), ("[NaN]", 2), ("[Infinity]", 2), ("[tru]", 2), ("[True]", 2), ("[1 2]", 4),
            ("{\"a\" 1}", 6), ("{\"a\":}", 6), ("[\"a\nb\"]", 4), ("[\"\t\"]", 3), (#"["\x"]"#, 3), (#"["\u12"]"#, 3),
            (#"["\ud800"]"#, 3), (#"["\udc00\ud800"]"#, 3), ("[1", 3), ("{\"a\":1", 7), ("\"open", 1), ("[1]x", 4),
            ("// c\n1", 1),
            ("{} {}", 4), ("[1,,2]", 4), ("{,}", 2), ("[\"a\",\n", 1), ("-", 2), ("[--1]", 3),
        ]
    )
    func refused(text: String, column: Int) throws {
        let problem = try #require(Self.read(text).problem)
        #expect(problem.code == .jsonSyntax)
        #expect(problem.place?.start.column == column, "\(problem.message)")
    }

    @Test(
        "near-JSON is reported by its name",
        arguments: [
            ("[\"a]\n", 2, "not closed on its line", nil),
            ("{\"a\": \"b,\n\"c\": \"d\"}", 7, "not closed on its line", nil),
            ("[\"a\nb\"]", 4, "a line break in a string", nil), ("[\"\t\"]", 3, "a tab in a string", nil),
            ("[NaN]", 2, "NaN and Infinity are not allowed in JSON", nil),
            ("[-Infinity]", 2, "NaN and Infinity are not allowed in JSON", nil),
            ("[True]", 2, "'true', 'false' and 'null'", "true"), ("[False]", 2, "'true', 'false' and 'null'", "false"),
            ("[None]", 2, "'true', 'false' and 'null'", "null"), ("[hunter2]", 2, "a JSON value is expected here", nil),
            ("[007]", 2, "leading zeros", nil), ("version: 1\n", 1, "the file is not JSON", nil),
            ("---\na: 1\n", 1, "the file is not JSON", nil), ("# c\na: 1\n", 1, "the file is not JSON", nil),
            ("- a\n", 1, "the file is not JSON", nil), ("true: 1\n", 1, "the file is not JSON", nil),
            ("<plist/>", 1, "the file is not JSON", nil), ("# c\n{}", 1, "comments are not allowed in JSON", nil),
        ]
    )
    func nearJSON(text: String, column: Int, words: String, fix: String?) throws {
        let problem = try #require(Self.read(text).problem)
        #expect(problem.code == .jsonSyntax)
        #expect(problem.place?.start.column == column)
        #expect(problem.message.contains(words), "\(problem.message)")
        #expect(problem.fix?.edits.first?.replacement == fix)
        let said = [problem.message, problem.label] + problem.help.map(\.description)
        #expect(!said.joined().contains("hunter2"))
    }

    @Test(
        "a control character is shown as an escape of the file's format",
        arguments: [
            ("a.json", "\u{1}", #""\u0001""#), ("a.JSON", "\u{9f}", #""\u009f""#), ("a.yaml", "\0", #""\x00""#),
            ("a.yaml", "\u{1b}", #""\x1b""#), ("a.yml", "ü\u{feff}", #""\ufeff""#),
        ]
    )
    func controlCharacters(name: String, text: String, escape: String) throws {
        let problem = try #require(throws: Unreadable.self) { try TextDecoding.accept(Array(text.utf8), named: name) }
            .problem
        #expect(problem.code == .controlCharacter)
        #expect(problem.help.first?.description.hasSuffix(escape) == true, "\(problem.help)")
    }

    @Test("an invalid UTF-8 byte is found anywhere", arguments: [0, 1, 4095, 4096, 4097, 10_000])
    func strayByte(offset: Int) throws {
        let bytes = Array("ü".utf8) + Array(repeating: UInt8(ascii: "a"), count: offset) + [0xff] + Array("ü".utf8)
        let problem = try #require(throws: Unreadable.self) { try TextDecoding.accept(bytes, named: "a.yaml") }.problem
        #expect(problem.code == .notUTF8)
        #expect(problem.place?.bytes == offset + 2..<offset + 3)
    }

    @Test("a duplicate key is rejected")
    func duplicates() {
        #expect(Self.read("{\"a\":1,\"\\u0061\":2}").problem?.code == .duplicateKey)
    }

    @Test("nesting is limited without using the stack")
    func depth() {
        let (opening, closing) = (String(repeating: "[", count: 64), String(repeating: "]", count: 64))
        #expect(Self.read(opening + closing).problem == nil)
        #expect(Self.read("[\(opening)\(closing)]").problem?.code == .limitExceeded)
        #expect(Self.read(String(repeating: "[", count: 100_000)).problem?.code == .limitExceeded)
        #expect(Self.read(String(repeating: "{\"a\":", count: 100_000)).problem?.code == .limitExceeded)
    }
}
