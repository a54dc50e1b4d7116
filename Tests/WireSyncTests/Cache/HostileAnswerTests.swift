import Support
import Testing
import WireConfig
import WireSync

@Suite("Hostile responses")
struct HostileAnswerTests {
    @Test("parts of a response that do not match the selection are ignored")
    func shapes() throws {
        let query = "{ a { id b { id c } list { id } } leaf }"
        let good = """
            {"a":{"__typename":"A","id":"1","b":{"__typename":"B","id":"1","c":1},"list":[{"__typename":"A","id":"1"}]},"leaf":1}
            """
        var random = SplitMix(seed: 7)
        let parts = [
            "null", "1", "\"x\"", "true", "[]", "{}", "[[[]]]", #"{"__typename":5}"#, #"{"__typename":"","id":{}}"#,
        ]
        for _ in 0..<2_000 {
            var records = Records()
            var text = good
            for _ in 0...2 {
                let values = [
                    #"{"__typename":"B","id":"1","c":1}"#, #""A""#, #""1""#, "1", #"[{"__typename":"A","id":"1"}]"#,
                ]
                let value = values[Int(random.next() % UInt64(values.count))]
                guard let range = text.ranges(of: ":\(value)").randomElement(using: &random) else { continue }
                text.replaceSubrange(range, with: ":" + parts[Int(random.next() % UInt64(parts.count))])
            }
            try records.write(query, text)
            _ = try records.read(query)
        }
    }

    @Test("a self-referencing response is read to the depth of the query")
    func cycle() throws {
        var records = Records()
        let inner = #"{"__typename":"U","id":"1","#
        try records.write(
            "{ u { id friend { id friend { id } } } }",
            #"{"u":\#(inner)"friend":\#(inner)"friend":\#(inner)"x":1}}}}"#
        )
        #expect(
            try records.read("{ u { friend { friend { friend { id } } } } }")
                == #"{"u":{"friend":{"friend":{"friend":{"id":"1"}}}}}"#
        )
        // A document that no validation has seen.
        let endless = "{ u { ...F } } fragment F on U { friend { ...F } friend { ...F } }"
        #expect(try records.read(endless).hasPrefix("miss: limit"))
    }

    @Test("a response with too many objects, values or levels is not stored")
    func limits() throws {
        var limits = RecordLimits()
        (limits.records, limits.nodes, limits.depth) = (10, 100, 8)
        func failure(_ query: String, _ answer: String) throws -> RecordLimits.Exceeded? {
            let (plan, data) = (try Asked(query).plan(), try json(answer))
            do throws(RecordLimits.Exceeded) {
                _ = try Normalizer.records(of: data, by: plan, at: .never, limits: limits)
                return nil
            } catch {
                return error
            }
        }
        func list(_ count: Int, _ item: (Int) -> String) -> String {
            #"{"a":[\#((0..<count).map(item).joined(separator: ","))]}"#
        }
        #expect(try failure("{ a { id } }", list(9) { #"{"__typename":"A","id":\#($0)}"# }) == nil)
        #expect(try failure("{ a { id } }", list(11) { #"{"__typename":"A","id":\#($0)}"# }) == .records)
        #expect(try failure("{ a { id } }", list(101) { _ in "null" }) == .nodes)
        #expect(try failure("{ a { id } }", #"{"a":[[[[[[[[[[]]]]]]]]]]}"#) == .depth)
    }

    @Test("invalid bytes are no record")
    func bytes() throws {
        var records = Records()
        try records.write(
            "{ t { id s n f b l o } }",
            #"{"t":{"__typename":"T","id":"1","s":"é\u0000","n":-9223372036854775808,"f":1.5,"b":true,"l":[null],"o":{"a":1}}}"#
        )
        let record = try #require(records.known[RecordKey("T", ["1"])])
        let bytes = record.bytes
        #expect(CacheRecord(bytes: bytes) == record)
        for count in 0..<bytes.count { #expect(CacheRecord(bytes: Array(bytes[..<count])) == nil) }
        var random = SplitMix(seed: 3)
        for _ in 0..<20_000 {
            var damaged = bytes
            for _ in 0..<3 {
                damaged[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next())
            }
            _ = CacheRecord(bytes: damaged)
        }
    }
}
