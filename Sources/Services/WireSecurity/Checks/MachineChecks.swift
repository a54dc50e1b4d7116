import WireBase
import WireConfig
import WireSecurityContract
import WireService

// The checks of rules about the machine and the rights of the process.

extension RootRule {
    static let card = RuleCard(
        title: "Rooted Check",
        condition: "the process has more rights than the app needs",
        reads: "user ids, CapEff in /proc/self/status, write access to system folders and those on PATH",
        advice: """
            An attacker who takes over a privileged process takes over the machine. The rule finds a container that \
            runs as root, which is common and still not advisable: set a user in the image. List required \
            capabilities under 'capabilities'.
            """
    )

    func check(_ context: RuleContext) async throws(Fault) -> RuleFindings {
        let rights = try context.probes.rights()
        var findings = RuleFindings()
        if rights.effectiveUser == 0 {
            findings.evidence.append("the process runs as root")
        } else if rights.user == 0 {
            findings.evidence.append("the process was started by root and can become it again")
        }
        let extra = rights.capabilities.filter { name in !capabilities.contains { $0.text == name } }
        // Root has all capabilities.
        if rights.effectiveUser != 0, !extra.isEmpty {
            findings.evidence.append("the process has \(extra.joined(separator: ", "))")
        }
        guard rights.effectiveUser != 0 else { return findings }
        var told: Set<String> = []
        for folder in folders.map(\.text) + context.probes.programFolders() where told.insert(folder).inserted {
            if context.probes.mayWrite(folder) { findings.evidence.append("the process may write to \(folder)") }
        }
        return findings
    }
}

extension SandboxRule {
    static let card = RuleCard(
        title: "Sandbox Check",
        condition: "the process is not sandboxed",
        reads: "Seccomp and NoNewPrivs in /proc/self/status, the root file system in /proc/self/mountinfo",
        advice: """
            The service unit of corewire sets all three. A program started from a shell has none of them, so use the \
            rule in deployed environments.
            """
    )

    func check(_ context: RuleContext) async throws(Fault) -> RuleFindings {
        let walls = try context.probes.walls()
        return RuleFindings(evidence: expected.filter { !walls.contains($0) }.map { "missing: \($0.help)" })
    }
}

extension EmulatorRule {
    static let card = RuleCard(
        title: "Emulator Check",
        condition: "the machine is of a forbidden kind, or not of a required one",
        reads: "/sys/class/dmi, /proc/cpuinfo, /proc/version, cgroups, namespaces, the variable container",
        advice: """
            Most servers are virtual machines, and many apps run in containers: set 'kinds' to those that this app \
            is never deployed to, and 'require' to those that it always is. The owner of the host can hide all \
            signs.
            """
    )

    func check(_ context: RuleContext) async throws(Fault) -> RuleFindings {
        let found = try context.probes.virtualizations()
        var findings = RuleFindings()
        for (kind, sign) in found where kinds.contains(kind) {
            findings.evidence.append("\(kind.rawValue): \(sign)")
        }
        for kind in expected where !found.contains(where: { $0.kind == kind }) {
            findings.evidence.append("no sign of \(kind.rawValue), which the rule requires")
        }
        return findings
    }
}

extension LockdownRule {
    static let card = RuleCard(
        title: "Lockdown Check",
        condition: "protections of the system are off",
        reads: "/sys/kernel/security, /sys/fs/selinux, AppArmor's profile of this process, EFI variables",
        advice: """
            An active AppArmor is not enough: a profile must be enforced for this process. In a container most of \
            this is not visible, and the rule is inconclusive.
            """
    )

    func check(_ context: RuleContext) async throws(Fault) -> RuleFindings {
        var findings = RuleFindings()
        for protection in expected {
            findings.gather { () throws(Fault) in
                try context.probes.protection(protection) ? [] : ["off: \(protection.help)"]
            }
        }
        return findings
    }
}

extension PlatformRule {
    static let card = RuleCard(
        title: "Platform Version Check",
        condition: "the system is older than the app requires",
        reads: "the version of the kernel, and the time of the last package update",
        advice: """
            Distributions patch old kernels without a new number, so 'kernel' sets what the app requires, and \
            'updatedWithin' how recent the patches must be. An image that is replaced as a whole is as old as its \
            last build.
            """,
        usual: .seconds(3_600)
    )

