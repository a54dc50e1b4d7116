import WireBase
import WireConfig

/// A kind of content: its name, and the fields that its instances have.
struct HaloModule: Sendable {
    let id: String
    let name: String
    var isSingle = false
    var tags: [HaloTag] = []
    /// None where instances may hold anything.
    var fields: [Field] = []
    /// Milliseconds since 1970.
    var created: Int64 = 0
    var updated: Int64?
    /// What the file said that it came of.
    var seed = ""

    struct Field: Sendable {
        let name: String
        let type: FieldType
        var isLocalized = false
        /// The name of the module whose instances it names.
        var related: String?
    }

    /// What a field holds.
    enum FieldType: String, Sendable, CaseIterable {
        case text, html, number, boolean, date, image, list, relation, json

        /// What is wrong with a value; nil where nothing is.
        func flaw(of value: JSONValue) -> String? {
            switch (self, value) {
            case (_, .null), (.json, _): nil
            case (.text, .string), (.html, .string), (.image, .string), (.image, .object), (.boolean, .boolean): nil
            case (.number, .integer), (.number, .number), (.date, .integer), (.relation, .string): nil
            case (.list, .array): nil
            case (.relation, .array(let items)): items.allSatisfy { $0.string != nil } ? nil : noun
            default: noun
            }
        }

        private var noun: String {
            switch self {
            case .text, .html: "expected text"
            case .number: "expected a number"
            case .boolean: "expected true or false"
            case .date: "expected milliseconds since 1970"
            case .image: "expected a URL or an object"
            case .list: "expected an array"
            case .relation: "expected the id of an instance, or an array of them"
            case .json: "expected a value"
            }
        }
    }

    func field(_ name: String) -> Field? { fields.first { $0.name == name } }

    /// What is wrong with the values of an instance, by member.
    func flaws(of values: JSONValue) -> [(key: String, value: String)] {
        guard !fields.isEmpty else { return [] }
        return (values.members ?? []).compactMap { name, value in
            guard let field = field(name) else { return ("values.\(name)", "undefined_attribute") }
            if field.isLocalized, let texts = value.members {
                return texts.firstFound { locale, text in
                    field.type.flaw(of: text).map { ("values.\(name).\(locale)", $0) }
                }
            }
            return field.type.flaw(of: value).map { ("values.\(name)", $0) }
        }
    }

    /// As the server tells it.
    func json(withFields: Bool) -> JSONValue {
        .members([
            "name": .string(name), "externalId": .null, "isSingle": .boolean(isSingle), "customerId": .integer(1),
            "createdBy": .string("corewire"), "tags": .array(tags.map(\.json)), "pushTemplates": .array([]),
            "importers": .array([]), "exporters": .array([]), "deletedAt": .null, "updatedBy": .null,
            "deletedBy": .null, "createdAt": .integer(Int(created)), "updatedAt": .moment(updated),
            "fields": withFields ? .array(fields.map { $0.json(of: id) }) : nil, "id": .string(id),
        ])
    }
}

extension HaloModule.Field {
    fileprivate func json(of module: String) -> JSONValue {
        .members([
            "name": .string(name), "module": .string(module), "format": .string(type.rawValue),
            "isLocalized": .boolean(isLocalized), "relatedTo": related.map(JSONValue.string),
        ])
    }
}

extension JSONValue {
    /// A moment in milliseconds since 1970, or `null`.
    static func moment(_ moment: Int64?) -> JSONValue { moment.map { .integer(Int($0)) } ?? .null }

    static func text(_ text: String?) -> JSONValue { text.map(JSONValue.string) ?? .null }

    var moment: Int64? { integer.map(Int64.init) }
}
