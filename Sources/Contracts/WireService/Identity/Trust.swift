package import WireBase
import WireConfig

/// Knows whether this machine and this process may be trusted with what is a user's.
///
/// Whoever has it is asked before anything is handed out, and is ready before anything else begins.
package protocol Trust: Sendable {
    /// Why nothing of a user's is handed out now; nil where it may be.
    var distrust: Distrust? { get }
    /// The same from now on, beginning with what holds now; ends with the service that knows it.
    func changes() -> AsyncStream<Distrust?>
}

/// Why nothing of a user's is handed out.
package struct Distrust: Error, Sendable, Equatable {
    /// The rule that found something.
    package let rule: String
    /// In words for people: what was found.
    package let reason: String
    /// The line of the file that says so.
    package let origin: ValueOrigin?

    package init(rule: String, reason: String, origin: ValueOrigin?) {
        (self.rule, self.reason, self.origin) = (rule, reason, origin)
    }
}

extension ServiceAbility where Value == any Trust {
    package static var trust: Self { Self(Provision(.trust)) }
}

/// Tells what security rules came to, for whoever passes it on.
package protocol SecurityResults: Sendable {
    /// All results each time rules were applied, beginning with the last ones there are.
    func results() -> AsyncStream<[SecurityResult]>
}

/// What one rule came to.
package struct SecurityResult: Sendable, Equatable {
    /// The name of the rule in the file.
    package let id: String
    /// What it is called: `Debugger Check`.
    package let name: String
    /// Whether what it looks for was found.
    package let isDetected: Bool

    package init(id: String, name: String, isDetected: Bool) {
        (self.id, self.name, self.isDetected) = (id, name, isDetected)
    }
}

extension ServiceAbility where Value == any SecurityResults {
    package static var securityResults: Self { Self(Provision(.trust, "results")) }
}
