import Synchronization
import WireBackendContract

/// The realms that services of the file use, and their clients; separate for each environment.
final class RealmRegistry: Sendable {
    /// The common realm: it has the clients that the file lists, and no others.
    static let common = "corewire"
    /// The largest number of realms of an environment, and of clients of a realm.
    private static let limit = 1_000

    private let clients = Mutex<[String: [String: [String: EmbeddedClient]]]>([:])

    func open(_ realm: String, in environment: String) {
        clients.withLock { clients in
            guard (clients[environment]?.count ?? 0) < Self.limit else { return }
            if clients[environment]?[realm] == nil { clients[environment, default: [:]][realm] = [:] }
        }
    }

    func admit(_ client: EmbeddedClient, to realm: String, in environment: String) {
        open(realm, in: environment)
        clients.withLock { clients in
            guard let known = clients[environment]?[realm], known.count < Self.limit || known[client.id] != nil
            else { return }
            clients[environment]?[realm]?[client.id] = client
        }
    }

    func has(_ realm: String, in environment: String) -> Bool {
        realm == Self.common || clients.withLock { $0[environment]?[realm] != nil }
    }

    func client(_ id: String, of realm: String, in environment: String) -> EmbeddedClient? {
        clients.withLock { $0[environment]?[realm]?[id] }
    }

    /// Returns a client by its id alone, with its realm; of several the one in the first realm.
    func client(_ id: String, in environment: String) -> (realm: String, client: EmbeddedClient)? {
        clients.withLock { clients in
            (clients[environment] ?? [:]).sorted { $0.key < $1.key }.lazy
                .compactMap { realm, clients in clients[id].map { (realm, $0) } }.first
        }
    }

    /// Returns the realms, and whether one of their clients permits the password grant.
    func realms(in environment: String) -> [(name: String, takesPasswords: Bool)] {
        clients.withLock { clients in
            (clients[environment] ?? [:]).sorted { $0.key < $1.key }
                .map { ($0.key, $0.value.values.contains { $0.allowsPasswords }) }
        }
    }
}
