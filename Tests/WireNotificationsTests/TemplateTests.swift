import Testing
import WireBase
import WireConfig

@Suite("Filling templates")
struct TemplateTests {
    private static let payload = #"{"title":" Hi there ","n":7,"task":{"id":"x/1 ä"},"none":null,"empty":"","on":true}"#

    private static func fill(_ text: String) throws -> String {
        let json = try JSONValue(parsing: Array(payload.utf8), named: "payload")
        return try TemplateFilling { json.value(at: $0) }.fill(Template(parsing: text))
    }

    @Test(
        "values and filters",
        arguments: [
            ("{{ n }} of {{ n }}", "7 of 7"), ("{{ title | trim | upper }}", "HI THERE"),
            ("{{ title | trim | lower | truncate: 5 }}", "hi t…"), ("{{ task.id | urlEncode }}", "x%2F1%20%C3%A4"),
            ("{{ task | json }}", #"{"id":"x/1 ä"}"#), ("{{ missing | default: \"friend\" }}", "friend"),
            ("{{ none | default: \"friend\" | upper }}", "FRIEND"), ("{{ on }}", "true"), ("plain", "plain"),
            ("{{ empty | default: \"friend\" }}", "friend"), ("<{{ empty }}>", "<>"),
            ("{{ title | trim | truncate: 8 }}", "Hi there"), ("{{ title | trim | truncate: 7 }}", "Hi the…"),
            ("{{ title | truncate: 1 }}", "…"), ("{{ title | truncate: 0 }}", ""),
        ]
    )
    func filled(template: String, text: String) throws {
        #expect(try Self.fill(template) == text)
    }

    @Test("a missing value without a default is reported by name, and values are not expanded again")
    func missing() throws {
        #expect(throws: TemplateFilling.Failure.missing("task.name")) { try Self.fill("{{ task.name }}") }
        #expect(throws: TemplateFilling.Failure.missing("none")) { try Self.fill("{{ none | upper }}") }
        let nested = TemplateFilling { _ in .string("{{ n }}") }
        #expect(try nested.fill(Template(parsing: "{{ title }}")) == "{{ n }}")
    }

    @Test("truncation never goes below zero", arguments: ["-1", "-9223372036854775808", "x", "9223372036854775808"])
    func truncatedToNothing(count: String) throws {
        let misread = #expect(throws: Misread.self) { try Template(parsing: "{{ title | truncate: \(count) }}") }
        #expect(misread?.help == "write 'truncate: 80'")
    }

    @Test("dates, numbers and sizes use the given formats")
    func formats() throws {
        let filling = TemplateFilling(formats: { value, form in "<\(form) \(value.plainText)>" }) { _ in
            .integer(7)
        }
        #expect(try filling.fill(Template(parsing: "{{ n | bytes }}")) == "<bytes 7>")
        #expect(try TemplateFilling { _ in .integer(7) }.fill(Template(parsing: "{{ n | number }}")) == "7")
    }

    @Test("a result over the limit is rejected")
    func long() throws {
        let filling = TemplateFilling(upTo: .bytes(10)) { _ in .string("0123456789a") }
        #expect(throws: TemplateFilling.Failure.tooLong(10)) { try filling.fill(Template(parsing: "{{ n }}")) }
        let exact = TemplateFilling(upTo: .bytes(10)) { _ in .string("0123456789") }
        #expect(try exact.fill(Template(parsing: "{{ n }}")) == "0123456789")
    }
}
