#if !TREES_ONLY
import CorewireCatalogue
#endif
import WireBase
import WireConfig

extension Property {
    /// The input is a lower and an upper text of YAML, parted by the byte 0x1e, which no file may hold.
    static func checkOverlay(_ bytes: [UInt8]) throws(BrokenProperty) {
        let parts = bytes.split(separator: 0x1e, maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return }
        // A key that stands twice has two values, and is refused.
        guard let below = try ReadTree(parts[0], .yaml), below.isSound, let lower = below.root,
            let above = try ReadTree(parts[1], .yaml, into: below.document), above.isSound,
            let upper = above.root
        else { return }
        var document = above.document
        let result = document.overlay(upper, over: lower)
        try document.check(result, comesOf: upper, over: lower)
        let again = document.overlay(upper, over: result)
        guard document.isSame(again, result) else { throw BrokenProperty("laid over twice is not laid over once") }
        try document.checkReferences(below: result)
    }
}

extension Document {
    /// Whether the result of an overlay says what the overlay says, and below it what was there before.
    func check(_ result: NodeID, comesOf upper: NodeID, over lower: NodeID) throws(BrokenProperty) {
        guard kind(upper) == .mapping, kind(lower) == .mapping else {
            guard target(result) == target(upper) else { throw BrokenProperty("what was laid over did not replace") }
            return
        }
        guard kind(result) == .mapping else { throw BrokenProperty("two mappings came to none") }
        let spoken = valuesByKey(of: upper)
        let known = valuesByKey(of: lower)
        var left = entries(result)[...]
        for entry in entries(lower) {
            let above = spoken[bytes(entry.key)]
            if let above, isRemoval(above) { continue }
            guard let here = left.popFirst(), haveSameBytes(here.key, entry.key) else {
                throw BrokenProperty("\(text(entry.key).debugDescription) is gone, or another key stands in its place")
            }
            if let above {
                try check(here.value, comesOf: above, over: entry.value)
            } else if target(here.value) != target(entry.value) {
                throw BrokenProperty("\(text(entry.key).debugDescription) was not named and has changed")
            }
        }
        for entry in entries(upper) where known[bytes(entry.key)] == nil && !isRemoval(entry.value) {
            guard let here = left.popFirst(), haveSameBytes(here.key, entry.key),
                target(here.value) == target(entry.value)
            else { throw BrokenProperty("\(text(entry.key).debugDescription) was laid over and is not there") }
        }
        guard left.isEmpty else { throw BrokenProperty("the result has \(left.count) keys that nobody wrote") }
    }

    /// Whether two trees say the same; a key with null says as much as no key.
    func isSame(_ left: NodeID, _ right: NodeID) -> Bool {
        guard target(left) != target(right) else { return true }
        return Self.withoutNull(FreeValue(left, of: self).literal)
            == Self.withoutNull(FreeValue(right, of: self).literal)
    }

    func isRemoval(_ node: NodeID) -> Bool {
        kind(node) == .plain && CoreScalar(bytes(node)) == .null
    }

    private func valuesByKey(of node: NodeID) -> [ArraySlice<UInt8>: NodeID] {
        Dictionary(entries(node).map { (bytes($0.key), $0.value) }, uniquingKeysWith: { first, _ in first })
    }

    private func haveSameBytes(_ one: NodeID, _ other: NodeID) -> Bool { bytes(one) == bytes(other) }

    private static func withoutNull(_ value: Literal) -> Literal {
        guard case .mapping(let entries) = value else { return value }
        return .mapping(entries.filter { $0.value != .null }.map { ($0.key, withoutNull($0.value)) })
    }
}
