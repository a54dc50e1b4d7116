import Testing
import WireBase
import WireConfig
import WireHTTP

@testable import WireContent

/// Filters as programs send them: the tree the server has, in the body of a request.
@Suite("Filters in JSON")
struct FilterReadingTests {
    private static func filter(_ json: String) throws -> ContentFilter {
        let target = try #require(Target(parsing: "/"))
        var request = Request(method: .post, target: target, fields: [:], caller: .address("127.0.0.1"))
        request.body = Array(json.utf8)
        return try request.json { members throws(Problem) in try ContentFilter(&members) }
    }

    private static func test(_ value: String, _ type: String, _ operation: String = "=") -> String {
        #"{"operation":"\#(operation)","property":"p","value":\#(value),"type":"\#(type)"}"#
    }

    @Test(
        "a value of the type that is named is read as it was written",
        arguments: [
            test("1", "number"), test("2.5", "number"), test(#""x""#, "string"), test("true", "string"),
            test("null", "null"), test("[1,2.5]", "number", "in"), test(#"["x",true]"#, "string", "!in"),
        ]
    )
    func reads(json: String) throws {
        #expect(try Self.filter(json).json.text() == json)
    }

    @Test(
        "a value of another type than is named is refused",
        arguments: [
            test("1", "string"), test(#""x""#, "number"), test("true", "number"), test("null", "string"),
            test("1", "null"), test("[1,2]", "string", "in"), test(#"["x"]"#, "number", "in"),
            test(#"[1,"x"]"#, "number", "in"), test("{}", "string"),
        ]
    )
    func refuses(json: String) {
        #expect(throws: Problem.self) { try Self.filter(json) }
    }

    @Test("a test without a value is refused, but where the type is null")
    func missing() throws {
        #expect(throws: Problem.self) { try Self.filter(#"{"operation":"=","property":"p"}"#) }
        #expect(throws: Problem.self) { try Self.filter(#"{"operation":"=","property":"p","type":"string"}"#) }
        #expect(
            try Self.filter(#"{"operation":"=","property":"p","type":"null"}"#).json.text() == Self.test("null", "null")
        )
    }

    @Test(
        "groups may be twelve deep, and hold 256 tests",
        arguments: [(11, 1, true), (12, 1, false), (1, 256, true), (1, 257, false)]
    )
    func limits(depth: Int, tests: Int, isRead: Bool) throws {
        var json = Array(repeating: Self.test("1", "number"), count: tests).joined(separator: ",")
        for _ in 0..<depth { json = #"{"condition":"and","operands":[\#(json)]}"# }
        if isRead {
            #expect(throws: Never.self) { try Self.filter(json) }
        } else {
            #expect(throws: Problem.self) { try Self.filter(json) }
        }
    }
}
