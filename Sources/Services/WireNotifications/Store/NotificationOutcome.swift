import WireBase
import WireConfig
import WireService

/// What became of a notification, as it is remembered for as long as the same one may come again.
struct NotificationOutcome: Sendable {
    var received: Int64
    var way: String
    var registrar: String?
    var isSilent: Bool
    var title: String?
    var result: HandlerRecord.Result
    var records: [HandlerRecord]
    var isShown: Bool
    var suppression: String?
    /// Why it was not handled at all.
    var reason: String?
    /// The digest of what it says; nil where nothing was taken by its id.
    var content: String?

    init(_ envelope: NotificationEnvelope, _ push: ReceivedPush?, _ progress: HandlingProgress) {
        (received, way) = (envelope.received, envelope.way)
        (registrar, isSilent) = (push?.registrar, push?.isSilent ?? true)
        title = push?.title.map { $0.shown(upTo: 200) }
        records = progress.records
        result = ResultFold(records: progress.records).result
        (isShown, suppression) = (progress.isPresented && progress.suppression == nil, progress.suppression)
        if push?.isSilent ?? true { isShown = false }
    }

    var json: JSONValue {
        .members([
            "received": .integer(Int(received)), "way": .string(way), "registrar": registrar.map(JSONValue.string),
            "silent": .boolean(isSilent), "title": title.map(JSONValue.string), "result": .string(result.rawValue),
            "handlers": .array(records.map(\.json)), "shown": .boolean(isShown),
            "suppressed": suppression.map(JSONValue.string), "reason": reason.map(JSONValue.string),
        ])
    }

    var note: [UInt8] {
        let content = content.map { [(key: "content", value: JSONValue.string($0))] } ?? []
        return JSONValue.object((json.members ?? []) + content).bytes()
    }

    init?(_ note: [UInt8]) {
        guard let json = try? JSONValue(parsing: note, named: "outcome", limits: .notification),
            let received = json["received"]?.integer
        else { return nil }
        self.received = Int64(received)
        way = json["way"]?.string ?? ""
        registrar = json["registrar"]?.string
        isSilent = json["silent"]?.boolean ?? true
        title = json["title"]?.string
        result = json["result"]?.string.flatMap(HandlerRecord.Result.init) ?? .noData
        records = (json["handlers"]?.array ?? []).compactMap(HandlerRecord.init)
        isShown = json["shown"]?.boolean ?? false
        suppression = json["suppressed"]?.string
        reason = json["reason"]?.string
        content = json["content"]?.string
    }
}
