/// What the local API can be asked for: where, how, by whom, and what is answered; all but the code that answers.
///
/// One declaration decides what is let through to the handler and what the API's description says.
package struct Operation: Sendable {
    package let method: Method
    /// Segments between slashes; `{name}` stands for one, `{name…}` at the end for one or more.
    package let pattern: String
    /// One line for the API's description.
    package let summary: String
    package let access: Route.Access
    package let body: Route.BodyRule
    /// Query items and fields it reads, and what its placeholders stand for; a query item that is none of them is refused.
    package let inputs: [Route.Input]
    /// What is answered, besides what any operation can be answered with.
    package let answers: [Answer]
    /// Whether clients call it that know nothing of this API: a token in `Authorization` takes the place of `X-Corewire`.
    ///
    /// A page of another origin can set neither without asking first. The body must be JSON, which no form can send.
    package let isForForeignClients: Bool

    package init(
        _ method: Method,
        _ pattern: String,
        _ summary: String,
        access: Route.Access,
        body: Route.BodyRule = .none,
        inputs: [Route.Input] = [],
        answers: [Answer] = [],
        isForForeignClients: Bool = false
    ) {
        self.method = method
        self.pattern = pattern
        self.summary = summary
        self.access = access
        self.body = body
        self.inputs = inputs
        self.answers = answers
        self.isForForeignClients = isForForeignClients
    }

    /// One way it is answered.
    package struct Answer: Sendable {
        let status: Status
        let help: String
        let content: Content
        /// Fields that tell something of their own.
        var fields: [(name: String, help: String)] = []

        enum Content: Sendable {
            case nothing
            case json(JSONSchema)
            case other(type: String)
            /// A problem of a kind; `carrying` is what it holds besides.
            case problem(kind: String, carrying: JSONSchema?)
        }

        package static func nothing(_ status: Status, _ help: String) -> Answer {
            Answer(status: status, help: help, content: .nothing)
        }

        package static func json(_ schema: JSONSchema, _ help: String, status: Status = .ok) -> Answer {
            Answer(status: status, help: help, content: .json(schema))
        }

        /// A body that is no JSON: its media type is all that is said.
        package static func body(_ type: String, _ help: String, status: Status = .ok) -> Answer {
            Answer(status: status, help: help, content: .other(type: type))
        }

        package static func problem(
            _ status: Status,
            _ kind: String,
            _ help: String,
            carrying schema: JSONSchema? = nil
        ) -> Answer {
            Answer(status: status, help: help, content: .problem(kind: kind, carrying: schema))
        }

        package func with(_ name: String, _ help: String) -> Answer {
            var answer = self
            answer.fields.append((name, help))
            return answer
        }
    }
}

/// Routes that are declared once, operation and handler together, known before there is anybody to answer them.
///
/// ```swift
/// struct PingRoutes: RouteGroup {
///     static let table: [RouteEntry<Self>] = [
///         .init(.init(.get, "/v1/ping", "Answer.", access: .read, answers: [.nothing(.noContent, "It lives.")])) {
///             .snapshot($0.ping)
///         }
///     ]
/// }
/// ```
package protocol RouteGroup: Sendable {
    static var table: [RouteEntry<Self>] { get }
}

/// An operation, and who of a group answers it.
package struct RouteEntry<Group: Sendable>: Sendable {
    package let operation: Operation
    fileprivate let handler: @Sendable (Group) -> Route.Handler
    fileprivate private(set) var calls: (@Sendable (Group) -> any Sendable)?

    package init(_ operation: Operation, _ handler: @escaping @Sendable (Group) -> Route.Handler) {
        (self.operation, self.handler) = (operation, handler)
    }

    /// One that has an ``APIHandler`` too, for callers in the same process.
    static func make(
        _ operation: Operation,
        _ handler: @escaping @Sendable (Group) -> Route.Handler,
        calls: @escaping @Sendable (Group) -> any Sendable
    ) -> RouteEntry {
        var entry = RouteEntry(operation, handler)
        entry.calls = calls
        return entry
    }
}

extension [Operation] {
    /// The fixed segments that follow a path in the patterns: names of what a placeholder there stands for cannot be these.
    package func words(below path: String) -> Set<String> {
        Set(
            compactMap { operation in
                guard operation.pattern.hasPrefix("\(path)/") else { return nil }
                let segment = operation.pattern.dropFirst(path.count + 1).prefix { $0 != "/" }
                return segment.hasPrefix("{") ? nil : String(segment)
            }
        )
    }
}

extension RouteGroup {
    package static var operations: [Operation] { table.map(\.operation) }

    package var routes: [Route] {
        Self.table.map { entry in
            var route = Route(entry.operation, entry.handler(self))
            route.callHandler = entry.calls?(self)
            return route
        }
    }
}
