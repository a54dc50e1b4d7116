import WireBase
package import WireConfig

extension JSONValue {
    /// A text member, escaped for one line of a terminal.
    package func line(_ name: String, upTo limit: Int = 400) -> String? {
        self[name]?.string?.shown(upTo: limit)
    }
}

extension String {
    /// Several lines, each escaped for a terminal.
    var shownByLines: String {
        split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.isEmpty ? "" : String($0).shown(upTo: 1_000) }.joined(separator: "\n")
    }
}
