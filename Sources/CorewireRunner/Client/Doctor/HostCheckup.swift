import Corewire
import CorewireCatalogue
import WireBase
import WireHost
import WireTelemetry
import WireTransfer

/// What the machine brings: the kernel, limits, libraries, authorities, who starts and logs.
struct HostCheckup {
    private(set) var findings: [Finding] = []

    init(_ file: FileCheckup, _ environment: Environment) {
        kernel()
        limits(file)
        findings.append(.ok("libraries", Libraries.all.joined(separator: ", ")))
        findings.append(.ok("libraries", TransferClient.library))
        authorities(file)
        surroundings(environment)
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
                ? "look at fs.inotify.max_user_instances: other programs may have used them up"
                : "a sandbox or container forbids it"
            return .problem("kernel", "\(missing.feature) does not work: \(missing.reason)", help: help)
        }
    }

    private mutating func limits(_ file: FileCheckup) {
        guard let limit = ProcessFacts.now()?.maximalDescriptors else { return }
        // Two for each that calls, as many again for what goes out, and what the program itself holds.
        let wanted = 2 * (file.judged.map { RunnerHints.connections(of: $0) } ?? 256) + 256
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
            let help = "let one of CURL_CA_BUNDLE and SSL_CERT_FILE name a readable file in PEM"
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
        let isAlone = file.judged?.facts.backend == .embedded
        let help = "install the package 'ca-certificates'"
        findings.append(
            isAlone
                ? .warning("authorities", "there are none, so no outside server can be trusted", help: help)
                : .problem("authorities", "there are none, so no server can be trusted", help: help)
        )
    }

    private mutating func surroundings(_ environment: Environment) {
        let facts = HostFacts.now(environment)
        if facts.hasServiceManager {
            findings.append(.ok("service manager", "it waits to be told how it goes"))
        } else if Files.isFolder("/run/systemd/system") {
            findings.append(
                .ok("service manager", "systemd; a unit has 'Type=notify' and 'ExecReload=kill -HUP $MAINPID'")
            )
        } else {
            findings.append(.ok("service manager", "none is seen; whatever starts the runner sends SIGTERM to end it"))
        }
        let journal = facts.hasJournal ? "this output goes to it" : "it is here"
        let isHere = facts.hasJournal || FileFacts.of("/run/systemd/journal/socket")?.kind == .socket
        findings.append(.ok("journal", isHere ? journal : "there is none; the runner logs to standard error"))
    }
}
