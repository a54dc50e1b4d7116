#if !TREES_ONLY
import CorewireCatalogue
#endif
import WireBase
import WireConfig

extension Property {
    /// YAML becomes a sound tree, or is refused with a place.
    static func checkYAML(_ bytes: [UInt8]) throws(BrokenProperty) {
        _ = try ReadTree(bytes, .yaml)
    }

    /// JSON becomes a sound tree, or is refused with a place; written and read again it is the same.
    static func checkJSON(_ bytes: [UInt8]) throws(BrokenProperty) {
        guard let tree = try ReadTree(bytes, .json), tree.isSound, let root = tree.root else { return }
        let first = FreeValue(root, of: tree.document).literal
        let text = JSONValue(first).text()
        guard let again = try ReadTree(text.utf8, .json), again.isSound, let root = again.root else {
            throw BrokenProperty("what was written is not JSON: \(text)")
        }
        let second = FreeValue(root, of: again.document).literal
        guard first == second else {
            throw BrokenProperty("written as \(text), read again as \(second.flowText)")
        }
    }
}
