import Testing
import WireConfig
import WireContent

/// Filters as people write them.
@Suite("Filter expressions")
struct FilterExpressionTests {
    @Test(
        "a filter reads as the tree the server has",
        arguments: [
            (#"price > 10"#, #"{"operation":">","property":"price","value":10,"type":"number"}"#),
            (#"name = 'it''s'"#, nil),
            (#"a == true"#, #"{"operation":"=","property":"a","value":true,"type":"string"}"#),
            (#"a <> null"#, #"{"operation":"!=","property":"a","value":null,"type":"null"}"#),
            (#"`odd name` like "a\"b""#, #"{"operation":"like","property":"odd name","value":"a\"b","type":"string"}"#),
            (#"a in (1, 2.5)"#, #"{"operation":"in","property":"a","value":[1,2.5],"type":"number"}"#),
            (#"a not in ['x']"#, #"{"operation":"!in","property":"a","value":["x"],"type":"string"}"#),
            (#"a !in ('x')"#, #"{"operation":"!in","property":"a","value":["x"],"type":"string"}"#),
            (
                #"a = 1 or b = 2 AND c <= -3e2"#,
                #"{"condition":"or","operands":[{"operation":"=","property":"a","value":1,"type":"number"},{"condition":"and","operands":[{"operation":"=","property":"b","value":2,"type":"number"},{"operation":"<=","property":"c","value":-300.0,"type":"number"}]}]}"#
            ),
            (
                #"(a = 1 or b = 2) and c != "x""#,
                #"{"condition":"and","operands":[{"condition":"or","operands":[{"operation":"=","property":"a","value":1,"type":"number"},{"operation":"=","property":"b","value":2,"type":"number"}]},{"operation":"!=","property":"c","value":"x","type":"string"}]}"#
            ),
        ] as [(String, String?)]
    )
    func reads(text: String, json: String?) throws {
        guard let json else {
            #expect(throws: FilterExpression.Mistake.self) { try FilterExpression.filter(text) }
            return
        }
        #expect(try FilterExpression.filter(text).json.text() == json)
    }

    @Test(
        "a mistake is told with its place and what is expected there",
        arguments: [
            ("", "at character 1: found the end, expected the name of a field"),
            ("price >", "at character 8: found the end, expected a value"),
            ("price > ten", "at character 9: found 'ten', texts are in quotes: \"ten\""),
            ("price ~ 1", "at character 7: found '~', which has no meaning here"),
            ("price 1", "at character 7: found '1', expected '=', '!=', '>', '<', '>=', '<=', 'in', '!in' or 'like'"),
            ("a = 1 b = 2", "at character 7: found 'b', expected 'and', 'or' or the end"),
            ("(a = 1", "at character 7: found the end, expected ')'"),
            ("a = 'x", "at character 5: what begins here with ' has no end"),
            ("a in ()", "at character 7: found ')', expected a value"),
            ("a in (1, 'x')", "at character 6: the values of a list are of one type, found number and string"),
            ("a > null", "at character 5: '>' compares numbers and texts"),
            ("a like 3", "at character 8: 'like' looks for a text"),
            ("and = 1", "at character 1: found 'and', expected the name of a field"),
            ("a = 1.2.3", "at character 5: found '1.2.3', which is no number"),
            ("a = 1e999", "at character 5: found '1e999', which is no number"),
            ("a ! 3", "at character 5: found '3', expected 'in'"),
        ]
    )
    func refuses(text: String, message: String) {
        do throws(FilterExpression.Mistake) {
            _ = try FilterExpression.filter(text)
            Issue.record("it was taken")
        } catch {
            #expect(error.description == message)
        }
    }

    @Test("hostile filters are refused before they cost anything")
    func hostile() {
        let deep = String(repeating: "(", count: 10_000) + "a = 1" + String(repeating: ")", count: 10_000)
        let long = Array(repeating: "a = 1", count: 400).joined(separator: " or ")
        let huge = "a = '" + String(repeating: "x", count: 20_000) + "'"
        for text in [deep, long, huge] {
            #expect(throws: FilterExpression.Mistake.self) { try FilterExpression.filter(text) }
        }
    }
}
