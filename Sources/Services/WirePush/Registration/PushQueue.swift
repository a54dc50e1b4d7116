import WireBase
import WireConfig
import WireHTTP
import WireNetworkContract
import WireService
import WireWorkContract

/// Posts errands to the outbox; their requests are built when they are due.
struct PushQueue: Sendable {
    private let host: PushHost

    init(_ host: PushHost) { self.host = host }

    /// Posts an operation and returns its id once it is on the disk; a known id changes nothing.
    @discardableResult
    func post(_ operation: PushOperation, id: String?, parameters: JSONValue? = nil) async throws(Fault) -> String {
        guard let outbox = host.uses.outbox else { throw Fault("no outbox: push servers cannot be reached") }
        // Never the real address: it may hold a token.
        var request = OutboxRequest(
            .post,
            "push/\(operation.kind.rawValue)",
            lane: operation.lane,
            service: PushSection.name
        )
        request.id = id
        request.note = operation.note
        request.body = parameters.map { $0.bytes() } ?? []
        (request.needsDelegate, request.idField, request.storesResponse) = (true, nil, false)
        request.authorization = .none
        // The records of registrations are on this machine.
        (request.isOfDevice, request.isLocal) = (!StoredTokens.isPerson(operation.tag), true)
        return try await Fault.wrapping { () async throws(OutboxFailure) in try await outbox.post(request).id }
    }
}
