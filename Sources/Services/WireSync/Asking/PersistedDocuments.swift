import Synchronization
import WireSecrets

/// The documents that clients of the endpoint have registered with their hash (persisted queries).
final class PersistedDocuments: Sendable {
    private let secrecy: (any CryptoProvider)?
    private let documents = Mutex(RecentlyUsed<String>(entries: 1_000, size: 4 * 1_024 * 1_024))

    init(_ secrecy: (any CryptoProvider)?) { self.secrecy = secrecy }

    func document(_ hash: String) -> String? { documents.withLock { $0[hash.lowercased()] } }

    func forget() { documents.withLock { $0.removeAll() } }

    /// Stores a document; false where the hash is wrong.
    func keep(_ document: String, _ hash: String) -> Bool {
        guard let own = try? secrecy?.digest(Array(document.utf8)).hexadecimal, own == hash.lowercased() else {
            return false
        }
        documents.withLock { $0.keep(document, under: own, size: document.utf8.count) }
        return true
    }
}
