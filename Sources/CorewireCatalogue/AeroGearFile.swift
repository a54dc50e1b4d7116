import WireBase
package import WireConfig
import WireDialects

/// An environment of a services file in the format of AeroGear's `mobile-services.json`.
package struct AeroGearFile: Sendable {
    package let json: JSONValue
    /// The keys that the format cannot express.
    package let keysLeftOut: [String]
    /// The values that are references, by their paths; SDKs do not resolve them.
    package let references: [(path: String, text: String)]

    package init?(_ validation: Validation, environment: String?, secrets: SecretReferences) {
        guard let file = validation.file, let validated = validation.environment(environment) else { return nil }
        let export = AeroGearExport(
            validated.root,
            in: file.document,
            environment: environment,
            secrets: validation.result.secrets
        ) { secrets.text(for: $0, $1) }
        json = export.json
        keysLeftOut = export.keysLeftOut(of: validated.written)
        references = Self.references(in: json, at: [])
    }

    private static func references(in value: JSONValue, at path: [String]) -> [(path: String, text: String)] {
        switch value {
        case .string(let text):
            let parsed = try? ReferringText(parsing: text)
            return parsed?.references.isEmpty == false ? [(path.joined(separator: "."), text)] : []
        case .array(let items):
            return items.enumerated().flatMap { references(in: $1, at: path + ["\($0)"]) }
        case .object(let members):
            return members.flatMap { references(in: $0.value, at: path + [$0.key]) }
        case .null, .boolean, .integer, .number, .decimal: return []
        }
    }
}
