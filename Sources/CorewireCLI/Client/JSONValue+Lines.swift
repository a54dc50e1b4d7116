import WireBase
package import WireConfig

extension JSONValue {
    /// A text member, made fit for one line of a terminal: its writer may be another than it seems.
    package func line(_ name: String, upTo limit: Int = 400) -> String? {
        self[name]?.string?.shown(upTo: limit)
    }
}

extension String {
    /// Several lines, each made fit for a terminal.
    var shownByLines: String {
        split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.isEmpty ? "" : String($0).shown(upTo: 1_000) }.joined(separator: "\n")
    }
}
