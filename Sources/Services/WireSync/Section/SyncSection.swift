package import WireBase
package import WireConfig
package import WireSyncContract

/// Data by GraphQL: queries and mutations over HTTP, subscriptions over a WebSocket.
package struct SyncSection: Section {
    package static let name = "sync"
    package static let otherNames = ["graphql", "datasync", "apollo"]
    package static let summary =
        "Data by GraphQL: queries, mutations, subscriptions, a cache, and mutations made offline."
    package static let codes = Code.syncCodes
    package static let asks: Set<Provision.Kind> = [.requests, .outbox]

    @Setting package var url: Address
    @Setting package var webSocketURL: Address?
    @Setting package var subprotocol: Subprotocol
    @Setting package var tokenInPayload: Bool
    @Setting package var operations: OperationFiles?
    @Setting package var schema: InputFile?
    @Setting package var only: AcceptedDocuments
    @Setting package var authenticated: Bool
    @Setting package var headers: HeaderMap<HeaderValue>
    @Setting package var secretHeaders: HeaderMap<Secret<String>>
    @Setting package var cache: CacheRules
    @Setting package var queueMutations: Bool
    @Setting package var mutations: Named<MutationRules>
    @Setting package var conflicts: ConflictRules
    @Setting package var subscriptions: Named<DeclaredSubscription>
    @Setting package var delta: Named<DeltaRules>
    @Setting package var persistedQueries: Bool
    @Setting package var queriesByGet: Bool
    @Setting package var uploads: UploadRules?
    @Setting package var reconnect: ReconnectRules
    @Setting package var keepAlive: Duration
    @Setting package var connectionTimeout: Duration

    package init(_ keys: inout Keys) {
        _url = keys.required(
            "url",
            "The GraphQL endpoint.",
            .takes(.endpoint),
            .example("graphql"),
            .standIn(at: "graphql")
        )
        _webSocketURL = keys.optional(
            "webSocketUrl",
            "The endpoint of subscriptions; url with ws in place of http when absent.",
            .takes(.webSocket),
            .example("wss://api.example.com/graphql"),
            .standIn(at: "graphql")
        )
        _subprotocol = keys.value("protocol", "How subscriptions are made.", or: .auto)
        _tokenInPayload = keys.value(
            "tokenInPayload",
            "Whether a WebSocket carries the token in the payload of connection_init as well, as 'Authorization'.",
            or: false
        )
        _operations = keys.optional(
            "operations",
            "The files that hold the operations, as one pattern or a list of them.",
            .example("graphql/*.graphql")
        )
        _schema = keys.optional(
            "schema",
            "The server's schema, for checks without the server and for embedded environments.",
            .example("graphql/schema.graphqls")
        )
        _only = keys.value(
            "only",
            "Which documents are run: 'any' that fits the schema, or those that are 'declared' in files.",
            or: .any
        )
        _authenticated = keys.value(
            "authenticated",
            "Whether requests carry a token of the signed-in user or the app.",
            or: true
        )
        _headers = keys.value(
            "headers",
            "More headers of each request; nothing secret.",
            or: HeaderMap(),
            .example("{ client-name: tasks }")
        )
        _secretHeaders = keys.value(
            "secretHeaders",
            "More headers of each request, whose values no output shows.",
            or: HeaderMap(),
            .example("{ api-key: \"${env:API_KEY}\" }")
        )
        _cache = keys.value("cache", "What is kept of the answers, and when it is used.", or: .placeholder)
        _queueMutations = keys.value(
            "queueMutations",
            "Whether mutations made offline are kept, and sent in their order later.",
            or: false
        )
        _mutations = keys.value(
            "mutations",
            "What is known of single mutations, by the names of their operations.",
            or: Named(),
            .example("{ CreateTask: { adds: [AllTasks] } }")
        )
        _conflicts = keys.value(
            "conflicts",
            "What is done where the server's data have changed since a mutation was made.",
            or: .placeholder
        )
        _subscriptions = keys.value(
            "subscriptions",
            "The subscriptions that run by themselves and fill the cache, by name.",
            or: Named(),
            .example("{ NewTask: { refetch: [AllTasks] } }")
        )
        _delta = keys.value(
            "delta",
            "The types whose objects are kept up to date by delta queries, by type.",
            or: Named(),
            .example("{ Task: { query: ChangedTasks } }")
        )
        _persistedQueries = keys.value(
            "persistedQueries",
            "Whether queries are sent by their hash first (automatic persisted queries).",
            or: false
        )
        _queriesByGet = keys.value(
            "queriesByGet",
            "Whether queries are sent by GET, so that caches on the way can answer them; variables are in the URL then.",
            or: false
        )
        _uploads = keys.optional(
            "uploads",
            "Which files mutations may bring as multipart requests; none are taken without it.",
            .example("{ maxFiles: 4, maxFileSize: 20MiB }")
        )
        _reconnect = keys.value("reconnect", "When a lost WebSocket is opened again.", or: .placeholder)
        _keepAlive = keys.value(
            "keepAlive",
            "How often a silent WebSocket is asked whether it is still there; 0s never asks.",
            or: .seconds(30),
            .in(.zero ... .seconds(3_600))
        )
        _connectionTimeout = keys.value(
            "connectionTimeout",
            "How long opening a WebSocket may take, the server's acknowledgement included.",
            or: .seconds(10),
            .in(.seconds(1) ... .seconds(300))
        )
    }
}

