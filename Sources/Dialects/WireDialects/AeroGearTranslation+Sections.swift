import WireBase
import WireConfig

extension AeroGearTranslation {
    /// `1`, `1.0` and `"1.0"` are all in use for the first version; anything else is left for the rules to judge.
    func formatVersion(_ node: NodeID) -> Sketch {
        let parts = document.text(node).split(separator: ".", omittingEmptySubsequences: false)
        guard document.kind(node).isScalar, let major = parts.first.flatMap({ Int($0) }), parts.count <= 3,
            parts.dropFirst().allSatisfy({ !$0.isEmpty && $0.allSatisfy { $0 == "0" } })
        else { return .node(node) }
        return .scalar("\(major)", .plain, like: node)
    }

    /// What stands for the service in messages about the whole of it is its type: a line, not a page.
    mutating func section(of service: AeroGearService, named name: String) -> Sketch.Member? {
        guard let role = service.role else { return nil }
        let model = service.typeNode
        reportAlmostKnownKeys(service, role)
        var members = role.constants.map { Sketch.Member($0.key, .text($0.value, like: model), like: model) }
        for slot in role.slots(platform: document.pushPlatform(of: service.node)) {
            guard let entry = source(of: slot, in: service.node) else { continue }
            members.append(Sketch.Member(slot.key, .node(entry.value), like: entry.key))
        }
        var holder = Sketch.mapping(members, like: model)
        for key in role.holder(named: name).reversed() {
            holder = .mapping([Sketch.Member(key, holder, like: model)], like: model)
        }
        return Sketch.Member(role.rawValue, role == .push ? withTokens(holder, service) : holder, like: model)
    }

    /// AeroGear's files say nothing of tokens: the app hands them in.
    private func withTokens(_ push: Sketch, _ service: AeroGearService) -> Sketch {
        guard case .mapping(let members, let model) = push else { return push }
        let provider = document.pushPlatform(of: service.node).tokenProvider
        let tokens = Sketch.mapping([Sketch.Member(provider, .text("app", like: model), like: model)], like: model)
        return .mapping(members + [Sketch.Member("tokens", tokens, like: model)], like: model)
    }

    /// The entry of the service that a slot gets its value from.
    private func source(of slot: AeroGearSlot, in service: NodeID) -> Entry? {
        slot.sources.lazy.compactMap { path in
            guard document.said(at: path, of: service) != nil, let key = path.last,
                let parent = document.node(at: path.dropLast(), from: service)
            else { return nil }
            return document.entry(key, of: parent)
        }.first
    }

    /// `https.certificatePins` as `network.pins`.
    mutating func network(of root: NodeID) -> Sketch.Member? {
        guard let https = document.entry("https", of: root), !document.isNull(https.value) else { return nil }
        guard document.kind(https.value) == .mapping else {
            report(badPin: "https: expected a mapping, found \(document.found(https.value))", at: https.value, "https")
            return nil
        }
        guard let pins = document.entry("certificatePins", of: https.value), !document.isNull(pins.value) else { return nil }
        guard document.kind(pins.value) == .sequence else {
            report(badPin: "https.certificatePins: expected a list, found \(document.found(pins.value))", at: pins.value, "https.certificatePins")
            return nil
        }
        let items = document.items(pins.value).enumerated().compactMap { pin($0.element, "https.certificatePins.\($0.offset)") }
        let list = Sketch.Member("pins", .list(items, like: pins.value), like: pins.key)
        return Sketch.Member("network", .mapping([list], like: https.value), like: https.key)
    }

    private mutating func pin(_ node: NodeID, _ path: String) -> Sketch? {
        guard document.kind(node) == .mapping else {
            report(badPin: "\(path): expected a mapping, found \(document.found(node))", at: node, path)
            return nil
        }
        let missing = ["host", "certificateHash"].filter { document.said($0, of: node) == nil }
        guard missing.isEmpty else {
            report(badPin: "missing \(missing.listed("and")) in \(path)", at: node, path)
            return nil
        }
        let members = document.entries(node).map { entry in
            document.text(entry.key) == "certificateHash"
                ? Sketch.Member("sha256", .node(entry.value), like: entry.key) : Sketch.Member(entry)
        }
        return .mapping(members, like: node)
    }

    private mutating func report(badPin message: String, at node: NodeID, _ path: String) {
        problems.append(
            Diagnostic(.badPin, message, at: document.kind(node) == .mapping ? document.place(node).beginning : document.place(node))
                .helped(by: "a pin is { \"host\": \"api.example.com\", \"certificateHash\": \"<base64>\" }")
                .about(path)
        )
    }

    // MARK: Slips

    private mutating func reportAlmostKnownKeys(_ service: AeroGearService, _ role: AeroGearRole) {
        guard let config = document.said("config", of: service.node) else { return }
        let path = "services.\(service.index).config"
        reportAlmostKnownKeys(in: config, path, known: role.configKeys)
        guard role == .push else { return }
        for platform in PushPlatform.allCases.compactMap(\.key) {
            guard let variant = document.said(platform, of: config) else { continue }
            reportAlmostKnownKeys(in: variant, "\(path).\(platform)", known: AeroGearRole.variantKeys)
        }
    }

    private mutating func reportAlmostKnownKeys(in mapping: NodeID, _ path: String, known: [String]) {
        for entry in document.entries(mapping) {
            let key = document.text(entry.key)
            guard !known.contains(key), key != "url", !document.isNull(entry.value), Nearest.isAlmost(key, among: known),
                let meant = Nearest.name(to: key, among: known), document.value(meant, of: mapping) == nil
            else { continue }
            problems.append(
                Diagnostic(.almostKnownKey, "\(path).\(key.shown(upTo: 60)) is not used", at: document.place(entry.key))
                    .labelled("did you mean '\(meant)'?")
                    .fixed(by: .replace(document.place(entry.key), with: JSONText.quoted(meant), "write '\(meant)'"))
                    .about("\(path).\(key)")
            )
        }
    }
}
