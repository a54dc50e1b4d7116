package import WireBase
package import WireConfig

/// The programs with hooks in corewire, by name and in the order of the file.
package struct AddonsSection: NamedSection {
    package static let name = "addons"
    package static let summary =
        "Programs with hooks in corewire: they are informed of events, and may change them."
    package static let codes = Code.addonCodes

    /// The add-ons, in the order in which they are asked.
    package let items: Named<Addon>

    package init(_ items: Named<Addon>) {
        self.items = items
    }
}

/// A program that is started with the runner and speaks JSON lines over its standard input and output.
package struct Addon: Record {
    @Setting package var exec: Command
    @Setting package var isRequired: Bool
    @Setting package var hooks: [AddonHook]
    @Setting package var timeout: Duration
    @Setting package var onSilence: AddonSilence
    @Setting package var startTimeout: Duration
    @Setting package var maxMessageSize: ByteCount
    @Setting package var env: VariableMap<String>
    @Setting package var secrets: VariableMap<Secret<String>>
    @Setting package var restart: RestartPolicy

    package init(_ keys: inout Keys) {
        _exec = keys.required(
            "exec",
            "Program with its arguments, run without a shell.",
            .example("[./audit-addon]")
        )
        _isRequired = keys.value(
            "required",
            "Whether the runner requires the add-on; without an optional add-on it is degraded.",
            or: true
        )
        _hooks = keys.value("hooks", "Hooks of the add-on.", or: [.lifecycle], .notEmpty)
        _timeout = keys.value(
            "timeout",
            "Timeout of a response, after which 'onSilence' applies.",
            or: .seconds(5),
            .in(.milliseconds(10) ... .seconds(300))
        )
        _onSilence = keys.value(
            "onSilence",
            "Handling of requests and notifications when the add-on does not run, times out or responds invalidly.",
            or: .pass
        )
        _startTimeout = keys.value(
            "startTimeout",
            "Timeout until the add-on is ready.",
            or: .seconds(10),
            .in(.milliseconds(100) ... .seconds(300))
        )
        _maxMessageSize = keys.value(
            "maxMessageSize",
            "Maximum length of a line that the add-on writes.",
            or: .mebibytes(1),
            .in(.kibibytes(1) ... .mebibytes(64))
        )
        _env = keys.value(
            "env",
            "Environment variables of the add-on, besides PATH, HOME, LANG and TZ.",
            or: VariableMap(),
            .example("{ AUDIT_LEVEL: full }")
        )
        _secrets = keys.value(
            "secrets",
            "Environment variables of the add-on with secret values.",
            or: VariableMap(),
            .example("{ AUDIT_KEY: \"${credential:audit-key}\" }")
        )
        _restart = keys.value("restart", "Condition for a restart, with backoff.", or: .onFailure)
    }
}

/// A hook of add-ons; the names follow the add-on protocols of HALO.
package enum AddonHook: String, Choice {
    case lifecycle, environment, device, notifications, network, deepLinks, auth

    package var help: String {
        switch self {
        case .lifecycle: "the runner starts, is ready, drains and stops"
        case .environment: "the environment is about to change, and has changed"
        case .device: "the device is about to be registered, which the add-on may change, and was registered"
        case .notifications: "a push token arrived or failed, a notification arrived, the user responded to one"
        case .network: "a request is about to be sent, and was sent; with its duration, without its token"
        case .deepLinks: "a link is opened; the add-on may handle the link"
        case .auth:
            "a user is about to sign in, which the add-on may handle, and a user signed in or out; without tokens"
        }
    }
}

/// The result where an add-on that decides does not answer.
package enum AddonSilence: String, Choice {
    case pass, refuse

    package var help: String {
        switch self {
        case .pass: "the request or notification continues"
        case .refuse: "the request is rejected, the notification is not shown"
        }
    }
}

/// When a program that has ended is restarted.
package enum RestartPolicy: String, Choice {
    case never, onFailure, always

    package var help: String {
        switch self {
        case .never: "the add-on is not restarted"
        case .onFailure: "after an exit status other than 0, or a signal"
        case .always: "after any exit"
        }
    }
}
