package import WireConfig
package import WireHTTP

/// What becomes of a mutation on its way to the server.
package enum SyncEvents: String, APIEvent {
    package typealias Payload = SyncMutationEvent

    case accepted = "sync.mutation.accepted"
    case sent = "sync.mutation.sent"
    case confirmed = "sync.mutation.confirmed"
    case failed = "sync.mutation.failed"
    case conflict = "sync.mutation.conflict"

    package var help: String {
        switch self {
        case .accepted: "A mutation is on the disk, and will be sent."
        case .sent: "A mutation is sent to the server."
        case .confirmed: "The server has done a mutation."
        case .failed: "A mutation was given up."
        case .conflict: "The server has another version of a record; a decision was made, or is awaited."
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

/// What an event of a mutation carries.
package struct SyncMutationEvent: JSONRecord {
    package let id: String
    package var operation: String?
    package let lane: String
    package let state: MutationState
    package var reason, temporaryID: String?
    package var realID: JSONValue?
    package var fields: [String]?
    package var resolved: Resolution?

    /// How a conflict was resolved, without any value of it.
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
    package static let form = JSONForm<Self>("SyncMutationEvent", "What an event of a mutation carries.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        id = try members.required("id", \.id, "The mutation.")
        operation = try members.optional("operation", \.operation, "The name of its operation.")
        lane = try members.required("lane", \.lane, "Its lane.")
        state = try members.required("state", \.state, "How far it has come.")
        reason = try members.optional("reason", \.reason, "Why it waits or has failed.")
        temporaryID = try members.optional("temporaryId", \.temporaryID, "The temporary id of what it creates.")
        realID = try members.optional("realId", \.realID, "The server's id of that.")
        fields = try members.optional("fields", \.fields, "The fields that both sides have changed.")
        resolved = try members.optional("resolved", \.resolved, "How the conflict was resolved.")
    }
}

extension SyncMutationEvent.Resolution {
    package static let form = JSONForm<Self>("SyncMutationEventResolution", "How a conflict was resolved.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        strategy = try members.required("strategy", \.strategy, "The strategy.")
        isByCaller = try members.required("byCaller", \.isByCaller, "Whether a caller has decided it.")
        fields = try members.required("fields", \.fields, "The fields that both sides had changed.")
        overwritten = try members.required(
            "overwritten",
            \.overwritten,
            "The fields whose server values were replaced."
        )
    }
}
