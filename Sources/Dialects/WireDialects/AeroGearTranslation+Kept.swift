import WireConfig

extension AeroGearTranslation {
    /// The section that holds whatever has gone into no other.
    mutating func kept(
        _ root: NodeID,
        _ services: [AeroGearService],
        names: [Int: String],
        wired: Set<Int>
    ) -> Entry {
        let model = document.entry("services", of: root)?.key ?? root
        var members = ["clusterName", "namespace", "clientId", "version"].compactMap { document.entry($0, of: root) }
        let items = services.map { service in
            let kept = keptService(service, isWired: wired.contains(service.index))
            return document.makeEntry(names[service.index] ?? service.type, kept, like: service.typeNode)
        }
        members.append(document.makeEntry("services", document.makeMapping(items, like: model), like: model))
        if let https = document.entry("https", of: root), document.kind(https.value) == .mapping {
            let others = document.entries(https.value).filter { document.text($0.key) != "certificatePins" }
            // An empty one tells that there was a list of pins, even if it had none.
            members.append(Entry(key: https.key, value: document.makeMapping(others, like: https.value)))
        }
        let unread = unread(root, services)
        if !unread.isEmpty {
            members.append(document.makeEntry("unread", document.makeSequence(unread, like: model), like: model))
        }
        return document.makeEntry(AeroGearSection.name, document.makeMapping(members, like: model), like: model)
    }

    /// The parts in which something is so wrong that nothing is made of them; what is secret in them is still hidden.
    private func unread(_ root: NodeID, _ services: [AeroGearService]) -> [NodeID] {
        var unread: [NodeID] = []
        if let list = document.value("services", of: root) {
            let isList = document.kind(list) == .sequence
            let read = Set(services.map(\.node))
            unread += isList ? document.items(list).filter { !read.contains($0) } : [list]
        }
        if let https = document.value("https", of: root), problems.contains(where: { $0.code == .badPin }) {
            unread.append(https)
        }
        return unread
    }

    private mutating func keptService(_ service: AeroGearService, isWired: Bool) -> NodeID {
        let marks = isWired ? marks(of: service) : KeptMarks()
        let model = service.typeNode
        var members: [Entry] = []
        var others: [Entry] = []
        // A copy of the few entries, lest each new node copy those of the whole document.
        for entry in Array(document.entries(service.node)) {
            let key = document.text(entry.key)
            guard ["id", "name", "type", "url", "config"].contains(key) else {
                others.append(entry)
                continue
            }
            guard let value = keep(entry.value, at: [key], marks) else { continue }
            members.append(Entry(key: entry.key, value: value))
        }
        members.append(document.makeEntry("known", isWired ? "true" : "false", .plain, like: model))
        if !others.isEmpty {
            members.append(document.makeEntry("other", document.makeMapping(others, like: model), like: model))
        }
        return document.makeMapping(members, like: model)
    }

    private func marks(of service: AeroGearService) -> KeptMarks {
        var marks = KeptMarks()
        for slot in service.role?.slots(platform: document.pushPlatform(of: service.node)) ?? [] {
            let chosen = slot.sources.first { document.said(at: $0, of: service.node) != nil }
            let value = chosen.flatMap { document.said(at: $0, of: service.node) }
            for path in slot.places {
                guard let other = document.said(at: path, of: service.node) else {
                    marks.dropped.insert(path)
                    continue
                }
                // A secret is hidden where it is read, so one that is there twice stays there once.
                if path == chosen || (slot.kind != .secret && isSame(other, value)) { marks.taken.insert(path) }
            }
        }
        return marks
    }

    private func isSame(_ node: NodeID, _ other: NodeID?) -> Bool {
        guard let other, document.kind(node).isScalar, document.kind(other).isScalar else { return false }
        return document.bytes(node) == document.bytes(other)
    }

    private mutating func keep(_ node: NodeID, at path: [String], _ marks: KeptMarks) -> NodeID? {
        if marks.taken.contains(path) { return document.makeScalar("null", kind: .plain, like: node) }
        if marks.dropped.contains(path) { return nil }
        guard document.kind(node) == .mapping, marks.reachBelow(path) else { return node }
        let members = Array(document.entries(node)).compactMap { entry in
            keep(entry.value, at: path + [document.text(entry.key)], marks).map { Entry(key: entry.key, value: $0) }
        }
        return document.makeMapping(members, like: node)
    }
}

/// What becomes of the values of a service that the model has too.
private struct KeptMarks {
    /// Gone into a section: null marks the place that they are written back to.
    var taken: Set<[String]> = []
    /// Null already, and so not to be mistaken for such a place.
    var dropped: Set<[String]> = []

    /// Whether anything below a path is marked.
    func reachBelow(_ path: [String]) -> Bool {
        (taken.union(dropped)).contains { $0.count > path.count && $0.starts(with: path) }
    }
}
