package import WireBase

/// An operation of the local API with its handler.
package struct Route: Sendable {
    package let operation: Operation
    package let handler: Handler
    /// Called when a request is routed here, before any handling; the returned closure is called when the response is
    /// sent or the connection is lost.
    package var onBegin: (@Sendable () -> @Sendable () -> Void)?
    /// Whether asynchronous work runs on the listener's own thread, because all of its steps are short.
    package var runsInline = false
    /// Whether a request counts as in flight; one that only looks at the runner would see itself.
    package var isCounted = true
    /// The ``APIHandler`` of an operation declared as an ``APICall``.
    package var callHandler: (any Sendable)?

    package init(_ operation: Operation, _ handler: Handler) {
        self.operation = operation
        self.handler = handler
    }

    package var method: Method { operation.method }
    package var pattern: String { operation.pattern }
    package var summary: String { operation.summary }
    package var access: Access { operation.access }
    package var body: BodyRule { operation.body }

    /// The access level a route needs.
    package enum Access: String, Sendable {
        /// Any caller; for health checks only.
        case anyone
        case read
        case write
        /// Callers that may control the runner: reload, environments, generations.
        case admin
    }

    package enum BodyRule: Sendable {
        /// No body; a request with one is rejected.
        case none
        /// A body collected up to a limit; nil is the default of the API. The schema describes a JSON body.
        case collected(types: [String], upTo: ByteCount? = nil, json: JSONSchema? = nil)
        /// A JSON body collected up to a limit; an empty body counts as an empty object where it is allowed.
        case json(JSONSchema, upTo: ByteCount? = nil, mayBeEmpty: Bool = false)
        /// A body streamed while it arrives.
        case streamed(types: [String], upTo: ByteCount?)
    }

    package enum Handler: Sendable {
        /// Responds from a snapshot, on the listener's own thread; must not block.
        case snapshot(@Sendable (Request) throws -> Response)
        /// Responds from a snapshot on the listener's own thread where possible, and otherwise returns asynchronous
        /// work; a body is collected first.
        case snapshotOrWork(@Sendable (Request) throws -> Quick)
        case work(@Sendable (Request) async throws -> Response)
        case stream(@Sendable (Request, any BodyReader) async throws -> Response)
        /// Streams bodies of one media type without a limit; another handler, which does not stream, serves all other
        /// requests.
        indirect case streamOf(
            String,
            @Sendable (Request, any BodyReader) async throws -> Response,
            orElse: Handler
        )

        /// A finished response, or the work that produces one.
        package enum Quick: Sendable {
            case now(Response)
            case later(@Sendable () async throws -> Response)
        }
    }

    package struct Input: Sendable {
        package enum Kind: String, Sendable { case path, query, header }
        package let kind: Kind
        package let name: String
        package let help: String
        let schema: JSONSchema

        package init(_ kind: Kind, _ name: String, _ help: String, _ schema: JSONSchema = .text) {
            self.kind = kind
            self.name = name
            self.help = help
            self.schema = schema
        }

        /// Accepts any query, for requests that are forwarded.
        package static func anyQuery(_ help: String) -> Input { Input(.query, anyName, help, .anything) }

        static let anyName = "*"
    }

    /// Makes a route outside of a route table.
    package init(
        _ method: Method,
        _ pattern: String,
        _ summary: String,
        access: Access,
        body: BodyRule = .none,
        inputs: [Input] = [],
        _ handler: Handler
    ) {
        self.init(
            Operation(method, pattern, summary, access: access, body: body, inputs: inputs),
            handler
        )
    }
}
