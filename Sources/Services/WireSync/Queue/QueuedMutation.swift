import WireConfig
import WireHTTP
import WireNotificationContract
import WireSyncContract

/// A stored mutation: its request, its optimistic data, and its result.
struct QueuedMutation: JSONRecord, Equatable {
    let id: String
    let operation: String?
    let document: String
    /// A digest of the caller's request, so that an id belongs to one mutation.
    let request: String
    var variables: JSONValue
    /// The time of creation in milliseconds since 1970, and the position among the others.
    let made, order: Int64
    let lane: String
    let tokenModes, tokenScopes: [String]?

    var state = MutationState.accepted
    var reason: String?
    /// The layer as JSON, and the expected data.
    var layer: JSONValue?
    var expected: JSONValue?
    /// The temporary id of the created object, and the server's.
    var temporary: String?
    var real: JSONValue?
    /// The changed record, and its fields as the caller saw them.
    var target: String?
    var base: JSONValue?
    /// How often it was changed and sent again because of conflicts.
    var rounds = 0
    var conflict: SyncConflict?
    var deadline: Int64?
    var resolutions: [SyncResolution] = []
    /// The server's answer, and its time.
    var data: JSONValue?
    var errors: [JSONValue]?
    var ended: Int64?
    /// The position of the cached records with that answer.
    var position: Int64?
    /// Whether a conflict left nothing to send.
    var isLeftToServer = false
    /// Whether the answer was applied to the cache and the queued mutations.
    var isApplied = false

    /// The id of the request at the server; different variables need another one.
    var key: String { rounds == 0 ? id : "\(id)~\(rounds)" }

    var variableMembers: [(key: String, value: JSONValue)] { variables.members ?? [] }

    var tokens: TokenRights { TokenRights(modes: tokenModes, scopes: tokenScopes) }

    static func == (left: Self, right: Self) -> Bool { left.bytes == right.bytes }
}

extension QueuedMutation {
    init(
        _ id: String,
        _ asked: AskedOperation,
        request: String,
        variables: JSONValue,
        made: Int64,
        order: Int64,
        lane: String
    ) {
        (self.id, operation, document) = (id, asked.prepared.name, asked.prepared.text)
        (self.request, self.variables) = (request, variables)
        (self.made, self.order, self.lane) = (made, order, lane)
        (tokenModes, tokenScopes) = (asked.tokens.modes, asked.tokens.scopes)
    }

    static let form = JSONForm<Self>("QueuedMutation", "A stored mutation.", version: 1)

    init(_ members: inout Members<Self>) throws(JSONMismatch) {
        id = try members.required("id", \.id, "The id.")
        operation = try members.optional("operation", \.operation, "The name of the operation.")
        document = try members.required("document", \.document, "The document.")
        request = try members.required("request", \.request, "A digest of the request.")
        variables = try members.required("variables", \.variables, "The variables.")
        made = try members.required("made", \.made, "The creation time.", .moment)
        order = try members.required("order", \.order, "The position in the queue.")
        lane = try members.required("lane", \.lane, "The lane.")
        tokenModes = try members.optional("tokenModes", \.tokenModes, "The tokens that the mutation may use.")
        tokenScopes = try members.optional("tokenScopes", \.tokenScopes, "The scopes of the tokens.")
        state = try members.required("state", \.state, "The state.")
        reason = try members.optional("reason", \.reason, "Why the mutation waits or has failed.")
        layer = try members.optional("layer", \.layer, "The optimistic layer.")
        expected = try members.optional("expected", \.expected, "The expected data.")
        temporary = try members.optional("temporary", \.temporary, "The temporary id.")
        real = try members.optional("real", \.real, "The server's id.")
        target = try members.optional("target", \.target, "The changed record.")
        base = try members.optional("base", \.base, "The record before the change.")
        rounds = try members.value("rounds", \.rounds, "The number of retries after conflicts.", or: 0)
        conflict = try members.optional("conflict", \.conflict, "The unresolved conflict.")
        deadline = try members.optional("deadline", \.deadline, "The deadline for a decision.", .moment)
        resolutions = try members.value("resolutions", \.resolutions, "The resolved conflicts.", or: [])
        data = try members.present("data", \.data, "The data of the server.")
        errors = try members.optional("errors", \.errors, "The errors of the server.")
        ended = try members.optional("ended", \.ended, "The time of the response.", .moment)
        position = try members.optional(
            "position",
            \.position,
            "The position of the cache after the response was stored."
        )
        isLeftToServer = try members.flag("leftToServer", \.isLeftToServer, "Whether a conflict left nothing to send.")
        isApplied = try members.flag("applied", \.isApplied, "Whether the response is in the cache.")
    }

    /// Replaces a temporary id by the real one.
    mutating func rewrite(_ rewriting: TemporaryID.Rewriting) {
        variables = rewriting(variables)
        expected = expected.map(rewriting.callAsFunction)
        base = base.map(rewriting.callAsFunction)
        target = target.map { rewriting(RecordKey($0)).text }
        if let layer = layer.flatMap(OptimisticLayer.init(json:)) {
            self.layer = OptimisticLayer(layer.id, layer.changes.map(rewriting.callAsFunction)).json
        }
    }

    /// The layer to show now; the remaining part once the server's answer is in the cache.
    var shownLayer: OptimisticLayer? {
        guard let layer = layer.flatMap(OptimisticLayer.init(json:)) else { return nil }
        switch state {
        case .failed: return nil
        case .accepted, .sent, .conflict: return layer
        case .confirmed where !isApplied: return layer
        case .confirmed:
            let end = Moment(position: position ?? 0, time: ended ?? made)
            let left = layer.changes.compactMap { $0.settled(at: end) }
            return left.isEmpty ? nil : OptimisticLayer(layer.id, left)
        }
    }

    /// The mutation for callers.
    func described(whole: Bool) -> SyncQueued {
        var result = SyncQueued(id, operation, state, lane: lane, made: made)
        (result.reason, result.temporaryID, result.realID) = (reason, temporary, real)
        (result.deadline, result.conflict, result.errors) = (deadline, conflict, errors)
        result.resolutions = resolutions.isEmpty ? nil : resolutions
        if whole { (result.variables, result.data) = (variables, data ?? expected) }
        return result
    }
}
