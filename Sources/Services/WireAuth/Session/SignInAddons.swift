import WireAddonContract
import WireAuthContract
import WireBase
import WireConfig
import WireService
import WireTelemetry

/// Calls the add-ons that sign users in.
struct SignInAddons: Sendable {
    private let hooks: AddonHooks
    private let log: Log

    /// Nil in a program without add-ons.
    init?(_ host: AuthHost) {
        guard let hooks = host.find(.addonHooks) else { return nil }
        (self.hooks, log) = (hooks, host.log)
    }

    /// Whether an add-on may answer.
    var isHeard: Bool { hooks.isHeard(.signIn) }

    /// Calls the add-ons for a waiting user, with a timeout.
    func ask(_ way: AddonSignIn.Way, patience: Duration) async -> AddonSignInEnd {
        await hooks.signIn(AddonSignIn(way, patience: patience))
    }

    /// The credentials of an add-on for a sign-in without the user; nil where no add-on has any.
    func credentials() async throws(SignInFailure) -> UserCredentials? {
        switch await hooks.signIn(AddonSignIn(.credentials, patience: nil)) {
        case .answered(.credentials(let credentials), _, _): return credentials
        case .answered(.refusal(let reason), let name, _): throw Self.refusal(reason, by: name)
        case .answered(.callback, _, _), .nothing: return nil
        case .nobody: throw Self.absence
        }
    }

    /// Logs a useless answer; the sign-in goes on.
    func logRejection(_ failure: SignInFailure, _ name: String, _ origin: ValueOrigin?) {
        log.warning(
            "the reply of an add-on to a sign-in was rejected",
            [
                "addon": .text(name), "reason": .text(failure.detail),
                "config": origin.map { .text("\($0.path) (\($0.place))") },
            ]
        )
    }

    static func refusal(_ reason: String, by name: String) -> SignInFailure {
        SignInFailure(.accessDenied, "the add-on \(name.quoted) rejected the sign-in: \(reason.shown(upTo: 200))")
    }

    static let absence = SignInFailure(.temporarilyUnavailable, "no add-on handles 'auth.signIn'", setting: .flow)
}