/// The transport of subscriptions; the names of WebSocket subprotocols are those of the libraries, which are swapped
/// on the wire.
package enum Subprotocol: String, Choice {
    case auto, graphqlTransportWs, subscriptionsTransportWs, sse

    package var help: String {
        switch self {
        case .auto: "over a WebSocket: both sub-protocols are offered, the server chooses"
        case .graphqlTransportWs: "graphql-transport-ws, of the library graphql-ws"
        case .subscriptionsTransportWs: "graphql-ws, of the older library subscriptions-transport-ws"
        case .sse: "text/event-stream, a request to url for each (graphql-sse)"
        }
    }
}

/// The documents that are executed.
package enum AcceptedDocuments: String, Choice {
    case any, declared

    package var help: String {
        switch self {
        case .any: "documents of callers too, if they fit the schema"
        case .declared: "the operations of 'sync.operations' and no others"
        }
    }
}

/// The files that a mutation may contain.
package struct UploadRules: Record {
    @Setting package var maxFiles: Int
    @Setting package var maxFileSize: ByteCount

    package init(_ keys: inout Keys) {
        _maxFiles = keys.value("maxFiles", "How many there may be in a request.", or: 10, .in(1...100))
        _maxFileSize = keys.value(
            "maxFileSize",
            "How large each may be.",
            or: .mebibytes(100),
            .in(.kibibytes(1) ... .mebibytes(16_384))
        )
    }
}

/// The rule by which the pages of a list follow each other.
package struct PagedList: Record {
    @Setting package var type: PageType
    @Setting package var offset: ArgumentPath
    @Setting package var limit: ArgumentPath
    @Setting package var items: FieldName?

    package init(_ keys: inout Keys) {
        _type = keys.value("type", "What names a page.", or: .relay)
        _offset = keys.value(
            "offset",
            "The argument with the number of items to skip, such as page.offset.",
            or: ArgumentPath(text: "offset")
        )
        _limit = keys.value(
            "limit",
            "The argument with the number of items to take, such as page.limit.",
            or: ArgumentPath(text: "limit")
        )
        _items = keys.optional(
            "items",
            "The member that holds the list; the field itself when absent.",
            .example("items")
        )
    }
}

/// The arguments that select a page.
package enum PageType: String, Choice {
    case relay, offset

    package var help: String {
        switch self {
        case .relay: "the cursor of the item before it (Relay's connections: first, after)"
        case .offset: "the number of items before it"
        }
    }
}

/// The reconnect of a lost WebSocket.
package struct ReconnectRules: Record {
    @Setting package var min: Duration
    @Setting package var max: Duration
    @Setting package var attempts: Int?

    package init(_ keys: inout Keys) {
        _min = keys.value(
            "min",
            "The first wait; each one after it is twice as long.",
            or: .seconds(1),
            .in(.milliseconds(100) ... .seconds(3_600))
        )
        _max = keys.value("max", "The longest wait.", or: .seconds(60), .in(.seconds(1) ... .seconds(86_400)))
        _attempts = keys.optional(
            "attempts",
            "How many attempts are made before subscriptions fail; without end when absent.",
            .in(0...1_000),
            .example("5")
        )
    }
}

/// The caching of answers.
package struct CacheRules: Record {
    @Setting package var policy: CachePolicy
    @Setting package var maxAge: Duration
    @Setting package var maxSize: ByteCount
    @Setting package var ages: Named<Duration>
    @Setting package var encrypted: Bool
    @Setting package var keyFields: Named<[FieldName]>
    @Setting package var pages: Named<PagedList>

    package init(_ keys: inout Keys) {
        _policy = keys.value("policy", "What a query does that says nothing else.", or: .cacheFirst)
        _maxAge = keys.value(
            "maxAge",
            "How long an answer is used before it counts as missing.",
            or: .seconds(86_400),
            .in(.seconds(1) ... .seconds(365 * 86_400))
        )
        _maxSize = keys.value(
            "maxSize",
            "How much is kept; what was not used for longest goes first.",
            or: .mebibytes(64),
            .in(.mebibytes(1) ... .mebibytes(16_384))
        )
        _ages = keys.value(
            "ages",
            "How long parts of answers are used, by Type or Type.field, in place of maxAge.",
            or: Named(),
            .example("{ Task: 1h, Query.findTasks: 5m }")
        )
        _encrypted = keys.value("encrypted", "Whether what is kept is encrypted.", or: false)
        _keyFields = keys.value(
            "keyFields",
            "The fields that identify an object, by its type. Default: id; an empty list: its place in the answer.",
            or: Named(),
            .example("{ Task: [id] }")
        )
        _pages = keys.value(
            "pages",
            "The lists that come in pages, by Type.field, so that a watcher hears of all of them.",
            or: Named(),
            .example("{ Query.tasks: { type: relay } }")
        )
    }
}
