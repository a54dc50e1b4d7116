import WireBase
package import WireConfig

/// What a file that was exported does not say, or does not say in clear.
package struct ExportReport: Sendable {
    /// The services file that was read.
    package let file: String
    /// The format that was written.
    package let format: String
    /// The secrets in clear that became references.
    package var secrets: [SecretReferences.Replaced] = []
    /// The keys the format has no words for.
    package var keysLeftOut: [String] = []
    /// The values that are references, in a format whose readers do not resolve them.
    package var references: [(path: String, text: String)] = []

    package init(file: String, format: String) {
        (self.file, self.format) = (file, format)
    }

    /// A line for each of them; empty where there is nothing to tell.
    package var text: String {
        var lines = secrets.map { secret in
            "\(secret.path.shown(upTo: 120)) is in clear (\(Self.location(secret.place))); written is \(secret.text): set \(secret.variable) where the file is used"
        }
        if !keysLeftOut.isEmpty {
            lines.append("the AeroGear format has no words for \(keysLeftOut.listed("and")), left out")
        }
        lines += references.map { reference in
            "\(reference.path.shown(upTo: 120)) is \(reference.text), which no AeroGear SDK resolves: put the value there before an app reads the file"
        }
        return lines.map { "warning: \($0)\n" }.joined()
    }

    /// The same for programs.
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
