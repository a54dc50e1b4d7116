import WireBase
import WireConfig

/// A service of an AeroGear file.
struct AeroGearService {
    /// The index in the file, from zero.
    let index: Int
    /// The step in paths: the index in a list, the key in a mapping.
    let step: String
    let node: NodeID
    let type: String
    /// The place of the type, which represents the service in messages.
    let typeNode: NodeID
    /// The section of the service; nil for an unsupported type.
    let role: AeroGearRole?
    /// Whether a section can be made: the service has a role, and all that the section requires.
    let isUsable: Bool

    var path: String { "services.\(step)" }
}

extension Document {
    /// Returns the valid services of an AeroGear file; reports the problems of the others.
    ///
    /// Services are a list, or in the oldest files a mapping with their names.
    func aeroGearServices(of root: NodeID, report: (Diagnostic) -> Void) -> [AeroGearService] {
        guard let entry = entry("services", of: root) else {
            report(
                Diagnostic(.serviceList, "missing 'services'", at: place(root).beginning)
                    .helped(by: "an AeroGear file is { \"services\": [ … ] }")
            )
            return []
        }
        if kind(entry.value) == .sequence {
            return items(entry.value).enumerated().compactMap { index, node in
                service(index, "\(index)", node, nil, report)
            }
        }
        guard isMappingOfServices(entry.value) else {
            report(
                Diagnostic(.serviceList, "services: expected a list, found \(found(entry.value))", at: place(entry.key))
                    .helped(
                        by: """
                            write \(setting: "services: [{ type: …, url: … }]"); in corewire's own layout each service is \
                            a section
                            """
                    )
                    .about("services")
            )
            return []
        }
        return entries(entry.value).enumerated().compactMap { index, entry in
            service(index, text(entry.key), entry.value, entry.key, report)
        }
    }

    private func isMappingOfServices(_ node: NodeID) -> Bool {
        kind(node) == .mapping && !entries(node).isEmpty
            && entries(node).allSatisfy { service in
                kind(service.value) == .mapping
                    && ["type", "url", "config"].contains { value($0, of: service.value) != nil }
            }
    }

    private func service(
        _ index: Int,
        _ step: String,
        _ node: NodeID,
        _ key: NodeID?,
        _ report: (Diagnostic) -> Void
    ) -> AeroGearService? {
        let path = "services.\(step)"
        guard kind(node) == .mapping else {
            report(
                Diagnostic(.serviceList, "\(path): expected a mapping, found \(found(node))", at: place(node))
                    .helped(by: "a service is { \"type\": …, \"url\": …, \"config\": { … } }")
                    .about(path)
            )
            return nil
        }
        guard let type = said("type", of: node) ?? key ?? typeFromName(of: node) else {
            report(missing("type", path, at: place(node).beginning, "for example \"type\": \"keycloak\""))
            return nil
        }
        guard kind(type).isScalar else {
            report(
                Diagnostic(.serviceKey, "\(path).type: expected text, found \(found(type))", at: place(type)).about(
                    "\(path).type"
                )
            )
            return nil
        }
        let role = AeroGearRole(type: text(type))
        if said("url", of: node) == nil {
            report(
                missing(
                    "url",
                    path,
                    at: place(type),
                    "every service of an AeroGear file has one; the SDKs reject the file otherwise"
                )
            )
        }
        let hasSettings = said("config", of: node).map { kind($0) == .mapping } ?? true
        if !hasSettings, let config = said("config", of: node) {
            report(
                Diagnostic(.serviceKey, "\(path).config: expected a mapping, found \(found(config))", at: place(config))
                    .helped(by: configAdvice(AeroGearRole(type: text(type))))
                    .about("\(path).config")
            )
        }
        return AeroGearService(
            index: index,
            step: step,
            node: node,
            type: text(type),
            typeNode: type,
            role: role,
            isUsable: hasSettings && role.map { hasAddress(node, $0) } ?? false
        )
    }

    /// Describes `config` for a service of a role.
    private func configAdvice(_ role: AeroGearRole?) -> Advice {
        switch role {
        case .auth: "write \(setting: "config: { realm: …, resource: … }")"
        case .push: "write \(setting: "config: { android: { variantId: … } }")"
        case .sync: "write \(setting: "config: { websocketUrl: … }"), or leave 'config' out"
        case .metrics, .security, nil: "write \(setting: "config: {}"), or leave 'config' out"
        }
    }

    /// Returns the id or name as the type, since some files for Android have no type.
    private func typeFromName(of service: NodeID) -> NodeID? {
        let names = ["id", "name"].compactMap { said($0, of: service) }.filter { kind($0).isScalar }
        return names.first { AeroGearRole(type: text($0)) != nil } ?? names.first
    }

    private func hasAddress(_ node: NodeID, _ role: AeroGearRole) -> Bool {
        role.slots().contains { $0.key == "url" && $0.sources.contains { said(at: $0, of: node) != nil } }
    }

    private func missing(_ key: String, _ path: String, at place: SourceRange, _ help: String) -> Diagnostic {
        Diagnostic(.serviceKey, "missing \(key.quoted) in \(path)", at: place).helped(by: help).about("\(path).\(key)")
    }

    /// Returns the value of a key, unless it is null or an empty text, which count as absent.
    func said(_ key: String, of node: NodeID) -> NodeID? {
        value(key, of: node).flatMap { saysNothing($0) ? nil : $0 }
    }

    /// Returns the value at a path of keys, unless it counts as absent.
    func said(at path: [String], of node: NodeID) -> NodeID? {
        var node = node
        for key in path {
            guard let next = value(key, of: node) else { return nil }
            node = next
        }
        return saysNothing(node) ? nil : node
    }

    /// Returns the platform of a push service: the first one with a variant.
    func pushPlatform(of service: NodeID) -> PushPlatform {
        func first(_ paths: (PushPlatform) -> [[String]]) -> PushPlatform? {
            PushPlatform.allCases.first { platform in paths(platform).contains { said(at: $0, of: service) != nil } }
        }
        return first(\.variantIDs) ?? first(\.secrets) ?? .ios
    }

    private func saysNothing(_ node: NodeID) -> Bool {
        kind(node).isScalar && (bytes(node).isEmpty || isNull(node))
    }

    /// Describes a node for a message, without its value, which may be a misplaced secret.
    func found(_ node: NodeID) -> String {
        switch kind(node) {
        case .mapping: "a mapping"
        case .sequence: "a list"
        case .plain where isNull(node): "nothing"
        default: "a single value"
        }
    }
}
