import WireBase
import WireConfig
import WireSecrets
import WireSecurityContract
import WireService

// The checks of rules about files.

extension FilesRule {
    static let card = RuleCard(
        title: "Suspicious Files Check",
        condition: "files of analysis tools exist",
        reads: "the paths of the rule",
        advice: """
            Files outlive the tool that made them, so one from long ago is found as well. Paths that are normal on \
            Linux, such as /bin/bash or /etc/apt, prove nothing and are not in the default list.
            """,
        isBaseline: true
    )

    func check(_ context: RuleContext) async throws(Fault) -> RuleFindings {
        var findings = RuleFindings()
        var found: [(name: String, evidence: String)] = []
        for pattern in paths.map(\.text) {
            findings.gather { () throws(Fault) in
                for path in try context.probes.paths(matching: pattern) { found.append((pattern, "\(path) is there")) }
                return []
            }
        }
        findings.add(found, allowing: allow)
        return findings
    }
}

extension PortsRule {
    static let card = RuleCard(
        title: "Open Ports Check",
        condition: "a port of an analysis tool is open",
        reads: "the listening sockets from the kernel (sock_diag), or /proc/net/tcp and tcp6",
        advice: """
            27042 and 27043 belong to frida; 1234, 2345, 4444, 5037 and 9229 to debuggers and inspectors, but also \
            to others: a number proves nothing. Only ports of the process's network namespace are visible.
            """,
        isBaseline: true
    )

    func check(_ context: RuleContext) async throws(Fault) -> RuleFindings {
        let open = try context.probes.listeningPorts()
        var findings = RuleFindings()
        let found = ports.map(\.number).filter(open.contains).sorted().map { ("\($0)", "port \($0) is open") }
        findings.add(found, allowing: allow)
        return findings
    }
}

extension IntegrityRule {
    static let card = RuleCard(
        title: "Integrity Check",
        condition: "files have changed",
        reads: "SHA-256 of the files, and whether the program on the disk is the running one",
        advice: """
            Hashes belong to one build: they change with every release, so set them where the release is deployed. \
            After an update the running program differs from the one on the disk, which is found too: restart it.
            """,
        usual: .seconds(600),
        isBaseline: true
    )

    func check(_ context: RuleContext) async throws(Fault) -> RuleFindings {
        var findings = RuleFindings()
        let program = try context.probes.program()
        if program.isReplaced {
            findings.evidence.append("\(program.path) is no longer the file of the program that runs")
        }
        if let place, program.path != place.text {
            findings.evidence.append("the program runs from \(program.path), not from \(place.text)")
        }
        if let executable {
            // The running file, even if moved.
            findings.gather { () throws(Fault) in
                let digest = try context.probes.digest(of: "/proc/self/exe")
                return digest.hexadecimal == executable.hexadecimal
                    ? [] : ["the program has the SHA-256 \(digest.hexadecimal)"]
            }
        }
        for file in files {
            findings.gather { () throws(Fault) in
                let path = Files.path(file.path.path, below: context.host.folder)
                guard try context.probes.file(path) != nil else { return ["\(path) is missing"] }
                let digest = try context.probes.digest(of: path)
                return digest.hexadecimal == file.sha256.hexadecimal
                    ? [] : ["\(path) has the SHA-256 \(digest.hexadecimal)"]
            }
        }
        return findings
    }
}

extension WritableRule {
    static let card = RuleCard(
        title: "Writable Files Check",
        condition: "other users may change files of the app",
        reads: "owner and permissions of the files and of all parent folders",
        advice: """
            A user who may write to a folder may replace files in it, so every folder up to the root is checked; one \
            with the sticky bit, such as /tmp, protects the files of others. A group with the number of the owner is \
            taken for the owner's own.
            """,
        isBaseline: true
    )

    func check(_ context: RuleContext) async throws(Fault) -> RuleFindings {
        var findings = RuleFindings()
        let user = try context.probes.rights().effectiveUser
        let all = context.ownFiles.all + paths.map { (what: "a declared path", path: $0.text) }
        var looked: Set<String> = []
        for (what, path) in all {
            findings.gather { () throws(Fault) in
                let place = try context.probes.destination(of: path)
                var found: [String] = []
                for step in Self.way(to: place) where looked.insert(step).inserted {
                    found += try objections(to: step, isEnd: step == place, what, user, context)
                }
                return found
            }
        }
        return findings
    }

