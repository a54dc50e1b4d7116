import Synchronization
import WireBase
import WireConfig
import WireGraphQL
import WireHTTP
import WireNetworkContract
import WireService

/// A request for one subscription, with an event stream as response (graphql-sse, distinct connections).
final class EventStreamConnection: SubscriptionConnection {
    private let settings: SubscriptionSettings
    private let means: SubscriptionMeans
    private let wanted = Mutex<(key: Int, request: GraphQLRequest)?>(nil)
    private let unwanted = OneShot()

    init(_ settings: SubscriptionSettings, _ means: SubscriptionMeans) {
        (self.settings, self.means) = (settings, means)
    }

    func subscribe(_ key: Int, _ request: GraphQLRequest) { wanted.withLock { $0 = $0 ?? (key, request) } }

    func unsubscribe(_ key: Int) { unwanted.fire() }

    func run(until leave: OneShot, _ tell: @escaping @Sendable (ConnectionEvent) -> Void) async -> ConnectionEnd {
        guard let (key, request) = wanted.withLock({ $0 }) else { return .left }
        return await unless(leave) { [unwanted] in
            await unless(unwanted) { await self.read(key, request, tell) } ?? .left
        } ?? .left
    }

    private func read(
        _ key: Int,
        _ request: GraphQLRequest,
        _ tell: @escaping @Sendable (ConnectionEvent) -> Void
    ) async -> ConnectionEnd {
        guard means.requests.offlinePolicy != .returnLocalDataDontLoad else {
            return ConnectionEnd(.fail, "'network.offlinePolicy' keeps requests on this machine")
        }
        let call = call(for: request)
        do throws(CallFailure) {
            let token = try await means.token(for: call)
            tell(.begins)
            let answer = try await means.requests.send(call)
            let type = answer.fields["Content-Type"].flatMap { MediaType(parsing: $0) }?.essence
            guard answer.status == .ok, type == ResponseForm.eventStream.mediaType else {
                return await refused(answer, type, token) { tell(.event(key, .error($0), size: $1)) }
            }
            tell(.ready(goodFor: means.goodFor(token)))
            return await take(answer.body) { tell(.event(key, $0, size: $1)) }
        } catch {
            return ConnectionEnd(error)
        }
    }

    private func call(for request: GraphQLRequest) -> ServerCall {
        var call = ServerCall(.post, .address(settings.address.overHTTP), from: SyncSection.name, at: settings.place)
        call.fields = settings.fields
        call.fields["Content-Type"] = "application/json"
        call.fields["Accept"] = "text/event-stream, application/graphql-response+json;q=0.9, application/json;q=0.8"
        call.fields["Cache-Control"] = "no-store"
        call.body = .bytes(request.json.bytes())
        call.authorization = settings.authorization
        call.deadline = settings.connectionTimeout
        (call.waitsForNetwork, call.retries, call.isLong) = (false, 0, true)
        (call.redirects, call.offlinePolicy) = (.unchanged, OfflinePolicy.none)
        return call
    }

    /// A response that is no stream: GraphQL errors, or only a status.
    private func refused(
        _ answer: ServerAnswer,
        _ type: String?,
        _ token: AccessToken?,
        _ tell: ([JSONValue], Int) -> Void
    ) async -> ConnectionEnd {
        if [ResponseForm.json, .graphQLResponse].contains(where: { $0.mediaType == type }), !answer.status.isTransient,
            let bytes = try? await answer.body.collect(upTo: settings.message),
            let value = try? JSONValue(parsing: bytes, named: "answer", limits: .graphQL(upTo: settings.message)),
            let errors = value["errors"]?.array, !errors.isEmpty
        {
            tell(errors, bytes.count)
            return .left
        }
        let end = ConnectionEnd(answer.status, answer.fields, expected: "an event stream")
        if end.decision == .renewToken, let token { await means.tokens?.refused(token) }
        return end
    }

    private func take(
        _ body: any BodyReader,
        _ tell: (SocketClientSession.Event, Int) -> Void
    ) async -> ConnectionEnd {
        var parser = EventStreamParser(limit: settings.message)
        let limits = ReadingLimits.graphQL(upTo: settings.message)
        var end = ConnectionEnd(.retry, "the stream has ended")
        do {
            while let bytes = try await body.read() {
                for event in try parser.consume(bytes) {
                    end.wasGood = true
                    switch try StreamMessage(event: event.event, data: event.data, limits: limits) {
                    case .next(let result)?: tell(.next(result), event.data.utf8.count)
                    case .complete?:
                        tell(.complete, 0)
                        return end
                    case nil: continue
                    }
                }
            }
        } catch let error as Fault {
            (end.decision, end.reason) = (.fail, "the server sent an invalid GraphQL event: \(error.reason)")
        } catch is BodyTooLarge {
            (end.decision, end.reason) = (.fail, "the server sent an event that exceeds \(settings.message)")
        } catch {
            end.reason = (error as? TransferFailure)?.reason ?? "the stream was interrupted"
        }
        return end
    }
}
