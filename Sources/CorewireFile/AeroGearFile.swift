package import WireConfig
import WireDialects

/// One environment of a services file as AeroGear's `mobile-services.json`.
package struct AeroGearFile: Sendable {
    package let json: JSONValue
    /// The keys that format has no words for.
    package let keysLeftOut: [String]

    package init?(_ validation: Validation, environment: String?) {
        guard let file = validation.file, let judged = validation.environment(environment) else { return nil }
        json = AeroGearExport.json(of: judged.root, in: file.document, environment: environment)
        keysLeftOut = AeroGearExport.keysLeftOut(of: judged.root, in: file.document)
    }
}
