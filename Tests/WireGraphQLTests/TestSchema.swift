import Foundation
import Support
import WireBase
import WireGraphQL

/// The schemas of the oracle, from SDL without extensions.
enum TestSchema {
    static let zoo = read("zoo")
    static let tasks = read("tasks")

    static func document(_ text: String, limits: SyntaxLimits = .file) throws -> Syntax.Document {
        try Parser.document(SourceFile(name: "a.graphql", bytes: Array(text.utf8)), limits: limits)
    }

    static func schema(_ text: String) -> Schema {
        guard let document = try? document(text) else { preconditionFailure("the schema of a test has a mistake") }
        var types = Schema.builtInScalars.map { Schema.NamedType(.scalar, $0) }
        var directives = [Schema.DirectiveType("include", on: ["FIELD", "FRAGMENT_SPREAD", "INLINE_FRAGMENT"])]
        directives.append(Schema.DirectiveType("skip", on: ["FIELD", "FRAGMENT_SPREAD", "INLINE_FRAGMENT"]))
        for index in directives.indices {
            directives[index].arguments = [Schema.InputValue("if", .nonNull(.named("Boolean")))]
        }
        directives.append(Schema.DirectiveType("deprecated", on: ["FIELD_DEFINITION"]))
        directives[2].arguments = [Schema.InputValue("reason", .named("String"))]
        directives.append(Schema.DirectiveType("oneOf", on: ["INPUT_OBJECT"]))
        for definition in document.definitions {
            switch definition {
            case .type(let type): types.append(named(type))
            case .directive(let directive):
                var made = Schema.DirectiveType(directive.name.text, on: directive.locations.map(\.text))
                made.arguments = directive.arguments.map(input)
                made.isRepeatable = directive.isRepeatable
                directives.append(made)
            default: break
            }
        }
        let names = Set(types.map(\.name))
        func root(_ name: String) -> String? { names.contains(name) ? name : nil }
        return Schema(
            types: types,
            directives: directives,
            query: root("Query"),
            mutation: root("Mutation"),
            subscription: root("Subscription")
        )
    }

    private static func read(_ name: String) -> Schema {
        let url = Repository.root.appendingPathComponent("Tests/WireGraphQLTests/Oracle/\(name).graphqls")
        return schema((try? String(contentsOf: url, encoding: .utf8)) ?? "")
    }

    private static func named(_ type: Syntax.TypeDefinition) -> Schema.NamedType {
        var made = Schema.NamedType(type.kind, type.name.text)
        made.interfaces = type.interfaces.map(\.text)
        made.members = type.members.map(\.text)
        made.values = type.values.map { Schema.EnumValue($0.name.text) }
        made.inputFields = type.inputFields.map(input)
        made.isOneOf = type.directives.contains { $0.name.text == "oneOf" }
        made.fields = type.fields.map { field in
            var made = Schema.FieldType(field.name.text, Schema.TypeReference(field.type))
            made.arguments = field.arguments.map(input)
            return made
        }
        return made
    }

    private static func input(_ value: Syntax.InputValueDefinition) -> Schema.InputValue {
        var made = Schema.InputValue(value.name.text, Schema.TypeReference(value.type))
        made.defaultValue = value.defaultValue
        return made
    }
}
