package import WireBase
import WireConfig

/// Checks the password of the account this program runs as, by whatever the machine keeps accounts with.
package protocol AccountChecking: Sendable {
    /// Why no password can be checked on this machine; nil where it is worth trying.
    var obstacle: String? { get }

    /// Asks the machine, which takes seconds where the password is wrong; comes back within half a minute in any case.
    ///
    /// One password is checked at a time, whoever asks.
    func judge(_ password: Secret<String>) async -> AccountVerdict
}

/// What the machine says to a password.
package enum AccountVerdict: Sendable, Equatable {
    case right
    case wrong
    /// Neither: the account may not be used now, or nobody could say.
    case none(because: String)
}

extension Ability where Value == any AccountChecking {
    package static var accountChecking: Ability<any AccountChecking> { Ability(Provision(.runner, "account checking")) }
}
