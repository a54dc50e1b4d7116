import WireConfig
import WireGraphQL

/// A mutation in DataSync's form: `createTask`, `updateTask` or `deleteTask`, with an input object.
struct MutationForm {
    enum Kind: String, CaseIterable {
        case create, update, delete
    }

    let kind: Kind
    /// The type of the object.
    let type: String
    /// The member of the answer with the object.
    let member: String
    let field: Syntax.Field
    /// The values of the object as they are sent.
    let input: [(key: String, value: JSONValue)]
    /// The type of the input in the schema.
    let inputType: Schema.NamedType?

    /// Nil for an operation with another root field, or several.
    init?(_ operation: Syntax.Operation, _ variables: [String: JSONValue], _ schema: Schema?) {
        guard operation.selections.selections.count == 1,
            case .field(let field)? = operation.selections.selections.first
        else { return nil }
        let name = field.name.text
        guard let kind = Kind.allCases.first(where: { name.hasPrefix($0.rawValue) }) else { return nil }
        let suffix = String(name.dropFirst(kind.rawValue.count))
        guard let first = suffix.unicodeScalars.first, first.properties.isUppercase else { return nil }
        let root = schema.flatMap { schema in schema.root(of: .mutation).flatMap(schema.type) }
        if let schema {
            // `deleteTask` may return more than the object, but not another one.
            guard let told = root?.field(name)?.type.name, told == suffix, schema.type(told)?.kind == .object else {
                return nil
            }
        }
        (self.kind, type, member, self.field) = (kind, suffix, field.responseName, field)
        let arguments = field.arguments.compactMap { argument in
            ArgumentText.json(argument.value, variables: variables).map { (key: argument.name.text, value: $0) }
        }
        input = arguments.first { $0.key == Self.inputName }?.value.members ?? arguments
        inputType = root?.field(name)?.argument(Self.inputName).flatMap { schema?.type($0.type.name) }
    }

    private static let inputName = "input"

    subscript(name: String) -> JSONValue? { input.first { $0.key == name }?.value }

    /// The field with the object's version at the time of the change.
    var versionField: String? { Self.versionFields.first { self[$0] != nil } }

    static let versionFields = ["_version", "version"]

    /// The values that the mutation sets, without key fields and version.
    func changes(_ keyFields: [String]) -> [(key: String, value: JSONValue)] {
        input.filter { !keyFields.contains($0.key) && !Self.versionFields.contains($0.key) }
    }

    /// The variables with other input values, and without some of them; nil where the document has them as literals.
    ///
    /// A value with a variable of its own cannot be omitted, and gets the server's value.
    func variables(
        _ variables: [(key: String, value: JSONValue)],
        setting values: [(key: String, value: JSONValue)],
        without dropped: [(key: String, value: JSONValue)] = []
    ) -> [(key: String, value: JSONValue)]? {
        let argument = field.arguments.first { $0.name.text == Self.inputName }
        if case .variable(let name)? = argument?.value.kind {
            var members = input.filter { member in !dropped.contains { $0.key == member.key } }
            for (key, value) in values { members.put(value, under: key) }
            var result = variables
            result.put(.object(members), under: name)
            return result
        }
        var places = field.arguments.map { (name: $0.name.text, kind: $0.value.kind) }
        if case .object(let fields)? = argument?.value.kind { places = fields.map { ($0.name.text, $0.value.kind) } }
        var result = variables
        for (key, value) in dropped + values where self[key]?.isSame(as: value) != true {
            guard case .variable(let name)? = places.first(where: { $0.name == key })?.kind else { return nil }
            result.put(value, under: name)
        }
        return result
    }
}

extension [(key: String, value: JSONValue)] {
    /// Sets a member, in its place where it exists.
    mutating func put(_ value: JSONValue, under key: String) {
        if let index = firstIndex(where: { $0.key == key }) { self[index].value = value } else { append((key, value)) }
    }
}
