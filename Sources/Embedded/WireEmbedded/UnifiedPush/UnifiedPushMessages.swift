import WireBase
import WireConfig
import WireHTTP

/// The sent messages, and how often they were opened.
struct UnifiedPushMessages: Sendable {
    let context: PushRequestContext

    /// The numbers of sent and failed messages, by application and by variant.
    struct Activity {
        var applications: [String: Int] = [:]
        var variants: [String: Int] = [:]
        var failures: [String: Int] = [:]
    }

    /// The variants of a message, which senders do not see.
    private static let variants = "variants"

    func activity() async throws -> Activity {
        var activity = Activity()
        try await context.records.each(on: .messages) { _, json in
            if let id = json["pushApplicationId"]?.string { activity.applications[id, default: 0] += 1 }
            for variant in json[Self.variants]?.array ?? [] {
                if let id = variant.string { activity.variants[id, default: 0] += 1 }
            }
            for error in json["errors"]?.array ?? [] {
                if let id = error["variantID"]?.string { activity.failures[id, default: 0] += 1 }
            }
        }
        return activity
    }

    func keep(
        _ id: String,
        of application: String,
        to variants: [String],
        _ request: Request,
        errors: [JSONValue]
    ) async throws {
        let text = String(decoding: request.body, as: UTF8.self)
        let address: String? = if case .address(let address) = request.caller { address } else { nil }
        let client = request.fields["aerogear-sender"] ?? request.fields["User-Agent"]
        let json = JSONValue.members([
            "id": .string(id), "pushApplicationId": .string(application),
            "rawJsonMessage": .string(text.shown(upTo: 4_500)), "ipAddress": .orNull(address),
            "clientIdentifier": .orNull(client.map { $0.shown(upTo: 255) }), "submitDate": context.now,
            "appOpenCounter": .integer(0), "firstOpenDate": .null, "lastOpenDate": .null, "errors": .array(errors),
            Self.variants: .array(variants.map(JSONValue.string)),
        ])
        try await context.records.put(json, id, on: .messages)
    }

    /// Counts an opened message; an unknown message is ignored.
    func opened(_ id: String) async throws {
        guard id.utf8.count <= 64 else { return }
        try await context.line.alone {
            guard let old = try await context.records.find(id, on: .messages), let members = old.members else { return }
            let now = context.now
            let new = members.map { key, value in
                switch key {
                case "appOpenCounter": (key, JSONValue.integer((value.integer ?? 0) + 1))
                case "firstOpenDate": (key, value.integer == nil ? now : value)
                case "lastOpenDate": (key, now)
                default: (key, value)
                }
            }
            try await context.records.put(.object(new), id, on: .messages)
        }
    }

    /// Lists the messages, the newest first.
    func list(_ request: Request, of application: String) async throws -> Response {
        let application = try await UnifiedPushCatalog(context: context).application(application).id
        let page = try request.page(upTo: 100, or: 25)
        let isAscending = try request.queryText("sort")?.lowercased() == "asc"
        let search = try request.queryText("search").flatMap { $0.isEmpty ? nil : $0.lowercased() }
        let all = try await context.records.all(on: .messages)
            .filter { message in
                guard message["pushApplicationId"]?.string == application else { return false }
                return search.map { message["rawJsonMessage"]?.string?.lowercased().contains($0) ?? false } ?? true
            }
            .sorted { left, right in
                let (left, right) = (Self.place(left), Self.place(right))
                return isAscending ? left < right : left > right
            }
        var response = Response.json(.array(all.page(page).map(Self.told)))
        response.fields.add("total", "\(all.count)")
        response.fields.add("receivers", "0")
        response.fields.add("appOpenedCounter", "\(all.reduce(0) { $0 + ($1["appOpenCounter"]?.integer ?? 0) })")
        return response
    }

    private static func told(_ message: JSONValue) -> JSONValue {
        .object((message.members ?? []).filter { $0.key != variants })
    }

    private static func place(_ message: JSONValue) -> (Int, String) {
        (message["submitDate"]?.integer ?? 0, message["id"]?.string ?? "")
    }
}
