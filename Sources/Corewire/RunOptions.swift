import CorewireCatalogue
package import WireAddonContract
import WireBackends
package import WireBase
package import WireConfig
package import WireNotificationContract
package import WireSecurity
package import WireService
package import WireTelemetry

/// What a run of the services is asked for, besides the file.
package struct RunOptions: Sendable {
    /// The services file.
    package var file: String
    /// The environment, or the URL of one that is not declared; otherwise the one chosen last, or the file's own.
    package var environment: String?
    /// Values laid over the file: `path=value`.
    package var overrides: [String] = []
    /// Who must have signed every file that is run.
    package private(set) var signer: SignerKey?
    package var levels = LogLevels()
    /// How long what is in flight may take to end.
    package var drainLimit: Duration = .seconds(20)
    /// Whether the process is the runner's own: as the first one of a container it reaps orphans.
    package var reapsOrphans = false

    /// What runs for `backend: embedded`.
    package var embeddedServers: any Service.Type = MissingServers.self
    package var services: [any Service.Type] { Shipped.services(embedded: embeddedServers) }

    /// Add-ons that are code of the program, in the order in which they were registered.
    package var addons: [any AddonCode] = []
    /// Where notifications appear that are shown in the terminal; nowhere where the program has none.
    package var terminal = TerminalNotices { _ in false }

    package init(file: String) {
        self.file = file
    }

    /// Takes only files signed with an Ed25519 key, whose public half is 32 bytes in base64.
    package mutating func takeOnly(signedBy key: String) throws(Misread) { signer = try SignerKey(parsing: key) }
}

/// Why nothing runs.
package struct StartFailure: Error, Sendable {
    package enum Kind: Sendable {
        /// The services file is not valid, or refers to what is not here.
        case invalid
        case unreadable
        /// Another runner has the state of this app.
        case taken
        /// The state cannot be used: damaged, newer, another user's, not writable.
        case state
        /// A service that must run did not become ready.
        case service
        /// A security rule says that nothing may run here.
        case guarded
        case host
    }

    package let kind: Kind
    package let reason: String
    package var help: String?
    /// The problems of the file, as text for people.
    package var diagnostics: String?

    package init(_ kind: Kind, _ reason: String, help: String? = nil, diagnostics: String? = nil) {
        self.kind = kind
        self.reason = reason
        self.help = help
        self.diagnostics = diagnostics
    }

    /// A failure that points at the file.
    package init(_ kind: Kind, _ fault: Fault) {
        self.init(
            kind,
            fault.reason,
            help: fault.help,
            diagnostics: fault.origin.map { "\($0.path), at \($0.place)" }
        )
    }
}
