package import WireBase
import WireConfig

/// The source of a token that another party issues.
package enum TokenOrigin: Sendable {
    /// The auth service of the runner.
    case auth(TokenMode?)
    /// A file that contains only the token; relative to the folder of the services file.
    case file(String)
    /// An environment variable of the process.
    case variable(String)
    /// A program that prints the token, or `{ "token": …, "expiresIn": seconds }`.
    ///
    /// A token without `expiresIn` is valid for `lifetime`.
    case program(ProgramCall, lifetime: Duration)
    /// Swift code of the app.
    case code(@Sendable () async throws -> SuppliedToken)
}

/// A token from its source.
package struct SuppliedToken: Sendable {
    package let value: Secret<String>
    /// The expiry in milliseconds since 1970; nil where it is unknown.
    package let expires: Int64?

    package init(_ value: Secret<String>, expires: Int64? = nil) {
        self.value = value
        self.expires = expires
    }
}

/// Provides the tokens of one source.
package protocol TokenSupply: Sendable {
    /// Returns a token valid for at least the given time; where the source fails, an earlier token that is still valid.
    ///
    /// Concurrent callers share one request to the source, which has its own timeout. Cancelling ends only the wait of
    /// the caller.
    func token(minimumLifetime: Duration) async throws(Fault) -> SuppliedToken

    /// Reports that a server has rejected the token, so that the source is asked for a new one.
    func refused(_ token: SuppliedToken) async

    /// Why the last request to the source failed; nil where it succeeded.
    var fault: Fault? { get }
}

/// Makes token supplies for services that send requests.
package protocol TokenSources: Sendable {
    /// Makes a supply; its faults refer to the given value of the file.
    func supply(_ origin: TokenOrigin, timeLimit: Duration, from place: ValueOrigin?) -> any TokenSupply
}

extension Ability where Value == any TokenSources {
    package static var tokenSources: Ability<any TokenSources> { Ability(Provision(.runner, "token sources")) }
}
