import WireBase

extension Schema.NamedType {
    /// The type of a definition.
    init(_ definition: Syntax.TypeDefinition, keepsPlaces: Bool = true) {
        self.init(definition.kind, definition.name.text, place: keepsPlaces ? definition.name.place : nil)
        description = definition.description?.text
        interfaces = definition.interfaces.map(\.text)
        fields = definition.fields.map { Schema.FieldType($0, keepsPlaces: keepsPlaces) }
        members = definition.members.map(\.text)
        values = definition.values.map { Schema.EnumValue($0, keepsPlaces: keepsPlaces) }
        inputFields = definition.inputFields.map { Schema.InputValue($0, keepsPlaces: keepsPlaces) }
        if kind == .scalar { specifiedBy = definition.directives.text(of: "url", in: "specifiedBy") }
        isOneOf = definition.isOneOf
        directives = definition.directives
    }
}

extension Schema.FieldType {
    init(_ definition: Syntax.FieldDefinition, keepsPlaces: Bool) {
        self.init(definition.name.text, Schema.TypeReference(definition.type))
        description = definition.description?.text
        arguments = definition.arguments.map { Schema.InputValue($0, keepsPlaces: keepsPlaces) }
        deprecation = definition.directives.deprecation
        directives = definition.directives
        place = keepsPlaces ? definition.name.place : nil
    }
}

extension Schema.InputValue {
    init(_ definition: Syntax.InputValueDefinition, keepsPlaces: Bool) {
        self.init(definition.name.text, Schema.TypeReference(definition.type))
        description = definition.description?.text
        defaultValue = definition.defaultValue
        deprecation = definition.directives.deprecation
        directives = definition.directives
        place = keepsPlaces ? definition.name.place : nil
    }
}

extension Schema.EnumValue {
    init(_ definition: Syntax.EnumValueDefinition, keepsPlaces: Bool) {
        self.init(definition.name.text)
        description = definition.description?.text
        deprecation = definition.directives.deprecation
        directives = definition.directives
        place = keepsPlaces ? definition.name.place : nil
    }
}

extension Schema.DirectiveType {
    init(_ definition: Syntax.DirectiveDefinition, keepsPlaces: Bool) {
        let keepsPlaces = keepsPlaces && !definition.isBuiltIn
        self.init(definition.name.text, on: definition.locations.map(\.text))
        description = definition.description?.text
        arguments = definition.arguments.map { Schema.InputValue($0, keepsPlaces: keepsPlaces) }
        isRepeatable = definition.isRepeatable
        place = keepsPlaces ? definition.name.place : nil
    }
}

extension [Syntax.Directive] {
    /// Why a part is deprecated; nil where it is not.
    var deprecation: String? {
        guard contains(where: { $0.name.text == "deprecated" }) else { return nil }
        return text(of: "reason", in: "deprecated") ?? Schema.defaultDeprecation
    }

    /// The text of an argument of a directive.
    func text(of argument: String, in directive: String) -> String? {
        let value = first { $0.name.text == directive }?.arguments.first { $0.name.text == argument }?.value
        guard case .string(let text)? = value?.kind else { return nil }
        return text
    }
}
