import Synchronization
import WireBase
import WireSecrets

/// The sessions of the console, each opened by a link that is valid once and for a limited time.
///
/// The page stores its session and sends it in a header field. A cookie would be sent to every web server of this
/// machine, since cookies ignore ports.
final class ConsoleSessions: Sendable {
    static let field = "Corewire-Console"
    static let keyField = "Corewire-Console-Key"
    /// The lifetimes of links and sessions.
    private static let linkLife = Duration.seconds(300)
    private static let sessionLife = Duration.seconds(12 * 3_600)
    private static let most = 64

    /// The issued keys by digest, with their expiry.
    private typealias Table = [Digest: Duration]

    private let links = Mutex<Table>([:])
    private let sessions = Mutex<Table>([:])
    private let secrecy: any CryptoProvider
    private let clock: TimeSource

    init(_ secrecy: any CryptoProvider, clock: TimeSource) {
        self.secrecy = secrecy
        self.clock = clock
    }

    /// Makes a key that opens one session.
    func makeLink() throws -> String {
        let now = clock.monotonic()
        let (key, digest) = try fresh()
        links.withLock { Self.keep(digest, in: &$0, until: now + Self.linkLife, now: now) }
        return key
    }

    /// Exchanges a key for a session; nil for a wrong, used or expired key.
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
        // Above the limit, the oldest entry is removed.
        if table.count >= most, let oldest = table.min(by: { $0.value < $1.value })?.key { table[oldest] = nil }
        table[digest] = end
    }
}