    private func objections(
        to path: String,
        isEnd: Bool,
        _ what: String,
        _ user: UInt32,
        _ context: RuleContext
    ) throws(Fault) -> [String] {
        guard let file = try context.probes.file(path) else { return [] }
        let name = isEnd ? "\(path) (\(what))" : path
        var found: [String] = []
        if file.owner != 0, file.owner != user { found.append("\(name) belongs to user \(file.owner)") }
        let isSticky = file.kind == .folder && file.mode & 0o1000 != 0
        if file.mode & 0o002 != 0, !isSticky { found.append("\(name) is writable for all users (\(file.modeText))") }
        if file.mode & 0o020 != 0, !isSticky, file.group != file.owner, file.group != 0 {
            found.append("\(name) is writable for group \(file.group) (\(file.modeText))")
        }
        return found
    }

    /// A path and all its parent folders, the root first.
    private static func way(to path: String) -> [String] {
        var steps = ["/"]
        var step = ""
        for part in path.split(separator: "/") {
            step += "/\(part)"
            steps.append(step)
        }
        return steps
    }
}

extension LinksRule {
    static let card = RuleCard(
        title: "Symbolic Links Check",
        condition: "paths of the app contain symbolic links",
        reads: "every component of the paths",
        advice: """
            Links of root, such as /bin on Debian, belong to the system and do not count. Others let their owner \
            choose which file is read. If the app is deployed with links, name them under 'allow'.
            """,
        isBaseline: true
    )

    func check(_ context: RuleContext) async throws(Fault) -> RuleFindings {
        var findings = RuleFindings()
        var found: [(name: String, evidence: String)] = []
        for path in context.ownFiles.all.map(\.path) + paths.map(\.text) where path.hasPrefix("/") {
            var step = ""
            for part in path.split(separator: "/") {
                step += "/\(part)"
                let here = step
                findings.gather { () throws(Fault) in
                    guard let file = try context.probes.file(here), file.kind == .link, file.owner != 0 else {
                        return []
                    }
                    let target = try context.probes.destination(of: here)
                    found.append((here, "\(here) leads to \(target)"))
                    return []
                }
            }
        }
        var told: Set<String> = []
        findings.add(found.filter { told.insert($0.evidence).inserted }, allowing: allow)
        return findings
    }
}

extension EncryptionRule {
    static let card = RuleCard(
        title: "Encryption Check",
        condition: "data is on a disk that is not encrypted",
        reads: "/proc/self/mountinfo and the device mapper",
        advice: """
            dm-crypt and encrypting file systems are recognized. A disk that encrypts itself, or an encrypted cloud \
            volume below a virtual machine, is not visible from inside: do not use the rule there, and document why.
            """
    )

    func check(_ context: RuleContext) async throws(Fault) -> RuleFindings {
        var findings = RuleFindings()
        for path in [context.ownFiles.state] + paths.map(\.text) {
            findings.gather { () throws(Fault) in
                let disk = try context.probes.disk(of: path)
                return disk.isEncrypted ? [] : ["\(path) is on \(disk.name), which is not encrypted"]
            }
        }
        return findings
    }
}

extension ProxyRule {
    static let card = RuleCard(
        title: "Proxy Check",
        condition: "traffic between the app and its servers may be intercepted",
        reads: "proxy and certificate variables, certificates beside those of the system, default routes",
        advice: """
            Proxies and private certificate authorities are legitimate in many networks, so the rule is not on by \
            default. Pins (network.pins) protect important servers.
            """
    )

    func check(_ context: RuleContext) async throws(Fault) -> RuleFindings {
        var findings = RuleFindings()
        let present = context.probes.variables()
        for name in variables.map(\.text) {
            for spelling in [name, name.lowercased()] where !(present[spelling] ?? "").isEmpty {
                findings.evidence.append("the variable \(spelling) is set")
            }
        }
        for pattern in authorities {
            findings.add(
                try context.probes.paths(matching: pattern.text).map {
                    ($0, "\($0) is a private certificate authority")
                },
                allowing: allow
            )
        }
        guard vpn else { return findings }
        let tunnels = try context.probes.tunnels().map { (name: $0, evidence: "the default route uses \($0)") }
        findings.add(tunnels, allowing: allow)
        return findings
    }
}
