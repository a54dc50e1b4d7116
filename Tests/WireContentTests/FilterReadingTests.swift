import Testing
import WireBase
import WireConfig
import WireContentContract
import WireHTTP

/// Filters as programs send them: the tree the server has, in the body of a request.
@Suite("JSON filters")
struct FilterReadingTests {
    private static func filter(_ json: String) throws -> ContentFilter {
        try ContentFilter(parsing: Array(json.utf8), named: "body")
    }

    private static func test(_ value: String, _ type: String, _ operation: String = "=") -> String {
        #"{"operation":"\#(operation)","property":"p","value":\#(value),"type":"\#(type)"}"#
    }

    @Test(
        "a value of the named type is read unchanged",
        arguments: [
            test("1", "number"), test("2.5", "number"), test(#""x""#, "string"), test("true", "string"),
            test("null", "null"), test("[1,2.5]", "number", "in"), test(#"["x",true]"#, "string", "!in"),
        ]
    )
    func reads(json: String) throws {
        #expect(try Self.filter(json).json.text() == json)
    }

    @Test(
        "a value of another type is rejected",
        arguments: [
            test("1", "string"), test(#""x""#, "number"), test("true", "number"), test("null", "string"),
            test("1", "null"), test("[1,2]", "string", "in"), test(#"["x"]"#, "number", "in"),
            test(#"[1,"x"]"#, "number", "in"), test("{}", "string"),
        ]
    )
    func refuses(json: String) {
        #expect(throws: JSONMismatch.self) { try Self.filter(json) }
    }

    @Test("a test without a value is rejected, except for null")
    func missing() throws {
        #expect(throws: JSONMismatch.self) { try Self.filter(#"{"operation":"=","property":"p"}"#) }
        #expect(throws: JSONMismatch.self) { try Self.filter(#"{"operation":"=","property":"p","type":"string"}"#) }
        #expect(
            try Self.filter(#"{"operation":"=","property":"p","type":"null"}"#).json.text() == Self.test("null", "null")
        )
    }

    @Test(
        "groups nest at most twelve levels, with at most 256 tests",
        arguments: [(11, 1, true), (12, 1, false), (1, 256, true), (1, 257, false)]
    )
    func limits(depth: Int, tests: Int, isRead: Bool) throws {
        var json = Array(repeating: Self.test("1", "number"), count: tests).joined(separator: ",")
        for _ in 0..<depth { json = #"{"condition":"and","operands":[\#(json)]}"# }
        if isRead {
            #expect(throws: Never.self) { try Self.filter(json) }
        } else {
            #expect(throws: JSONMismatch.self) { try Self.filter(json) }
        }
    }

    @Test(
        "an error is reported at its place",
        arguments: [
            (#"{"condition":"and","operands":[]}"#, "/operands", "expected one filter at least"),
            (
                #"{"condition":"or","operands":[{"operation":"=","property":"p"}]}"#, "/operands/0/value",
                "'value' is missing"
            ),
            (
                #"{"condition":"and","operands":[\#(test("1", "number"))],"property":"p"}"#, "/condition",
                "a test has no 'condition'"
            ),
            (#"{"operands":[\#(test("1", "number"))]}"#, "/operands", "'condition' is missing"),
            (
                #"{"operation":"~","property":"p","value":1}"#, "/operation",
                "found '~', expected '=', '!=', '>', '<', '>=', '<=', 'in', '!in' or 'like'"
            ),
            (
                #"{"operation":"=","property":"p","valu":1,"type":"null"}"#, "/valu",
                "unknown member 'valu', did you mean 'value'?"
            ),
        ]
    )
    func mistakes(json: String, pointer: String, detail: String) {
        do throws(JSONMismatch) {
            _ = try ContentFilter(parsing: Array(json.utf8), named: "body")
            Issue.record("it was taken")
        } catch {
            #expect(error.pointer == pointer && error.detail.hasPrefix(detail))
        }
    }
}
