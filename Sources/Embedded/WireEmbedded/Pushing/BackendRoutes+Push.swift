import WireBase
import WireConfig
import WireHTTP
import WireService

/// The operations of the local API for the push servers.
extension BackendRoutes {
    /// Sends a push; a plain route, since the members of an order depend on the registrars of the file.
    func sendPush(_ request: Request) async throws -> Response {
        let push = try known().push
        let named = push.context.admitted.named
        let order = try request.json { members throws(Problem) in try PushOrder(&members, among: named) }
        let sent = try await PushTestSender(servers: push).send(order)
        let json = JSONValue.members([
            "via": .string(order.name), "id": .string(sent.id), "devices": .integer(sent.devices),
        ])
        return .json(json, status: .accepted)
    }
}
