package import WireBase

/// One thing the local API can be asked for, and what answers.
package struct Route: Sendable {
    package let operation: Operation
    package let handler: Handler
    /// Called when a request has been led here, before anything of it is done; what it gives is called when the answer has
    /// left, or the connection is gone.
    package var hold: (@Sendable () -> @Sendable () -> Void)?
    /// The ``APIHandler`` of an operation that is declared as a ``APICall``.
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

    /// Who may ask.
    package enum Access: String, Sendable {
        /// Anybody who reaches it: health only.
        case anyone
        case read
        case write
        /// What concerns the runner itself: reload, environments, generations.
        case admin
    }

    package enum BodyRule: Sendable {
        /// None is expected, and one that comes is refused.
        case none
        /// Collected up to a limit; nil is the API's own. The schema describes what comes as JSON.
        case collected(types: [String], upTo: ByteCount? = nil, json: JSONSchema? = nil)
        /// JSON, collected likewise; where it may be empty, that is the same as an object without members.
        case json(JSONSchema, upTo: ByteCount? = nil, mayBeEmpty: Bool = false)
        /// Read as it comes.
        case streamed(types: [String], upTo: ByteCount?)
    }

    package enum Handler: Sendable {
        /// Answers from a snapshot, on the listener's own thread: must not wait.
        case snapshot(@Sendable (Request) throws -> Response)
        /// Answers from a snapshot where it is good enough, on the listener's own thread, and otherwise says what work to wait
        /// for; a body is collected before.
        case snapshotOrWork(@Sendable (Request) throws -> Quick)
        case work(@Sendable (Request) async throws -> Response)
        case stream(@Sendable (Request, any BodyReader) async throws -> Response)
        /// Reads bodies of a media type as they come, without a limit; another handler, which streams nothing, answers all
        /// others.
        indirect case streamOf(
            String,
            @Sendable (Request, any BodyReader) async throws -> Response,
            orElse: Handler
        )

        /// An answer that is there, or the work that comes by it.
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

        /// Whatever query there is, for what is passed on.
        package static func anyQuery(_ help: String) -> Input { Input(.query, anyName, help, .anything) }

        static let anyName = "*"
    }

    /// A route that is made where it is used, and stands in no table.
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
