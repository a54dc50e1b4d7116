import WireConfig
package import WireHTTP

/// Knows the tokens of apps, for protocols that carry them in a message and not in a header field.
package protocol CallerTokens: Sendable {
    /// What a token lets its holder do; nil for a wrong one, of which a caller may send only so many.
    func rights(ofToken token: String, sentBy request: Request) -> Rights?
    /// Counts a request that came in a message against the rate of its account; why it is refused where that is exceeded.
    func refusal(ofRequestBy account: String) -> Problem?
}

extension ServiceAbility where Value == any CallerTokens {
    package static var callerTokens: Self { Self(Provision(.credentials, "callers")) }
}
