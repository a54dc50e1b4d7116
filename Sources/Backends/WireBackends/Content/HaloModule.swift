import WireBase
package import WireConfig

/// A module: its name, and the fields of its instances.
package struct HaloModule: Sendable {
    package let id: String
    package let name: String
    package var isSingle = false
    package var tags: [HaloTag] = []
    /// The fields; empty where instances may have any.
    package var fields: [Field] = []
    /// The time of creation in milliseconds since 1970.
    package var created: Int64 = 0
    package var updated: Int64?
    /// A digest of the module's file.
    package var seed = ""

    package init(id: String, name: String) { (self.id, self.name) = (id, name) }

    package struct Field: Sendable {
        package let name: String
        package let type: FieldType
        package var isLocalized = false
        /// The name of the related module.
        package var related: String?
    }

    /// The type of a field.
    package enum FieldType: String, Sendable, CaseIterable {
        case text, html, number, boolean, date, image, list, relation, json

        /// Returns the problem of a value, or nil.
        package func flaw(of value: JSONValue) -> String? {
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

    /// The end of the year 9999, in milliseconds since 1970.
    package static let lastMoment: Int64 = 253_402_300_799_999

    /// Whether a text is a valid id of the server.
    package static func isID(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x2d, 0x5f: true
                default: false
                }
            }
    }

    package func field(_ name: String) -> Field? { fields.first { $0.name == name } }

    /// Returns the problems of an instance's values, by member.
    package func flaws(of values: JSONValue) -> [(key: String, value: String)] {
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

    /// Returns the JSON of the API.
    package func json(withFields: Bool) -> JSONValue {
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
    /// Returns a time in milliseconds since 1970, or `null`.
    package static func moment(_ moment: Int64?) -> JSONValue { moment.map { .integer(Int($0)) } ?? .null }

    package static func text(_ text: String?) -> JSONValue { text.map(JSONValue.string) ?? .null }

    package var moment: Int64? { integer.map(Int64.init) }
}
