package import WireBase

/// Routes a request to its handler and validates the request by the declaration of the route.
///
/// The table is compiled once. A literal segment takes precedence over `{name}`, and `{name}` over `{name…}`.
package struct Router: Responder {
    private let routes: [CompiledRoute]
    private let trie: RouteTrie
    private let bodyLimit: ByteCount
    private let accessCheck: AccessCheck
    private let mishap: Mishap

    /// Decides whether a caller may use a route; returns the problem, or nil where it may.
    package typealias AccessCheck = @Sendable (Route, Request) -> Problem?
    /// Receives errors that are not a ``Problem``; the caller gets no details.
    package typealias Mishap = @Sendable (Route, any Error) -> Void

    /// Compiles the routes; two routes with the same method that match the same paths are a programming error.
    ///
    /// - Parameters:
    ///   - routes: the routes to serve.
    ///   - bodyLimit: the size limit of collected bodies where the route has none of its own.
    ///   - accessCheck: the access control, called before any other handling.
    ///   - mishap: called with unexpected errors of handlers.
    package init(
        _ routes: [Route],
        bodyLimit: ByteCount = .mebibytes(1),
        accessCheck: @escaping AccessCheck = { _, _ in nil },
        mishap: @escaping Mishap = { _, _ in }
    ) {
        var trie = RouteTrie()
        self.routes = routes.enumerated().map { index, route in
            let pattern = RoutePattern(route.pattern)
            let earlier = trie.insert(pattern, route.method, index)
            precondition(
                earlier == nil,
                "'\(route.method.name) \(route.pattern)' matches the same paths as '\(routes[earlier ?? 0].pattern)'"
            )
            return CompiledRoute(route: route, placeholders: pattern.placeholders)
        }
        self.trie = trie
        self.bodyLimit = bodyLimit
        self.accessCheck = accessCheck
        self.mishap = mishap
    }

    package func exchange(for head: Request) -> Exchange {
        var route: Int?
        var exchange: Exchange
        do throws(Problem) {
            exchange = try plan(head, &route)
        } catch {
            exchange = Exchange(.answer(error.response))
        }
        exchange.route = route
        return exchange
    }

    private func plan(_ head: Request, _ found: inout Int?) throws(Problem) -> Exchange {
        let index = try find(head)
        found = index
        let compiled = routes[index]
        var request = head
        request.parameters = compiled.parameters(of: head.target.segments)
        let route = compiled.route
        if let refusal = accessCheck(route, request) { throw refusal }
        try Self.check(request, against: route)
        try Self.checkQuery(request, of: route.operation)
        let isEmptyObject = route.body.isNone && request.bringsBody
        let plan = isEmptyObject ? planAfterEmptyObject(route, request) : plan(route, request)
        var exchange = route.onBegin.map { hold in Exchange(plan, finished: hold()) } ?? Exchange(plan)
        exchange.runsInline = route.runsInline
        return exchange
    }

    private func find(_ head: Request) throws(Problem) -> Int {
        let segments = head.target.segments
        var allowed: [Method] = []
        if let index = trie.find(segments, head.method, &allowed) { return index }
        guard allowed.isEmpty else {
            throw .methodNotAllowed(head.method, allowed)
        }
        throw .noSuchPath(head.target, nearest: trie.nearestPath(to: segments, head.method))
    }

    // MARK: Planning

    private func plan(_ route: Route, _ request: Request) -> Exchange.Plan {
        let limit: ByteCount? =
            switch route.body {
            case .none: .bytes(0)
            case .collected(_, let own, _), .json(_, let own, _): own ?? bodyLimit
            case .streamed(_, let own): own
            }
        let mishap = mishap
        switch route.handler(of: request) {
        case .snapshot(let handler):
            if case .none = route.body { return .answer(Self.answer(route, mishap) { try handler(request) }) }
            return .collect(upTo: limit ?? bodyLimit) { collected in
                .now(Self.answer(route, mishap) { try handler(request.bringing(collected.body)) })
            }
        case .snapshotOrWork(let handler):
            guard case .none = route.body else {
                return .collect(upTo: limit ?? bodyLimit) { collected in
                    Self.answer(route, mishap) { try handler(request.bringing(collected.body)) }
                }
            }
            switch Self.answer(route, mishap, { try handler(request) }) {
            case .now(let response): return .answer(response)
            case .later(let work): return .collect(upTo: .bytes(0)) { _ in .later(work) }
            }
        case .work(let handler):
            return .collect(upTo: limit ?? bodyLimit) { collected in
                .later { await Self.answer(route, mishap) { try await handler(request.bringing(collected.body)) } }
            }
        case .stream(let handler), .streamOf(_, let handler, _):
            return .stream(upTo: route.body.isStreamed ? limit : nil) { _, body in
                await Self.answer(route, mishap) { try await handler(request, body) }
            }
        }
    }

    /// Accepts `{}` where no body is expected, because many clients send it with each request that changes something.
    private func planAfterEmptyObject(_ route: Route, _ request: Request) -> Exchange.Plan {
        .collect(upTo: .bytes(Self.longestEmptyObject)) { collected in
            let text = String(decoding: collected.body, as: UTF8.self).filter { !$0.isWhitespace }
            guard text.isEmpty || text == "{}" else { return .now(Problem.bodyNotExpected.response) }
            switch plan(route, request) {
            case .answer(let response): return .now(response)
            case .collect(_, let answer): return answer(request)
            case .stream: return .now(Problem.bodyNotExpected.response)
            }
        }
    }

    private static let longestEmptyObject = 64

    private static func answer(_ route: Route, _ mishap: Mishap, _ handle: () throws -> Response) -> Response {
        do {
            return try handle()
        } catch {
            return answer(route, mishap, error)
        }
    }

    /// Runs a handler and turns its errors into responses.
    private static func answer(
        _ route: Route,
        _ mishap: @escaping Mishap,
        _ handle: () throws -> Route.Handler.Quick
    ) -> Exchange.Answer {
        do {
            switch try handle() {
            case .now(let response): return .now(response)
            case .later(let work): return .later { await answer(route, mishap) { try await work() } }
            }
        } catch {
            return .now(answer(route, mishap, error))
        }
    }

    private static func answer(
        _ route: Route,
        _ mishap: Mishap,
        _ handle: () async throws -> Response
    ) async -> Response {
        do {
            return try await handle()
        } catch {
            return answer(route, mishap, error)
        }
    }

    private static func answer(_ route: Route, _ mishap: Mishap, _ error: any Error) -> Response {
        switch error {
        case let problem as Problem: return problem.response
        case let error as any ProblemError: return error.problem.response
        case let body as BodyTooLarge: return Problem.bodyTooLarge(body.limit).response
        case is CancellationError: return Problem.cancelled.response
        default:
            mishap(route, error)
            return Problem.unexpected.response
        }
    }

    // MARK: Validating

    private static func check(_ request: Request, against route: Route) throws(Problem) {
        let (hasBody, rule) = (request.bringsBody, route.body)
        guard !rule.isNone else {
            let length = request.fields["Content-Length"].flatMap { Int($0) } ?? 0
            if hasBody, route.method.isSafe || length > longestEmptyObject { throw .bodyNotExpected }
            return
        }
        guard hasBody, !rule.types.isEmpty else { return }
        let given = request.fields["Content-Type"]
        if let given, rule.types.contains(given) { return }
        let type = given.flatMap { MediaType(parsing: $0) }
        guard let type, rule.types.contains(where: { type.isCovered(by: $0) }) else {
            throw .unsupportedMediaType(given, expected: rule.types)
        }
    }

    /// Rejects unknown query items, so that a misspelled item is not ignored silently.
    private static func checkQuery(_ request: Request, of operation: Operation) throws(Problem) {
        guard !request.target.query.isEmpty else { return }
        let known = operation.inputs.filter { $0.kind == .query }.map(\.name)
        guard !known.contains(Route.Input.anyName) else { return }
        guard let unknown = request.target.query.first(where: { !known.contains($0.name) }) else { return }
        throw .unknownQuery(unknown.name, expected: known)
    }
}

