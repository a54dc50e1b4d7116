import WireBase

/// The rules that hold between environments.
struct CrossEnvironmentRules {
    let file: LayeredFile
    let judged: [Judge.Judged]

    func problems() -> [Diagnostic] {
        foreignHosts() + missingInOne()
    }

    // MARK: Hosts

    /// URLs of one environment at the base host of another.
    private func foreignHosts() -> [Diagnostic] {
        let hosts = judged.compactMap { environment in
            environment.facts.baseURL.flatMap { url in
                url.isLoopback ? nil : environment.facts.name.map { (name: $0, host: url.host) }
            }
        }
        return judged.flatMap { environment -> [Diagnostic] in
            guard let name = environment.facts.name, let own = environment.facts.baseURL else { return [] }
            return environment.addresses.compactMap { use in
                guard !use.isProxy, let host = use.address.absolute?.host, host != own.host,
                    let other = hosts.first(where: { $0.host == host && $0.name != name }),
                    let declared = file.environment(other.name)
                else { return nil }
                var problem = Diagnostic(
                    .foreignHost,
                    "\(use.path) in environment \(name.quoted) is at the host of environment \(other.name.quoted)",
                    at: file.document.place(use.node)
                )
                .related(file.document.place(declared.key), "this environment's host")
                .about(use.path)
                problem.environments = [name]
                return problem
            }
        }
    }

    // MARK: Parity

    /// Keys that all other remote environments have, and one has not.
    private func missingInOne() -> [Diagnostic] {
        let remote = judged.filter { $0.facts.backend == .remote && $0.facts.name != nil }
        guard remote.count >= 3 else { return [] }
        let keys = remote.map { environment in keyPaths(of: environment.written) }
        var owners: [String: [Int]] = [:]
        for (index, paths) in keys.enumerated() {
            for path in paths.keys { owners[path, default: []].append(index) }
        }
        return owners.filter { $0.value.count == remote.count - 1 }.sorted { $0.key < $1.key }.compactMap {
            path,
            having in
            guard let lacking = remote.indices.first(where: { !having.contains($0) }),
                let name = remote[lacking].facts.name,
                let declared = file.environment(name), let sibling = having.first, let key = keys[sibling][path],
                // A section that is missing as a whole is told once, not key by key.
                path.split(separator: ".").dropLast().isEmpty
                    || keys[lacking][String(path.prefix(upTo: path.lastIndex(of: ".") ?? path.startIndex))] != nil,
                !isRemoved(path, in: declared)
            else { return nil }
            var problem = Diagnostic(
                .environmentParity,
                "environment \(name.quoted) lacks \(path.quoted), which all the others set",
                at: file.document.place(declared.key)
            )
            .related(file.document.place(key), "set here, for instance")
            .about(path)
            problem.environments = [name]
            return problem
        }
    }

    /// The paths of an environment's keys, two levels deep: sections and their settings.
    private func keyPaths(of root: NodeID) -> [String: NodeID] {
        var paths: [String: NodeID] = [:]
        for entry in file.document.entries(root) {
            let section = file.document.text(entry.key)
            guard !section.hasPrefix("x-") else { continue }
            paths[section] = entry.key
            for inner in file.document.entries(entry.value) {
                paths["\(section).\(file.document.text(inner.key))"] = inner.key
            }
        }
        return paths
    }

    /// Whether the environment removes the key itself, which says that it means it.
    private func isRemoved(_ path: String, in environment: LayeredFile.Declared) -> Bool {
        environment.chain.contains { name in
            guard let link = file.environment(name) else { return false }
            let steps = path.split(separator: ".").map(String.init)
            return (1...steps.count).contains { depth in
                file.document.node(at: steps.prefix(depth), from: link.node).map {
                    file.document.kind($0) == .plain && CoreScalar(file.document.bytes($0)) == .null
                } ?? false
            }
        }
    }
}
