import CorewireCatalogue
package import WireAddonContract
import WireBackends
package import WireBase
package import WireConfig
package import WireNotificationContract
package import WireSecurity
package import WireService
package import WireTelemetry

/// The options of a run.
package struct RunOptions: Sendable {
    /// The services file.
    package var file: String
    /// The environment, or the URL of an undeclared one; nil for the one chosen last, or the default of the file.
    package var environment: String?
    /// Values that override the file: `path=value`.
    package var overrides: [String] = []
    /// The key that must have signed every file.
    package private(set) var signer: SignerKey?
    package var levels = LogLevels()
    /// The drain timeout.
    package var drainLimit: Duration = .seconds(20)
    /// Whether the process belongs to the runner alone: as the first process of a container it reaps orphans.
    package var reapsOrphans = false

    /// The service for `backend: embedded`.
    package var embeddedServers: any Service.Type = MissingServers.self
    package var services: [any Service.Type] { Shipped.services(embedded: embeddedServers) }

    /// The add-ons of the program, in order of registration.
    package var addons: [any AddonCode] = []
    /// The terminal for notifications; discards them where there is none.
    package var terminal = TerminalNotices { _ in false }

    package init(file: String) {
        self.file = file
    }

    /// Accepts only files signed with an Ed25519 key; the public key has 32 bytes in base64.
    package mutating func takeOnly(signedBy key: String) throws(Misread) { signer = try SignerKey(parsing: key) }
}

/// Why the start failed.
package struct StartFailure: Error, Sendable {
    package enum Kind: Sendable {
        /// The services file is invalid, or refers to something that does not exist here.
        case invalid
        case unreadable
        /// Another runner has the state of this app.
        case taken
        /// The database of the group cannot be reached.
        case away
        /// The state is not usable: damaged, newer, of another user, or not writable.
        case state
        /// A required service did not become ready.
        case service
        /// A security rule prevents the start.
        case guarded
        case host
    }

    package let kind: Kind
    package let reason: String
    package var help: String?
    /// The problems of the file, as text.
    package var diagnostics: String?
    /// The value of the file that causes the failure.
    package var origin: ValueOrigin?

    package init(
        _ kind: Kind,
        _ reason: String,
        help: String? = nil,
        diagnostics: String? = nil,
        origin: ValueOrigin? = nil
    ) {
        (self.kind, self.reason, self.help) = (kind, reason, help)
        (self.diagnostics, self.origin) = (diagnostics, origin)
    }

    /// A failure at a location in the file.
    package init(_ kind: Kind, _ fault: Fault) {
        self.init(kind, fault.reason, help: fault.help, origin: fault.origin)
    }

    /// The message for a person.
    package var text: String {
        var text = diagnostics.map { $0.hasSuffix("\n") ? $0 : "\($0)\n" } ?? ""
        text += "error: \(reason)\n"
        if let origin { text += "  --> \(origin.place) (\(origin.path))\n" }
        if let help { text += "  = help: \(help)\n" }
        return text
    }
}
