import Testing
import WireConfig
import WireContentContract
import WireHTTP

/// Filters as people write them.
@Suite("Filter expressions")
struct FilterExpressionTests {
    @Test(
        "a filter is parsed to the server's tree",
        arguments: [
            (#"price > 10"#, #"{"operation":">","property":"price","value":10,"type":"number"}"#),
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
        ]
    )
    func reads(text: String, json: String) throws {
        #expect(try FilterExpression.filter(text).json.text() == json)
    }

    @Test(
        "a syntax error is reported with its place and the expectation",
        arguments: [
            ("", "at character 1: found the end, expected the name of a field"),
            ("price >", "at character 8: found the end, expected a value"),
            ("price > ten", "at character 9: found 'ten', texts are in quotes: \"ten\""),
            ("price ~ 1", "at character 7: found '~', which has no meaning here"),
            ("price 1", "at character 7: found '1', expected '=', '!=', '>', '<', '>=', '<=', 'in', '!in' or 'like'"),
            ("a = 1 b = 2", "at character 7: found 'b', expected 'and', 'or' or the end"),
            ("(a = 1", "at character 7: found the end, expected ')'"),
            ("a = 'x", "at character 5: the text that begins here with ' is not closed"),
            ("a in ()", "at character 7: found ')', expected a value"),
            ("a in (1, 'x')", "at character 6: the values of a list are of one type, found number and string"),
            ("a > null", "at character 5: '>' compares numbers and texts"),
            ("a like 3", "at character 8: 'like' looks for a text"),
            ("and = 1", "at character 1: found 'and', expected the name of a field"),
            ("a = 1.2.3", "at character 5: found '1.2.3', which is not a number"),
            ("a = 1e999", "at character 5: found '1e999', which is not a number"),
            ("a ! 3", "at character 5: found '3', expected 'in'"),
            ("name = 'it''s'", "at character 12: found ''s'', expected 'and', 'or' or the end"),
            ("a in 1", "at character 6: found '1', expected a list such as (1, 2)"),
            ("a in (1]", "at character 8: found ']', expected ',' or the end of the list"),
            ("a = (1)", "at character 5: found '(', expected a value"),
            ("a < null", "at character 5: '<' compares numbers and texts"),
            ("a >= true", "at character 6: '>=' compares numbers and texts"),
            ("a <= null", "at character 6: '<=' compares numbers and texts"),
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

    @Test(
        "a filter over a limit is rejected",
        arguments: [
            ("a = 1", " ", 16_379, "", "at character 1: the filter has more than 16384 bytes"),
            ("a = 1", " or a = 1", 255, "", "at character 2305: found more than 256 tests"),
            ("a in (1", ",1", 999, ")", "at character 6: found 1001 values, expected 1000 at most"),
            ("", "a", 256, " = 1", "at character 261: the name of a field has 1 to 256 bytes"),
            ("a = '", "x", 4_096, "'", "at character 5: a text has 4096 bytes at most"),
        ]
    )
    func limits(before: String, part: String, most: Int, after: String, message: String) {
        func text(_ count: Int) -> String { before + String(repeating: part, count: count) + after }
        #expect(throws: Never.self) { try FilterExpression.filter(text(most)) }
        let mistake = #expect(throws: FilterExpression.Mistake.self) { try FilterExpression.filter(text(most + 1)) }
        #expect(mistake?.description == message)
    }

    @Test("parentheses nest at most nine levels", arguments: [(9, true), (10, false), (8_000, false)])
    func depth(count: Int, isRead: Bool) {
        let text = String(repeating: "(", count: count) + "a = 1" + String(repeating: ")", count: count)
        if isRead {
            #expect(throws: Never.self) { try FilterExpression.filter(text) }
        } else {
            let mistake = #expect(throws: FilterExpression.Mistake.self) { try FilterExpression.filter(text) }
            #expect(mistake?.description == "at character 10: parentheses are nested too deeply")
        }
    }

    @Test("nested groups count as in JSON filters", arguments: [(5, true), (6, false)])
    func groups(count: Int, isRead: Bool) {
        let open = String(repeating: "a = 1 or b = 2 and (", count: count)
        let text = open + "c = 3" + String(repeating: ")", count: count)
        if isRead {
            #expect(throws: Never.self) { try FilterExpression.filter(text) }
        } else {
            let mistake = #expect(throws: FilterExpression.Mistake.self) { try FilterExpression.filter(text) }
            #expect(mistake?.description == "at character 1: found groups 13 deep, expected 12 at most")
        }
    }
}
