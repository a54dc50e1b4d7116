import WireBase
import WireHTTP
import WireNetwork
import WireNetworkContract
import WireService

extension Corewire.Network {
    /// The token of a request; only for the server of the base URL and those of `network.tokenHosts`.
    public enum Authorization: Sendable, Hashable {
        /// The default token of the file, where it has a section for tokens; none for other servers.
        case usual
        case none
        /// The token of the app, of the app with a user, or of the signed-in user; an error for other servers.
        case app, appPlus, user
    }

    /// How stored responses are used.
    public enum OfflinePolicy: Sendable, Hashable {
        /// As the file says.
        case usual
        /// Stored responses are not used, and nothing is stored.
        case none
        /// The server, unless a stored response is fresh; the stored response where the server is not reachable.
        case loadAndStoreLocalData
        /// Stored responses only.
        case returnLocalDataDontLoad
    }

    /// A request to the server of the base URL.
    public struct Request: Sendable {
        /// The method: `GET`, `POST` or another.
        public var method = "GET"
        /// The path below the base URL of the environment, percent-encoded, with its query: `tasks/17?full=1`.
        public var path: String
        /// The header fields, in order.
        public var fields: [(name: String, value: String)] = []
        /// The body; nil for none.
        public var body: [UInt8]?
        /// The token to send.
        public var authorization = Authorization.usual
        /// The offline policy.
        public var offlinePolicy = OfflinePolicy.usual
        /// The number of retries where these are safe, from 0 to 10; nil for that of the file.
        public var retries: Int?
        /// The timeout of one attempt up to the start of the response; nil for that of the file.
        public var timeout: Duration?
        /// Whether the request is safe to repeat, whatever its method.
        public var isRepeatable = false
        /// Whether the response may take unlimited time, as for streams.
        public var isLong = false

        /// Makes a request to a path below the base URL.
        public init(_ method: String = "GET", to path: String) {
            (self.method, self.path) = (method, path)
        }
    }

    /// A response.
    public struct Answer: Sendable {
        /// The source of a response.
        public enum Source: Sendable, Hashable {
            case server
            /// A stored response that is fresh or has just been revalidated.
            case stored(age: Duration)
            /// A stored response, because the server was not available or had no better response.
            case stale(age: Duration)
        }

        /// The status.
        public let status: Int
        /// The header fields, in order.
        public let fields: [(name: String, value: String)]
        /// The source.
        public let source: Source
        /// The number of attempts.
        public let attempts: Int
        /// The waiting time before the request was sent.
        public let waited: Duration
        /// The body as a stream.
        public let body: Body

        /// The first value of a field, ignoring case.
        public subscript(name: String) -> String? {
            fields.first { $0.name.isSameField(as: name) }?.value
        }
    }

    /// The body of a response, which can be read once.
    public struct Body: AsyncSequence, Sendable {
        private let reader: any BodyReader

        init(_ reader: any BodyReader) {
            self.reader = reader
        }

        /// Continues where the last iterator stopped.
        public func makeAsyncIterator() -> Iterator { Iterator(reader) }

        /// Collects the rest of the body; more than the limit is an error.
        @concurrent
        public func collect(upTo limit: Int = 16 << 20) async throws(CorewireError) -> [UInt8] {
            var iterator = makeAsyncIterator()
            var bytes: [UInt8] = []
            while let more = try await iterator.next() {
                guard bytes.count + more.count <= limit else {
                    throw CorewireError(.tooLarge, "the body is larger than \(limit) bytes")
                }
                bytes += more
            }
            return bytes
        }

        /// Reads the body.
        public struct Iterator: AsyncIteratorProtocol {
            private let reader: any BodyReader

            fileprivate init(_ reader: any BodyReader) {
                self.reader = reader
            }

            /// The next available bytes; nil at the end.
            public mutating func next() async throws(CorewireError) -> [UInt8]? {
                do { return try await reader.read() } catch { throw CorewireError(reading: error) }
            }
        }
    }
}

/// An iterator belongs to one reader.
@available(*, unavailable)
extension Corewire.Network.Body.Iterator: Sendable {}

extension Corewire.Network.Authorization {
    var service: ServerCall.Authorization {
        switch self {
        case .usual: .usual
        case .none: .none
        case .app: .token(.app)
        case .appPlus: .token(.appPlus)
        case .user: .token(.user)
        }
    }
}

extension Corewire.Network.Request {
    var call: ServerCall {
        get throws(CorewireError) {
            var options = RequestOptions()
            (options.retries, options.timeout) = (retries, timeout)
            options.offlinePolicy =
                switch offlinePolicy {
                case .usual: nil
                case .none: OfflinePolicy.none
                case .loadAndStoreLocalData: .loadAndStoreLocalData
                case .returnLocalDataDontLoad: .returnLocalDataDontLoad
                }
            try CorewireError.rethrowing(try options.check())
            let parts = path.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            var call = ServerCall(
                Method(method),
                .path(parts[0], query: parts.count > 1 ? parts[1] : nil),
                from: "app"
            )
            call.apply(options)
            call.authorization = authorization.service
            for field in fields { call.fields.add(field.name, field.value) }
            if let body { call.body = .bytes(body) }
            (call.isRepeatable, call.isLong) = (isRepeatable, isLong)
            return call
        }
    }
}

extension Corewire.Network.Answer {
    init(_ answer: ServerAnswer) {
        let source: Source =
            switch answer.source {
            case .server: .server
            case .stored(let age): .stored(age: age)
            case .stale(let age): .stale(age: age)
            }
        self.init(
            status: answer.status.code,
            fields: answer.fields.all,
            source: source,
            attempts: answer.attempts,
            waited: answer.waited,
            body: Corewire.Network.Body(answer.body)
        )
    }
}
