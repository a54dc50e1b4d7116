import WireAddonContract
import WireAuthContract
import WireBase
import WireConfig
import WireService
import WireTelemetry

/// Asks add-ons to sign somebody in.
struct SignInAddons: Sendable {
    private let hooks: AddonHooks
    private let log: Log

    /// Nil in a program without add-ons.
    init?(_ host: AuthHost) {
        guard let hooks = host.find(.addonHooks) else { return nil }
        (self.hooks, log) = (hooks, host.log)
    }

    /// Whether anybody may be there to ask.
    var isHeard: Bool { hooks.isHeard(.signIn) }

    /// Asks on behalf of a person, who waits so long.
    func ask(_ way: AddonSignIn.Way, patience: Duration) async -> AddonSignInEnd {
        await hooks.signIn(AddonSignIn(way, patience: patience))
    }

    /// What an add-on signs in with where nobody has asked; nil where none does that.
    func credentials() async throws(SignInFailure) -> UserCredentials? {
        switch await hooks.signIn(AddonSignIn(.credentials, patience: nil)) {
        case .answered(.credentials(let credentials), _, _): return credentials
        case .answered(.refusal(let reason), let name, _): throw Self.refusal(reason, by: name)
        case .answered(.callback, _, _), .nothing: return nil
        case .nobody: throw Self.absence
        }
    }

    /// An answer was of no use, and the sign-in waits on.
    func note(_ failure: SignInFailure, _ name: String, _ origin: ValueOrigin?) {
        log.warning(
            "what an add-on says to a sign-in is not taken",
            [
                "addon": .text(name), "reason": .text(failure.detail),
                "config": origin.map { .text("\($0.path) (\($0.place))") },
            ]
        )
    }

    static func refusal(_ reason: String, by name: String) -> SignInFailure {
        SignInFailure(.accessDenied, "the add-on \(name.quoted) signs nobody in: \(reason.shown(upTo: 200))")
    }

    static let absence = SignInFailure(.temporarilyUnavailable, "no add-on is there that signs in", setting: .flow)
}
