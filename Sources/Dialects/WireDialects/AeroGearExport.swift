import WireBase
package import WireConfig

/// Writes one environment as AeroGear's `mobile-services.json`.
///
/// What the file was read from is restored: order, types, spellings, services nobody wires. Values that the model has
/// win over what was read, references stay references, and a secret in clear is not written.
package enum AeroGearExport {
    /// The file for a resolved tree in the model's own layout; the name of its environment chooses among `clientIds`.
    package static func json(of root: NodeID, in document: Document, environment: String? = nil) -> JSONValue {
        AeroGearWriter(document: document, root: root, environment: environment).file
    }

    /// The keys of a tree that AeroGear has no words for, in the order of the file: sections, or what of one is not written.
    package static func keysLeftOut(of root: NodeID, in document: Document) -> [String] {
        AeroGearWriter(document: document, root: root, environment: nil).leftOut
    }
}

/// One writing of an AeroGear file.
private struct AeroGearWriter {
    let document: Document
    let root: NodeID
    let environment: String?

    var file: JSONValue {
        let kept = document.said(AeroGearSection.name, of: root)
        var members: [(key: String, value: JSONValue)] = []
        let version = kept.flatMap { document.said("version", of: $0) } ?? document.said("version", of: root)
        members.append(("version", version.map { KeptTree($0, of: document).json } ?? .integer(1)))
        for key in ["clusterName", "namespace", "clientId"] {
            guard let value = kept.flatMap({ document.value(key, of: $0) }) else { continue }
            members.append((key, KeptTree(value, of: document).json))
        }
        members.append(("services", .array(services(kept.flatMap { document.said("services", of: $0) }))))
        if let https = https(kept.flatMap { document.value("https", of: $0) }) { members.append(("https", https)) }
        return .object(members)
    }

    // MARK: What is not written

    var leftOut: [String] {
        let aboutTheFile: Set<String> = [
            "version", "environment", "baseUrl", "backend", "allow", "$schema", AeroGearSection.name,
        ]
        return document.entries(root).flatMap { entry -> [String] in
            let name = document.text(entry.key)
            guard !aboutTheFile.contains(name), !name.hasPrefix("x-"), document.kind(entry.value) == .mapping else {
                return []
            }
            if name == "network" { return keys(at: ["network"], besides: ["pins"]) }
            return AeroGearRole(rawValue: name).map(leftOut) ?? [name]
        }
    }

    private func leftOut(of role: AeroGearRole) -> [String] {
        let written = names(of: role).filter { holder(at: [role.rawValue] + role.holder(named: $0), of: role) != nil }
        guard !written.isEmpty else { return [role.rawValue] }
        switch role {
        case .auth, .sync, .metrics: return []
        case .push: return keys(at: ["push", "registrars"], besides: written)
        case .security: return keys(at: ["security", "rules"], besides: ["appVersion"])
        }
    }

    private func keys(at path: [String], besides written: [String]) -> [String] {
        let keys = document.node(at: path, from: root).map { document.entries($0).map { document.text($0.key) } } ?? []
        return keys.filter { !written.contains($0) }.map { (path + [$0]).joined(separator: ".") }
    }

    // MARK: Services

    /// The services that were read, in their order, and after them those that are only in the model.
    private func services(_ kept: NodeID?) -> [JSONValue] {
        var written: Set<[String]> = []
        var services: [JSONValue] = []
        for entry in kept.map({ Array(document.entries($0)) }) ?? [] {
            let type = document.said("type", of: entry.value).map(document.text) ?? ""
            let isKnown = document.said("known", of: entry.value).map(document.text) == "true"
            guard isKnown, let role = AeroGearRole(type: type) else {
                services.append(service(KeptTree(entry.value, of: document)))
                continue
            }
            let path = [role.rawValue] + role.holder(named: document.text(entry.key))
            guard let holder = holder(at: path, of: role) else { continue }
            written.insert(path)
            services.append(service(filled(KeptTree(entry.value, of: document), role, holder)))
        }
        return services + added(besides: written)
    }

    private func added(besides written: Set<[String]>) -> [JSONValue] {
        AeroGearRole.allCases.flatMap { role in
            names(of: role).compactMap { name -> JSONValue? in
                let path = [role.rawValue] + role.holder(named: name)
                guard !written.contains(path), let holder = holder(at: path, of: role) else { return nil }
                return service(new(role, name, holder))
            }
        }
    }

    private func names(of role: AeroGearRole) -> [String] {
        guard role == .push else { return [role.types[0]] }
        let registrars = document.node(at: ["push", "registrars"], from: root)
        return registrars.map { document.entries($0).map { document.text($0.key) } } ?? []
    }

