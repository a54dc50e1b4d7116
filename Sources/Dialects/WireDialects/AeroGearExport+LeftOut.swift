package import WireConfig

extension AeroGearExport {
    /// Returns the written keys of an environment that AeroGear's format does not have, in order: whole sections, or
    /// parts of one.
    package func keysLeftOut(of root: NodeID) -> [String] {
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
        let values = role.slots().map(\.key) + role.constants.map { $0.key }
        switch role {
        case .auth: return keys(at: [role.rawValue], besides: values + ["clientIds"])
        case .sync, .metrics: return keys(at: [role.rawValue], besides: values + ["authenticated"])
        case .push:
            return keys(at: ["push"], besides: ["registrars"] + (tokensAreHandedIn ? ["tokens"] : []))
                + keys(at: ["push", "registrars"], besides: written)
                + written.flatMap { keys(at: ["push", "registrars", $0], besides: values) }
        case .security:
            return keys(at: ["security"], besides: ["rules"])
                + keys(at: ["security", "rules"], besides: ["appVersion"])
                + keys(at: ["security", "rules", "appVersion"], besides: values)
        }
    }

    /// Whether the app provides tokens, as in every AeroGear file.
    private var tokensAreHandedIn: Bool {
        guard let tokens = document.node(at: ["push", "tokens"], from: root) else { return true }
        return document.entries(tokens).allSatisfy { document.text($0.value) == "app" }
    }

    private func keys(at path: [String], besides written: [String]) -> [String] {
        let keys = document.node(at: path, from: root).map { document.entries($0).map { document.text($0.key) } } ?? []
        return keys.filter { !written.contains($0) && !$0.hasPrefix("x-") }.map { (path + [$0]).joined(separator: ".") }
    }
}
