import WireConfig
package import WireHTTP

/// Verifies API tokens of apps, for protocols that carry them in a message and not in a header field.
package protocol CallerTokens: Sendable {
    /// The rights for a token; nil for a wrong one. The number of wrong tokens of one caller is limited.
    func rights(ofToken token: String, sentBy request: Request) -> Rights?
    /// Counts a request within a connection against the rate limit of its account; returns a problem where it is
    /// exceeded.
    func refusal(ofRequestBy account: String) -> Problem?
}

extension ServiceAbility where Value == any CallerTokens {
    package static var callerTokens: Self { Self(Provision(.credentials, "callers")) }
}
