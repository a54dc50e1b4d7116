import WireBase
import WireConfig

/// Variables of the file with templates in their texts: `{{ user.sub }}`, `{{ newTask.id }}`.
struct VariableTemplates {
    private let value: JSONValue
    /// The names in the templates.
    private(set) var names: [String] = []
    /// The error in a template; nil where all are valid.
    private(set) var misread: String?

    init(_ value: JSONValue) {
        self.value = value
        collect(value)
    }

    private mutating func collect(_ value: JSONValue) {
        switch value {
        case .string(let text) where text.contains("{{"):
            do throws(Misread) {
                for name in try Template(parsing: text).variables where !names.contains(name) { names.append(name) }
            } catch {
                misread = misread ?? "expected \(error.expected ?? "a template")" + (error.help.map { ": \($0)" } ?? "")
            }
        case .array(let items): for item in items { collect(item) }
        case .object(let members): for member in members { collect(member.value) }
        default: break
        }
    }

    /// The variables with values filled in; a text that is one name alone becomes the value itself, of any type.
    func filled(_ find: @escaping @Sendable (String) -> JSONValue?) throws(TemplateFilling.Failure)
        -> [(key: String, value: JSONValue)]
    {
        try Self.fill(value, find).members ?? []
    }

    private static func fill(
        _ value: JSONValue,
        _ find: @escaping @Sendable (String) -> JSONValue?
    ) throws(TemplateFilling.Failure) -> JSONValue {
        switch value {
        case .string(let text):
            guard text.contains("{{"), let template = try? Template(parsing: text) else { return value }
            if case .value(let path, let filters)? = template.pieces.first, template.pieces.count == 1, filters.isEmpty
            {
                guard let found = find(path) else { throw .missing(path) }
                return found
            }
            return .string(try TemplateFilling(finding: find).fill(template))
        case .array(let items):
            var filled: [JSONValue] = []
            for item in items { filled.append(try fill(item, find)) }
            return .array(filled)
        case .object(let members):
            var filled: [(key: String, value: JSONValue)] = []
            for (key, value) in members { filled.append((key, try fill(value, find))) }
            return .object(filled)
        default: return value
        }
    }
}
