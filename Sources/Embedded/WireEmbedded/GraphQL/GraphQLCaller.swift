import Synchronization
import WireBase
import WireConfig
import WireGraphQL
import WireStore
import WireSyncContract

/// Answers the requests of a WebSocket client.
final class GraphQLCaller: GraphQLResponder {
    private let server: GraphQLServer
    private let origin: Mutex<GraphQLPart.Origin>

    init(server: GraphQLServer, origin: GraphQLPart.Origin) {
        self.server = server
        self.origin = Mutex(origin)
    }

    /// Authenticates the connection by the token in the payload, as by the field `Authorization`.
    func admit(_ payload: JSONValue?) async throws(GraphQLRefusal) -> JSONValue? {
        let member = payload?.members?.first { $0.key.lowercased() == "authorization" }?.value
        guard let text = member?.string else { return nil }
        guard let caller = try? await HaloCaller(authorization: text, server.issuer) else {
            throw GraphQLRefusal("Forbidden")
        }
        origin.withLock { $0.caller = caller.name }
        return nil
    }

    func answer(
        _ request: GraphQLRequest,
        _ give: @escaping @Sendable (JSONValue) async -> Void
    ) async throws(GraphQLRefusal) {
        let work: GraphQLPart.Work
        do throws(RefusedRequest) {
            work = try server.part.prepare(request)
        } catch { throw GraphQLRefusal(error.result.errors.map(\.json)) }
        guard work.kind == .subscription else { return await give(try await result(of: work).json) }
        switch await server.part.subscribe(work) {
        case .refused(let result): throw GraphQLRefusal(result.errors.map(\.json))
        case .answers(let answers):
            do {
                for try await answer in answers { await give(answer.json) }
            } catch {
                throw GraphQLRefusal((error as? ResolverError)?.message ?? "the subscription has failed")
            }
        }
    }

    private func result(of work: GraphQLPart.Work) async throws(GraphQLRefusal) -> ExecutionResult {
        let result: ExecutionResult
        do {
            result = try await server.part.execute(work, for: origin.withLock { $0 })
        } catch {
            server.report(error)
            throw GraphQLRefusal("the GraphQL server cannot be used now")
        }
        guard result.data == nil else { return result }
        throw GraphQLRefusal(result.errors.map(\.json))
    }
}
