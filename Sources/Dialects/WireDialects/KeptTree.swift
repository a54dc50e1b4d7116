import WireConfig

/// A tree on its way from a services file into JSON: secrets in clear are gone already.
indirect enum KeptTree {
    case null
    case text(String)
    case literal(JSONValue)
    case list([KeptTree])
    case mapping([(key: String, value: KeptTree)])

    init(_ node: NodeID, of document: Document, isSecret: Bool = false) {
        switch document.kind(node) {
        case .sequence:
            self = .list(document.items(node).map { KeptTree($0, of: document, isSecret: isSecret) })
        case .mapping:
            self = .mapping(
                document.entries(node).map { entry in
                    let key = document.text(entry.key)
                    return (
                        key, KeptTree(entry.value, of: document, isSecret: isSecret || SecretNames.isSecret(key: key))
                    )
                }
            )
        default:
            self = Self(scalar: FreeValue(node, of: document).literal, isSecret: isSecret)
        }
    }

    private init(scalar: Literal, isSecret: Bool) {
        switch scalar {
        case .null: self = .null
        case .text(let text): self = .text(ShownText(text, isSecret: isSecret).text)
        default: self = .literal(JSONValue(scalar))
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

    private subscript(key: String) -> KeptTree? {
        if case .mapping(let members) = self { members.first { $0.key == key }?.value } else { nil }
    }

    /// Whether null stands at a path: the mark of a value that has gone into a section.
    func isNull(at path: [String]) -> Bool {
        var tree = self
        for key in path {
            guard let next = tree[key] else { return false }
            tree = next
        }
        guard case .null = tree else { return false }
        return true
    }

    /// Puts a value at a path, making the mappings on the way; no value takes away what stands there.
    mutating func set(_ value: KeptTree?, at path: some Collection<String>) {
        guard let key = path.first else { return }
        var members: [(key: String, value: KeptTree)] = if case .mapping(let members) = self { members } else { [] }
        let index = members.firstIndex { $0.key == key }
        var inner: KeptTree? = value
        if path.count > 1 {
            var below = index.map { members[$0].value } ?? .mapping([])
            below.set(value, at: path.dropFirst())
            inner = below
        }
        switch (index, inner) {
        case (let index?, let inner?): members[index].value = inner
        case (let index?, nil): members.remove(at: index)
        case (nil, let inner?): members.append((key, inner))
        case (nil, nil): break
        }
        self = .mapping(members)
    }
}
