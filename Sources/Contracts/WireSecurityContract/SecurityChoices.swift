import WireConfig
import WireHTTP

/// The result of a rule.
package enum SecurityOutcome: String, JSONWord, PlainCodable {
    case clear, detected, inconclusive
}

/// The action when a rule detects its condition.
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
        case .report: "list it in the security report"
        case .warn: "list it in the report, log it, and set the status to degraded"
        case .block: "block tokens and user data until the cause is gone"
        case .stop: "stop the runner, or prevent its start"
        }
    }
}

/// The severity of a rule.
package enum SecuritySeverity: String, Choice {
    case low, medium, high, critical

    package var help: String {
        switch self {
        case .low: "worth knowing"
        case .medium: "should be checked"
        case .high: "the app can probably not be trusted here"
        case .critical: "an attack is likely"
        }
    }
}

extension SecurityAction: JSONWord, PlainCodable {
    package static var placeholder: Self { .report }
}

extension SecuritySeverity: JSONWord, PlainCodable {
    package static var placeholder: Self { .low }
}
