package import WireBase

/// One thing the local API can be asked for: where, how, by whom, and what answers.
package struct Route: Sendable {
    package let method: Method
    /// Segments between slashes; `{name}` stands for one, `{name…}` at the end for one or more.
    package let pattern: String
    /// One line for the API's description.
    package let summary: String
    package let access: Access
    package let body: BodyRule
    package let handler: Handler
    /// What the description tells besides: query items and fields it reads.
    package var inputs: [Input] = []

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
        /// Collected up to a limit; nil is the API's own.
        case collected(types: [String], upTo: ByteCount? = nil)
        /// Read as it comes.
        case streamed(types: [String], upTo: ByteCount?)
    }

    package enum Handler: Sendable {
        /// Answers from a snapshot, on the listener's own thread: must not wait.
        case snapshot(@Sendable (Request) throws -> Response)
        case work(@Sendable (Request) async throws -> Response)
        case stream(@Sendable (Request, any BodyReader) async throws -> Response)
    }

    package struct Input: Sendable {
        package enum Kind: String, Sendable { case query, header }
        package let kind: Kind
        package let name: String
        package let help: String

        package init(_ kind: Kind, _ name: String, _ help: String) {
            self.kind = kind
            self.name = name
            self.help = help
        }
    }

    package init(
        _ method: Method,
        _ pattern: String,
        _ summary: String,
        access: Access,
        body: BodyRule = .none,
        inputs: [Input] = [],
        _ handler: Handler
    ) {
        self.method = method
        self.pattern = pattern
        self.summary = summary
        self.access = access
        self.body = body
        self.inputs = inputs
        self.handler = handler
    }
}
