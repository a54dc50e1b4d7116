/// What must hold for any bytes whatever: what the fuzzer searches to break, and what findings are replayed against.
package enum Property: String, CaseIterable, Sendable {
    /// Any text read as YAML is judged and reported, and what a valid file comes to is valid again.
    case yaml
    /// The same for JSON; besides, what was read and written reads the same.
    case json
    /// An environment and an override, laid over a file, win where they speak and leave alone what they do not name.
    case overlay
    /// References, templates and amounts that are taken mean what their text says.
    case reference

    /// Throws where the bytes break the property; a crash breaks it too.
    package func check(_ bytes: [UInt8]) throws(BrokenProperty) {
        switch self {
        case .yaml: try Self.checkFile(bytes, name: "fuzz.yaml")
        case .json:
            try Self.checkFile(bytes, name: "fuzz.json")
            try Self.checkJSON(bytes)
        case .overlay: try Self.checkOverlay(bytes)
        case .reference: try Self.checkTexts(bytes)
        }
    }
}

/// Why a property does not hold.
package struct BrokenProperty: Error, CustomStringConvertible {
    /// What was expected and what came instead.
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}
