import Synchronization
import WireBase
import WireService

/// Who is signed in to the console: by a link that is good once, for a while.
final class ConsoleSessions: Sendable {
    static let cookie = "corewire"
    /// How long a link waits to be opened, and a session lasts.
    private static let linkLife = Duration.seconds(300)
    private static let sessionLife = Duration.seconds(12 * 3_600)
    private static let most = 64

    private struct State {
        /// When what was handed out ends, by its digest.
        var links: [[UInt8]: Duration] = [:]
        var sessions: [[UInt8]: Duration] = [:]
    }

    private let state = Mutex(State())
    private let confidences: any Confidences
    private let clock: Clockwork

    init(_ confidences: any Confidences, clock: Clockwork) {
        self.confidences = confidences
        self.clock = clock
    }

    /// A key that opens one session.
    func makeLink() -> String {
        let key = confidences.randomBytes(32).hexadecimal
        keep(key, in: \.links, for: Self.linkLife)
        return key
    }

    /// A session for a key, which is used up; nil for one that is wrong, used or too old.
    func open(with key: String) -> String? {
        let digest = confidences.digest(of: Array(key.utf8))
        let now = clock.monotonic()
        let isGood = state.withLock { ($0.links.removeValue(forKey: digest) ?? .zero) > now }
        guard isGood else { return nil }
        let session = confidences.randomBytes(32).hexadecimal
        keep(session, in: \.sessions, for: Self.sessionLife)
        return session
    }

    func has(_ session: String) -> Bool {
        let digest = confidences.digest(of: Array(session.utf8))
        let now = clock.monotonic()
        return state.withLock { ($0.sessions[digest] ?? .zero) > now }
    }

    func close(_ session: String) {
        let digest = confidences.digest(of: Array(session.utf8))
        state.withLock { _ = $0.sessions.removeValue(forKey: digest) }
    }

    private func keep(_ text: String, in table: WritableKeyPath<State, [[UInt8]: Duration]> & Sendable, for life: Duration) {
        let digest = confidences.digest(of: Array(text.utf8))
        let now = clock.monotonic()
        state.withLock { state in
            state[keyPath: table] = state[keyPath: table].filter { $0.value > now }
            // Whoever asks for that many has lost them; the oldest go first.
            if state[keyPath: table].count >= Self.most,
                let oldest = state[keyPath: table].min(by: { $0.value < $1.value })?.key
            {
                state[keyPath: table][oldest] = nil
            }
            state[keyPath: table][digest] = now + life
        }
    }
}
