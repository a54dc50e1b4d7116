import WireBase
import WireConfig

extension Property {
    /// The input is a file, an environment and an override, parted by the byte 0x1e, which no file may hold.
    static func checkOverlay(_ bytes: [UInt8]) throws(BrokenProperty) {
        let parts = bytes.split(separator: 0x1e, maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3 else { return }
        let base = Array(parts[0])
        let indented = parts[1].split(separator: 0x0a).flatMap { line -> [UInt8] in Array("    ".utf8) + line + [0x0a] }
        let override = String(decoding: parts[2], as: UTF8.self)
        let text = base + Array("\nenvironments:\n  fuzz:\n".utf8) + indented
        let judged = Judged(text, name: "fuzz.yaml", overrides: [Loader.Override(option: "--set", text: override)])
        try judged.checkPlaces()
        judged.writeReports()

        // A key that stands twice has two values, and is refused.
        let loaded = Judged.loader.load(bytes: text, name: "fuzz.yaml")
        guard !loaded.problems.hasErrors, var file = loaded.file,
            let environment = file.environment("fuzz"), environment.chain == ["fuzz"],
            file.document.kind(environment.node) == .mapping,
            file.document.value("extends", of: environment.node) == nil
        else { return }
        let result = file.resolve("fuzz")
        let below = file.resolve(nil)
        for entry in file.document.entries(environment.node) {
            try file.document.check(result, has: entry, laidOver: below)
        }
        let again = file.document.lay(environment.node, over: result)
        guard file.document.isSame(again, result) else {
            throw BrokenProperty("laid over twice is not laid over once")
        }
    }
}

extension Document {
    /// Whether the result of an overlay says, under a key, what the overlay says there.
    fileprivate func check(_ result: NodeID, has entry: Entry, laidOver lower: NodeID) throws(BrokenProperty) {
        let key = text(entry.key)
        let value = value(key, of: result)
        if isRemoval(entry.value) {
            guard value == nil else { throw BrokenProperty("null did not remove \(key)") }
            return
        }
        guard let value else { throw BrokenProperty("\(key) was laid over and is not there") }
        guard kind(entry.value) == .mapping, let below = self.value(key, of: lower), kind(below) == .mapping else {
            guard target(value) == target(entry.value) else { throw BrokenProperty("\(key) has another value") }
            return
        }
        for inner in entries(entry.value) { try check(value, has: inner, laidOver: below) }
        for inner in entries(below) where self.value(text(inner.key), of: entry.value) == nil {
            guard self.value(text(inner.key), of: value).map(target) == target(inner.value) else {
                throw BrokenProperty("\(key).\(text(inner.key)) was not named and has changed")
            }
        }
    }

    private func isRemoval(_ node: NodeID) -> Bool {
        kind(node) == .plain && CoreScalar(bytes(node)) == .null
    }

    /// Whether two trees say the same; a key with null says as much as no key.
    fileprivate func isSame(_ left: NodeID, _ right: NodeID) -> Bool {
        Self.withoutNull(FreeValue(left, of: self).literal) == Self.withoutNull(FreeValue(right, of: self).literal)
    }

    private static func withoutNull(_ value: Literal) -> Literal {
        guard case .mapping(let entries) = value else { return value }
        return .mapping(entries.filter { $0.value != .null }.map { ($0.key, withoutNull($0.value)) })
    }
}
