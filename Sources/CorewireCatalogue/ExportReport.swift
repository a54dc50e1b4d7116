import WireBase
package import WireConfig

/// What an exported file leaves out or replaces.
package struct ExportReport: Sendable {
    /// The services file.
    package let file: String
    /// The format of the exported file.
    package let format: String
    /// The secrets in clear that were replaced by references.
    package var secrets: [SecretReferences.Replaced] = []
    /// The keys that the format cannot express.
    package var keysLeftOut: [String] = []
    /// The references, in a format whose readers do not resolve them.
    package var references: [(path: String, text: String)] = []

    package init(file: String, format: String) {
        (self.file, self.format) = (file, format)
    }

    /// One line per item; empty where there are none.
    package var text: String {
        var lines = secrets.map { secret in
            "\(secret.path.shown(upTo: 120)) is in clear (\(Self.location(secret.place))); replaced by \(secret.text): set \(secret.variable) where the file is used"
        }
        if !keysLeftOut.isEmpty {
            lines.append("left out, because the AeroGear format cannot express them: \(keysLeftOut.listed("and"))")
        }
        lines += references.map { reference in
            "\(reference.path.shown(upTo: 120)) is \(reference.text), which AeroGear SDKs do not resolve: replace it by its value before an app reads the file"
        }
        return lines.map { "warning: \($0)\n" }.joined()
    }

    /// The report as JSON.
    package var json: JSONValue {
        .members([
            "version": .integer(1),
            "file": .string(file),
            "format": .string(format),
            "secrets": .array(
                secrets.map { secret in
                    .members([
                        "path": .string(secret.path), "place": .string(Self.location(secret.place)),
                        "variable": .string(secret.variable),
                    ])
                }
            ),
            "leftOut": .array(keysLeftOut.map(JSONValue.string)),
            "references": .array(
                references.map { .members(["path": .string($0.path), "value": .string($0.text)]) }
            ),
        ])
    }

    private static func location(_ place: SourceRange) -> String {
        "\(place.file.name):\(place.start.line):\(place.start.column)"
    }
}
