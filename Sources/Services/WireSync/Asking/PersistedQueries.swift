import WireConfig
import WireSecrets

/// Automatic persisted queries: a query is identified by the SHA-256 of its document, and sent whole where the server
/// does not know it.
struct PersistedQueries: Sendable {
    let secrecy: any CryptoProvider

    init(_ secrecy: any CryptoProvider) { self.secrecy = secrecy }

    func hash(of document: String) -> String? { try? secrecy.digest(Array(document.utf8)).hexadecimal }

    func extensions(_ hash: String) -> [(key: String, value: JSONValue)] {
        [("persistedQuery", .members(["version": .integer(1), "sha256Hash": .string(hash)]))]
    }

    /// Whether the server needs the whole document: it does not know the hash, or stores no documents.
    func isUnknown(_ response: ServerResponse) -> Bool {
        response.data == nil
            && response.errors.contains { error in
                Self.messages.contains(error["message"]?.string ?? "")
                    || Self.codes.contains(error["extensions"]?["code"]?.string ?? "")
            }
    }

    private static let messages: Set<String> = ["PersistedQueryNotFound", "PersistedQueryNotSupported"]
    private static let codes: Set<String> = ["PERSISTED_QUERY_NOT_FOUND", "PERSISTED_QUERY_NOT_SUPPORTED"]
}
