import WireBase
import WireConfig
import WireHTTP
import WireNetworkContract
import WireService
import WireWorkContract

/// Writes errands down in the outbox; what is sent is made when their turn comes.
struct PushPost: Sendable {
    private let host: PushHost

    init(_ host: PushHost) { self.host = host }

    /// Returns its id when it is on the disk; one that is known already changes nothing.
    @discardableResult
    func post(_ errand: PushErrand, id: String?, parameters: JSONValue? = nil) async throws(Fault) -> String {
        guard let outbox = host.uses.outbox else { throw Fault("there is no outbox that would tell push servers") }
        // Never the address that is sent to: it may hold a token.
        var request = OutboxRequest(.post, "push/\(errand.kind.rawValue)", lane: errand.lane, service: PushSection.name)
        request.id = id
        request.note = errand.note
        request.body = parameters.map { $0.bytes() } ?? []
        (request.needsClerk, request.idField, request.keepsAnswer) = (true, nil, false)
        request.authorization = .none
        request.isOfDevice = !KeptTokens.isPerson(errand.tag)
        return try await Fault.wrapping { () async throws(OutboxFailure) in try await outbox.post(request).id }
    }
}
