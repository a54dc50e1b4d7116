/// The declaration of a local API operation: path, method, access, inputs and responses, without the handler.
///
/// The router validates requests by this declaration, and the API description is generated from it.
package struct Operation: Sendable {
    package let method: Method
    /// The path pattern; `{name}` matches one segment, `{name…}` at the end one or more.
    package let pattern: String
    /// A one-line summary for the API description.
    package let summary: String
    package let access: Route.Access
    package let body: Route.BodyRule
    /// The path parameters, query items and header fields; any other query item is rejected.
    package let inputs: [Route.Input]
    /// The declared responses, besides those that any operation can return; built for descriptions only.
    package var answers: [Answer] { makeAnswers() }
    private let makeAnswers: @Sendable () -> [Answer]
    /// Whether third-party clients call the operation: a token in `Authorization` replaces the `X-Corewire` field.
    ///
    /// A web page of another origin can send neither without a CORS preflight. The body must be JSON, which no form
    /// sends.
    package let isForForeignClients: Bool

    package init(
        _ method: Method,
        _ pattern: String,
        _ summary: String,
        access: Route.Access,
        body: Route.BodyRule = .none,
        inputs: [Route.Input] = [],
        answers: @autoclosure @escaping @Sendable () -> [Answer] = [],
        isForForeignClients: Bool = false
    ) {
        self.method = method
        self.pattern = pattern
        self.summary = summary
        self.access = access
        self.body = body
        self.inputs = inputs
        makeAnswers = answers
        self.isForForeignClients = isForForeignClients
    }

    /// One declared response.
    package struct Answer: Sendable {
        let status: Status
        let help: String
        let content: Content
        /// Response fields specific to this operation.
        var fields: [(name: String, help: String)] = []

        enum Content: Sendable {
            case nothing
            case json(JSONSchema)
            case other(type: String)
            /// A problem of a kind; `carrying` describes its extension members.
            case problem(kind: String, carrying: JSONSchema?)
        }

        package static func nothing(_ status: Status, _ help: String) -> Answer {
            Answer(status: status, help: help, content: .nothing)
        }

        package static func json(_ schema: JSONSchema, _ help: String, status: Status = .ok) -> Answer {
            Answer(status: status, help: help, content: .json(schema))
        }

        /// A body that is not JSON; only its media type is described.
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

/// Routes declared in one table, each an operation with its handler, before the group itself exists.
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

/// An operation and its handler in a route group.
package struct RouteEntry<Group: Sendable>: Sendable {
    package let operation: Operation
    fileprivate let handler: @Sendable (Group) -> Route.Handler
    fileprivate private(set) var calls: (@Sendable (Group) -> any Sendable)?
    fileprivate private(set) var runsInline = false
    fileprivate private(set) var isCounted = true

    package init(_ operation: Operation, _ handler: @escaping @Sendable (Group) -> Route.Handler) {
        (self.operation, self.handler) = (operation, handler)
    }

    /// The entry for a handler whose work runs on the listener's own thread: all of its steps must be short.
    package var inline: RouteEntry {
        var entry = self
        entry.runsInline = true
        return entry
    }

    /// The entry for a handler that only looks at the runner: its requests do not count as in flight.
    package var uncounted: RouteEntry {
        var entry = self
        entry.isCounted = false
        return entry
    }

    /// An entry that also has an ``APIHandler``, for callers in the same process.
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
                return segment.isEmpty || segment.hasPrefix("{") ? nil : String(segment)
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
            route.runsInline = entry.runsInline || route.handler.runsInline
            route.isCounted = entry.isCounted
            return route
        }
    }
}
