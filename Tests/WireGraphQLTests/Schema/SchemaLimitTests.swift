import Testing
import WireGraphQL

@Suite("Limits of GraphQL schemas")
struct SchemaLimitTests {
    private static func joined(_ count: Int = 2_000, _ part: (Int) -> String) -> String {
        (0..<count).map(part).joined(separator: "\n")
    }

    @Test("long reference chains are followed without recursion")
    func chains() {
        let last = 4_999
        let inputs = Self.joined(last + 1) { "input I\($0) { next: I\($0 == last ? 0 : $0 + 1)! }" }
        #expect(buildSchema("type Query { a: Int }", inputs).findings.map(\.rule) == [.inputObjects])
        let defaults = Self.joined(last + 1) { "input I\($0) { next: I\($0 == last ? 0 : $0 + 1) = {} }" }
        #expect(buildSchema("type Query { a: Int }", defaults).findings.map(\.rule) == [.inputObjects])
        let directives = Self.joined(last + 1) {
            "directive @d\($0)(a: Int @d\($0 == last ? 0 : $0 + 1)) on ARGUMENT_DEFINITION"
        }
        #expect(buildSchema("type Query { a: Int }", directives).findings.map(\.rule) == [.directives])
    }

    @Test("types with many parts are compared by name")
    func wide() {
        let fields = Self.joined { "f\($0)(a\($0): Int = 1): Int" }
        let inputs = Self.joined { "f\($0): I = {}" }
        let text = """
            type Query implements I & J { \(fields) } interface I { \(fields) } interface J { \(fields) }
            input I0 { \(Self.joined { "f\($0): Int" }) }
            """
        #expect(buildSchema(text).findings.map(\.message) == [])
        let cyclic = buildSchema("type Query { a: Int } input I { \(inputs) }")
        #expect(cyclic.findings.map(\.rule) == [.inputObjects])
    }

    @Test("default values with more than a million references are not followed")
    func defaults() {
        let fields = (0..<1_100).map { "f\($0): I = { f0: {} }" }.joined(separator: "\n")
        #expect(buildSchema("type Query { a: Int } input I { \(fields) }").findings.map(\.rule) == [.limits])
    }

    @Test("at most 1,000 findings are collected")
    func findings() {
        #expect(buildSchema("type Query { \(Self.joined { "f\($0): Unknown\($0)" }) }").findings.count == 1_000)
        let values = Self.joined { "f\($0)(a: I = {}): Int" }
        let inputs = Self.joined { "f\($0): Int!" }
        #expect(buildSchema("type Query { \(values) } input I { \(inputs) }").findings.count == 1_000)
    }
}
