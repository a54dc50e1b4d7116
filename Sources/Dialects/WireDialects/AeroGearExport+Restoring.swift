import WireConfig

extension AeroGearExport {
    /// Returns the original file with the values that the sections have changed; everything else is unchanged.
    func restored(_ file: NodeID) -> ForeignTree {
        var tree = tree(file, at: [AeroGearSection.name, "file"])
        let services = document.aeroGearServices(of: file) { _ in }
        let wiring = AeroGearWiring(services, of: document)
        var written: Set<[String]> = []
        // From last to first, so that removals do not move the indexes still to come.
        for service in services.reversed() where wiring.wired.contains(service.index) {
            guard let role = service.role else { continue }
            let path = [role.rawValue] + role.holder(named: wiring.name(of: service))
            guard let holder = holder(at: path, of: role) else {
                tree.set(nil, at: ["services", service.step])
                continue
            }
            written.insert(path)
            for change in changes(of: service, role, holder, path) {
                tree.set(change.value, at: ["services", service.step] + change.place)
            }
        }
        for (name, service) in added(besides: written) { tree.add(service: service, named: name) }
        restorePins(of: file, in: &tree)
        return tree
    }

    /// Returns the changed values of a service, with their paths in the service.
    private func changes(
        of service: AeroGearService,
        _ role: AeroGearRole,
        _ holder: NodeID,
        _ path: [String]
    ) -> [(place: [String], value: ForeignTree?)] {
        role.slots(platform: document.pushPlatform(of: service.node)).flatMap { slot -> [([String], ForeignTree?)] in
            let source = slot.sources.first { document.said(at: $0, of: service.node) != nil }
            let old = source.flatMap { document.said(at: $0, of: service.node) }
            let new = node(of: slot, role, holder)
            guard !isSame(old, new, slot) else { return [] }
            // Unchanged values stay as they are.
            let places = slot.places.filter { place in
                document.said(at: place, of: service.node).map { $0 == old || isSame($0, old, slot) } ?? false
            }
            let value = value(of: slot, role, holder, path)
            return (places.isEmpty ? [slot.sources[0]] : places).map { ($0, value) }
        }
    }

    /// Whether the file and the model have the same value for a slot.
    private func isSame(_ old: NodeID?, _ new: NodeID?, _ slot: AeroGearSlot) -> Bool {
        guard let old, let new else { return old == nil && new == nil }
        guard document.kind(old).isScalar, document.kind(new).isScalar else {
            return document.target(old) == document.target(new)
        }
        let text = document.text(new)
        switch slot.kind {
        case .text, .secret: return document.text(old) == text
        case .address, .webSocket: return document.text(old) == absolute(text)
        }
    }

    private func restorePins(of file: NodeID, in tree: inout ForeignTree) {
        let known = AeroGearPins(file, of: document)
        let old = known.map { pins in
            document.items(pins.list).compactMap { pin -> Pin? in
                guard let host = document.said("host", of: pin), let hash = document.said("certificateHash", of: pin)
                else { return nil }
                return Pin(host: document.text(host), hash: AeroGearPins.base64(document.text(hash)))
            }
        }
        guard (old ?? []) != (pins ?? []) else { return }
        let list = ForeignTree.list((pins ?? []).map { .literal($0.json) })
        tree.set(list, at: known?.path ?? ["https", "certificatePins"])
    }
}

extension ForeignTree {
    /// Adds a service to those of a file.
    fileprivate mutating func add(service: ForeignTree, named name: String) {
        if case .list(let services)? = self["services"] {
            set(.list(services + [service]), at: ["services"])
        } else {
            set(service, at: ["services", name])
        }
    }
}