/// A route with the positions of its placeholders.
private struct CompiledRoute: Sendable {
    let route: Route
    let placeholders: [RoutePattern.Placeholder]

    func parameters(of segments: [String]) -> [(name: String, value: String)] {
        placeholders.map { placeholder in
            let value =
                placeholder.takesRest
                ? segments[placeholder.index...].joined(separator: "/") : segments[placeholder.index]
            return (placeholder.name, value)
        }
    }
}

extension Route {
    /// The handler for the media type of the request.
    fileprivate func handler(of request: Request) -> Handler {
        guard case .streamOf(let type, let stream, let other) = handler else { return handler }
        let given = request.fields["Content-Type"].flatMap { MediaType(parsing: $0) }
        return given?.isCovered(by: type) == true ? .stream(stream) : other
    }
}

extension Route.Handler {
    /// Whether its steps are short: one that streams passes bytes on.
    var runsInline: Bool { if case .stream = self { true } else { false } }
}

extension Route.BodyRule {
    fileprivate var isStreamed: Bool { if case .streamed = self { true } else { false } }

    fileprivate var isNone: Bool { if case .none = self { true } else { false } }

    /// The accepted media types; empty accepts any.
    var types: [String] {
        switch self {
        case .none: []
        case .collected(let types, _, _), .streamed(let types, _): types
        case .json: ["application/json"]
        }
    }
}

extension Request {
    /// The request with its body, rights and path parameters.
    fileprivate func bringing(_ body: [UInt8]) -> Self {
        var request = self
        request.body = body
        return request
    }

    /// Whether the head announces a body.
    package var bringsBody: Bool {
        if fields["Transfer-Encoding"] != nil { return true }
        return fields["Content-Length"].map { $0.utf8.contains { $0 != UInt8(ascii: "0") } } ?? false
    }
}