    /// The mapping with the values of a service, where it is one that AeroGear knows.
    private func holder(at path: [String], of role: AeroGearRole) -> NodeID? {
        guard let holder = document.node(at: path, from: root), document.kind(holder) == .mapping else { return nil }
        let kind = ["provider", "type"].firstFound { document.said($0, of: holder) }.map(document.text)
        switch role {
        case .auth: return kind == "keycloak" ? holder : nil
        case .push: return kind == "unifiedPush" ? holder : nil
        case .sync, .metrics, .security: return document.said("url", of: holder) == nil ? nil : holder
        }
    }

    /// Members in the order the SDKs' own files have them; `other` goes back to where it was, beside them.
    private func service(_ tree: KeptTree) -> JSONValue {
        guard case .mapping(var members) = tree else { return tree.json }
        members.removeAll { $0.key == "known" }
        if let index = members.firstIndex(where: { $0.key == "other" }),
            case .mapping(let others) = members[index].value
        {
            members.replaceSubrange(index...index, with: others)
        }
        return KeptTree.mapping(members).json
    }

    private func filled(_ kept: KeptTree, _ role: AeroGearRole, _ holder: NodeID) -> KeptTree {
        var tree = kept
        let platform = PushPlatform.allCases.first { platform in
            (platform.variantIDs + platform.secrets).contains { tree.isNull(at: $0) }
        }
        for slot in role.slots(platform: platform ?? .ios) {
            let value = value(of: slot, role, holder)
            let places = slot.places.filter { tree.isNull(at: $0) }
            for place in places { tree.set(value, at: place) }
            if places.isEmpty, let value { tree.set(value, at: slot.sources[0]) }
        }
        return tree
    }

    private func new(_ role: AeroGearRole, _ name: String, _ holder: NodeID) -> KeptTree {
        // Only the sample apps' type is known to have a WebSocket.
        let type = role == .sync && document.said("webSocketUrl", of: holder) != nil ? "sync-app" : role.types[0]
        let shown = role == .push ? name : type
        var tree = KeptTree.mapping([
            ("id", .text(shown)), ("name", .text(shown)), ("type", .text(type)), ("url", .null),
            ("config", .mapping([])),
        ])
        for slot in role.slots() {
            guard let value = value(of: slot, role, holder) else { continue }
            for place in slot.sources.prefix(slot.writes) { tree.set(value, at: place) }
        }
        return tree
    }

    // MARK: Values

    private func value(of slot: AeroGearSlot, _ role: AeroGearRole, _ holder: NodeID) -> KeptTree? {
        guard let node = document.said(slot.key, of: holder) ?? clientID(slot, role, holder) else { return nil }
        guard document.kind(node).isScalar else { return KeptTree(node, of: document, isSecret: slot.kind == .secret) }
        let text = document.text(node)
        switch slot.kind {
        case .text: return .text(text)
        case .secret: return .text(ShownText(text, isSecret: true).text)
        case .address: return .text(ShownText(absolute(text), isSecret: false).text)
        case .webSocket: return .text(ShownText(webSocket(absolute(text)), isSecret: false).text)
        }
    }

    private func clientID(_ slot: AeroGearSlot, _ role: AeroGearRole, _ holder: NodeID) -> NodeID? {
        guard role == .auth, slot.key == "clientId", let environment else { return nil }
        return document.said(at: ["clientIds", environment], of: holder)
    }

    /// AeroGear knows no base URL, so a relative address is written out.
    private func absolute(_ text: String) -> String {
        guard !text.hasPrefix("${"), let address = try? Address(parsing: text), address.absolute == nil,
            let base = document.said("baseUrl", of: root).map(document.text)
        else { return text }
        if let url = try? WebURL(parsing: base) { return address.resolved(against: url)?.description ?? text }
        // The base URL is a reference, known to the deployment alone.
        return base + (base.hasSuffix("/") || text.hasPrefix("/") ? "" : "/") + text
    }

    private func webSocket(_ text: String) -> String {
        for (scheme, replacement) in [("https://", "wss://"), ("http://", "ws://")] where text.hasPrefix(scheme) {
            return replacement + text.dropFirst(scheme.count)
        }
        return text
    }

    // MARK: Pins

    private func https(_ kept: NodeID?) -> JSONValue? {
        var members: [(key: String, value: JSONValue)] = []
        if let pins = document.node(at: ["network", "pins"], from: root), document.kind(pins) == .sequence {
            members.append(("certificatePins", .array(document.items(pins).flatMap(entries))))
        }
        if let kept, case .object(let others) = KeptTree(kept, of: document).json { members += others }
        return members.isEmpty && kept == nil ? nil : .object(members)
    }

    /// An AeroGear pin has one hash; a pin with several becomes as many.
    private func entries(of pin: NodeID) -> [JSONValue] {
        guard let host = document.said("host", of: pin).map(document.text), let hash = document.said("sha256", of: pin)
        else { return [] }
        let hashes = document.kind(hash) == .sequence ? Array(document.items(hash)) : [hash]
        return hashes.map { .members(["host": .string(host), "certificateHash": .string(document.text($0))]) }
    }
}
