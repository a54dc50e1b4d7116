import WireConfig

/// A tree between a services file and JSON.
indirect enum ForeignTree {
    case null
    case text(String)
    case literal(JSONValue)
    case list([ForeignTree])
    case mapping([(key: String, value: ForeignTree)])

    /// Converts a node; `secret` returns the replacement of a text that must not be written.
    init(_ node: NodeID, of document: Document, at path: [String], secret: (NodeID, [String]) -> String?) {
        switch document.kind(node) {
        case .sequence:
            self = .list(
                document.items(node).enumerated().map { index, item in
                    ForeignTree(item, of: document, at: path + ["\(index)"], secret: secret)
                }
            )
        case .mapping:
            self = .mapping(
                document.entries(node).map { entry in
                    let key = document.text(entry.key)
                    return (key, ForeignTree(entry.value, of: document, at: path + [key], secret: secret))
                }
            )
        default:
            if let text = secret(node, path) {
                self = .text(text)
                return
            }
            switch FreeValue(node, of: document).literal {
            case .null: self = .null
            case .text(let text): self = .text(text)
            case let value: self = .literal(JSONValue(value))
            }
        }
    }

    var json: JSONValue {
        switch self {
        case .null: .null
        case .text(let text): .string(text)
        case .literal(let value): value
        case .list(let items): .array(items.map(\.json))
        case .mapping(let members): .object(members.map { ($0.key, $0.value.json) })
        }
    }

    // MARK: Places

    /// The member of a mapping, or the item of a list by its index.
    subscript(step: String) -> ForeignTree? {
        switch self {
        case .mapping(let members): members.first { $0.key == step }?.value
        case .list(let items): Int(step).flatMap { items.indices.contains($0) ? items[$0] : nil }
        case .null, .text, .literal: nil
        }
    }

    /// Whether there is null at a path: the mark of a value moved to a section.
    func isNull(at path: [String]) -> Bool {
        var tree = self
        for step in path {
            guard let next = tree[step] else { return false }
            tree = next
        }
        guard case .null = tree else { return false }
        return true
    }

    /// Sets a value at a path, creating mappings on the way; nil removes the value.
    mutating func set(_ value: ForeignTree?, at path: some Collection<String>) {
        guard let step = path.first else { return }
        var inner: ForeignTree? = value
        if path.count > 1 {
            var below = self[step] ?? .mapping([])
            below.set(value, at: path.dropFirst())
            inner = below
        }
        if case .list(var items) = self, let index = Int(step), items.indices.contains(index) {
            if let inner { items[index] = inner } else { items.remove(at: index) }
            self = .list(items)
            return
        }
        var members: [(key: String, value: ForeignTree)] = if case .mapping(let members) = self { members } else { [] }
        switch (members.firstIndex { $0.key == step }, inner) {
        case (let index?, let inner?): members[index].value = inner
        case (let index?, nil): members.remove(at: index)
        case (nil, let inner?): members.append((step, inner))
        case (nil, nil): break
        }
        self = .mapping(members)
    }
}
