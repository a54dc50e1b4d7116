import WireBase
import WireConfig
import WireSyncContract

extension Corewire {
    /// How a query uses the cache.
    public enum SyncPolicy: String, Sendable, Hashable {
        /// The cache, and the server on a miss.
        case cacheFirst
        /// The cache, then the server as well.
        case cacheAndNetwork
        /// The server, and the cache where it fails.
        case networkFirst
        /// The server; the response is stored.
        case networkOnly
        /// The cache, never the server.
        case cacheOnly
        /// The server; nothing is stored.
        case noCache

        var policy: CachePolicy? { CachePolicy(rawValue: rawValue) }
    }

    /// The result of an operation: complete, or partial where there are errors too.
    public struct SyncResult<Value: Sendable>: Sendable {
        /// The data; nil where the operation failed as a whole.
        public let data: Value?
        /// The errors of the server.
        public let errors: [SyncResponseError]
        /// Whether the result is from the cache.
        public let isCached: Bool
        /// The age of the oldest cached part.
        public let age: Duration?
        /// Whether the result is older than the file allows, or returned because the server failed.
        public let isStale: Bool

        init(_ answer: SyncAnswer, data: Value?) {
            self.data = data
            errors = (answer.errors ?? []).map(SyncResponseError.init)
            (isCached, isStale) = (answer.source == .cache, answer.isStale)
            age = answer.age.map { .seconds($0) }
        }
    }

    /// An error in a response (GraphQL specification, section 7.1.2).
    public struct SyncResponseError: Sendable, Hashable {
        /// The message of the server.
        public let message: String
        /// The path of the field, with indices as numbers: `["tasks", "3", "title"]`.
        public let path: [String]
        /// The member `extensions.code`, which many servers send.
        public let code: String?

        init(_ json: JSONValue) {
            message = json["message"]?.string ?? ""
            path = (json["path"]?.array ?? []).map { $0.string ?? $0.text() }
            code = json["extensions"]?["code"]?.string
        }
    }
}
