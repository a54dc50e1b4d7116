import WireBase
import WireConfig
import WireSecurityContract
import WireService

// How rules about the machine and the rights of the process look.

extension RootRule {
    static let card = RuleCard(
        title: "Rooted Check",
        condition: "the process has more rights than the app needs",
        reads: "user ids, CapEff in /proc/self/status, whether system folders and those on PATH can be written to",
        advice: """
            Whoever takes over a process with rights takes over the machine. In a container that runs as root, which is \
            usual and still not wise, this is found: name a user in the image. A capability that is needed stands under \
            'capabilities'.
            """
    )

    func look(_ scene: Scene) async throws(Fault) -> Sighting {
        let rights = try scene.probes.rights()
        var sighting = Sighting()
        if rights.effectiveUser == 0 {
            sighting.evidence.append("the process runs as root")
        } else if rights.user == 0 {
            sighting.evidence.append("the process was started by root and can become it again")
        }
        let extra = rights.capabilities.filter { name in !capabilities.contains { $0.text == name } }
        // What root has is said already.
        if rights.effectiveUser != 0, !extra.isEmpty {
            sighting.evidence.append("the process has \(extra.joined(separator: ", "))")
        }
        guard rights.effectiveUser != 0 else { return sighting }
        var told: Set<String> = []
        for folder in folders.map(\.text) + scene.probes.programFolders() where told.insert(folder).inserted {
            if scene.probes.mayWrite(folder) { sighting.evidence.append("the process may write to \(folder)") }
        }
        return sighting
    }
}

extension SandboxRule {
    static let card = RuleCard(
        title: "Sandbox Check",
        condition: "the process lacks walls the deployment should give it",
        reads: "Seccomp and NoNewPrivs in /proc/self/status, the root file system in /proc/self/mountinfo",
        advice: """
            The service unit that comes with corewire has all three. A program started from a shell has none of them, so \
            the rule belongs into environments that are deployed.
            """
    )

    func look(_ scene: Scene) async throws(Fault) -> Sighting {
        let walls = try scene.probes.walls()
        return Sighting(evidence: expected.filter { !walls.contains($0) }.map { "missing: \($0.help)" })
    }
}

extension EmulatorRule {
    static let card = RuleCard(
        title: "Emulator Check",
        condition: "the machine is what it must not be, or is not what it must be",
        reads: "/sys/class/dmi, /proc/cpuinfo, /proc/version, cgroups, namespaces, the variable container",
        advice: """
            Most servers are virtual machines, and many apps run in containers: say under 'kinds' what this app is never \
            deployed to, and under 'require' what it always is. Whoever owns the host can hide all of the signs.
            """
    )

    func look(_ scene: Scene) async throws(Fault) -> Sighting {
        let found = try scene.probes.virtualizations()
        var sighting = Sighting()
        for (kind, sign) in found where kinds.contains(kind) {
            sighting.evidence.append("\(kind.rawValue): \(sign)")
        }
        for kind in expected where !found.contains(where: { $0.kind == kind }) {
            sighting.evidence.append("no sign of \(kind.rawValue), which the rule requires")
        }
        return sighting
    }
}

extension LockdownRule {
    static let card = RuleCard(
        title: "Lockdown Check",
        condition: "protections of the system are off",
        reads: "/sys/kernel/security, /sys/fs/selinux, AppArmor's profile of this process, EFI variables",
        advice: """
            AppArmor being there is not enough: it takes a profile that is enforced for this very process. In a container \
            most of it cannot be seen, and the rule is inconclusive.
            """
    )

    func look(_ scene: Scene) async throws(Fault) -> Sighting {
        var sighting = Sighting()
        for protection in expected {
            sighting.gather { () throws(Fault) in
                try scene.probes.protection(protection) ? [] : ["not so: \(protection.help)"]
            }
        }
        return sighting
    }
}

extension PlatformRule {
    static let card = RuleCard(
        title: "Platform Version Check",
        condition: "the system is older than the app asks for",
        reads: "the version of the kernel, and when packages were last updated",
        advice: """
            Distributions mend old kernels without raising their number, so 'kernel' says what the app needs and not what \
            is safe; 'updatedWithin' says the latter. An image that is replaced as a whole is as old as its last build.
            """,
        usual: .seconds(3_600)
    )

