import Synchronization
import WireBase
import WireConfig
import WireGraphQL
import WireHTTP
import WireService
import WireSyncContract

/// Handles the requests of one client of the endpoint, over a WebSocket or an event stream.
final class LocalResponder: GraphQLResponder {
    private let service: SyncService
    private let request: Request
    private let way: Way
    /// The token sent by the client; checked at each request, since the file may change.
    private let token: Mutex<Secret<String>?>

    /// Limits the unread results of queries and mutations in memory for a client.
    private let places = Places(16)

    /// The transport of the requests.
    enum Way {
        /// As messages, each of which counts.
        case socket
        /// By the HTTP request itself; a safe one, such as GET, changes nothing.
        case stream(isSafe: Bool)
    }

    /// A client without rights sends a token in the payload of `connection_init`.
    init(_ service: SyncService, _ request: Request, _ way: Way) {
        (self.service, self.request, self.way) = (service, request, way)
        token = Mutex(Self.token(request.fields["Authorization"]))
    }

    func admit(_ payload: JSONValue?) async throws(GraphQLRefusal) -> JSONValue? {
        if (request.rights.access ?? .anyone) >= .read { return nil }
        let members = payload?.members ?? []
        // Libraries differ in the spelling of the field.
        let field = members.first { $0.key.lowercased() == "authorization" }?.value.string
        token.withLock { $0 = Self.token(field ?? payload?["headers"]?["Authorization"]?.string) }
        guard let access = rights.access, access >= .read else {
            throw GraphQLRefusal("connection_init requires an app token as 'Authorization': 'Bearer …'")
        }
        return nil
    }

    private static func token(_ field: String?) -> Secret<String>? {
        field.map { Secret($0.hasPrefix("Bearer ") ? String($0.dropFirst(7)) : $0) }
    }

    /// The client's present rights.
    private var rights: Rights {
        guard case .address = request.caller, let tokens = service.host.uses.callers else {
            return request.rights
        }
        guard let token = token.withLock({ $0 }) else { return request.rights }
        return tokens.rights(ofToken: token.reveal(), sentBy: request) ?? .none
    }

    func answer(
        _ request: GraphQLRequest,
        _ give: @escaping @Sendable (JSONValue) async -> Void
    ) async throws(GraphQLRefusal) {
        let rights = rights
        guard let access = rights.access, access >= .read else {
            throw GraphQLRefusal("the token of the connection is no longer valid")
        }
        var isSafe = false
        switch way {
        case .socket:
            if let problem = service.host.uses.callers?.refusal(ofRequestBy: rights.account) {
                throw GraphQLRefusal(GraphQLErrors(problem).errors)
            }
        case .stream(let isOfGet): isSafe = isOfGet
        }
        switch service.subscription(request, rights) {
        case .none:
            // Entered before the work, and left when the result is sent; cancelled work needs no place.
            guard (try? await places.enter()) != nil else { return }
            defer { places.leave() }
            let fields = self.request.fields
            let reply = await service.endpointReply(to: request, fields, rights: rights, isSafe: isSafe)
            guard reply.outcome == .executed else { throw GraphQLRefusal(reply.json["errors"]?.array ?? []) }
            await give(reply.json)
        case .refused(let errors): throw GraphQLRefusal(errors)
        case .asked(let asked): try await subscribe(asked, give)
        }
    }

    private func subscribe(
        _ asked: AskedOperation,
        _ give: @escaping @Sendable (JSONValue) async -> Void
    ) async throws(GraphQLRefusal) {
        let failure = Mutex<GraphQLRefusal?>(nil)
        await service.subscribe(asked) { event in
            switch event {
            case .next(let answer): await give(answer.response)
            case .gap(let gap): await give(gap.response)
            case .refused(let errors): failure.withLock { $0 = GraphQLRefusal(errors) }
            case .failure(let error): failure.withLock { $0 = GraphQLRefusal(GraphQLErrors(error).errors) }
            }
            return true
        }
        if let failure = failure.withLock({ $0 }) { throw failure }
    }
}

extension SubscriptionEvent.Gap {
    /// A result without data, which clients may handle.
    fileprivate var response: JSONValue {
        .members(["data": .null, "extensions": .members(["corewire": .members(["gap": json])])])
    }
}
