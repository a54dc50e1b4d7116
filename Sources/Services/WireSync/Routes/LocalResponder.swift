import Synchronization
import WireBase
import WireConfig
import WireGraphQL
import WireHTTP
import WireService

/// Answers the requests of one client of the endpoint, over a WebSocket or an event stream.
final class LocalResponder: GraphQLResponder {
    private let service: SyncService
    private let request: Request
    private let rights: Mutex<Rights>

    /// A client without rights brings a token in the payload of its `connection_init`.
    init(_ service: SyncService, _ request: Request) {
        (self.service, self.request) = (service, request)
        rights = Mutex(request.rights)
    }

    func admit(_ payload: JSONValue?) async throws(GraphQLRefusal) -> JSONValue? {
        guard rights.withLock({ ($0.access ?? .anyone) < .read }) else { return nil }
        guard let token = Self.token(payload), let found = service.host.find(.callerTokens)?.rights(ofToken: token, sentBy: request),
            let access = found.access, access >= .read
        else { throw GraphQLRefusal("connection_init needs the token of an app as 'Authorization': 'Bearer …'") }
        rights.withLock { $0 = found }
        return nil
    }

    /// Libraries spell the field differently.
    private static func token(_ payload: JSONValue?) -> String? {
        let members = payload?.members ?? []
        let field = members.first { $0.key.lowercased() == "authorization" }?.value.string
            ?? payload?["headers"]?["Authorization"]?.string
        guard let field else { return nil }
        return field.hasPrefix("Bearer ") ? String(field.dropFirst(7)) : field
    }

    func answer(
        _ request: GraphQLRequest,
        _ give: @escaping @Sendable (JSONValue) async -> Void
    ) async throws(GraphQLRefusal) {
        let rights = rights.withLock { $0 }
        switch service.subscription(request, rights) {
        case .none:
            let reply = await service.endpointReply(to: request, rights: rights, isSafe: false)
            guard reply.outcome == .executed else { throw GraphQLRefusal(reply.json["errors"]?.array ?? []) }
            await give(reply.json)
        case .refused(let errors): throw GraphQLRefusal(errors)
        case .asked(let asked):
            let failure = Mutex<GraphQLRefusal?>(nil)
            await service.subscribe(asked) { event in
                switch event {
                case .next(let answer): await give(answer.response)
                case .gap(let gap): await give(gap.response)
                case .refused(let errors): failure.withLock { $0 = GraphQLRefusal(errors) }
                case .failure(let error):
                    failure.withLock { $0 = GraphQLRefusal(GraphQLErrors(error).errors) }
                }
                return true
            }
            if let failure = failure.withLock({ $0 }) { throw failure }
        }
    }
}

extension SubscriptionEvent.Gap {
    /// A result without data, which clients that know of it act on.
    fileprivate var response: JSONValue {
        .members(["data": .null, "extensions": .members(["corewire": .members(["gap": json])])])
    }
}
