import WireBase
import WireConfig

extension AeroGearTranslation {
    /// Normalizes the version: `1`, `1.0` and `"1.0"` are in use for the first one; any other is left to the rules.
    mutating func formatVersion(_ node: NodeID) -> NodeID {
        let parts = document.text(node).split(separator: ".", omittingEmptySubsequences: false)
        guard document.kind(node).isScalar, let major = parts.first.flatMap({ Int($0) }), parts.count <= 3,
            parts.dropFirst().allSatisfy({ !$0.isEmpty && $0.allSatisfy { $0 == "0" } })
        else { return node }
        return document.makeScalar("\(major)", kind: .plain, like: node)
    }

    /// Messages about the whole service point to its type, which is one line.
    mutating func section(of service: AeroGearService, named name: String) -> Entry? {
        guard let role = service.role else { return nil }
        let model = service.typeNode
        reportAlmostKnownKeys(service, role)
        let platform = document.pushPlatform(of: service.node)
        var members = role.constants.map { document.makeEntry($0.key, $0.value, like: model) }
        for slot in role.slots(platform: platform) {
            guard let entry = source(of: slot, in: service.node) else { continue }
            members.append(document.makeEntry(slot.key, entry.value, like: entry.key))
        }
        for key in role.holder(named: name).reversed() {
            members = [document.makeEntry(key, document.makeMapping(members, like: model), like: model)]
        }
        switch role {
        case .push:
            // AeroGear's files do not configure tokens: the app provides them.
            let tokens = document.makeEntry(platform.tokenProvider, "app", like: model)
            members.append(document.makeEntry("tokens", document.makeMapping([tokens], like: model), like: model))
        case .sync where !hasSignIn:
            // The SDK registers with a user's token if there is one; corewire needs an explicit setting.
            members.append(document.makeEntry("authenticated", "false", .plain, like: model))
        default: break
        }
        return document.makeEntry(role.rawValue, document.makeMapping(members, like: model), like: model)
    }

    /// Returns the entry of a service that provides a slot's value.
    private func source(of slot: AeroGearSlot, in service: NodeID) -> Entry? {
        slot.sources.firstFound { path in
            guard document.said(at: path, of: service) != nil, let key = path.last,
                let parent = document.node(at: path.dropLast(), from: service)
            else { return nil }
            return document.entry(key, of: parent)
        }
    }

    /// Returns the certificate pins as `network.pins`.
    mutating func network(of root: NodeID) -> Entry? {
        guard let https = document.entry("https", of: root), !document.isNull(https.value) else { return nil }
        guard let pins = AeroGearPins(root, of: document) else {
            guard document.kind(https.value) == .mapping else {
                report(
                    badPin: "https: expected a mapping or a list of pins, found \(document.found(https.value))",
                    at: https.value,
                    "https"
                )
                return nil
            }
            guard let list = document.value("certificatePins", of: https.value), !document.isNull(list) else {
                // Pins below another key would silently have no effect.
                if let other = document.entries(https.value).first(where: { document.kind($0.value) == .sequence }) {
                    let name = document.text(other.key)
                    report(
                        badPin: "https.\(name): this key has no effect; move the pins to 'certificatePins'",
                        at: other.key,
                        "https.\(name)"
                    )
                }
                return nil
            }
            report(
                badPin: "https.certificatePins: expected a list, found \(document.found(list))",
                at: list,
                "https.certificatePins"
            )
            return nil
        }
        let path = pins.path.joined(separator: ".")
        let items = Array(document.items(pins.list)).enumerated().compactMap { pin($0.element, "\(path).\($0.offset)") }
        let list = document.makeEntry("pins", document.makeSequence(items, like: pins.list), like: https.key)
        return document.makeEntry("network", document.makeMapping([list], like: https.value), like: https.key)
    }

