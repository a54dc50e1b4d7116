import WireBase

/// Suggests a correction for a value of the wrong shape.
extension Reader {
    func advice(for form: Form, insteadOf node: NodeID) -> Advice? {
        let kind = document.kind(node)
        switch form {
        case .named(let value):
            let entry = "NAME: \(value.shortSample ?? "…")"
            return kind == .sequence
                ? "each has a name in the place of '-': \(setting: entry)"
                : "write an entry for each: \(setting: entry)"
        case .record, .tagged, .exclusive:
            return advice(onMapping: form, insteadOf: node, kind)
        case .list(let item):
            guard kind.isScalar, !item.isSecret else {
                return kind == .mapping ? "write the items as a list: \(value: form.sample ?? "[…]")" : nil
            }
            return advice(onListInsteadOf: document.text(node))
        default:
            return nil
        }
    }

    private func advice(onMapping form: Form, insteadOf node: NodeID, _ kind: NodeKind) -> Advice? {
        if kind.isScalar {
            switch CoreScalar(document.bytes(node)) {
            case .boolean(true) where form.isWhollyOptional: return "write \(value: "{}") to use its defaults"
            case .boolean(false): return "remove it or write null to disable it"
            default: break
            }
        }
        return form.shortSample.map { "write its keys: \(value: $0)" }
    }

    private func advice(onListInsteadOf text: String) -> Advice {
        if let (ascii, first) = Homoglyphs.replaced(in: text), ascii.hasPrefix("-") {
            return "\(Homoglyphs.description(of: first)); an item begins with '-' and a space"
        }
        if text.hasPrefix("-") { return "an item begins with '-' and a space" }
        let words = text.split { $0 == " " || $0 == "," }
        let list = words.isEmpty ? "[one, two]" : "[\(words.joined(separator: ", "))]"
        return "write \(value: list.shown(upTo: 80))"
    }
}

extension Form {
    /// Whether an empty mapping is valid.
    fileprivate var isWhollyOptional: Bool {
        if case .record(let record) = self { !record.keys.contains(where: \.isRequired) } else { false }
    }

    /// An example with one or two keys, on one line.
    fileprivate var shortSample: String? {
        switch self {
        case .record(let record):
            let required = record.keys.filter(\.isRequired)
            let shown = required.isEmpty ? Array(record.keys.prefix(1)) : Array(required.prefix(2))
            let entries = shown.map { "\($0.name): \($0.example ?? $0.form.sample ?? "…")" }
            let isWhole = required.isEmpty ? record.keys.count == 1 : required.count <= 2
            return entries.isEmpty ? nil : "{ \((entries + (isWhole ? [] : ["…"])).joined(separator: ", ")) }"
        case .tagged(let key, _, let alternatives):
            return alternatives.first.map { "{ \(key): \($0.name), … }" }
        default:
            return sample
        }
    }
}
