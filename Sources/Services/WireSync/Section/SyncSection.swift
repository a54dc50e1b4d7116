package import WireBase
package import WireConfig
package import WireSyncContract

/// Data by GraphQL: queries and mutations over HTTP, subscriptions over a WebSocket.
package struct SyncSection: Section {
    package static let name = "sync"
    package static let otherNames = ["graphql", "datasync", "apollo"]
    package static let summary =
        "GraphQL client: queries, mutations and subscriptions, with a cache and queued offline mutations."
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
    @Setting package var secretHeaders: HeaderMap<Secret<HeaderValue>>
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
            "URL of the GraphQL endpoint.",
            .takes(.endpoint),
            .example("graphql"),
            .standIn(at: "graphql")
        )
        _webSocketURL = keys.optional(
            "webSocketUrl",
            "URL of the subscription endpoint. Default: url, with ws instead of http.",
            .takes(.webSocket),
            .example("wss://api.example.com/graphql"),
            .standIn(at: "graphql")
        )
        _subprotocol = keys.value("protocol", "Transport of subscriptions.", or: .auto)
        _tokenInPayload = keys.value(
            "tokenInPayload",
            "Whether to send the token in the payload of connection_init as well, as 'Authorization'.",
            or: false
        )
        _operations = keys.optional(
            "operations",
            "Files with the declared operations, as one pattern or a list.",
            .example("graphql/*.graphql")
        )
        _schema = keys.optional(
            "schema",
            "File with the server's schema, for validation and for the embedded server.",
            .example("graphql/schema.graphqls")
        )
        _only = keys.value(
            "only",
            "Documents that may be run: 'any' that matches the schema, or only 'declared' operations.",
            or: .any
        )
        _authenticated = keys.value(
            "authenticated",
            "Whether to send a token of the signed-in user or the app.",
            or: true
        )
        _headers = keys.value(
            "headers",
            "Additional headers of each request, for values that are not secret.",
            or: HeaderMap(),
            .example("{ client-name: tasks }")
        )
        _secretHeaders = keys.value(
            "secretHeaders",
            "Additional headers of each request, whose values are never shown.",
            or: HeaderMap(),
            .example("{ api-key: \"${env:API_KEY}\" }")
        )
        _cache = keys.value("cache", "Cache of query results.", or: .placeholder)
        _queueMutations = keys.value(
            "queueMutations",
            "Whether to queue mutations and send them in order once the server can be reached.",
            or: false
        )
        _mutations = keys.value(
            "mutations",
            "Rules of single mutations, by operation name.",
            or: Named(),
            .example("{ CreateTask: { adds: [AllTasks] } }")
        )
        _conflicts = keys.value(
            "conflicts",
            "Handling of conflicts between queued mutations and changed data of the server.",
            or: .placeholder
        )
        _subscriptions = keys.value(
            "subscriptions",
            "Subscriptions that the service runs to update the cache, by name.",
            or: Named(),
            .example("{ NewTask: { refetch: [AllTasks] } }")
        )
        _delta = keys.value(
            "delta",
            "Types whose objects are updated by delta queries, by type name.",
            or: Named(),
            .example("{ Task: { query: ChangedTasks } }")
        )
        _persistedQueries = keys.value(
            "persistedQueries",
            "Whether to send the hash of a query first (automatic persisted queries).",
            or: false
        )
        _queriesByGet = keys.value(
            "queriesByGet",
            "Whether to send queries by GET, which HTTP caches can store; the URL then contains the variables.",
            or: false
        )
        _uploads = keys.optional(
            "uploads",
            "File uploads in multipart mutations. Default: uploads are rejected.",
            .example("{ maxFiles: 4, maxFileSize: 20MiB }")
        )
        _reconnect = keys.value("reconnect", "Backoff before a lost WebSocket is reopened.", or: .placeholder)
        _keepAlive = keys.value(
            "keepAlive",
            "Ping interval of an idle WebSocket; 0s disables pings.",
            or: .seconds(30),
            .in(.zero ... .seconds(3_600))
        )
        _connectionTimeout = keys.value(
            "connectionTimeout",
            "Timeout for opening a WebSocket, including the server's acknowledgement.",
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
        case .auto: "WebSocket: both sub-protocols are offered, the server chooses"
        case .graphqlTransportWs: "WebSocket with graphql-transport-ws, the protocol of the library graphql-ws"
        case .subscriptionsTransportWs:
            "WebSocket with graphql-ws, the protocol of the older library subscriptions-transport-ws"
        case .sse: "server-sent events, one request to url for each subscription (graphql-sse)"
        }
    }
}

/// The documents that are executed.
package enum AcceptedDocuments: String, Choice {
    case any, declared

    package var help: String {
        switch self {
        case .any: "any document that matches the schema"
        case .declared: "only operations declared in the files of 'sync.operations'"
        }
    }
}

/// The files that a mutation may contain.
package struct UploadRules: Record {
    @Setting package var maxFiles: Int
    @Setting package var maxFileSize: ByteCount

    package init(_ keys: inout Keys) {
        _maxFiles = keys.value("maxFiles", "Maximum number of files in a request.", or: 10, .in(1...100))
        _maxFileSize = keys.value(
            "maxFileSize",
            "Maximum size of a file.",
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
        _type = keys.value("type", "Pagination scheme.", or: .relay)
        _offset = keys.value(
            "offset",
            "Argument with the number of items to skip, such as page.offset.",
            or: ArgumentPath(text: "offset")
        )
        _limit = keys.value(
            "limit",
            "Argument with the maximum number of items, such as page.limit.",
            or: ArgumentPath(text: "limit")
        )
        _items = keys.optional(
            "items",
            "Member that holds the list. Default: the field itself.",
            .example("items")
        )
    }
}

/// The arguments that select a page.
package enum PageType: String, Choice {
    case relay, offset

    package var help: String {
        switch self {
        case .relay: "cursor of the previous item (Relay connections: first, after)"
        case .offset: "number of items to skip"
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
            "First pause; it doubles with each attempt.",
            or: .seconds(1),
            .in(.milliseconds(100) ... .seconds(3_600))
        )
        _max = keys.value("max", "Longest pause.", or: .seconds(60), .in(.seconds(1) ... .seconds(86_400)))
        _attempts = keys.optional(
            "attempts",
            "Maximum number of attempts before subscriptions fail. Default: unlimited.",
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
        _policy = keys.value("policy", "Cache policy of queries that set none.", or: .cacheFirst)
        _maxAge = keys.value(
            "maxAge",
            "Maximum age of a cached result.",
            or: .seconds(86_400),
            .in(.seconds(1) ... .seconds(365 * 86_400))
        )
        _maxSize = keys.value(
            "maxSize",
            "Maximum size of the cache; the least recently used records are removed first.",
            or: .mebibytes(64),
            .in(.mebibytes(1) ... .mebibytes(16_384))
        )
        _ages = keys.value(
            "ages",
            "Maximum age by Type or Type.field, instead of maxAge.",
            or: Named(),
            .example("{ Task: 1h, Query.findTasks: 5m }")
        )
        _encrypted = keys.value("encrypted", "Whether to encrypt cached records.", or: false)
        _keyFields = keys.value(
            "keyFields",
            "Fields that identify an object, by type. Default: id. An empty list identifies objects by their path.",
            or: Named(),
            .example("{ Task: [id] }")
        )
        _pages = keys.value(
            "pages",
            "Paginated lists by Type.field, whose pages a watch reports as one list.",
            or: Named(),
            .example("{ Query.tasks: { type: relay } }")
        )
    }
}
