package import WireConfig
package import WireSecurityContract

/// More rights than the app needs.
package struct RootRule: SecurityRule {
    package let reaction: Reaction
    @Setting package var folders: [AbsolutePath]
    @Setting package var capabilities: [Capability]

    package init(_ keys: inout Keys) {
        reaction = Reaction(&keys, severity: .high, "MASVS-RESILIENCE-1")
        _folders = keys.value(
            "folders",
            "Folders that must not be writable for the process, besides those on PATH.",
            or: ["/", "/etc", "/usr"].map(AbsolutePath.init(known:))
        )
        _capabilities = keys.value(
            "capabilities",
            "Allowed capabilities; user id 0 and other capabilities are reported.",
            or: [],
            .example("[CAP_NET_BIND_SERVICE]")
        )
    }

    var search: SecuritySearch { SecuritySearch(items: ["0"]) }
}

/// A process that is not sandboxed as required.
package struct SandboxRule: SecurityRule {
    package let reaction: Reaction
    @Setting package var expected: [Wall]

    package init(_ keys: inout Keys) {
        reaction = Reaction(&keys, severity: .low, "MASVS-RESILIENCE-1")
        _expected = keys.value("require", "Required protections.", or: [.seccomp, .noNewPrivileges])
    }

    var search: SecuritySearch { SecuritySearch(items: expected.map(\.rawValue), places: [$expected]) }
}

/// A machine that is virtual, or a container.
package struct EmulatorRule: SecurityRule {
    package let reaction: Reaction
    @Setting package var kinds: [Virtualization]
    @Setting package var expected: [Virtualization]

    package init(_ keys: inout Keys) {
        reaction = Reaction(&keys, severity: .low, "MASVS-RESILIENCE-1")
        _kinds = keys.value(
            "kinds",
            "Forbidden kinds of machine; omit those that the app is deployed to.",
            or: [.virtualMachine, .wsl, .gvisor]
        )
        _expected = keys.value("require", "Required kinds of machine.", or: [], .example("[container]"))
    }

    var search: SecuritySearch {
        SecuritySearch(items: (kinds + expected).map(\.rawValue), places: [$kinds, $expected])
    }
}

/// Protections of the system that are off.
package struct LockdownRule: SecurityRule {
    package let reaction: Reaction
    @Setting package var expected: [Protection]

    package init(_ keys: inout Keys) {
        reaction = Reaction(&keys, severity: .low, "MASVS-RESILIENCE-1")
        _expected = keys.value(
            "require",
            "Protections that must all be on.",
            or: [.mandatoryAccessControl]
        )
    }

    var search: SecuritySearch { SecuritySearch(items: expected.map(\.rawValue), places: [$expected]) }
}

/// A system configured for development.
package struct DeveloperRule: SecurityRule {
    package let reaction: Reaction
    @Setting package var minPtraceScope: Int
    @Setting package var allowsUnprivilegedBPF: Bool

    package init(_ keys: inout Keys) {
        reaction = Reaction(&keys, severity: .low, "MASVS-RESILIENCE-4")
        _minPtraceScope = keys.value(
            "minPtraceScope",
            "Minimum restriction of tracing (kernel.yama.ptrace_scope).",
            or: 1,
            .in(0...3)
        )
        _allowsUnprivilegedBPF = keys.value(
            "unprivilegedBpf",
            "Whether all users may load programs into the kernel (kernel.unprivileged_bpf_disabled).",
            or: false
        )
    }

    var search: SecuritySearch {
        SecuritySearch(
            items: minPtraceScope > 0 || !allowsUnprivilegedBPF ? ["sysctl"] : [],
            places: [$minPtraceScope, $allowsUnprivilegedBPF]
        )
    }
}

/// Memory that a crash may write to a file.
package struct CoreDumpRule: SecurityRule {
    package let reaction: Reaction
    @Setting package var deny: Bool

    package init(_ keys: inout Keys) {
        reaction = Reaction(&keys, "MASVS-STORAGE-2")
        _deny = keys.value(
            "deny",
            "Whether the process forbids its own core dumps at its start (RLIMIT_CORE).",
            or: true
        )
    }

    var search: SecuritySearch { SecuritySearch(items: ["core"]) }
}

/// A system that is too old.
package struct PlatformRule: SecurityRule {
    package let reaction: Reaction
    @Setting package var kernel: VersionNumber
    @Setting package var updatedWithin: Duration?

    package init(_ keys: inout Keys) {
        reaction = Reaction(&keys, "MASVS-CODE-1")
        _kernel = keys.required("kernel", "Minimum version of the kernel.", .example("\"6.1\""))
        _updatedWithin = keys.optional(
            "updatedWithin",
            "Maximum age of the last package update.",
            .in(.seconds(86_400) ... .seconds(3_650 * 86_400)),
            .example("60d")
        )
    }

    var search: SecuritySearch { SecuritySearch(items: [kernel.description], places: [$kernel]) }
}

/// A version of the app that was switched off: the kill switch of AeroGear's mobile security service.
package struct AppVersionRule: SecurityRule {
    package let reaction: Reaction
    @Setting package var url: Address
    @Setting package var offline: OfflineVersion

    package init(_ keys: inout Keys) {
        reaction = Reaction(&keys, severity: .high, "MASVS-CODE-2")
        _url = keys.required(
            "url",
            "URL of the security service; /api/init is appended.",
            .takes(.root),
            .example("https://security.example.com"),
            .standIn(at: "api")
        )
        _offline = keys.value("offline", "Result when the service cannot be reached.", or: .lastAnswer)
    }

    var search: SecuritySearch { SecuritySearch(items: [url.text], places: [$url]) }
}

/// The result where the security service cannot be reached.
package enum OfflineVersion: String, Choice {
    case lastAnswer, inconclusive

    package var help: String {
        switch self {
        case .lastAnswer: "the last response; without one the version may run"
        case .inconclusive: "inconclusive: 'onInconclusive' decides"
        }
    }
}
