import WireConfig

extension AeroGearTranslation {
    /// The section that holds whatever has gone into no other.
    func kept(_ root: NodeID, _ services: [AeroGearService], names: [Int: String], wired: Set<Int>) -> Sketch.Member {
        let model = document.entry("services", of: root)?.key ?? root
        var members = ["clusterName", "namespace", "clientId", "version"].compactMap { document.entry($0, of: root).map(Sketch.Member.init) }
        let items = services.map { service in
            let kept = keptService(service, isWired: wired.contains(service.index))
            return Sketch.Member(names[service.index] ?? service.type, kept, like: service.typeNode)
        }
        members.append(Sketch.Member("services", .mapping(items, like: model), like: model))
        if let https = document.entry("https", of: root), document.kind(https.value) == .mapping {
            let others = document.entries(https.value).filter { document.text($0.key) != "certificatePins" }
            // An empty one tells that there was a list of pins, even if it had none.
            members.append(Sketch.Member(.node(https.key), .mapping(others.map(Sketch.Member.init), like: https.value)))
        }
        return Sketch.Member(AeroGearSection.name, .mapping(members, like: model), like: model)
    }

    private func keptService(_ service: AeroGearService, isWired: Bool) -> Sketch {
        let marks = isWired ? marks(of: service) : KeptMarks()
        let model = service.typeNode
        var members: [Sketch.Member] = []
        var others: [Sketch.Member] = []
        for entry in document.entries(service.node) {
            let key = document.text(entry.key)
            guard ["id", "name", "type", "url", "config"].contains(key) else {
                others.append(Sketch.Member(entry))
                continue
            }
            guard let value = keep(entry.value, at: [key], marks) else { continue }
            members.append(Sketch.Member(.node(entry.key), value))
        }
        members.append(Sketch.Member("known", .scalar(isWired ? "true" : "false", .plain, like: model), like: model))
        if !others.isEmpty { members.append(Sketch.Member("other", .mapping(others, like: model), like: model)) }
        return .mapping(members, like: model)
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
                if path == chosen || isSame(other, value) { marks.taken.insert(path) }
            }
        }
        return marks
    }

    private func isSame(_ node: NodeID, _ other: NodeID?) -> Bool {
        guard let other, document.kind(node).isScalar, document.kind(other).isScalar else { return false }
        return document.bytes(node) == document.bytes(other)
    }

    private func keep(_ node: NodeID, at path: [String], _ marks: KeptMarks) -> Sketch? {
        if marks.taken.contains(path) { return .scalar("null", .plain, like: node) }
        if marks.dropped.contains(path) { return nil }
        guard document.kind(node) == .mapping, marks.reachBelow(path) else { return .node(node) }
        let members = document.entries(node).compactMap { entry in
            keep(entry.value, at: path + [document.text(entry.key)], marks).map { Sketch.Member(.node(entry.key), $0) }
        }
        return .mapping(members, like: node)
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
