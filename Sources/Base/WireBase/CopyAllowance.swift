/// Limits the size of resolved references, since many references may name the same thing.
package struct CopyAllowance: Sendable {
    private var left: Int
    private var sizes: [String: Int] = [:]

    package init(_ most: ByteCount = .mebibytes(64)) {
        left = most.bytes
    }

    /// Whether one more copy of a named thing is permitted; its size is computed once.
    package mutating func takes(_ name: String, size: () -> Int) -> Bool {
        let known = sizes[name] ?? size()
        sizes[name] = known
        guard known <= left else { return false }
        left -= known
        return true
    }
}
