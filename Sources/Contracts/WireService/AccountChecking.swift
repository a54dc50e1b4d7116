package import WireBase
import WireConfig

/// Checks the password of the operating-system account that runs the process.
package protocol AccountChecking: Sendable {
    /// Why passwords cannot be checked on this machine; nil where they can.
    var obstacle: String? { get }

    /// Checks a password; a wrong one takes seconds, and every check ends within half a minute.
    ///
    /// Checks are serialized across all callers.
    func check(_ password: Secret<String>) async -> AccountVerdict
}

/// The result of a password check.
package enum AccountVerdict: Sendable, Equatable {
    case right
    case wrong
    /// No decision: the account may not be used now, or the check failed.
    case none(because: String)
}

extension Ability where Value == any AccountChecking {
    package static var accountChecking: Ability<any AccountChecking> { Ability(Provision(.runner, "account checking")) }
}
