import WireBase
import WireConfig
import WireHTTP
import WireNetworkContract
import WireStore
import WireWorkContract

/// A request as it is written down: everything but its body, sealed apart from it so that lists can show some of it.
struct OutboxEnvelope: Sendable {
    var request: OutboxRequest
    /// Who was signed in when it was posted: it is sent in nobody else's name.
    var user: String?

    init(_ request: OutboxRequest, user: String?) {
        (self.request, self.user) = (request, user)
    }

    /// Why what lies in the store cannot be sent.
    enum Unreadable: Error {
        case damaged
        /// A later version of this program has written it, and may still send it.
        case newer
    }

    init(head: [UInt8], body: [UInt8] = [], lane: String, service: String) throws(Unreadable) {
        do throws(JSONMismatch) {
            try self.init(parsing: head, named: "request", toleratesUnknown: true)
        } catch {
            throw error.isOfNewerVersion ? .newer : .damaged
        }
        (request.lane, request.service, request.body) = (lane, service, body)
    }

    init(_ claim: ClaimedWork) throws(Unreadable) {
        try self.init(head: claim.head, body: claim.payload, lane: claim.lane, service: claim.kind)
        request.id = claim.id
    }

    /// What everybody may know of it: where it goes, without the query, which may hold what is not everybody's.
    var path: String { String(request.address.prefix { $0 != "?" && $0 != "#" }) }
}

extension OutboxEnvelope: JSONRecord {
    static let form = JSONForm<Self>("OutboxHead", "A request as it is kept, without its body.", version: 1)

    init(_ members: inout Members<Self>) throws(JSONMismatch) {
        // Its lane and its service stand beside it in the queue.
        request = OutboxRequest(
            Method(try members.required("method", \.request.method.name, "What it wants done.")),
            try members.required("address", \.request.address, "Where it goes."),
            lane: "",
            service: ""
        )
        if let kept = try members.present("fields", \.keptFields, "Its fields.") { request.fields = kept.fields }
        if let word = try members.optional("authorization", \.keptAuthorization, "Whose token goes along.") {
            guard let authorization = ServerCall.Authorization(rawValue: word) else {
                throw members.mismatch("found \(word.quoted), which is no authorization", "authorization")
            }
            request.authorization = authorization
        }
        request.tokenRights = TokenRights(
            modes: try members.present("tokenModes", \.request.tokenRights.keptModes, "The tokens it may use.")?.names,
            scopes: try members.present("tokenScopes", \.request.tokenRights.keptScopes, "Their scopes.")?.names
        )
        request.idField = try members.optional("idField", \.request.idField, "The field its id is sent in.")
        request.note = try members.optional("note", \.keptNote, "What its service keeps with it.") ?? .null
        request.needsClerk = try members.flag("needsClerk", \.request.needsClerk, "Whether it waits for its service.")
        request.isOfDevice = try members.flag("device", \.request.isOfDevice, "Whether it is of the device.")
        request.keepsAnswer =
            !(try members.flag("forgetsAnswer", { !$0.request.keepsAnswer }, "Whether no answer is kept."))
        request.attempts = try members.optional("attempts", \.request.attempts, "How often it is tried.")
        request.maxAge = try members.optional("maxAge", \.keptAge, "For how many seconds it may wait.").map {
            .seconds($0)
        }
        user = try members.optional("user", \.user, "Who was signed in.")
    }

    private var keptFields: KeptFields? { request.fields.all.isEmpty ? nil : KeptFields(fields: request.fields) }
    private var keptAuthorization: String? {
        if case .usual = request.authorization { nil } else { request.authorization.rawValue }
    }
    private var keptNote: JSONValue? { if case .null = request.note { nil } else { request.note } }
    private var keptAge: Int? { request.maxAge.map { Int($0.components.seconds) } }
}

/// Fields as they are kept: pairs of a name and a value, so that their order stays whatever their names.
private struct KeptFields: JSONCodable {
    let fields: Fields

    static var schema: JSONSchema { .array(of: .array(of: .text)) }
    static var placeholder: KeptFields { KeptFields(fields: [:]) }
    var told: JSONValue? { .array(fields.all.map { .array([.string($0.name), .string($0.value)]) }) }

    static func read(_ node: NodeID, in text: JSONDocument) throws(JSONMismatch) -> KeptFields {
        var fields = Fields()
        for item in try JSONValue.read(node, in: text).array ?? [] {
            guard let pair = item.array, pair.count == 2, let name = pair[0].string, let value = pair[1].string else {
                throw JSONMismatch("expected pairs of a name and a value", nil)
            }
            fields.add(name, value)
        }
        return KeptFields(fields: fields)
    }

    func write(to writer: inout JSONWriter) { writer.write(told ?? .null) }
}

/// What became of a request, as it is kept for a while.
struct OutboxOutcome: Sendable {
    enum State: String, JSONWord, PlainCodable {
        case sent, failed, dropped
    }

    let state: State
    let method: String
    let path: String
    let lane: String
    let service: String
    let attempts: Int
    /// Milliseconds since 1970.
    let posted: Int64
    var status: Int?
    var type: String?
    var body: [UInt8] = []
    /// Whether the body of the answer was longer.
    var isCut = false
    var reason: String?

    init(_ state: State, _ envelope: OutboxEnvelope?, lane: String, service: String, attempts: Int, posted: Int64) {
        self.state = state
        (method, path) = (envelope?.request.method.name ?? "", envelope?.path ?? "")
        (self.lane, self.service, self.attempts, self.posted) = (lane, service, attempts, posted)
    }

    /// Nil for a note that says nothing, as one whose writer did not know of outcomes.
    init?(note: [UInt8]) {
        guard let kept = try? Self(parsing: note, named: "outcome", toleratesUnknown: true) else { return nil }
        self = kept
    }
}

extension OutboxOutcome: JSONRecord {
    static let form = JSONForm<Self>("OutboxOutcome", "What became of a request.")

    init(_ members: inout Members<Self>) throws(JSONMismatch) {
        state = try members.required("state", \.state, "How it ended.")
        method = try members.value("method", \.method, "What it wanted done.", or: "")
        path = try members.value("path", \.path, "Where it went, without its query.", or: "")
        lane = try members.value("lane", \.lane, "What it waited in line with.", or: "")
        service = try members.value("service", \.service, "Whose it was.", or: "")
        attempts = try members.value("attempts", \.attempts, "How often it was tried.", or: 0)
        posted = try members.value("posted", \.posted, "When it was posted, in milliseconds since 1970.", or: 0)
        status = try members.optional("status", \.status, "What the server answered.")
        type = try members.optional("type", \.type, "The media type of the answer.")
        body = try members.optional("body", \.keptBody, "The body of the answer.")?.content ?? []
        isCut = try members.flag("cut", \.isCut, "Whether the body was longer.")
        reason = try members.optional("reason", \.reason, "Why it ended.")
    }

    private var keptBody: Base64Bytes? { body.isEmpty ? nil : Base64Bytes(body) }
}
