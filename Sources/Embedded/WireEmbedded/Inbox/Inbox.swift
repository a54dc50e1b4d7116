import WireBackends
import WireBase
import WireConfig
import WireHTTP
import WireService
import WireStore

/// The requests that have arrived, in their order, each once: shows whether requests got through.
///
/// Stored across restarts of the runner; of more than a thousand the oldest are deleted.
actor Inbox {
    private let records: BackendRecords<InboxTables>
    private let machine: SystemServices
    private let line = AsyncMutex()
    /// The number of the last request, and the numbers by request id; nil until the first use.
    private var known: (last: Int, ids: [String: Int])?

    static let limit = InboxTables.arrived.limit

    init(_ host: ServiceHost, _ machine: SystemServices) {
        records = BackendRecords(
            host.stores.device.values,
            app: host.app?.id.text ?? "app",
            environment: host.environmentScope
        )
        self.machine = machine
    }

    // MARK: Receiving

    /// Stores a request; one with a known id gets the number it had before.
    func receive(_ request: Request) async throws -> Response {
        try await line.alone {
            var known = try await load()
            let id = request.fields["Request-ID"] ?? request.fields["Idempotency-Key"]
            if let id, let number = known.ids[id] {
                return Self.answer(number, id, isNew: false)
            }
            let number = known.last + 1
            try await records.put(record(request, number, id), NumberedKey.text(of: number), on: .arrived)
            known.last = number
            if let id { known.ids[id] = number }
            // The ids of the requests deleted to make room go too.
            known.ids = known.ids.filter { $0.value > number - Self.limit }
            self.known = known
            return Self.answer(number, id, isNew: true)
        }
    }

    private static func answer(_ number: Int, _ id: String?, isNew: Bool) -> Response {
        var response = Response.json(
            .members([
                "number": .integer(number), "requestId": id.map(JSONValue.string), "duplicate": .boolean(!isNew),
            ]),
            status: isNew ? .created : .ok
        )
        response.fields.add("Location", "/inbox/\(number)")
        return response
    }

    private func record(_ request: Request, _ number: Int, _ id: String?) -> JSONValue {
        let type = request.fields["Content-Type"]
        let isJSON = type.flatMap { MediaType(parsing: $0) }?.isCovered(by: "application/json") ?? false
        let json = isJSON ? try? JSONValue(parsing: request.body, named: "body") : nil
        let text = json == nil ? String(validating: request.body, as: UTF8.self) : nil
        return .members([
            "number": .integer(number), "at": .string(Timestamp(milliseconds: machine.now).description),
            "method": .string(request.method.name), "path": .string(request.target.path),
            "requestId": id.map(JSONValue.string), "type": type.map(JSONValue.string), "json": json,
            "text": request.body.isEmpty ? nil : text.map(JSONValue.string),
            "base64": json == nil && text == nil ? .string(Base64.text(of: request.body)) : nil,
        ])
    }

    // MARK: Reading

    /// Lists the requests after a number, the oldest first.
    func list(_ request: Request) async throws -> Response {
        let after = try request.queryInteger("after", in: 0...Int.max) ?? 0
        let limit = try request.queryInteger("limit", in: 1...Self.limit) ?? 100
        let items = try await records.keys(on: .arrived, after: NumberedKey.text(of: after), limit: limit)
            .asyncCompactMap(find)
        return .json(.members(["items": .array(items), "last": items.last?["number"]]))
    }

    func show(_ number: Int) async throws -> Response? {
        try await find(NumberedKey.text(of: number)).map { .json($0) }
    }

    func clear() async throws -> Response {
        try await line.alone {
            let count = try await records.clear(.arrived)
            known = (known?.last ?? 0, [:])
            return .json(.members(["removed": .integer(count)]))
        }
    }

    private func find(_ key: String) async throws(StoreFailure) -> JSONValue? {
        try await records.find(key, on: .arrived)
    }

    private func load() async throws(StoreFailure) -> (last: Int, ids: [String: Int]) {
        if let known { return known }
        var found: (last: Int, ids: [String: Int]) = (0, [:])
        for key in try await records.keys(on: .arrived, limit: Self.limit + 1) {
            guard let number = Int(key) else { continue }
            found.last = max(found.last, number)
            if let id = try await find(key)?["requestId"]?.string { found.ids[id] = number }
        }
        known = found
        return found
    }
}

private enum InboxTables: RecordTable {
    case arrived

    var path: String { "inbox" }
    var limit: Int { 1_000 }
    var forgets: Bool { true }
}
