import WireBase

/// The syntax of settings in a file: its format and its dialect.
package struct FileSyntax: Sendable {
    package let isJSON: Bool
    package let dialect: Dialect?

    package init(isJSON: Bool, dialect: Dialect? = nil) {
        self.isJSON = isJSON
        self.dialect = dialect
    }

    /// The native layout in YAML.
    package static let yaml = FileSyntax(isJSON: false)

    /// Spells a value given in YAML flow style.
    func spelled(_ value: String) -> String {
        isJSON ? FlowSample.json(ofValue: value) : value
    }

    /// Spells an entry given in YAML flow style; the path is that of its mapping, where known.
    func spelled(_ entry: String, of path: [String]?) -> String {
        guard let dialect, let path, !path.isEmpty else { return written(entry) }
        let key = FlowSample.key(of: entry)
        if let spelling = dialect.spelling(path + [key]) {
            return "\(written(spelling.key + entry.dropFirst(key.count))) \(spelling.place)"
        }
        // A setting without a name in the dialect is written in the native layout.
        guard path.allSatisfy({ Int($0) == nil }) else { return written(entry) }
        return "\(written(path.reversed().reduce(entry) { "\($1): { \($0) }" })) at the top of the file"
    }

    private func written(_ entry: String) -> String {
        isJSON ? FlowSample.json(ofEntry: entry) : "'\(entry)'"
    }
}

/// The syntax of each loaded file.
package struct FileSyntaxes: Sendable {
    private var known: [ObjectIdentifier: FileSyntax] = [:]

    package init() {}

    /// The syntax of a file; native YAML for an unknown file.
    func syntax(of file: SourceFile?) -> FileSyntax {
        file.flatMap { known[ObjectIdentifier($0)] } ?? .yaml
    }

    mutating func record(_ syntax: FileSyntax, of file: SourceFile) {
        known[ObjectIdentifier(file)] = syntax
    }
}
