import Corewire
import CorewireCatalogue
import WireBase
import WireHost
import WireTelemetry
import WireTransfer

/// Checks the machine: kernel, limits, libraries, certificate authorities, service manager and journal.
struct HostCheckup {
    private(set) var findings: [Finding] = []

    init(_ file: FileCheckup, _ environment: Environment) {
        kernel()
        limits(file)
        findings.append(.ok("libraries", Libraries.all.map { "\($0.name) \($0.version)" }.joined(separator: ", ")))
        findings.append(
            TransferClient.versions.map { .ok("libraries", $0) }
                ?? .problem("libraries", "without libcurl, no request can be sent", help: "install libcurl4")
        )
        authorities(file)
        checkEnvironment(environment)
    }

    private mutating func kernel() {
        let kernel = KernelFacts.now()
        guard !kernel.missing.isEmpty else {
            findings.append(.ok("kernel", "Linux \(kernel.release), \(KernelFacts.features.joined(separator: ", "))"))
            return
        }
        findings += kernel.missing.map { missing in
            let help =
                missing.feature == "inotify"
                ? "check fs.inotify.max_user_instances: other programs may have used all instances"
                : "a sandbox or container forbids it"
            return .problem("kernel", "\(missing.feature) does not work: \(missing.reason)", help: help)
        }
    }

    private mutating func limits(_ file: FileCheckup) {
        guard let limit = ProcessFacts.now()?.maximalDescriptors else { return }
        // Two per client connection, as many for outgoing ones, and those of the process itself.
        let wanted = 2 * (file.validated.map { RunnerHints.connections(of: $0) } ?? 256) + 256
        guard limit < wanted else {
            findings.append(.ok("limits", "\(limit) open files"))
            return
        }
        findings.append(
            .warning(
                "limits",
                "\(limit) open files, 'api.limits.connections' may need \(wanted)",
                help: "ulimit -n, or LimitNOFILE= in the unit"
            )
        )
    }

    private mutating func authorities(_ file: FileCheckup) {
        let trusted = TrustedAuthorities.ofThisProcess
        if let warning = trusted.warning {
            let help = "set CURL_CA_BUNDLE or SSL_CERT_FILE to a readable PEM file"
            findings.append(
                trusted.isUnreadable
                    ? .problem("authorities", warning, help: help)
                    : .warning("authorities", "\(trusted.file ?? ""); \(warning)", help: help)
            )
            return
        }
        if let path = trusted.file {
            findings.append(.ok("authorities", trusted.variable.map { "\(path), by \($0)" } ?? path))
            return
        }
        let isAlone = file.validated?.facts.backend == .embedded
        let help = "install the package 'ca-certificates'"
        findings.append(
            isAlone
                ? .warning("authorities", "none found, so no outside server can be trusted", help: help)
                : .problem("authorities", "none found, so no server can be trusted", help: help)
        )
    }

    private mutating func checkEnvironment(_ environment: Environment) {
        let facts = HostFacts.now(environment)
        if facts.hasServiceManager {
            findings.append(.ok("service manager", "expects notifications of this process"))
        } else if Files.isFolder("/run/systemd/system") {
            findings.append(
                .ok("service manager", "systemd; a unit has 'Type=notify' and 'ExecReload=kill -HUP $MAINPID'")
            )
        } else {
            findings.append(.ok("service manager", "none detected; stop the runner with SIGTERM"))
        }
        let journal = facts.hasJournal ? "receives this output" : "available"
        let isHere = facts.hasJournal || FileFacts.of("/run/systemd/journal/socket")?.kind == .socket
        findings.append(.ok("journal", isHere ? journal : "none; the runner logs to standard error"))
    }
}
