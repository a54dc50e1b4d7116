package import WireBase
package import WireConfig

/// Programs that take part in what corewire does, by name and in the order of the file.
package struct AddonsSection: NamedSection {
    package static let name = "addons"
    package static let summary =
        "Programs that take part in what corewire does: they are told, and may change, what happens."
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
            "The program and its arguments; no shell takes part.",
            .example("[./audit-addon]")
        )
        _isRequired = keys.value(
            "required",
            "Whether the runner fails to start without it; otherwise it runs on, degraded.",
            or: true
        )
        _hooks = keys.value("hooks", "What it is told about.", or: [.lifecycle], .notEmpty)
        _timeout = keys.value(
            "timeout",
            "How long it may take to answer; then 'onSilence' holds.",
            or: .seconds(5),
            .in(.milliseconds(10) ... .seconds(300))
        )
        _onSilence = keys.value(
            "onSilence",
            "What becomes of a request or a notification it decides about while it does not run, hangs or answers nonsense.",
            or: .pass
        )
        _startTimeout = keys.value(
            "startTimeout",
            "How long it may take to say that it is ready.",
            or: .seconds(10),
            .in(.milliseconds(100) ... .seconds(300))
        )
        _maxMessageSize = keys.value(
            "maxMessageSize",
            "How long a line it writes may be.",
            or: .mebibytes(1),
            .in(.kibibytes(1) ... .mebibytes(64))
        )
        _env = keys.value(
            "env",
            "Environment variables it gets besides PATH, HOME, LANG and TZ.",
            or: VariableMap(),
            .example("{ AUDIT_LEVEL: full }")
        )
        _secrets = keys.value(
            "secrets",
            "Environment variables it gets and nobody else sees.",
            or: VariableMap(),
            .example("{ AUDIT_KEY: \"${credential:audit-key}\" }")
        )
        _restart = keys.value("restart", "When it is started again, after growing waits.", or: .onFailure)
    }
}

/// What an add-on can be told about; the names follow the add-on protocols of HALO.
package enum AddonHook: String, Choice {
    case lifecycle, environment, device, notifications, network, deepLinks, auth

    package var help: String {
        switch self {
        case .lifecycle: "the runner starts, is ready, drains and stops"
        case .environment: "the environment is about to change, and has changed"
        case .device: "the device is about to be registered, and was registered; it may be changed before"
        case .notifications: "a token came or failed, a notification came in, somebody responded to one"
        case .network: "a request is about to be made, and was made, with the time it took; never its token"
        case .deepLinks: "a link is to be opened; it may say that it opens it"
        case .auth: "somebody is to be signed in, which it may do; a user signed in or out; never the tokens"
        }
    }
}

/// What is done where an add-on that decides does not answer.
package enum AddonSilence: String, Choice {
    case pass, refuse

    package var help: String {
        switch self {
        case .pass: "what it would have decided about goes on"
        case .refuse: "the request is refused, the notification is vetoed"
        }
    }
}

/// When a program that ended is started again.
package enum RestartPolicy: String, Choice {
    case never, onFailure, always

    package var help: String {
        switch self {
        case .never: "it stays ended"
        case .onFailure: "when it ended with a status other than 0, or by a signal"
        case .always: "however it ended"
        }
    }
}
