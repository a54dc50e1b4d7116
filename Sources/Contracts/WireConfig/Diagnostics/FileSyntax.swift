import WireBase

/// How a file spells its settings: in which format, and in the words of which dialect.
package struct FileSyntax: Sendable {
    package let isJSON: Bool
    package let dialect: Dialect?

    package init(isJSON: Bool, dialect: Dialect? = nil) {
        self.isJSON = isJSON
        self.dialect = dialect
    }

    /// Files in the model's own layout, in YAML.
    package static let yaml = FileSyntax(isJSON: false)

    /// A value given in YAML's flow style.
    func spelled(_ value: String) -> String {
        isJSON ? FlowSample.json(ofValue: value) : value
    }

    /// An entry given in YAML's flow style; the path is that of its mapping, where that is known.
    func spelled(_ entry: String, of path: [String]?) -> String {
        guard let dialect, let path, !path.isEmpty else { return written(entry) }
        let key = FlowSample.key(of: entry)
        if let spelling = dialect.spelling(path + [key]) {
            return "\(written(spelling.key + entry.dropFirst(key.count))) \(spelling.place)"
        }
        // What the dialect has no word for stands in such a file as it stands in the model's own layout.
        guard path.allSatisfy({ Int($0) == nil }) else { return written(entry) }
        return "\(written(path.reversed().reduce(entry) { "\($1): { \($0) }" })) at the top of the file"
    }

    private func written(_ entry: String) -> String {
        isJSON ? FlowSample.json(ofEntry: entry) : "'\(entry)'"
    }
}

/// The syntax of each file that was read.
package struct FileSyntaxes: Sendable {
    private var known: [ObjectIdentifier: FileSyntax] = [:]

    package init() {}

    /// The syntax of a file; the model's own where nothing is known of it.
    func syntax(of file: SourceFile?) -> FileSyntax {
        file.flatMap { known[ObjectIdentifier($0)] } ?? .yaml
    }

    mutating func note(_ syntax: FileSyntax, of file: SourceFile) {
        known[ObjectIdentifier(file)] = syntax
    }
}
