import Synchronization
import WireBase
import WireSecrets

/// Who is signed in to the console: by a link that is good once, for a while.
///
/// The page keeps its session and sends it in a field. A cookie would be sent to every web server of this machine: cookies know
/// hosts, and no ports.
final class ConsoleSessions: Sendable {
    static let field = "Corewire-Console"
    static let keyField = "Corewire-Console-Key"
    /// How long a link waits to be opened, and a session lasts.
    private static let linkLife = Duration.seconds(300)
    private static let sessionLife = Duration.seconds(12 * 3_600)
    private static let most = 64

    /// What was handed out, by its digest, and when it ends.
    private typealias Table = [Digest: Duration]

    private let links = Mutex<Table>([:])
    private let sessions = Mutex<Table>([:])
    private let secrecy: any Secrecy
    private let clock: Clockwork

    init(_ secrecy: any Secrecy, clock: Clockwork) {
        self.secrecy = secrecy
        self.clock = clock
    }

    /// A key that opens one session.
    func makeLink() throws -> String {
        let now = clock.monotonic()
        let (key, digest) = try fresh()
        links.withLock { Self.keep(digest, in: &$0, until: now + Self.linkLife, now: now) }
        return key
    }

    /// A session for a key, which is used up; nil for one that is wrong, used or too old.
    func open(with key: String) throws -> String? {
        let digest = try secrecy.digest(Array(key.utf8))
        let now = clock.monotonic()
        guard let end = links.withLock({ $0.removeValue(forKey: digest) }), end > now else { return nil }
        let (session, made) = try fresh()
        sessions.withLock { Self.keep(made, in: &$0, until: now + Self.sessionLife, now: now) }
        return session
    }

    func has(_ session: String) -> Bool {
        guard let digest = try? secrecy.digest(Array(session.utf8)) else { return false }
        let now = clock.monotonic()
        return sessions.withLock { $0[digest].map { $0 > now } ?? false }
    }

    func close(_ session: String) {
        guard let digest = try? secrecy.digest(Array(session.utf8)) else { return }
        sessions.withLock { _ = $0.removeValue(forKey: digest) }
    }

    private func fresh() throws -> (text: String, digest: Digest) {
        let text = Hexadecimal.text(of: try secrecy.random(32))
        return (text, try secrecy.digest(Array(text.utf8)))
    }

    private static func keep(_ digest: Digest, in table: inout Table, until end: Duration, now: Duration) {
        table = table.filter { $0.value > now }
        // Whoever asks for that many has lost them; the oldest goes first.
        if table.count >= most, let oldest = table.min(by: { $0.value < $1.value })?.key { table[oldest] = nil }
        table[digest] = end
    }
}
