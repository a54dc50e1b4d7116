package import WireConfig
package import WireHTTP

/// The events of queued mutations.
package enum SyncEvents: String, APIEvent {
    package typealias Payload = SyncMutationEvent

    case accepted = "sync.mutation.accepted"
    case sent = "sync.mutation.sent"
    case confirmed = "sync.mutation.confirmed"
    case failed = "sync.mutation.failed"
    case conflict = "sync.mutation.conflict"

    package var help: String {
        switch self {
        case .accepted: "A mutation is queued."
        case .sent: "A mutation was sent to the server."
        case .confirmed: "The server has executed a mutation."
        case .failed: "A mutation has failed for good."
        case .conflict: "A conflict with the server's data was resolved, or waits for a decision."
        }
    }

    package init(_ state: MutationState) {
        switch state {
        case .accepted: self = .accepted
        case .sent: self = .sent
        case .confirmed: self = .confirmed
        case .failed: self = .failed
        case .conflict: self = .conflict
        }
    }
}

/// The payload of a mutation event.
package struct SyncMutationEvent: JSONRecord {
    package let id: String
    package var operation: String?
    package let lane: String
    package let state: MutationState
    package var reason, temporaryID: String?
    package var realID: JSONValue?
    package var fields: [String]?
    package var resolved: Resolution?

    /// How a conflict was resolved, without values.
    package struct Resolution: JSONRecord {
        package let strategy: ConflictStrategy
        package let isByCaller: Bool
        package let fields, overwritten: [String]

        package init(_ resolution: SyncResolution) {
            (strategy, isByCaller) = (resolution.strategy, resolution.isByCaller)
            (fields, overwritten) = (resolution.fields, resolution.overwritten)
        }
    }

    package init(_ id: String, lane: String, _ state: MutationState) {
        (self.id, self.lane, self.state) = (id, lane, state)
    }
}

extension SyncMutationEvent {
    package static let form = JSONForm<Self>("SyncMutationEvent", "The payload of a mutation event.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        id = try members.required("id", \.id, "The mutation.")
        operation = try members.optional("operation", \.operation, "The name of the operation.")
        lane = try members.required("lane", \.lane, "The lane.")
        state = try members.required("state", \.state, "The state.")
        reason = try members.optional("reason", \.reason, "Why the mutation waits or has failed.")
        temporaryID = try members.optional("temporaryId", \.temporaryID, "The temporary id of the created object.")
        realID = try members.optional("realId", \.realID, "The server's id of the created object.")
        fields = try members.optional("fields", \.fields, "The fields changed on both sides.")
        resolved = try members.optional("resolved", \.resolved, "How the conflict was resolved.")
    }
}

extension SyncMutationEvent.Resolution {
    package static let form = JSONForm<Self>("SyncMutationEventResolution", "How a conflict was resolved.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        strategy = try members.required("strategy", \.strategy, "The strategy.")
        isByCaller = try members.required("byCaller", \.isByCaller, "Whether a caller has resolved the conflict.")
        fields = try members.required("fields", \.fields, "The fields changed on both sides.")
        overwritten = try members.required(
            "overwritten",
            \.overwritten,
            "The fields whose server values were replaced."
        )
    }
}