    func check(_ context: RuleContext) async throws(Fault) -> RuleFindings {
        var findings = RuleFindings()
        findings.gather { () throws(Fault) in
            let release = try context.probes.kernelRelease()
            let numbers = release.prefix { $0.isNumber || $0 == "." }
            let parts = numbers.split(separator: ".").compactMap { Int($0) }
            guard !parts.isEmpty else { throw Fault("unknown version of the kernel \(release.quoted)") }
            return VersionNumber(parts: parts) < kernel ? ["the kernel is \(release), older than \(kernel)"] : []
        }
        if let updatedWithin {
            findings.gather { () throws(Fault) in
                let age = max(0, context.host.clock.wall() - (try context.probes.lastUpdate()))
                let days = age / 86_400_000
                return age > updatedWithin.milliseconds ? ["packages were last updated \(days) days ago"] : []
            }
        }
        return findings
    }
}

extension ScreenLockRule {
    static let card = RuleCard(
        title: "Screen Lock Check",
        condition: "the user's screen is not locked",
        reads: "the session from systemd-logind",
        advice: """
            Desktops inform logind when they lock. A host without a seat has no screen to lock: there the rule is \
            inconclusive, so use it only on desktops.
            """
    )

    func check(_ context: RuleContext) async throws(Fault) -> RuleFindings {
        guard let locks = try context.probes.hasScreenLock() else {
            throw Fault("the user has no graphical session")
        }
        return locks ? .clear : RuleFindings(evidence: ["the desktop does not report locking"])
    }
}

extension ClockRule {
    static let card = RuleCard(
        title: "Clock Check",
        condition: "the clock is wrong",
        reads: "the clock of the C library and that of the kernel, the time at which the services file was written",
        advice: """
            A clock set back makes expired tokens and pins look valid. libfaketime and similar tools are found as a \
            difference to the kernel; a clock set back as a time before the services file was written.
            """,
        isBaseline: true
    )

    func check(_ context: RuleContext) async throws(Fault) -> RuleFindings {
        let clock = try context.probes.clock()
        var findings = RuleFindings()
        let difference = abs(clock.library - clock.kernel)
        if difference > tolerance.milliseconds {
            findings.evidence.append("the clock of the process differs from the kernel's by \(difference / 1_000) s")
        }
        for path in context.ownFiles.files.prefix(1) {
            findings.gather { () throws(Fault) in
                guard let file = try context.probes.file(path), file.changed - clock.library > tolerance.milliseconds
                else { return [] }
                let seconds = (file.changed - clock.library) / 1_000
                return ["the clock is \(seconds) s before the time at which \(path) was written"]
            }
        }
        if requiresServer, clock.isSynchronized == false {
            findings.evidence.append("the clock is not synchronized with a time server")
        } else if requiresServer, clock.isSynchronized == nil {
            findings.doubts.append("the kernel does not report whether the clock is synchronized")
        }
        return findings
    }
}

extension ClearSecretsRule {
    static let card = RuleCard(
        title: "Secrets In Clear Check",
        condition: "the services file contains secrets in clear",
        reads: "the running services file",
        advice:
            "Write a reference instead, '${env:NAME}', '${file:PATH}' or '${credential:NAME}', and change the secret."
    )

    func check(_ context: RuleContext) async throws(Fault) -> RuleFindings {
        RuleFindings(evidence: context.integrity.secretsInClear.map(\.described))
    }
}

extension WeakSettingsRule {
    static let card = RuleCard(
        title: "Weak Settings Check",
        condition: "the services file has settings that are weaker than necessary",
        reads: "the running services file",
        advice:
            "Connections without TLS, tokens in responses and similar: 'corewire validate-config' shows where and why."
    )

    func check(_ context: RuleContext) async throws(Fault) -> RuleFindings {
        RuleFindings(evidence: context.integrity.weakSettings.map(\.described))
    }
}

extension FileIntegrity.Setting {
    fileprivate var described: String { origin.map { "\(text), at \($0.place)" } ?? text }
}
