import WireBase
import WireConfig
import WireHTTP
import WireNetworkContract
import WireStore
import WireWorkContract

/// The stored head of a request: everything but the body, which is sealed apart so that lists can show the head.
struct OutboxEnvelope: Sendable {
    var request: OutboxRequest
    /// The user who posted the request; it is sent in the name of no other user.
    var user: String?

    init(_ request: OutboxRequest, user: String?) {
        (self.request, self.user) = (request, user)
    }

    init(head: [UInt8], body: [UInt8] = [], lane: String, service: String) throws(JSONMismatch) {
        try self.init(parsing: head, named: "request", toleratesUnknown: true)
        (request.lane, request.service, request.body) = (lane, service, body)
    }

    init(_ claim: ClaimedWork) throws(JSONMismatch) {
        try self.init(head: claim.metadata, body: claim.payload, lane: claim.lane, service: claim.kind)
        request.id = claim.id
    }

    /// The path without the query, which may be secret; visible to all callers.
    var path: String { String(request.address.prefix { $0 != "?" && $0 != "#" }) }
}

extension OutboxEnvelope: JSONRecord {
    static let form = JSONForm<Self>("OutboxHead", "A stored request, without its body.", version: 1)

    init(_ members: inout Members<Self>) throws(JSONMismatch) {
        // The lane and the service are columns of the queue.
        request = OutboxRequest(
            Method(try members.required("method", \.request.method.name, "The method.")),
            try members.required("address", \.request.address, "The address."),
            lane: "",
            service: ""
        )
        if let kept = try members.present("fields", \.keptFields, "The fields.") { request.fields = kept.fields }
        if let word = try members.optional("authorization", \.keptAuthorization, "The kind of token.") {
            guard let authorization = ServerCall.Authorization(rawValue: word) else {
                throw members.mismatch("found \(word.quoted), expected an authorization", "authorization")
            }
            request.authorization = authorization
        }
        request.tokenRights = TokenRights(
            modes: try members.present("tokenModes", \.request.tokenRights.keptModes, "The token modes.")?.names,
            scopes: try members.present("tokenScopes", \.request.tokenRights.keptScopes, "Their scopes.")?.names
        )
        request.idField = try members.optional("idField", \.request.idField, "The header field for the id.")
        request.note = try members.optional("note", \.keptNote, "The note of its service.") ?? .null
        request.needsDelegate = try members.flag("needsClerk", \.request.needsDelegate, "Whether it needs its service.")
        request.isOfDevice = try members.flag("device", \.request.isOfDevice, "Whether it is the device's.")
        request.storesResponse =
            !(try members.flag("forgetsAnswer", { !$0.request.storesResponse }, "Whether the response is not stored."))
        request.attempts = try members.optional("attempts", \.request.attempts, "The maximum number of attempts.")
        request.maxAge = try members.optional("maxAge", \.keptAge, "The maximum age in seconds.").map {
            .seconds($0)
        }
        user = try members.optional("user", \.user, "The user who posted the request.")
    }

    private var keptFields: StoredFields? { request.fields.all.isEmpty ? nil : StoredFields(fields: request.fields) }
    private var keptAuthorization: String? {
        if case .usual = request.authorization { nil } else { request.authorization.rawValue }
    }
    private var keptNote: JSONValue? { if case .null = request.note { nil } else { request.note } }
    private var keptAge: Int? { request.maxAge.map { Int($0.components.seconds) } }
}

/// The stored form of header fields: pairs, so that their order stays.
private struct StoredFields: JSONCodable {
    let fields: Fields

    static var schema: JSONSchema { .array(of: .array(of: .text)) }
    static var placeholder: StoredFields { StoredFields(fields: [:]) }
    var jsonValue: JSONValue? { .array(fields.all.map { .array([.string($0.name), .string($0.value)]) }) }

    static func read(_ node: NodeID, in text: JSONDocument) throws(JSONMismatch) -> StoredFields {
        var fields = Fields()
        for item in try JSONValue.read(node, in: text).array ?? [] {
            guard let pair = item.array, pair.count == 2, let name = pair[0].string, let value = pair[1].string else {
                throw JSONMismatch("expected pairs of a name and a value", nil)
            }
            fields.add(name, value)
        }
        return StoredFields(fields: fields)
    }

    func write(to writer: inout JSONWriter) { writer.write(jsonValue ?? .null) }
}

/// The stored result of a request.
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
    /// Whether the response body was longer than the limit.
    var isCut = false
    var reason: String?

    init(_ state: State, _ envelope: OutboxEnvelope?, lane: String, service: String, attempts: Int, posted: Int64) {
        self.state = state
        (method, path) = (envelope?.request.method.name ?? "", envelope?.path ?? "")
        (self.lane, self.service, self.attempts, self.posted) = (lane, service, attempts, posted)
    }

    /// Nil for a note without an outcome.
    init?(note: [UInt8]) {
        guard let kept = try? Self(parsing: note, named: "outcome", toleratesUnknown: true) else { return nil }
        self = kept
    }
}

extension OutboxOutcome: JSONRecord {
    static let form = JSONForm<Self>("OutboxOutcome", "The result of a request.")

    init(_ members: inout Members<Self>) throws(JSONMismatch) {
        state = try members.required("state", \.state, "The final state.")
        method = try members.value("method", \.method, "The method.", or: "")
        path = try members.value("path", \.path, "The path, without the query.", or: "")
        lane = try members.value("lane", \.lane, "The lane.", or: "")
        service = try members.value("service", \.service, "The service.", or: "")
        attempts = try members.value("attempts", \.attempts, "The number of attempts.", or: 0)
        posted = try members.value("posted", \.posted, "The time of posting, in milliseconds since 1970.", or: 0)
        status = try members.optional("status", \.status, "The status of the response.")
        type = try members.optional("type", \.type, "The media type of the response.")
        body = try members.optional("body", \.keptBody, "The body of the response.")?.content ?? []
        isCut = try members.flag("cut", \.isCut, "Whether the body was longer.")
        reason = try members.optional("reason", \.reason, "The reason.")
    }

    private var keptBody: Base64Bytes? { body.isEmpty ? nil : Base64Bytes(body) }
}
