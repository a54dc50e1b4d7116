import WireBase
import WireHTTP
import WireNetwork
import WireNetworkContract
import WireService

extension Corewire.Network {
    /// Whose token goes along with a request: to the server of the base URL and those of `network.tokenHosts` alone.
    public enum Authorization: Sendable, Hashable {
        /// That of the mode the file names, where it has a section that gives tokens; none to any other server.
        case usual
        case none
        /// The app's own, the app's with the user, the signed-in user's; a request to any other server is refused.
        case app, appPlus, user
    }

    /// What stored answers are for.
    public enum OfflinePolicy: Sendable, Hashable {
        /// As the file says.
        case usual
        /// Nothing is stored, nothing stored is given.
        case none
        /// The server is asked, unless what is stored is fresh; what is stored stands in where it cannot be reached.
        case loadAndStoreLocalData
        /// Only what is stored is given.
        case returnLocalDataDontLoad
    }

    /// A request to the server that the base URL names.
    public struct Request: Sendable {
        /// `GET`, `POST` or another.
        public var method = "GET"
        /// What follows the base URL of the environment, percent-encoded, with its query: `tasks/17?full=1`.
        public var path: String
        /// Its header fields, in their order.
        public var fields: [(name: String, value: String)] = []
        /// Its body; none where nil.
        public var body: [UInt8]?
        /// Whose token goes along.
        public var authorization = Authorization.usual
        /// What stored answers are for.
        public var offlinePolicy = OfflinePolicy.usual
        /// How often it is repeated where that is safe, from 0 to 10; as the file says where nil.
        public var retries: Int?
        /// How long one attempt may take until the answer begins; as the file says where nil.
        public var timeout: Duration?
        /// Whether sending it twice is as good as once, whatever its method.
        public var isRepeatable = false
        /// Whether its answer may come for as long as it likes, as streams do.
        public var isLong = false

        /// A request to what follows the base URL.
        public init(_ method: String = "GET", to path: String) {
            (self.method, self.path) = (method, path)
        }
    }

    /// What came back.
    public struct Answer: Sendable {
        /// Where it came from.
        public enum Source: Sendable, Hashable {
            case server
            /// What is stored, and the server allows or has confirmed.
            case stored(age: Duration)
            /// What is stored, because the server could not be asked or had no better answer.
            case stale(age: Duration)
        }

        /// The status.
        public let status: Int
        /// Its header fields, in their order.
        public let fields: [(name: String, value: String)]
        /// Where it came from.
        public let source: Source
        /// How often the request was sent.
        public let attempts: Int
        /// How long the request waited before it was sent.
        public let waited: Duration
        /// What follows, as it comes.
        public let body: Body

        /// The first value under a name, in whatever case.
        public subscript(name: String) -> String? {
            fields.first { $0.name.isSameField(as: name) }?.value
        }
    }

    /// The body of an answer, which is read once.
    public struct Body: AsyncSequence, Sendable {
        private let reader: any BodyReader

        init(_ reader: any BodyReader) {
            self.reader = reader
        }

        /// Goes on where the last one has stopped.
        public func makeAsyncIterator() -> Iterator { Iterator(reader) }

        /// All that is still to come; more than the limit is an error.
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

        /// What reads the body.
        public struct Iterator: AsyncIteratorProtocol {
            private let reader: any BodyReader

            fileprivate init(_ reader: any BodyReader) {
                self.reader = reader
            }

            /// The next bytes, as many as there are; nil at the end.
            public mutating func next() async throws(CorewireError) -> [UInt8]? {
                do { return try await reader.read() } catch { throw CorewireError(reading: error) }
            }
        }
    }
}

/// A place in a body is one reader's.
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