    private mutating func pin(_ node: NodeID, _ path: String) -> NodeID? {
        guard document.kind(node) == .mapping else {
            report(badPin: "\(path): expected a mapping, found \(document.found(node))", at: node, path)
            return nil
        }
        let missing = ["host", "certificateHash"].filter { document.said($0, of: node) == nil }
        guard missing.isEmpty, let host = document.entry("host", of: node),
            let hash = document.entry("certificateHash", of: node)
        else {
            report(badPin: "missing \(missing.listed("and")) in \(path)", at: node, path)
            return nil
        }
        var value = hash.value
        let written = document.text(hash.value)
        let base64 = AeroGearPins.base64(written)
        if base64 != written { value = document.makeScalar(base64, like: hash.value) }
        return document.makeMapping([host, document.makeEntry("sha256", value, like: hash.key)], like: node)
    }

    private mutating func report(badPin message: String, at node: NodeID, _ path: String) {
        problems.append(
            Diagnostic(
                .badPin,
                message,
                at: document.kind(node) == .mapping ? document.place(node).beginning : document.place(node)
            )
            .helped(by: "a pin is { \"host\": \"api.example.com\", \"certificateHash\": \"<base64>\" }")
            .about(path)
        )
    }

    // MARK: Probable mistakes

    private mutating func reportAlmostKnownKeys(_ service: AeroGearService, _ role: AeroGearRole) {
        guard let config = document.said("config", of: service.node) else { return }
        let path = "\(service.path).config"
        let told = reportModelKeys(in: config, path, role)
        reportAlmostKnownKeys(in: config, path, known: role.configKeys + told)
        guard role == .push else { return }
        for platform in PushPlatform.allCases.compactMap(\.key) {
            guard let variant = document.said(platform, of: config) else { continue }
            reportAlmostKnownKeys(in: variant, "\(path).\(platform)", known: AeroGearRole.variantKeys)
        }
    }

    /// Reports sections and settings of the model in a service's `config`, where they have no effect; returns their
    /// keys.
    private mutating func reportModelKeys(in config: NodeID, _ path: String, _ role: AeroGearRole) -> [String] {
        let used = Set(role.slots().flatMap { $0.sources + $0.mirrors }.compactMap { $0.dropFirst().first })
        var told: [String] = []
        for entry in document.entries(config) {
            let key = document.text(entry.key)
            guard key != "url", !used.contains(key), !role.configKeys.contains(key) else { continue }
            let advice: Advice
            if FileForm(catalogue).key(at: [role.rawValue, key]) != nil {
                advice = "write \(setting: "\(key): …", of: role.rawValue)"
            } else if modelKeys.contains(key), document.kind(entry.value) == .mapping {
                advice = "write \(setting: "\(key): { … }") at the top of the file"
            } else {
                continue
            }
            told.append(key)
            problems.append(
                Diagnostic(.almostKnownKey, "\(path).\(key) is not used", at: document.place(entry.key))
                    .labelled("a setting of corewire's own layout")
                    .helped(by: advice)
                    .about("\(path).\(key)")
            )
        }
        return told
    }

    mutating func reportAlmostKnownKeys(in mapping: NodeID, _ parent: String = "", known: [String]) {
        for entry in document.entries(mapping) {
            let key = document.text(entry.key)
            guard !known.contains(key), key != "url", !key.hasPrefix("x-"), !document.isNull(entry.value),
                Nearest.isAlmost(key, among: known),
                let meant = Nearest.name(to: key, among: known), document.value(meant, of: mapping) == nil
            else { continue }
            let path = parent.isEmpty ? key : "\(parent).\(key)"
            problems.append(
                Diagnostic(.almostKnownKey, "\(path.shown(upTo: 120)) is not used", at: document.place(entry.key))
                    .labelled("did you mean '\(meant)'?")
                    .fixed(by: .replace(document.place(entry.key), with: JSONText.quoted(meant), "write '\(meant)'"))
                    .about(path)
            )
        }
    }
}
