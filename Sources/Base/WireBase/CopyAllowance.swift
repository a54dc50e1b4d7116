/// How much may be put in the place of references, which may name one thing any number of times.
package struct CopyAllowance: Sendable {
    private var left: Int
    private var sizes: [String: Int] = [:]

    package init(_ most: ByteCount = .mebibytes(64)) {
        left = most.bytes
    }

    /// Whether one more copy may be made of what has this name; its size is asked for once.
    package mutating func takes(_ name: String, size: () -> Int) -> Bool {
        let known = sizes[name] ?? size()
        sizes[name] = known
        guard known <= left else { return false }
        left -= known
        return true
    }
}
