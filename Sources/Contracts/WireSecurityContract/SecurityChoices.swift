import WireConfig
import WireHTTP

/// Whether a rule has found what it looks for.
package enum SecurityOutcome: String, JSONWord, PlainCodable {
    case clear, detected, inconclusive
}

/// What happens when a rule finds what it looks for.
package enum SecurityAction: String, Choice {
    case report, warn, block, stop

    package var otherWords: [String] {
        switch self {
        case .report: ["log", "info", "notify", "ignore"]
        case .warn: ["warning", "alert"]
        case .block: ["deny", "lock", "refuse"]
        case .stop: ["kill", "exit", "terminate", "abort", "wipe"]
        }
    }

    package var help: String {
        switch self {
        case .report: "it stands in the security report"
        case .warn: "it stands in the report, in the log, and the status is degraded"
        case .block: "nothing of a user's is handed out, no token above all, until the cause is gone"
        case .stop: "the runner stops, or does not start"
        }
    }
}

/// How bad it is when a rule finds what it looks for.
package enum SecuritySeverity: String, Choice {
    case low, medium, high, critical

    package var help: String {
        switch self {
        case .low: "worth knowing"
        case .medium: "worth looking into"
        case .high: "the app can probably not be trusted here"
        case .critical: "somebody is at work"
        }
    }
}

extension SecurityAction: JSONWord, PlainCodable {
    package static var placeholder: Self { .report }
}

extension SecuritySeverity: JSONWord, PlainCodable {
    package static var placeholder: Self { .low }
}
