import WireBase

/// The rules across environments.
struct CrossEnvironmentRules {
    let file: LayeredFile
    let validated: [FileValidator.ValidatedEnvironment]

    func problems() -> [Diagnostic] {
        foreignHosts() + missingInOne()
    }

    // MARK: Hosts

    /// Reports URLs of one environment at the base host of another.
    private func foreignHosts() -> [Diagnostic] {
        // Two environments per host suffice: at least one of them is another environment.
        var hosts: [String: [String]] = [:]
        for environment in validated {
            guard let url = environment.facts.baseURL, !url.isLoopback, let name = environment.facts.name,
                hosts[url.host, default: []].count < 2
            else { continue }
            hosts[url.host, default: []].append(name)
        }
        return validated.flatMap { environment -> [Diagnostic] in
            guard let name = environment.facts.name, let own = environment.facts.baseURL else { return [] }
            return environment.addresses.compactMap { use in
                guard !use.isProxy, let host = use.address.absolute?.host, host != own.host,
                    let other = hosts[host]?.first(where: { $0 != name }),
                    let declared = file.environment(other)
                else { return nil }
                var problem = Diagnostic(
                    .foreignHost,
                    "\(use.path) in environment \(name.quoted) is at the host of environment \(other.quoted)",
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

    /// Reports keys that all remote environments but one have.
    private func missingInOne() -> [Diagnostic] {
        let remote = validated.filter { $0.facts.backend == .remote && $0.facts.name != nil }
        guard remote.count >= 3 else { return [] }
        var owners: [String: Owners] = [:]
        for (index, environment) in remote.enumerated() {
            for (path, key) in keyPaths(of: environment.written) { owners[path, default: Owners(key)].add(index) }
        }
        return owners.filter { $0.value.count == remote.count - 1 }.sorted { $0.key < $1.key }.compactMap {
            path,
            having in
            let lacking = remote[remote.count * (remote.count - 1) / 2 - having.sum]
            guard let name = lacking.facts.name, let declared = file.environment(name),
                // A missing section is reported once, not for each key.
                hasSection(of: path, in: lacking.written), !isRemoved(path, in: declared)
            else { return nil }
            let key = having.key
            var problem = Diagnostic(
                .environmentParity,
                "environment \(name.quoted) does not set \(path.quoted), which all other environments set",
                at: file.document.place(declared.key)
            )
            .related(file.document.place(key), "set here")
            .about(path)
            problem.environments = [name]
            return problem
        }
    }

    /// The environments with a key: their count, the sum of their numbers, and the key in the first of them.
    private struct Owners {
        let key: NodeID
        private(set) var count = 0
        private(set) var sum = 0

        init(_ key: NodeID) {
            self.key = key
        }

        mutating func add(_ index: Int) {
            count += 1
            sum += index
        }
    }

    /// Whether an environment has the section of a key; true for a section itself.
    private func hasSection(of path: String, in root: NodeID) -> Bool {
        let steps = path.split(separator: ".", maxSplits: 1)
        return steps.count < 2 || file.document.entry(String(steps[0]), of: root) != nil
    }

    /// The key paths of an environment, two levels deep: sections and their settings.
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

    /// Whether the environment removes the key explicitly.
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
