import WireBase
package import WireTelemetry

/// A log level of the command line: `debug` for all modules, `auth=debug` for one.
package struct LevelChoice {
    package let module: String?
    /// Nil for one of the words that are no level.
    package let level: LogLevel?

    /// `source` names the option in errors.
    package init(_ text: String, words: [String] = [], source: String = "", for path: [String]) throws {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let names = LogLevel.allCases.map(\.name) + words
        guard let name = parts.last, names.contains(name), parts.first != "" else {
            let nearest = Nearest.name(to: parts.last ?? "", among: names).map { "; did you mean '\($0)'?" } ?? ""
            throw UsageError(
                "\(source)unknown level \(text.quoted), expected \(names.listed()), or one module's as in auth=debug\(nearest)",
                for: path
            )
        }
        module = parts.count > 1 ? parts[0] : nil
        level = LogLevel.allCases.first { $0.name == name }
    }
}
