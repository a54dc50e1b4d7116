import WireAuthContract
import WireService
import WireTelemetry

/// The metrics of a session: tokens given, renewals and sign-ins, by result.
struct AuthMeters: Sendable {
    private let mode: String
    private let given: Counter
    private let tokens: MetricFamily<Counter>
    private let renewals: MetricFamily<Counter>
    private let signIns: MetricFamily<Counter>

    private static let success = "success"

    init(_ metrics: Metrics, _ mode: TokenMode) {
        func family(_ name: String, _ help: String) -> MetricFamily<Counter> {
            metrics.counters("corewire_auth_\(name)", help, by: ["mode", "outcome"])
        }
        self.mode = mode.rawValue
        tokens = family("tokens", "Requests for access tokens, by result.")
        renewals = family("renewals", "Refreshes of access tokens, by result.")
        signIns = family("sign_ins", "Sign-ins, by result.")
        given = tokens.with(mode.rawValue, "given")
        for family in [renewals, signIns] { _ = family.with(mode.rawValue, Self.success) }
    }

    func gaveToken() { given.add() }
    func refusedToken(_ refusal: TokenRefusal) { tokens.with(mode, refusal.reason.rawValue).add() }
    func signedIn(_ failure: SignInFailure? = nil) { signIns.with(mode, failure?.kind.rawValue ?? Self.success).add() }
    func renewed(_ failure: SignInFailure? = nil) { renewals.with(mode, failure?.kind.rawValue ?? Self.success).add() }
}
