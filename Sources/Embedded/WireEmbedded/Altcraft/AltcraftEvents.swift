import WireBackends
import WireBase
import WireConfig
import WireHTTP

/// Records what apps report: a push has arrived or was opened, or another event.
struct AltcraftEvents: Sendable {
    let context: PushRequestContext

    enum PushEvent: String, Sendable { case delivery, open }

    /// Counts each event of a device once if the request has a `Request-ID`.
    func push(_ event: PushEvent, _ request: Request, _: AltcraftCaller) async throws -> Response {
        let order = try request.altcraftJSON { members throws(Problem) in
            (time: try members.integer("time", in: 0...Int(Int32.max) * 8), id: try members.text("smid"))
        }
        guard (1...256).contains(order.id.utf8.count) else {
            throw EmbeddedError.altcraft(.badRequest, "smid: expected 1 to 256 bytes")
        }
        var id = order.id
        // An older SDK for iOS appends the type of the event.
        if try await context.records.find(id, on: .mailings) == nil, id.hasSuffix(event.rawValue) {
            id = String(id.dropLast(event.rawValue.count))
        }
        if let mailing = try await context.records.find(id, on: .mailings), let members = mailing.members {
            let name = event == .open ? "opened" : "delivered"
            let new = members.map { ($0.key, $0.key == name ? .integer(($0.value.integer ?? 0) + 1) : $0.value) }
            try await context.records.put(.object(new), id, on: .mailings)
        }
        try await keep([
            ("type", .string(event.rawValue)), ("smid", .string(id)), ("time", .integer(order.time)),
        ])
        return .altcraft()
    }

    /// Records an event from a multipart form and applies its changes to the profile.
    func mobile(_ request: Request, _ caller: AltcraftCaller) async throws -> Response {
        guard let sid = try request.queryText("i"), !sid.isEmpty else {
            throw EmbeddedError.altcraft(.badRequest, "i: the pixel's id is missing")
        }
        for (name, value) in [("tr", "px"), ("t", "open"), ("v", "2")] where try request.queryText(name) != value {
            throw EmbeddedError.altcraft(.badRequest, "\(name): expected \(value.quoted)")
        }
        let form = try MultipartForm(request) { .altcraft(.badRequest, $0) }
        guard let name = try form.text("wn"), (1...255).contains(name.utf8.count) else {
            throw EmbeddedError.altcraft(.badRequest, "wn: the name of the event is missing, or longer than 255 bytes")
        }
        for number in ["tz", "t"] {
            guard let text = try form.text(number), let value = Int(text), (-1 << 40...1 << 40).contains(value) else {
                throw EmbeddedError.altcraft(.badRequest, "\(number): expected a whole number")
            }
        }
        var members: [(key: String, value: JSONValue)] = [
            ("type", .string("mobile")), ("name", .string(name)), ("sid", .string(sid.shown(upTo: 255))),
        ]
        for key in ["t", "tz", "aci", "mm", "cn", "cc", "ck", "cm", "cs", "ct"] {
            if let text = try form.text(key) { members.append((key, .string(text.shown(upTo: 1_000)))) }
        }
        for key in ["wd", "mi", "ma", "sn"] {
            if let json = try json(key, form) { members.append((key, json)) }
        }
        let fields = try AltcraftFields(json("pf", form), "pf")
        if !fields.isEmpty { try await change(fields, caller, form) }
        try await keep(members)
        return .altcraft()
    }

    private func json(_ name: String, _ form: MultipartForm) throws -> JSONValue? {
        guard let part = try form[name] else { return nil }
        guard let json = try? JSONValue(parsing: Array(part.bytes), named: name) else {
            throw EmbeddedError.altcraft(.badRequest, "\(name): expected JSON")
        }
        return json
    }

    /// Changes the profile of the token, or of the subscription that the event carries.
    private func change(_ fields: AltcraftFields, _ caller: AltcraftCaller, _ form: MultipartForm) async throws {
        let profiles = AltcraftProfiles(context: context)
        let subscription = try json("sn", form)
        let profile = try await profiles.profile(
            of: caller,
            provider: subscription?["provider"]?.string,
            token: subscription?["subscription_id"]?.string
        )
        guard var profile else { throw EmbeddedError.altcraft(.notFound, "pf: unknown profile") }
        profile.fields = try fields.applied(to: profile.fields)
        try await profiles.keep(profile)
    }

    private func keep(_ members: [(key: String, value: JSONValue)]) async throws {
        let now = Int(context.machine.now)
        let json = JSONValue.object([("at", .integer(now))] + members)
        let key = "\(now)-\(try context.machine.secret(6))"
        try await context.records.put(json, key, on: .events)
    }
}