    func look(_ scene: Scene) async throws(Fault) -> Sighting {
        var sighting = Sighting()
        sighting.gather { () throws(Fault) in
            let release = try scene.probes.kernelRelease()
            let numbers = release.prefix { $0.isNumber || $0 == "." }
            let parts = numbers.split(separator: ".").compactMap { Int($0) }
            guard !parts.isEmpty else { throw Fault("the kernel calls itself \(release.quoted)") }
            return VersionNumber(parts: parts) < kernel ? ["the kernel is \(release), older than \(kernel)"] : []
        }
        if let updatedWithin {
            sighting.gather { () throws(Fault) in
                let age = max(0, scene.host.clock.wall() - (try scene.probes.lastUpdate()))
                let days = age / 86_400_000
                return age > updatedWithin.milliseconds ? ["packages were last updated \(days) days ago"] : []
            }
        }
        return sighting
    }
}

extension ScreenLockRule {
    static let card = RuleCard(
        title: "Screen Lock Check",
        condition: "the screen of the user is not locked when nobody is there",
        reads: "the session as systemd-logind tells it",
        advice: """
            Desktops tell logind when they lock. A host without a seat has no screen to lock: there the rule is \
            inconclusive, and belongs nowhere but on desktops.
            """
    )

    func look(_ scene: Scene) async throws(Fault) -> Sighting {
        guard let locks = try scene.probes.hasScreenLock() else {
            throw Fault("the user has no session at a screen here")
        }
        return locks ? .clear : Sighting(evidence: ["the desktop does not tell of locking"])
    }
}

extension ClockRule {
    static let card = RuleCard(
        title: "Clock Check",
        condition: "the clock is far off",
        reads: "the clock of the C library beside that of the kernel, when the services file was written",
        advice: """
            A clock set back makes tokens and pins that have ended look fresh. libfaketime and its like are seen as a \
            difference to the kernel; a clock set back as one that shows a time before the services file was written.
            """,
        isBaseline: true
    )

    func look(_ scene: Scene) async throws(Fault) -> Sighting {
        let clock = try scene.probes.clock()
        var sighting = Sighting()
        let difference = abs(clock.library - clock.kernel)
        if difference > tolerance.milliseconds {
            sighting.evidence.append("the process sees a clock \(difference / 1_000) s away from the kernel's")
        }
        for path in scene.own.files.prefix(1) {
            sighting.gather { () throws(Fault) in
                guard let file = try scene.probes.file(path), file.changed - clock.library > tolerance.milliseconds
                else { return [] }
                let seconds = (file.changed - clock.library) / 1_000
                return ["the clock is \(seconds) s before the time at which \(path) was written"]
            }
        }
        if requiresServer, clock.isSynchronized == false {
            sighting.evidence.append("no time server sets the clock")
        } else if requiresServer, clock.isSynchronized == nil {
            sighting.doubts.append("the kernel does not say whether a time server sets the clock")
        }
        return sighting
    }
}

extension ClearSecretsRule {
    static let card = RuleCard(
        title: "Secrets In Clear Check",
        condition: "secrets stand in the services file as they are",
        reads: "the services file as it runs",
        advice:
            "Write a reference instead, '${env:NAME}', '${file:PATH}' or '${credential:NAME}', and change the secret."
    )

    func look(_ scene: Scene) async throws(Fault) -> Sighting {
        Sighting(evidence: scene.standing.secretsInClear.map(\.described))
    }
}

extension WeakSettingsRule {
    static let card = RuleCard(
        title: "Weak Settings Check",
        condition: "the services file allows what is weaker than it need be",
        reads: "the services file as it runs",
        advice:
            "Connections without TLS, tokens in answers and the like: 'corewire validate-config' says where and why."
    )

    func look(_ scene: Scene) async throws(Fault) -> Sighting {
        Sighting(evidence: scene.standing.weakSettings.map(\.described))
    }
}

extension FileStanding.Setting {
    fileprivate var described: String { origin.map { "\(text), at \($0.place)" } ?? text }
}
