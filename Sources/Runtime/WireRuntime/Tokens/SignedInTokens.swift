import Synchronization
import WireBase
import WireConfig
import WireService

/// The tokens of the auth service, which caches and refreshes them itself.
final class SignedInTokens: TokenSupply {
    private let tokens: (any AccessTokens)?
    private let mode: TokenMode?
    private let timeLimit: Duration
    private let place: ValueOrigin?
    private let clock: TimeSource
    private let state = Mutex<(last: AccessToken?, fault: Fault?)>((nil, nil))

    init(
        _ tokens: (any AccessTokens)?,
        mode: TokenMode?,
        timeLimit: Duration,
        place: ValueOrigin?,
        clock: TimeSource
    ) {
        self.tokens = tokens
        self.mode = mode
        self.timeLimit = timeLimit
        self.place = place
        self.clock = clock
    }

    var fault: Fault? { state.withLock { $0.fault } }

    func token(minimumLifetime: Duration) async throws(Fault) -> SuppliedToken {
        do {
            guard let tokens else { throw Fault("no section signs in users", help: "add the section 'auth'") }
            let query = TokenQuery(mode, minimumLifetime: minimumLifetime)
            let token = try await Deadline(limit: timeLimit, clock: clock).run { try await tokens.token(query) }
            state.withLock { $0 = (token, nil) }
            return SuppliedToken(token.value, expires: token.expires)
        } catch {
            var fault =
                switch error {
                case let refusal as TokenRefusal: Fault(refusal.guidance, origin: refusal.origin)
                case Deadline.Missed.passed: Fault("no token within \(timeLimit)")
                default: Fault(error)
                }
            if fault.origin == nil { fault.origin = place }
            let told = fault
            state.withLock { $0.fault = told }
            throw told
        }
    }

    func refused(_ token: SuppliedToken) async {
        guard let last = state.withLock({ $0.last }), last.value.reveal() == token.value.reveal() else { return }
        await tokens?.refused(last)
    }
}
