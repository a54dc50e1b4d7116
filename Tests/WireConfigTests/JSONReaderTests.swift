import Testing
import WireBase
import WireConfig

@Suite("Strict JSON")
struct JSONReaderTests {
    static func read(_ text: String) -> (value: String?, problem: Diagnostic?) {
        do throws(Unreadable) {
            let source = try TextIntake.accept(Array(text.utf8), named: "test.json")
            var builder = DocumentBuilder(source: source, into: Document(), limits: ReadingLimits())
            var failure: Diagnostic?
            do throws(Unreadable) {
                try JSONReader.read(&builder, source)
            } catch {
                failure = error.problem
            }
            let result = builder.finish()
            return (result.root.map { FreeValue($0, of: result.document).literal.flowText }, failure ?? result.problems.first)
        } catch {
            return (nil, error.problem)
        }
    }

    @Test(
        "what RFC 8259 allows is read",
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
        "what it does not allow is refused at its place",
        arguments: [
            ("[1,]", 3), ("{\"a\":1,}", 7), ("{a:1}", 2), ("{'a':1}", 2), ("['a']", 2), ("[01]", 2), ("[1.]", 4), ("[.5]", 2),
            ("[+1]", 2), ("[1e]", 4), ("[NaN]", 2), ("[Infinity]", 2), ("[tru]", 2), ("[True]", 2), ("[1 2]", 4),
            ("{\"a\" 1}", 6), ("{\"a\":}", 6), ("[\"a\nb\"]", 4), ("[\"\t\"]", 3), (#"["\x"]"#, 3), (#"["\u12"]"#, 3),
            (#"["\ud800"]"#, 3), (#"["\udc00\ud800"]"#, 3), ("[1", 3), ("{\"a\":1", 7), ("\"open", 1), ("[1]x", 4), ("// c\n1", 1),
            ("{} {}", 4), ("[1,,2]", 4), ("{,}", 2), ("[\"a\",\n", 1), ("-", 2), ("[--1]", 3),
        ]
    )
    func refused(text: String, column: Int) throws {
        let problem = try #require(Self.read(text).problem)
        #expect(problem.code == .jsonSyntax)
        #expect(problem.place?.start.column == column, "\(problem.message)")
    }

    @Test("a key that stands twice is refused")
    func duplicates() {
        #expect(Self.read("{\"a\":1,\"\\u0061\":2}").problem?.code == .duplicateKey)
    }

    @Test("depth costs no stack: the limit answers, not the system")
    func depth() {
        #expect(Self.read(String(repeating: "[", count: 1_000_000)).problem?.code == .limitExceeded)
        #expect(Self.read(String(repeating: "{\"a\":", count: 1_000_000)).problem?.code == .limitExceeded)
    }
}
