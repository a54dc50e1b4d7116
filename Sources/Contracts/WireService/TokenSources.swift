package import WireBase
import WireConfig

/// Where a token comes from that somebody else hands out.
package enum TokenOrigin: Sendable {
    /// Whoever signs people in.
    case auth(TokenMode?)
    /// A file that holds the token and nothing else, relative to the folder of the services file.
    case file(String)
    /// A variable of the environment the program was started in.
    case variable(String)
    /// A program that prints the token, or `{ "token": …, "expiresIn": seconds }`.
    ///
    /// A token that does not say itself when it ends is good for the lifetime.
    case program(ProgramCall, lifetime: Duration)
    /// The app, in Swift.
    case code(@Sendable () async throws -> SuppliedToken)
}

/// A token as its source gave it.
package struct SuppliedToken: Sendable {
    package let value: Secret<String>
    /// Milliseconds since 1970; nil for one that does not tell.
    package let expires: Int64?

    package init(_ value: Secret<String>, expires: Int64? = nil) {
        self.value = value
        self.expires = expires
    }
}

/// Hands out the tokens of one source.
package protocol TokenSupply: Sendable {
    /// A token that is good for so long; a former one that still is good where the source fails.
    ///
    /// However many ask, the source is asked once at a time, and never longer than its time limit. Cancelling ends the
    /// caller's wait alone.
    func token(minimumLifetime: Duration) async throws(Fault) -> SuppliedToken

    /// A server has refused the token: the source is asked anew.
    func refused(_ token: SuppliedToken) async

    /// Why the source failed when it was asked last; nil where it did not.
    var fault: Fault? { get }
}

/// Makes supplies of tokens, for whoever sends requests.
package protocol TokenSources: Sendable {
    /// Faults say that they come from this value of the file.
    func supply(_ origin: TokenOrigin, timeLimit: Duration, from place: ValueOrigin?) -> any TokenSupply
}

extension Ability where Value == any TokenSources {
    package static var tokenSources: Ability<any TokenSources> { Ability(Provision(.runner, "token sources")) }
}
