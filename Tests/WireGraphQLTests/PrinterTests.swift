import Testing
import WireBase
import WireGraphQL

@Suite("GraphQL printer")
struct PrinterTests {
    @Test(
        "a value is printed on one line",
        arguments: [
            ("{a:1 b:[-2.5e3,true,null,RED] c:{}}", "{ a: 1, b: [-2.5e3, true, null, RED], c: {} }"),
            (#""a\"\\\/\b\f\n\r\t\u0001\u0085\u{1F600}é""#, #""a\"\\/\b\f\n\r\t\u0001\u0085😀é""#),
            ("\"\"\"\n  two\n    lines\n\"\"\"", #""two\n  lines""#), ("[]", "[]"),
        ]
    )
    func value(text: String, printed: String) throws {
        #expect(ValuePrinter.text(try Parser.value(text)) == printed)
    }

    private static let document = #"""
        """
        Lists
          tasks of "one" person.
        """
        query Tasks("how many" $first: Int! = 5 @old, $f: F = { a: [1, 2] }) @cached(for: 1) {
          all: tasks(first: $first, filter: $f) @include(if: true) {
            id
            ...Parts @skip(if: false)
            ... on Bug {
              name
              count
            }
            ... @include(if: true) {
              a
            }
          }
        }

        fragment Parts on Task {
          title
        }

        """#

    @Test("readable output keeps descriptions and line breaks")
    func pretty() throws {
        let source = SourceFile(name: "a.graphql", bytes: Array(Self.document.utf8))
        #expect(DocumentPrinter.text(try Parser.document(source), .pretty) == Self.document)
    }

    @Test("compact output has no descriptions and minimal spaces")
    func compact() throws {
        let source = SourceFile(name: "a.graphql", bytes: Array(Self.document.utf8))
        let text = DocumentPrinter.text(try Parser.document(source), .compact)
        #expect(
            text == "query Tasks($first:Int!=5@old,$f:F={a:[1,2]})@cached(for:1)"
                + "{all:tasks(first:$first,filter:$f)@include(if:true){id ...Parts@skip(if:false)...on Bug{name count}"
                + "...@include(if:true){a}}}fragment Parts on Task{title}"
        )
    }
}
