import Synchronization
import WireBase
import WireConfig
import WireHTTP
import WireService
import WireTelemetry

/// The access control of the local API: checks each request and passes it to the services.
final class AccessControl: Responder, CallerTokens {
    /// The derived settings, in one object since every request reads them.
    private final class Orders: Sendable {
        let socket: SocketCallerAccess
        let address: AddressAccess
        let rate: RateLimit
        let origins: Set<String>

        init(socket: SocketCallerAccess, address: AddressAccess, rate: RateLimit, origins: Set<String>) {
            self.socket = socket
            self.address = address
            self.rate = rate
            self.origins = origins
        }
    }

    private let facilities: LocalAPIFacilities
    private let sessions: ConsoleSessions
    private let clock: TimeSource
    private let refusals: MetricFamily<Counter>
    private let orders: Mutex<(settings: LocalAPISection, tokens: APITokens, names: Set<String>, orders: Orders?)>

    init(
        _ settings: LocalAPISection,
        _ facilities: LocalAPIFacilities,
        _ sessions: ConsoleSessions,
        tokens: APITokens,
        clock: TimeSource,
        metrics: Metrics
    ) {
        self.facilities = facilities
        refusals = metrics.counters(
            "corewire_api_refusals",
            "Requests to the local API that access control rejected, by status.",
            by: ["code"]
        )
        for status in [Status.unauthorized, .forbidden, .tooManyRequests] { _ = refusals.with("\(status.code)") }
        self.sessions = sessions
        self.clock = clock
        orders = Mutex((settings, tokens, [], nil))
    }

    func change(to settings: LocalAPISection, tokens: APITokens) {
        orders.withLock { $0 = (settings, tokens, $0.names, nil) }
    }

    /// Sets the accepted host names: those of the addresses, and those of the file.
    func answerTo(_ addresses: [(host: String, port: Int)]) {
        orders.withLock { orders in
            let names = ["127.0.0.1", "[::1]", "localhost"] + orders.settings.allowedHosts.map(\.description)
            let called = addresses.flatMap { address in
                let own = address.host.contains(":") ? "[\(address.host)]" : address.host
                return (names + [own]).flatMap { ["\($0):\(address.port)"] + (address.port == 80 ? [$0] : []) }
            }
            orders = (orders.settings, orders.tokens, Set(called), nil)
        }
    }

    private var present: Orders {
        orders.withLock { state in
            if let orders = state.orders { return orders }
            let limits = state.settings.limits
            let origins = Set(state.settings.allowedOrigins.map(\.text))
            let orders = Orders(
                socket: SocketCallerAccess(state.settings.access, facilities.accounts),
                address: AddressAccess(
                    names: state.names,
                    origins: origins,
                    tokens: state.tokens,
                    sessions: sessions,
                    wrongTokens: RateLimit(limits.wrongTokens, each: .seconds(60), clock: clock)
                ),
                rate: RateLimit(limits.rate, each: .seconds(1), clock: clock),
                origins: origins
            )
            state.orders = orders
            return orders
        }
    }

    // MARK: Requests

    func exchange(for head: Request) -> Exchange {
        let orders = present
        switch head.caller {
        case .process(let user, let group, _):
            if let problem = orders.socket.problem(with: head) { return refuse(problem) }
            return lead(head, orders, orders.socket.rights(user: user, group: group))
        case .address:
            return fromAddress(head, orders).answering { $0.guarded(for: head, orders.origins) }
        }
    }

    func rights(ofToken token: String, sentBy request: Request) -> Rights? {
        try? present.address.rights(ofToken: token.utf8.span, sentBy: request.caller).get()
    }

    func refusal(ofRequestBy account: String) -> Problem? { refusal(of: account, present) }

    private func refusal(of account: String, _ orders: Orders) -> Problem? {
        guard !orders.rate.consume(account) else { return nil }
        return .tooMany("more requests a second than api.limits.rate", after: .seconds(1))
    }

    private func refuse(_ problem: Problem) -> Exchange { Exchange(refusal(problem)) }

    private func refusal(_ problem: Problem) -> Exchange.Plan {
        let response = problem.response
        refusals.with("\(response.status.code)").add()
        return .answer(response)
    }

    private func fromAddress(_ head: Request, _ orders: Orders) -> Exchange {
        if let problem = orders.address.problem(with: head) { return refuse(problem) }
        if head.method == .options, head.fields["Origin"] != nil { return Exchange(.answer(.preflight)) }
        switch orders.address.rights(of: head) {
        case .failure(let problem): return refuse(problem)
        case .success(var rights):
            // A page cannot set this field without a preflight request, which is answered above.
            rights.isForgeable = head.fields["X-Corewire"] != "1"
            return lead(head, orders, rights)
        }
    }

    private func lead(_ head: Request, _ orders: Orders, _ rights: Rights) -> Exchange {
        if let problem = refusal(of: rights.account, orders) { return refuse(problem) }
        var request = head
        request.rights = rights
        return facilities.dispatcher.exchange(for: request)
    }
}

extension Response {
    /// Adds the headers that keep browsers from sniffing, framing and running foreign code.
    fileprivate func guarded(for head: Request, _ origins: Set<String>) -> Response {
        var response = self
        let isOwnPolicy = response.fields["Content-Security-Policy"] != nil
        response.fields.add(isOwnPolicy ? Self.guards : Self.guardsAndPolicy)
        if let origin = head.fields["Origin"], origins.contains(origin) {
            response.fields.add("Access-Control-Allow-Origin", origin)
            response.fields.add("Vary", "Origin")
            let told = response.fields.all.map(\.name).filter { $0.hasPrefix("Corewire-") || $0 == "Retry-After" }
            if !told.isEmpty { response.fields.add("Access-Control-Expose-Headers", told.joined(separator: ", ")) }
        }
        return response
    }

    private static let guards: Fields = [
        "X-Content-Type-Options": "nosniff", "Cross-Origin-Resource-Policy": "same-origin",
    ]

    private static let guardsAndPolicy: Fields = {
        var fields = guards
        fields.add("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
        return fields
    }()

    /// The response to a preflight request of an allowed origin.
    fileprivate static let preflight = Response(
        .noContent,
        fields: [
            "Access-Control-Allow-Methods": "GET, PUT, POST, DELETE",
            "Access-Control-Allow-Headers":
                "Authorization, Content-Type, Corewire-Max-Age, Corewire-Policy, If-Match, If-None-Match, X-Corewire",
            "Access-Control-Max-Age": "600",
        ]
    )
}
