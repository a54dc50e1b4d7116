import WireBase
package import WireConfig
import WireGraphQL
import WireHTTP
import WireNetworkContract
import WireService
package import WireSyncContract

/// An event for a subscriber.
package enum SyncEvent: Sendable {
    case next(SyncAnswer)
    /// Events may be missing before the next one.
    case gap(SubscriptionEvent.Gap)
    /// The server has rejected the subscription, which ends it.
    case refused([JSONValue])
    /// The subscription has failed, which ends it.
    case failure(SyncFailure)
}

extension SyncService {
    /// Runs a subscription, and reports its connection; for a region, where it was requested for its user.
    func follow(
        _ asked: AskedOperation,
        in region: String? = nil,
        showing show: (@escaping @Sendable () -> SubscriptionLink) -> Void,
        _ tell: @escaping @Sendable (SyncEvent) async -> Bool
    ) async {
        guard requests.offlinePolicy != .returnLocalDataDontLoad else {
            let reason = "a subscription needs the server, and 'network.offlinePolicy' keeps requests on this machine"
            _ = await tell(.failure(SyncFailure(.offline, reason)))
            return
        }
        if let refusal = showRefusal(asked.tokens) {
            _ = await tell(.failure(refusal))
            return
        }
        let request = GraphQLRequest(
            asked.prepared.typedText,
            operationName: asked.prepared.name,
            variables: asked.variables
        )
        // Events belong to the user who asked; a cleared cache is another one of the same user.
        let region = region ?? caches.accounts.region
        subscriptions.follow(caches.accounts.region)
        let subscription = subscriptions.hub.subscribe(request)
        defer { subscription.cancel() }
        show { subscription.link }
        while let event = await subscription.next() {
            guard let cache = await caches.present(in: region) else { break }
            if let refusal = showRefusal(asked.tokens) {
                _ = await tell(.failure(refusal))
                return
            }
            let told: SyncEvent
            switch event {
            case .next(let json): told = await next(json, of: asked, cache)
            case .gap(let gap): told = .gap(gap)
            case .error(let errors): told = .refused(errors)
            case .failed(let reason): told = .failure(SyncFailure(.unreachable, reason))
            case .complete: return
            }
            guard await tell(told), !event.isLast else { return }
        }
        // A client that takes this for the normal end would not subscribe again.
        let reason = "the subscription has ended: the service is stopping, or another user signed in"
        _ = await tell(.failure(SyncFailure(.ending, reason, help: "subscribe again")))
    }

    private func next(_ json: JSONValue, of asked: AskedOperation, _ cache: SyncCache) async -> SyncEvent {
        guard let response = ServerResponse(json) else {
            return .failure(SyncFailure(.malformed, "the server sent an event that is not a GraphQL response"))
        }
        return .next(await keep(response, of: asked, in: cache, since: barrier.times).answer)
    }
}
