package import WireBase
import WireConfig

/// Decides whether this machine and this process are trusted with user data.
///
/// Checked before tokens or user data are returned; ready before any other service starts.
package protocol Trust: Sendable {
    /// Why user data is blocked now; nil where it is not.
    var distrust: TrustFailure? { get }
    /// Yields the current state and every change; ends with the service that provides it.
    func changes() -> AsyncStream<TrustFailure?>
}

/// Why user data is blocked.
package struct TrustFailure: Error, Sendable, Equatable {
    /// The rule with a finding.
    package let rule: String
    /// The finding, as a message for users.
    package let reason: String
    /// The services file value that declares the rule.
    package let origin: ValueOrigin?

    package init(rule: String, reason: String, origin: ValueOrigin?) {
        (self.rule, self.reason, self.origin) = (rule, reason, origin)
    }
}

extension ServiceAbility where Value == any Trust {
    package static var trust: Self { Self(Provision(.trust)) }
}

/// Publishes the results of security rules.
package protocol SecurityResults: Sendable {
    /// Yields all results after each evaluation, beginning with the latest ones.
    func results() -> AsyncStream<[SecurityResult]>
}

/// The result of one rule.
package struct SecurityResult: Sendable, Equatable {
    /// The id of the rule in the file.
    package let id: String
    /// The name of the rule: `Debugger Check`.
    package let name: String
    /// Whether the rule has a finding.
    package let isDetected: Bool

    package init(id: String, name: String, isDetected: Bool) {
        (self.id, self.name, self.isDetected) = (id, name, isDetected)
    }
}

extension ServiceAbility where Value == any SecurityResults {
    package static var securityResults: Self { Self(Provision(.trust, "results")) }
}
