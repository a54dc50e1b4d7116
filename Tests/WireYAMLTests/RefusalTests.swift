import Testing
import WireBase
import WireConfig

@Suite("Rejected YAML")
struct RefusalTests {
    @Test(
        "invalid YAML is reported with its reason and place",
        arguments: [
            ("a: 1\n\tb: 2\n", "CW0103", 2, 1), ("a: b: c\n", "CW0103", 1, 5), ("a: [1, 2\n", "CW0103", 1, 4),
            ("a: \"open\n", "CW0103", 1, 4), ("a: @x\n", "CW0103", 1, 4), ("a: 1\nb\nc: 2\n", "CW0103", 2, 1),
            ("a: 1\na: 2\n", "CW0105", 2, 1), ("a: 1\n---\nb: 2\n", "CW0106", 2, 1), ("a: !!str 1\n", "CW0107", 1, 4),
            ("a: *nobody\n", "CW0108", 1, 4), ("a: &x [*x]\n", "CW0109", 1, 8), ("a: {<<: 3}\n", "CW0110", 1, 9),
            ("a: {{ x }}\n", "CW0111", 1, 4), ("a: \u{7}\n", "CW0102", 1, 4), ("a: \0\n", "CW0102", 1, 4),
        ]
    )
    func refusals(text: String, code: String, line: Int, column: Int) throws {
        let read = ReadText(text)
        let problem = try #require(read.problems.first)
        #expect(read.codes == [code])
        #expect(problem.place?.start == TextPosition(line: line, column: column))
    }

    @Test("a duplicate key shows both places")
    func duplicateKeys() throws {
        let problem = try #require(ReadText("one: {a: 1, b: 2, a: 3}\n").problems.first)
        #expect(problem.place?.start.column == 19)
        #expect(problem.related.first?.place.start.column == 7)
    }

    @Test("a duplicate is found in a mapping of any size", arguments: [2, 15, 16, 17, 500])
    func manyKeys(count: Int) {
        let lines = (0..<count).map { "key\($0): 1\n" }.joined()
        #expect(ReadText(lines).problems.isEmpty)
        #expect(ReadText(lines + "key0: 2\n").codes == ["CW0105"])
    }

    @Test(
        "another encoding is rejected by name",
        arguments: [
            [0xff, 0xfe, 0x61, 0x00, 0x3a, 0x00], [0xfe, 0xff, 0x00, 0x61, 0x00, 0x3a],
            [0x61, 0x00, 0x3a, 0x00, 0x20, 0x00], [0x61, 0x3a, 0x20, 0xff], [0x61, 0x3a, 0x20, 0xc3],
            [0x61, 0x3a, 0x20, 0xed, 0xa0, 0x80], [0x61, 0x3a, 0x20, 0xc0, 0x80],
        ]
    )
    func encodings(bytes: [UInt8]) {
        #expect(ReadText(bytes).codes == ["CW0101"])
    }

    @Test("exceeding a limit is an error that names it")
    func limits() {
        var limits = ReadingLimits()
        (limits.depth, limits.nodes, limits.scalarLength, limits.aliasedNodes) = (3, 20, .bytes(10), 10)
        func message(_ text: String) -> String? { ReadText(text, limits: limits).problems.first?.message }
        #expect(message("a: {b: {c: 1}}") == nil)
        #expect(message("a: {b: {c: {d: 1}}}") == "the limit 'depth' is 3 levels")
        // The mapping, its key and the list count as well.
        #expect(message("a: [1,2,3,4,5,6,7,8,9,1,2,3,4,5,6,7,8]") == nil)
        #expect(message("a: [1,2,3,4,5,6,7,8,9,1,2,3,4,5,6,7,8,9]") == "the limit 'nodes' is 20 nodes")
        #expect(message("a: 1234567890") == nil)
        #expect(message("a: 12345678901") == "the limit 'scalarLength' is 10B in one value")
        #expect(message("a: &a [1,2,3,4]\nb: [*a, *a]") == nil)
        #expect(message("a: &a [1,2,3,4]\nb: [*a, *a, *a]") == "the limit 'aliasedNodes' is 10 nodes added by aliases")
        // An alias is as deep as what it names.
        #expect(message("a: &a [[1]]\nb: *a") == nil)
        #expect(message("a: &a [[1]]\nb: [*a]") == "the limit 'depth' is 3 levels")
    }

    @Test("an alias bomb stops at the alias over the limit, at the cost of its own text")
    func aliasBomb() throws {
        let levels = (1...20).map { level in
            "a\(level): &a\(level) [\(Array(repeating: level == 1 ? "x" : "*a\(level - 1)", count: 9).joined(separator: ","))]\n"
        }
        let read = ReadText(levels.joined())
        #expect(read.codes == ["CW0113"])
        #expect(read.document.nodeCount < 200)
    }
}
