package import WireBase
package import WireConfig

/// Writes one environment as AeroGear's `mobile-services.json`.
///
/// If the file was imported from an AeroGear file, the result is that file with the sections' changes. References
/// stay references, and a secret in clear text becomes a reference.
package struct AeroGearExport {
    let document: Document
    let root: NodeID
    let environment: String?
    /// The places of secrets in clear text.
    let secrets: Set<SourceRange>
    /// Returns the reference that replaces such a secret, by its path and place.
    let reference: (_ path: [String], _ place: SourceRange) -> String

    /// Creates an export of a resolved tree in the model's layout; the environment's name selects among `clientIds`.
    package init(
        _ root: NodeID,
        in document: Document,
        environment: String? = nil,
        secrets: [SourceRange],
        reference: @escaping (_ path: [String], _ place: SourceRange) -> String
    ) {
        (self.document, self.root, self.environment) = (document, root, environment)
        self.secrets = Set(secrets)
        self.reference = reference
    }

    /// The file.
    package var json: JSONValue {
        let kept = document.said(AeroGearSection.name, of: root)
        if let file = kept.flatMap({ document.value("file", of: $0) }), document.kind(file) == .mapping {
            return restored(file).json
        }
        var members: [(key: String, value: JSONValue)] = []
        let version = kept.flatMap { document.said("version", of: $0) } ?? document.said("version", of: root)
        members.append(("version", version.map { tree($0).json } ?? .integer(1)))
        for key in ["clusterName", "namespace", "clientId"] {
            guard let value = kept.flatMap({ document.value(key, of: $0) }) else { continue }
            members.append((key, tree(value).json))
        }
        members.append(("services", .array(services(kept.flatMap { document.said("services", of: $0) }))))
        if let https = https(kept.flatMap { document.value("https", of: $0) }) { members.append(("https", https)) }
        return .object(members)
    }

    /// Returns the value of a node without secrets.
    func tree(_ node: NodeID, at path: [String] = []) -> ForeignTree {
        ForeignTree(node, of: document, at: path, secret: replacement)
    }

    /// Returns the replacement of a secret in clear text; nil for any other value.
    private func replacement(_ node: NodeID, _ path: [String]) -> String? {
        let place = document.place(document.target(node))
        return secrets.contains(place) ? reference(path, place) : nil
    }

    // MARK: Services

    /// Returns the imported services in their order, followed by those only in the model.
    private func services(_ kept: NodeID?) -> [JSONValue] {
        var written: Set<[String]> = []
        var services: [JSONValue] = []
        for entry in kept.map({ Array(document.entries($0)) }) ?? [] {
            let type = document.said("type", of: entry.value).map(document.text) ?? ""
            let isKnown = document.said("known", of: entry.value).map(document.text) == "true"
            guard isKnown, let role = AeroGearRole(type: type) else {
                services.append(service(tree(entry.value)))
                continue
            }
            let path = [role.rawValue] + role.holder(named: document.text(entry.key))
            guard let holder = holder(at: path, of: role) else { continue }
            written.insert(path)
            services.append(service(filled(tree(entry.value), role, holder, path)))
        }
        return services + added(besides: written).map { service($0.tree) }
    }

    /// Returns the services that are not in an AeroGear file, each with a name.
    func added(besides written: Set<[String]>) -> [(name: String, tree: ForeignTree)] {
        AeroGearRole.allCases.flatMap { role in
            names(of: role).compactMap { name -> (String, ForeignTree)? in
                let path = [role.rawValue] + role.holder(named: name)
                guard !written.contains(path), let holder = holder(at: path, of: role) else { return nil }
                return (name, new(role, name, holder, path))
            }
        }
    }

    func names(of role: AeroGearRole) -> [String] {
        guard role == .push else { return [role.types[0]] }
        let registrars = document.node(at: ["push", "registrars"], from: root)
        return registrars.map { document.entries($0).map { document.text($0.key) } } ?? []
    }

    /// Returns the mapping with a service's values, if AeroGear has that service.
    func holder(at path: [String], of role: AeroGearRole) -> NodeID? {
        guard let holder = document.node(at: path, from: root), document.kind(holder) == .mapping else { return nil }
        let kind = ["provider", "type"].firstFound { document.said($0, of: holder) }.map(document.text)
        switch role {
        case .auth: return kind == "keycloak" ? holder : nil
        case .push: return kind == "unifiedPush" ? holder : nil
        case .sync, .metrics, .security: return document.said("url", of: holder) == nil ? nil : holder
        }
    }

    /// Returns members in the order of the SDKs' files; `other` returns to its place beside them.
    private func service(_ tree: ForeignTree) -> JSONValue {
        guard case .mapping(var members) = tree else { return tree.json }
        members.removeAll { $0.key == "known" }
        if let index = members.firstIndex(where: { $0.key == "other" }),
            case .mapping(let others) = members[index].value
        {
            members.replaceSubrange(index...index, with: others)
        }
        return ForeignTree.mapping(members).json
    }

    private func filled(_ kept: ForeignTree, _ role: AeroGearRole, _ holder: NodeID, _ path: [String]) -> ForeignTree {
        var tree = kept
        let platform = PushPlatform.allCases.first { platform in
            (platform.variantIDs + platform.secrets).contains { tree.isNull(at: $0) }
        }
        for slot in role.slots(platform: platform ?? .ios) {
            let value = value(of: slot, role, holder, path)
            let places = slot.places.filter { tree.isNull(at: $0) }
            for place in places { tree.set(value, at: place) }
            if places.isEmpty, let value { tree.set(value, at: slot.sources[0]) }
        }
        return tree
    }

    private func new(_ role: AeroGearRole, _ name: String, _ holder: NodeID, _ path: [String]) -> ForeignTree {
        // Only the type of the sample apps has a WebSocket.
        let type = role == .sync && document.said("webSocketUrl", of: holder) != nil ? "sync-app" : role.types[0]
        let shown = role == .push ? name : type
        var tree = ForeignTree.mapping([
            ("id", .text(shown)), ("name", .text(shown)), ("type", .text(type)), ("url", .null),
            ("config", .mapping([])),
        ])
        for slot in role.slots() {
            guard let value = value(of: slot, role, holder, path) else { continue }
            for place in slot.sources.prefix(slot.writes) { tree.set(value, at: place) }
        }
        return tree
    }

    // MARK: Values

    /// Returns the model's value for a slot of a service.
    func node(of slot: AeroGearSlot, _ role: AeroGearRole, _ holder: NodeID) -> NodeID? {
        document.said(slot.key, of: holder) ?? clientID(slot, role, holder)
    }

    func value(of slot: AeroGearSlot, _ role: AeroGearRole, _ holder: NodeID, _ path: [String]) -> ForeignTree? {
        guard let node = node(of: slot, role, holder) else { return nil }
        let path = path + [slot.key]
        guard document.kind(node).isScalar else { return tree(node, at: path) }
        let text = document.text(node)
        func shown(_ text: String) -> ForeignTree {
            let shown = ShownText(text, isSecret: slot.kind == .secret)
            return .text(shown.isHidden ? reference(path, document.place(document.target(node))) : shown.text)
        }
        switch slot.kind {
        case .text: return .text(text)
        case .secret: return shown(text)
        case .address: return shown(absolute(text))
        case .webSocket: return shown(webSocket(absolute(text)))
        }
    }

    private func clientID(_ slot: AeroGearSlot, _ role: AeroGearRole, _ holder: NodeID) -> NodeID? {
        guard role == .auth, slot.key == "clientId", let environment else { return nil }
        return document.said(at: ["clientIds", environment], of: holder)
    }

    /// Returns an absolute address, since AeroGear has no base URL.
    func absolute(_ text: String) -> String {
        guard !text.hasPrefix("${"), let address = try? Address(parsing: text), address.absolute == nil,
            let base = document.said("baseUrl", of: root).map(document.text)
        else { return text }
        if let url = try? WebURL(parsing: base) { return address.resolved(against: url)?.description ?? text }
        // The base URL is a reference, which only the deployment resolves.
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
        if let pins { members.append(("certificatePins", .array(pins.map(\.json)))) }
        if let kept, case .object(let others) = tree(kept).json { members += others }
        return members.isEmpty && kept == nil ? nil : .object(members)
    }

    /// A pin of an AeroGear file, with a single hash.
    struct Pin: Equatable {
        let host: String
        let hash: String

        var json: JSONValue { .members(["host": .string(host), "certificateHash": .string(hash)]) }
    }

    /// The pins of the model, one for each hash; nil without a list of pins.
    var pins: [Pin]? {
        guard let pins = document.node(at: ["network", "pins"], from: root), document.kind(pins) == .sequence else {
            return nil
        }
        return document.items(pins).flatMap { pin -> [Pin] in
            guard let host = document.said("host", of: pin).map(document.text),
                let hash = document.said("sha256", of: pin)
            else { return [] }
            let hashes = document.kind(hash) == .sequence ? Array(document.items(hash)) : [hash]
            return hashes.map { Pin(host: host, hash: document.text($0)) }
        }
    }
}
