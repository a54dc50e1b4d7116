import Testing
import WireGraphQL

@Suite("GraphQL printer")
struct PrinterTests {
    @Test(
        "a value is written on one line",
        arguments: [
            ("{a:1 b:[-2.5e3,true,null,RED] c:{}}", "{ a: 1, b: [-2.5e3, true, null, RED], c: {} }"),
            (#""a\"\\\/\b\f\n\r\t\u0001\u0085\u{1F600}é""#, #""a\"\\/\b\f\n\r\t\u0001\u0085😀é""#),
            ("\"\"\"\n  two\n    lines\n\"\"\"", #""two\n  lines""#), ("[]", "[]"),
        ]
    )
    func value(text: String, printed: String) throws {
        #expect(ValuePrinter.text(try Parser.value(text)) == printed)
    }
}
