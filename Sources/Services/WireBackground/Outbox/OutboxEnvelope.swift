import WireBase
import WireConfig
import WireHTTP
import WireService
import WireStore

/// A request as it is written down: everything but its body as JSON, sealed apart from it so that lists can show some of it.
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

    private static let version = 1

    var head: [UInt8] {
        let fields = request.fields.all.map { JSONValue.array([.string($0.name), .string($0.value)]) }
        let head = JSONValue.members([
            "version": .integer(Self.version), "method": .string(request.method.name),
            "address": .string(request.address), "fields": fields.isEmpty ? nil : .array(fields),
            "authorization": isUsual ? nil : .string(request.authorization.rawValue),
            "tokenModes": request.tokenRights.modesJSON, "tokenScopes": request.tokenRights.scopesJSON,
            "idField": request.idField.map(JSONValue.string),
            "note": note, "needsClerk": request.needsClerk ? .boolean(true) : nil,
            "device": request.isOfDevice ? .boolean(true) : nil,
            "forgetsAnswer": request.keepsAnswer ? nil : .boolean(true),
            "attempts": request.attempts.map(JSONValue.integer),
            "maxAge": request.maxAge.map { .integer(Int($0.components.seconds)) }, "user": user.map(JSONValue.string),
        ])
        return head.bytes()
    }

    private var isUsual: Bool { if case .usual = request.authorization { true } else { false } }

    private var note: JSONValue? {
        if case .null = request.note { nil } else { request.note }
    }

    init(head: [UInt8], body: [UInt8] = [], lane: String, service: String) throws(Unreadable) {
        guard let json = try? JSONValue(parsing: head, named: "request", limits: .kept),
            let version = json["version"]?.integer
        else {
            throw .damaged
        }
        guard version <= Self.version else { throw .newer }
        guard let method = json["method"]?.string, let address = json["address"]?.string else { throw .damaged }
        request = OutboxRequest(Method(method), address, lane: lane, service: service)
        for field in json["fields"]?.array ?? [] {
            guard let pair = field.array, pair.count == 2, let name = pair[0].string, let value = pair[1].string else {
                throw .damaged
            }
            request.fields.add(name, value)
        }
        if let word = json["authorization"]?.string {
            guard let authorization = ServerCall.Authorization(rawValue: word) else { throw .damaged }
            request.authorization = authorization
        }
        request.tokenRights = TokenRights(keptIn: json)
        request.idField = json["idField"]?.string
        request.note = json["note"] ?? .null
        request.needsClerk = json["needsClerk"]?.boolean ?? false
        request.isOfDevice = json["device"]?.boolean ?? false
        request.keepsAnswer = !(json["forgetsAnswer"]?.boolean ?? false)
        request.attempts = json["attempts"]?.integer
        request.maxAge = json["maxAge"]?.integer.map { .seconds($0) }
        request.body = body
        user = json["user"]?.string
    }

    init(_ claim: ClaimedWork) throws(Unreadable) {
        try self.init(head: claim.head, body: claim.payload, lane: claim.lane, service: claim.kind)
        request.id = claim.id
    }

    /// What everybody may know of it: where it goes, without the query, which may hold what is not everybody's.
    var path: String { String(request.address.prefix { $0 != "?" && $0 != "#" }) }
}

/// What became of a request, as it is kept for a while.
struct OutboxOutcome: Sendable {
    enum State: String, CaseIterable, Sendable {
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

    var note: [UInt8] {
        let note = JSONValue.members([
            "state": .string(state.rawValue), "method": .string(method), "path": .string(path),
            "lane": .string(lane), "service": .string(service), "attempts": .integer(attempts),
            "posted": .integer(Int(posted)), "status": status.map(JSONValue.integer),
            "type": type.map(JSONValue.string),
            "body": body.isEmpty ? nil : .string(Base64.text(of: body)), "cut": isCut ? .boolean(true) : nil,
            "reason": reason.map(JSONValue.string),
        ])
        return note.bytes()
    }

    /// Nil for a note that says nothing, as one whose writer did not know of outcomes.
    init?(note: [UInt8]) {
        guard let json = try? JSONValue(parsing: note, named: "outcome", limits: .kept),
            let state = json["state"]?.string.flatMap(State.init(rawValue:))
        else { return nil }
        self.state = state
        (method, path) = (json["method"]?.string ?? "", json["path"]?.string ?? "")
        (lane, service) = (json["lane"]?.string ?? "", json["service"]?.string ?? "")
        (attempts, posted) = (json["attempts"]?.integer ?? 0, Int64(json["posted"]?.integer ?? 0))
        (status, type) = (json["status"]?.integer, json["type"]?.string)
        body = json["body"]?.string.flatMap(Base64.bytes(of:)) ?? []
        isCut = json["cut"]?.boolean ?? false
        reason = json["reason"]?.string
    }
}

extension ReadingLimits {
    /// What this program has written itself, and checked before.
    fileprivate static var kept: ReadingLimits {
        var limits = ReadingLimits()
        limits.scalarLength = .mebibytes(64)
        return limits
    }
}
